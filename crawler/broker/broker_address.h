// The address of a message broker, as `--broker` has it.
#pragma once

#include <cstdint>
#include <string>

#include "parser/result.h"

namespace linkherd::crawler {

struct BrokerAddress {
  std::string host;
  std::uint16_t port = 5672;
  std::string virtual_host = "/";
  std::string user;
  std::string password;
  bool tls = false;
  std::string ca_file;           // PEM; empty: the system's
  std::string certificate, key;  // PEM files, of the client; empty: none

  // "amqp://USER:PASSWORD@HOST:PORT/VHOST", or amqps. The error says what is wrong with it, but does not repeat the
  // text: it may hold a password.
  static Result<BrokerAddress> parse(const std::string& url);
};

}  // namespace linkherd::crawler
