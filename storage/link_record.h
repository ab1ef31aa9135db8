// A link's state over time: one record per link, rewritten when a run finishes the link.
#pragma once

#include <optional>
#include <string>

#include "parser/timestamp.h"
#include "storage/link_id.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

struct LinkRecord {
  LinkId id;
  std::string url;  // the L1 href: what is fetched
  Timestamp first_seen;
  std::optional<Timestamp> last_alive;
  std::optional<Timestamp> first_failed;  // start of the current sequence of failures
  int strikes = 0;  // consecutive failures that count: each at least a strike interval after the last
  std::optional<Timestamp> last_strike;
  Snapshot snapshot;  // the latest; deferred and skipped links keep an earlier one

  bool operator==(const LinkRecord&) const = default;
};

}  // namespace linkherd::storage
