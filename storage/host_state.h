// What is kept about a host from one run to the next.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::storage {

// Consecutive runs in which a host answered no request.
struct HostSilence {
  Timestamp since;  // the first request without answer
  Timestamp last;   // the latest one
  int strikes = 0;  // the runs that count: each at least a strike interval after the last
  std::optional<Timestamp> last_strike = std::nullopt;

  bool operator==(const HostSilence&) const = default;
};

struct HostState {
  std::string origin;                                 // "https://example.com"
  std::optional<Timestamp> not_before;                // from Retry-After
  double concurrency = 1.0;                           // the value that AIMD had reached
  std::string robots = {};                            // the rules of its robots.txt that apply to us, as a robots.txt
  std::optional<Timestamp> robots_at = std::nullopt;  // when they were fetched; nothing: not known
  std::optional<HostSilence> silence = std::nullopt;  // nothing: it answered the last request, or there was none
  std::optional<std::chrono::duration<double>> crawl_delay = std::nullopt;  // of these rules; not stored

  bool operator==(const HostState&) const = default;
};

}  // namespace linkherd::storage
