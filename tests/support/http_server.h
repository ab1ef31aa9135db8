// A scripted HTTP server with a plain and a TLS port on 127.0.0.1, in its own thread. It gets every answer from a
// function, logs its requests, and ignores clients that disconnect. Stops in its destructor.
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
  using Responder = std::function<Page(const SeenRequest&)>;

  // `respond` is called from the server's thread. What it throws becomes a 500 with the message as its body.
  HttpServer(TestAuthority& authority, Responder respond);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t http_port() const;
  std::uint16_t https_port() const;

  // Listens on a further address of 127.0.0.0/8, at the same two ports.
  void listen_on(const std::string& address);

  std::vector<SeenRequest> requests() const;  // in the order in which they came
  void forget_requests();                     // and the highest concurrency seen
  // The most requests that this host was answering at one time; of all hosts together where `host` is empty.
  std::size_t max_concurrent(const std::string& host) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
