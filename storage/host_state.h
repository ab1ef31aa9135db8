// What politeness must remember about a host from one run to the next.
#pragma once

#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::storage {

// Runs in a row in which a host gave no answer at all, whatever it was asked.
struct HostSilence {
  Timestamp since;  // the first request without answer
  Timestamp last;   // the latest one
  int strikes = 0;  // the runs that count: each at least a strike interval after the last
  std::optional<Timestamp> last_strike = std::nullopt;

  bool operator==(const HostSilence&) const = default;
};

struct HostState {
  std::string origin;                                 // "https://example.com"
  std::optional<Timestamp> not_before;                // Retry-After: a deadline, not a length
  double concurrency = 1.0;                           // what AIMD had reached
  std::string robots = {};                            // what its robots.txt says to us, as a robots.txt of its own …
  std::optional<Timestamp> robots_at = std::nullopt;  // … and when it said so; nothing: not known
  std::optional<HostSilence> silence = std::nullopt;  // nothing: it answered when it was last asked, or never was

  bool operator==(const HostState&) const = default;
};

}  // namespace linkherd::storage
