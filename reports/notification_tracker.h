// For telling each change once: what those to whom a run's changes are told know of its links afterwards, and which
// repeated entries and certificates they know already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reports/changes.h"
#include "reports/duplicates.h"
#include "storage/link_id.h"
#include "storage/run.h"

namespace linkherd::reports {

// Links are added once each, in any order; nothing is kept unless `earlier` is a run that was told.
class NotificationTracker {
 public:
  NotificationTracker(const EarlierRun* earlier, std::size_t links);

  void add(std::size_t number, const storage::CheckedLink& link, bool is_accepted);
  // The link, which was added, has a certificate that is told of this host.
  void add_certificate(std::size_t number, const std::string& host, Timestamp expires);
  bool knows_certificate(const std::string& host) const { return known_hosts_.contains(host); }

  // Those of the groups with an entry that was not told to repeat a page.
  std::vector<DuplicateGroup> new_groups(const std::vector<DuplicateGroup>& groups);

  // What is to be stored once all this was told.
  std::vector<std::pair<storage::LinkId, storage::NotificationState>> take();

 private:
  bool is_active() const { return earlier_ != nullptr && earlier_->is_notified; }

  const EarlierRun* earlier_;
  std::vector<storage::LinkId> ids_;  // by number
  std::vector<bool> is_there_;        // by number
  std::map<std::size_t, storage::NotificationState> known_;
  std::set<std::string> known_hosts_;
};

}  // namespace linkherd::reports
