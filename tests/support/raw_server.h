// A server for answers that no HTTP library would send: on 127.0.0.1, plain or TLS. A script of the test plays every
// connection in its own thread. Stops in its destructor.
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

// The server's end of one connection. Every call is over when the client goes away or the server stops.
class Conversation {
 public:
  virtual ~Conversation() = default;
  virtual std::string read_request() = 0;  // to the end of its headers; what has come where the client goes away
  virtual std::string read_some() = 0;     // empty: the client has gone away
  virtual bool send(std::string_view bytes) = 0;
  virtual void pause(std::chrono::milliseconds time) = 0;
  virtual void wait_for_end() = 0;  // reads on until the client goes away
  virtual void shut_down() = 0;     // no more from us, but the connection stays
  virtual void reset() = 0;         // RST
  virtual int number() const = 0;   // of the connection, from 1
  virtual ssl_st* session() = 0;    // null without TLS
};

class RawServer {
 public:
  using Script = std::function<void(Conversation&)>;

  // `set_up_tls`: makes it a TLS server, with the context that it is given; a failed handshake ends the connection.
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
