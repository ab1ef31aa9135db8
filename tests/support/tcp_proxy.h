// Forwards TCP connections to a port of 127.0.0.1, and can delay, drop or cut them. Stops in its destructor.
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
  void set_target(std::uint16_t target);  // for new connections
  void cut();                             // closes all open connections
  // While silent, the proxy forwards nothing and closes nothing, as in a network outage.
  void set_silent(bool silent);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
