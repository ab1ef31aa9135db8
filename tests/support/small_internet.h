// A small internet inside the test process: web servers for any number of host names, with certificates, and a name
// server that resolves these names. All servers listen on 127.0.0.0/8, at ports that the kernel chooses. Thread-safe;
// stops in its destructor.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/dns_server.h"
#include "tests/support/http_server.h"
#include "tests/support/page.h"
#include "tests/support/tls_certificates.h"

namespace linkherd::tests {

// The responses of one host. A page for exactly the target comes first, then the handler, then the page for all other
// targets. If a page has status 200 and an ETag or Last-Modified header, matching conditional requests get 304.
class HostScript {
 public:
  HostScript();
  ~HostScript();

  HostScript& page(const std::string& target, Page page);
  HostScript& pages(const std::string& target, std::vector<Page> in_turn);  // one per request; the last one is repeated
  HostScript& handler(std::function<Page(const ReceivedRequest&)> handler);
  HostScript& default_page(Page page);  // the page for all other targets; 404 by default

  Page answer(const ReceivedRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class SmallInternet {
 public:
  SmallInternet();
  ~SmallInternet();
  SmallInternet(const SmallInternet&) = delete;
  SmallInternet& operator=(const SmallInternet&) = delete;

  // Returns the script of a host and creates the host if necessary. Its name resolves to 127.0.0.1 unless dns() was
  // called for it.
  HostScript& host(const std::string& name);
  void dns(const std::string& name, DnsBehaviour behaviour);
  // Sets the answer for names without a script, top-level domains included. By default these names do not exist, and
  // top-level domains have name servers.
  void set_default_dns(DnsBehaviour behaviour);
  void tls(const std::string& name, CertificateKind kind);
  void serve_issuers();                        // serves the issuer certificates whose URLs other certificates contain
  void listen_on(const std::string& address);  // serves all hosts on another address of 127.0.0.0/8 too

  std::vector<ReceivedRequest> requests() const;
  std::vector<ReceivedRequest> requests(const std::string& host) const;
  std::size_t count(const std::string& host, const std::string& target) const;
  void clear_requests();
  // Returns false if fewer than `count` requests arrive before the timeout.
  bool wait_for_requests(std::size_t count, std::chrono::milliseconds timeout) const;
  std::size_t max_concurrent(const std::string& host = {}) const;
  std::vector<ReceivedQuery> dns_queries() const;

  // Configure a client to use this internet: all options of the command line, or one setting each.
  std::vector<std::string> options() const;
  std::string dns_server() const;               // "127.0.0.1:PORT"
  std::vector<std::string> connect_to() const;  // "*:80::PORT", "*:443::PORT": the resolved address with another port
  const std::string& ca_file() const;
  TestAuthority& authority();  // for additional servers of the test
  std::uint16_t http_port() const;
  std::uint16_t https_port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
