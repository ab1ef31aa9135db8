// All settings of fetching, with their defaults.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "crawler/fetch/http/cookies.h"
#include "crawler/fetch/http/extra_headers.h"
#include "crawler/fetch/http/retry_policy.h"
#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connection_options.h"
#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

struct AttemptResult;
struct FetchState;
class ArchiveReplay;

enum class RobotsMode {
  // Listed links are fetched in any case; only links that linkherd finds itself need the permission of robots.txt.
  listed,
  respect,  // every link needs the permission of robots.txt
  ignore,
};

enum class MethodPlan {
  get,
  head,           // a HEAD response is accepted, unless it could make a link dead
  head_then_get,  // HEAD; then GET unless HEAD shows a page or a redirect
};

struct FetchOptions {
  int threads = 0;            // 0: one per core, at most 8
  int max_concurrency = 512;  // transfers in flight over all threads
  int max_stalled = 2000;     // additional transfers that have not moved a byte for a second
  // Concurrent requests to one network (a /24 or /48), for all its hosts together.
  int address_concurrency = 32;
  Duration timeout = std::chrono::seconds(20);  // per hop, from its start to its last byte
  Duration connect_timeout = std::chrono::seconds(10);
  // Per link: all hops, waits and retries, but not the time in a queue.
  Duration link_timeout = std::chrono::minutes(5);
  // A body that is slower than 100 bytes a second for this long is aborted.
  Duration low_speed_time = std::chrono::seconds(10);
  Duration shutdown_grace = std::chrono::seconds(2);  // for transfers in flight when the run is stopped
  int max_redirects = 20;
  std::size_t max_body = std::size_t{5} << 20;       // decoded bytes
  bool should_keep_any_body = false;                 // also keep types that no snapshot keeps, such as archives
  std::size_t body_budget = std::size_t{256} << 20;  // total size of the bodies between fetch and store
  RetryPolicy retry;
  Politeness politeness;
  // Returns true if the headers of a response identify a bot wall, which a browser's headers do not pass. May be empty.
  std::function<bool(const AttemptResult&)> is_wall;
  // Returns true if the kind of a page that redirects by itself is known and decides its verdict. Such kinds are bot
  // walls, "not found" pages and parked domains. May be empty.
  std::function<bool(const FetchState&, AttemptResult&)> is_known_page;
  RobotsMode robots = RobotsMode::listed;
  MethodPlan method = MethodPlan::get;
  bool retry_as_browser = true;          // repeat a refused request with the headers and HTTP version of a browser
  AddressPolicy addresses;               // that may be contacted, if a page names them
  std::string user_agent;                // empty: linkherd's own, with its version and homepage
  std::vector<std::string> dns_servers;  // "IP" or "IP:PORT"; empty: the system's name servers
  std::vector<std::string> connect_to;   // curl's HOST:PORT:ADDR:PORT; "*" and empty parts match anything
  ResolverKind resolver = ResolverKind::c_ares;
  IpFamily family = IpFamily::any;
  Proxies proxies;
  std::vector<HeaderRule> headers;  // including credentials
  std::vector<Cookie> cookies;      // from the user's cookie file; cookies of servers are never added
  std::string ca_file;              // empty: the system's file
  bool insecure = false;            // certificates are read, but decide nothing
  // PEM files. The certificate is sent only to the link's own origin, never after a redirect to another one.
  std::string client_cert;
  std::string client_key;  // empty: in the file of the certificate
  TlsVersion min_tls = TlsVersion::any;
  bool http2 = false;
  // Answers requests instead of the network, which is then not used. Must outlive the pool.
  const ArchiveReplay* saved = nullptr;

  // Returns true if linkherd can distinguish lying name servers from missing names. It cannot if the system or a proxy
  // resolves the names.
  bool questions_denials() const { return resolver == ResolverKind::c_ares && !proxies.resolve_names(); }
};

// Returns "linkherd/0.1.0 (+https://…)", which names the program and a page about it.
std::string default_user_agent();

}  // namespace linkherd::crawler
