// A scripted name server on 127.0.0.1. It serves UDP and TCP at the same port, from its own thread, and stops in its
// destructor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/dns_message.h"

namespace linkherd::tests {

struct ReceivedQuery {
  std::string name;
  std::uint16_t type = 0;  // dns_type
  bool tcp = false;
};

class DnsServer {
 public:
  // Calls `behave` from the server's thread for every question. If `port` is 0, the server chooses a free port.
  explicit DnsServer(std::function<DnsBehaviour(const DnsQuestion& question)> behave, std::uint16_t port = 0);
  ~DnsServer();
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  std::uint16_t port() const;
  std::vector<ReceivedQuery> queries() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
