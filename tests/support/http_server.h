// A scripted HTTP server with a plain and a TLS port on 127.0.0.1, served from its own thread. It calls a function for
// every response, logs the requests, and ignores clients that disconnect. Stops in its destructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/page.h"
#include "tests/support/tls_certificates.h"

namespace linkherd::tests {

class HttpServer {
 public:
  using Responder = std::function<Page(const ReceivedRequest&)>;

  // Calls `respond` from the server's thread. An exception becomes a 500 response with the message as its body.
  HttpServer(TestAuthority& authority, Responder respond);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t http_port() const;
  std::uint16_t https_port() const;

  // Also listens on another address of 127.0.0.0/8, at the same two ports.
  void listen_on(const std::string& address);

  std::vector<ReceivedRequest> requests() const;  // in order of arrival
  void clear_requests();                          // also resets the highest observed concurrency
  // Returns the maximum number of requests that were in progress for `host` at the same time, or for all hosts together
  // if `host` is empty.
  std::size_t max_concurrent(const std::string& host) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
