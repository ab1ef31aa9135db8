// The state of a link over time: one record per link, rewritten when a run has checked it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parser/timestamp.h"
#include "storage/link_id.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

// What a web archive has of a link, for reports on dead links.
struct ArchivedCopy {
  std::string url;     // of the copy; empty: the archive has none
  Timestamp date;      // of the copy
  Timestamp asked_at;  // when the archive was asked

  bool operator==(const ArchivedCopy&) const = default;
};

// What was found last from a vantage.
struct VantageLook {
  std::string vantage;
  Timestamp at;
  Verdict verdict;  // of this vantage alone

  bool operator==(const VantageLook&) const = default;
};

// One look of several at a link.
struct Look {
  Timestamp at;  // in whole seconds
  Health health = Health::deferred;

  bool operator==(const Look&) const = default;
};

struct LinkRecord {
  LinkId id;
  std::string url;  // the L1 href, which is fetched
  Timestamp first_seen;
  std::optional<Timestamp> last_alive;
  std::optional<Timestamp> first_failed;  // start of the current sequence of failures
  int strikes = 0;                        // consecutive counted failures, at least a strike interval apart
  std::optional<Timestamp> last_strike;
  std::optional<ArchivedCopy> archived_copy;  // nullopt: no archive was asked, or none answered
  std::optional<Timestamp> moved_at;          // when a link that was known began to redirect to where it leads now
  std::vector<VantageLook> vantages;          // where more than one has looked: the last look of each, sorted by name
  // The first look at which the page was there with a title and a text: when that row of the history was written.
  std::optional<Timestamp> first_version_at;
  Snapshot snapshot;  // the latest one; deferred and skipped links keep an earlier one

  bool operator==(const LinkRecord&) const = default;
};

}  // namespace linkherd::storage
