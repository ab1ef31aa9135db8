// Everything that can be set about fetching, with its default.
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

struct HopAnswer;
struct PendingFetch;
class ArchiveReplay;

enum class RobotsMode {
  listed,   // a link that a person listed is fetched; only what linkherd finds by itself asks robots.txt
  respect,  // every link asks robots.txt first
  ignore,
};

enum class MethodPlan {
  get,
  head,           // what a server says to HEAD is believed, but for what could make a link dead
  head_then_get,  // HEAD, and GET wherever HEAD finds anything but a page or a redirect
};

struct FetchOptions {
  int threads = 0;               // 0: as many as cores, at most 8
  int max_concurrency = 512;     // transfers in flight over all threads
  int max_stalled = 2000;        // transfers beside these that have not moved a byte for a second
  int address_concurrency = 32;  // requests at once to one place on the network (a /24 or /48), all its hosts together
  Duration timeout = std::chrono::seconds(20);  // a hop, from its start to its last byte
  Duration connect_timeout = std::chrono::seconds(10);
  Duration link_timeout =
      std::chrono::minutes(5);  // a link: all its hops, waits and retries, but not its place in a queue
  Duration low_speed_time = std::chrono::seconds(10);  // a body slower than 100 bytes a second for so long is given up
  Duration shutdown_grace = std::chrono::seconds(2);   // for what is in flight when the run is stopped
  int max_redirects = 20;
  std::size_t max_body = std::size_t{5} << 20;       // decoded bytes
  bool should_keep_any_body = false;                 // also of kinds that no snapshot keeps, such as archives
  std::size_t body_budget = std::size_t{256} << 20;  // of the bodies between fetch and store, all links together
  RetryPolicy retry;
  Politeness politeness;
  // Whether the headers of an answer name a bot wall, which a browser's headers do not pass. Empty: unknown.
  std::function<bool(const HopAnswer&)> is_wall;
  // Whether a page that redirects by itself is known as something else, which is its verdict: a bot wall, a "not found"
  // page, a parked domain. Empty: unknown.
  std::function<bool(const PendingFetch&, HopAnswer&)> is_known_page;
  RobotsMode robots = RobotsMode::listed;
  MethodPlan method = MethodPlan::get;
  bool retry_as_browser = true;  // what is refused is requested again with the headers and HTTP version of a browser
  bool allow_private = false;
  std::vector<AddressRange> allowed_ranges;  // private ones that may be contacted all the same
  std::string user_agent;                    // empty: linkherd's own, with its version and address
  std::vector<std::string> dns_servers;      // "IP" or "IP:PORT"; empty: the system's
  std::vector<std::string> connect_to;       // curl's HOST:PORT:ADDR:PORT; "*" and empty parts match anything
  ResolverKind resolver = ResolverKind::c_ares;
  IpFamily family = IpFamily::any;
  Proxies proxies;
  std::vector<HeaderRule> headers;  // logins among them
  std::vector<Cookie> cookies;      // from the user's file; what servers set is never added
  std::string ca_file;              // empty: the system's
  bool insecure = false;            // certificates are looked at but decide nothing
  std::string client_cert;  // PEM files; shown only where a link itself leads, never behind a redirect elsewhere
  std::string client_key;
  TlsVersion min_tls = TlsVersion::any;
  bool http2 = false;
  const ArchiveReplay* saved = nullptr;  // answers in place of the network, which is not used then; outlives the pool

  // Whether we can tell name servers that lie from names that do not exist: not where others resolve for us.
  bool questions_denials() const { return resolver == ResolverKind::c_ares && !proxies.resolve_names(); }
};

// "linkherd/0.1.0 (+https://…)": honest, with a place to read about it.
std::string default_user_agent();

}  // namespace linkherd::crawler
