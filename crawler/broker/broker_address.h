// The address of a message broker, as passed to `--broker`.
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
  std::string ca_file;           // PEM; empty: the CA certificates of the system
  std::string certificate, key;  // PEM files of the client; empty: none

  // Parses "amqp://USER:PASSWORD@HOST:PORT/VHOST"; the scheme may also be amqps. The Error says what is wrong, but does
  // not repeat the text, which may contain a password.
  static Result<BrokerAddress> parse(const std::string& url);
};

}  // namespace linkherd::crawler
