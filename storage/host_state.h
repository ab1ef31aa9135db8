// What politeness must remember about a host from one run to the next.
#pragma once

#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::storage {

struct HostState {
  std::string origin;                   // "https://example.com"
  std::optional<Timestamp> not_before;  // Retry-After: a deadline, not a length
  double concurrency = 1.0;             // what AIMD had reached

  bool operator==(const HostState&) const = default;
};

}  // namespace linkherd::storage
