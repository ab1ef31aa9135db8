// A server on 127.0.0.1, plain or TLS, for responses that no HTTP library would send. A script of the test handles
// every connection on its own thread. Stops in its destructor.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace linkherd::tests {

// The server's end of one connection. Every call returns when the client disconnects or the server stops.
class ServerConnection {
 public:
  virtual ~ServerConnection() = default;
  // Reads up to the end of the headers. Returns what arrived if the client disconnects before.
  virtual std::string read_request() = 0;
  virtual std::string read_some() = 0;  // empty if the client has disconnected
  virtual bool send(std::string_view bytes) = 0;
  virtual void pause(std::chrono::milliseconds time) = 0;
  virtual void wait_for_end() = 0;  // keeps reading until the client disconnects
  virtual void shut_down() = 0;     // closes the sending direction only
  virtual void reset() = 0;         // sends a TCP reset
  virtual int number() const = 0;   // the number of the connection, from 1
  virtual ssl_st* session() = 0;    // null if the connection is plain
};

class RawServer {
 public:
  using Script = std::function<void(ServerConnection&)>;

  // If `set_up_tls` is given, the server speaks TLS with the context that it configures. A failed handshake ends the
  // connection.
  explicit RawServer(Script script, const std::function<void(ssl_ctx_st*)>& set_up_tls = {});
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::uint16_t port() const;
  int connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
