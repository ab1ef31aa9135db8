// Ensures that subscribers are notified of each change once. It knows which duplicates and certificates were reported
// already, and computes the notification states of links after this run.
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
#include "storage/link_result.h"
#include "storage/run.h"

namespace linkherd::reports {

// Links are added once each, in any order. It keeps nothing unless `earlier` is the run of a notification.
class NotificationTracker {
 public:
  NotificationTracker(const EarlierRun* earlier, std::size_t links);

  void add(std::size_t index, const storage::LinkResult& result, bool is_accepted);
  // Records that a certificate of this host is reported at the link, which must have been added.
  void add_certificate(std::size_t index, const std::string& host, Timestamp expires);
  bool knows_certificate(const std::string& host) const { return known_hosts_.contains(host); }

  // Returns the groups with an entry that was not reported as a duplicate yet.
  std::vector<DuplicateGroup> new_groups(const std::vector<DuplicateGroup>& groups);

  // Returns the states to store after the notification was sent.
  std::vector<std::pair<storage::LinkId, storage::NotificationState>> take();

 private:
  bool is_active() const { return earlier_ != nullptr && earlier_->is_notified; }

  const EarlierRun* earlier_;
  std::vector<storage::LinkId> ids_;  // by link number
  std::vector<bool> page_exists_;     // by link number
  std::map<std::size_t, storage::NotificationState> known_;
  std::set<std::string> known_hosts_;
};

}  // namespace linkherd::reports
