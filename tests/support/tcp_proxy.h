// Forwards connections to a port of 127.0.0.1 and can delay, swallow or cut them. Stops in its destructor.
#pragma once

#include <cstdint>
#include <memory>

namespace linkherd::tests {

class TcpProxy {
 public:
  explicit TcpProxy(std::uint16_t target);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::uint16_t port() const;
  void lead_to(std::uint16_t target);  // the connections that come from now on
  void cut();                          // ends all connections that there are
  // While it is silent nothing is forwarded, and nobody is told: as where a network is lost.
  void set_silent(bool silent);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
