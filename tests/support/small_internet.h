// A small internet inside the test process: web servers for any number of host names, with certificates, and the name
// server for them. All of it is on 127.0.0.0/8, at ports chosen by the kernel. Thread-safe. Stops in its destructor.
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

// What one host answers: a page for exactly this target, else what the handler says, else the page for everything else.
// A page with status 200 and ETag or Last-Modified answers matching conditional requests with 304 by itself.
class HostScript {
 public:
  HostScript();
  ~HostScript();

  HostScript& page(const std::string& target, Page page);
  HostScript& pages(const std::string& target, std::vector<Page> in_turn);  // one after the other; the last stays
  HostScript& handler(std::function<Page(const SeenRequest&)> handler);
  HostScript& otherwise(Page page);  // 404 where nothing is said

  Page answer(const SeenRequest& request);

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

  // The script of a host; the host comes into being: its name resolves to 127.0.0.1 unless dns() says otherwise.
  HostScript& host(const std::string& name);
  void dns(const std::string& name, DnsBehaviour behaviour);
  // For names without script, top-level domains included. Unless this says otherwise there is no such host, and the
  // name servers of top-level domains are known.
  void dns_otherwise(DnsBehaviour behaviour);
  void tls(const std::string& name, CertificateKind kind);
  void plant_issuers();                        // the certificates that others name the address of
  void listen_on(const std::string& address);  // a further address of 127.0.0.0/8 at which all hosts answer

  std::vector<SeenRequest> requests() const;
  std::vector<SeenRequest> requests(const std::string& host) const;
  std::size_t count(const std::string& host, const std::string& target) const;
  void forget_requests();
  // False where fewer than `count` requests have come when `timeout` ends.
  bool wait_for_requests(std::size_t count, std::chrono::milliseconds timeout) const;
  std::size_t max_concurrent(const std::string& host = {}) const;
  std::vector<SeenQuery> dns_queries() const;

  // How a client gets here: as options of the command line, and one by one.
  std::vector<std::string> options() const;
  std::string dns_server() const;               // "127.0.0.1:PORT"
  std::vector<std::string> connect_to() const;  // "*:80::PORT", "*:443::PORT": the address as resolved, another port
  const std::string& ca_file() const;
  TestAuthority& authority();  // for servers of the test's own
  std::uint16_t http_port() const;
  std::uint16_t https_port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
