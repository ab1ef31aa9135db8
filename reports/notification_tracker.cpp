#include "reports/notification_tracker.h"

#include <algorithm>
#include <iterator>

namespace linkherd::reports {
namespace {

using storage::Health;
using storage::NotificationState;

}  // namespace

NotificationTracker::NotificationTracker(const EarlierRun* earlier, std::size_t links) : earlier_(earlier) {
  if (!is_active()) return;
  ids_.resize(links);
  page_exists_.resize(links);
}

void NotificationTracker::add(std::size_t index, const storage::LinkResult& result, bool is_accepted) {
  if (!is_active()) return;
  const Health health = result.verdict.health;
  ids_[index] = result.id;
  page_exists_[index] = storage::page_exists(result.verdict);
  NotificationState state;
  if (!is_conclusive(health) || is_accepted) {
    state.health = earlier_->health(result.id);
    // A failure that is no longer accepted is news, unless it was reported before.
    if (!state.health && is_accepted && is_conclusive(health)) state.health = Health::skipped;
    if (state.health == health) state.health.reset();
  }
  // If the page is unavailable now, its certificate and duplicates still count as reported.
  const NotificationState* const before = earlier_->notification_state(result.id);
  if (before != nullptr && !page_exists_[index]) {
    state.certificate = before->certificate;
    state.repeats = before->repeats;
  }
  if (state != NotificationState()) known_[index] = state;
}

void NotificationTracker::add_certificate(std::size_t index, const std::string& host, Timestamp expires) {
  if (!is_active()) return;
  known_[index].certificate = expires;
  const NotificationState* const before = earlier_->notification_state(ids_[index]);
  if (before != nullptr && before->certificate == expires) known_hosts_.insert(host);
}

std::vector<DuplicateGroup> NotificationTracker::new_groups(const std::vector<DuplicateGroup>& groups) {
  std::map<std::size_t, std::uint32_t> repeats;
  for (const DuplicateGroup& group : groups) {
    for (const EntryLocation& entry : group.entries) ++repeats[entry.link];
  }
  const auto is_new = [&](const EntryLocation& entry) {
    const NotificationState* const before = earlier_->notification_state(ids_[entry.link]);
    return before == nullptr || before->repeats < repeats[entry.link];
  };
  std::vector<DuplicateGroup> added;
  std::ranges::copy_if(groups, std::back_inserter(added),
                       [&is_new](const DuplicateGroup& group) { return std::ranges::any_of(group.entries, is_new); });
  for (const auto& [index, count] : repeats) {
    NotificationState& state = known_[index];
    state.repeats = page_exists_[index] ? count : std::max(count, state.repeats);
  }
  return added;
}

std::vector<std::pair<storage::LinkId, NotificationState>> NotificationTracker::take() {
  std::vector<std::pair<storage::LinkId, NotificationState>> all;
  all.reserve(known_.size());
  for (const auto& [index, state] : known_) all.emplace_back(ids_[index], state);
  return all;
}

}  // namespace linkherd::reports
