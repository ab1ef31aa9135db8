// The state of a link over time. The store has one row per link and rewrites it after each check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parser/timestamp.h"
#include "storage/link_id.h"
#include "storage/relocation.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

// A copy of a page in a web archive, for reports on dead links.
struct ArchivedCopy {
  std::string url;     // URL of the copy; empty: the archive has none
  Timestamp date;      // date of the copy
  Timestamp asked_at;  // when linkherd queried the archive

  bool operator==(const ArchivedCopy&) const = default;
};

// The last check from one vantage point.
struct VantageCheck {
  std::string vantage;
  Timestamp at;
  Verdict verdict;  // verdict from this vantage point alone

  bool operator==(const VantageCheck&) const = default;
};

// Time and outcome of one check of a link.
struct CheckOutcome {
  Timestamp at;  // in whole seconds
  Health health = Health::deferred;

  bool operator==(const CheckOutcome&) const = default;
};

struct LinkState {
  LinkId id;
  std::string url;  // L1 href, which is fetched
  Timestamp first_seen;
  std::optional<Timestamp> last_alive;
  std::optional<Timestamp> first_failed;  // start of the current series of failures
  int strikes = 0;                        // consecutive counted failures, at least one strike interval apart
  std::optional<Timestamp> last_strike;
  std::optional<ArchivedCopy> archived_copy;  // nullopt: no archive was queried, or none answered
  std::optional<Relocation> relocation;       // nullopt: no search has been made
  std::optional<Timestamp> moved_at;          // when the link, known by then, began to redirect to its present target
  // The last check from each vantage point, sorted by name. Empty unless there are several.
  std::vector<VantageCheck> vantages;
  // Time of the history row with the first version: the first check that found a page with a title and a text.
  std::optional<Timestamp> first_version_at;
  Snapshot snapshot;  // the latest one; deferred and skipped links keep an earlier one

  bool operator==(const LinkState&) const = default;
};

}  // namespace linkherd::storage
