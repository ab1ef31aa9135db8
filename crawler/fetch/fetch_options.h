// Everything that can be set about fetching, with its default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "crawler/fetch/retry_policy.h"
#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

enum class RobotsMode {
  listed,   // a link that a person listed is fetched; only what linkherd finds by itself asks robots.txt
  respect,  // every link asks robots.txt first
  ignore,
};

struct FetchOptions {
  int threads = 0;               // 0: as many as cores, at most 8
  int max_concurrency = 512;     // transfers in flight over all threads
  int address_concurrency = 32;  // requests at once to one place on the network (a /24 or /48), all its hosts together
  Duration timeout = std::chrono::seconds(20);  // a hop, from its start to its last byte
  Duration connect_timeout = std::chrono::seconds(10);
  Duration shutdown_grace = std::chrono::seconds(5);  // for what is in flight when the run is stopped
  int max_redirects = 10;
  std::size_t max_body = std::size_t{5} << 20;       // decoded bytes
  std::size_t body_budget = std::size_t{256} << 20;  // bodies between fetch and store, all links together
  RetryPolicy retry;
  Politeness politeness;
  RobotsMode robots = RobotsMode::listed;
  bool allow_private = false;
  std::string user_agent;                // empty: linkherd's own, with its version and address
  std::vector<std::string> dns_servers;  // "IP:PORT"; empty: the system's
  std::vector<std::string> connect_to;   // curl's HOST:PORT:ADDR:PORT; "*" and empty parts match anything
  std::string ca_file;                   // empty: the system's
};

// "linkherd/0.1.0 (+https://…)": honest, with a place to read about it.
std::string default_user_agent();

}  // namespace linkherd::crawler
