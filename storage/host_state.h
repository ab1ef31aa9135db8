// What politeness must remember about a host from one run to the next.
#pragma once

#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::storage {

struct HostState {
  std::string origin;                                 // "https://example.com"
  std::optional<Timestamp> not_before;                // Retry-After: a deadline, not a length
  double concurrency = 1.0;                           // what AIMD had reached
  std::string robots = {};                            // what its robots.txt says to us, as a robots.txt of its own …
  std::optional<Timestamp> robots_at = std::nullopt;  // … and when it said so; nothing: not known

  bool operator==(const HostState&) const = default;
};

}  // namespace linkherd::storage
