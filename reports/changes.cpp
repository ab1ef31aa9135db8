#include "reports/changes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "storage/read_ahead.h"
#include "storage/run_results.h"

namespace linkherd::reports {
namespace {

using storage::Health;

bool is_broken(Health health) { return health == Health::dead || health == Health::insecure; }

bool is_bad(Health health) { return is_broken(health) || health == Health::suspect; }

// Returns true if a permanent redirect is new. A link that was alive before is newly redirected. For any other link,
// only its state can say that the redirect began after the earlier run.
bool has_moved(const storage::LinkResult& result, std::optional<Health> before, const storage::Run& earlier) {
  const storage::Verdict& verdict = result.verdict;
  if (verdict.health != Health::redirected || verdict.reason != storage::reason::moved_permanently) return false;
  if (before == Health::alive) return true;
  return result.moved_at && earlier.finished_at && *result.moved_at > *earlier.finished_at;
}

Change change_since(const storage::LinkResult& result, std::optional<Health> before, const storage::Run& earlier) {
  const storage::Verdict& verdict = result.verdict;
  const bool was_bad = before && is_bad(*before);
  if (is_broken(verdict.health)) return before && is_broken(*before) ? Change::still : Change::broken;
  if (verdict.health == Health::suspect) {
    if (was_bad) return Change::still;
    return verdict.reason == storage::reason::content_changed ? Change::drifted : Change::suspect;
  }
  if (!before) return Change::added;
  if (!is_conclusive(verdict.health)) return is_conclusive(*before) ? Change::inconclusive : Change::same;
  if (was_bad) return Change::recovered;
  return has_moved(result, before, earlier) ? Change::moved : Change::same;
}

}  // namespace

bool is_conclusive(Health health) { return is_bad(health) || health == Health::alive || health == Health::redirected; }

bool is_news(Change change) {
  switch (change) {
    case Change::broken:
    case Change::drifted:
    case Change::suspect:
    case Change::recovered:
    case Change::moved: return true;
    case Change::still:
    case Change::inconclusive:
    case Change::added:
    case Change::same: break;
  }
  return false;
}

std::optional<Health> EarlierRun::health(const storage::LinkId& id) const {
  std::size_t near = 0;
  return health(id, near);
}

std::optional<Health> EarlierRun::health(const storage::LinkId& id, std::size_t& near) const {
  const storage::NotificationState* const known = notification_state(id);
  if (known != nullptr && known->health) return known->health;
  constexpr std::size_t max_steps = 8;
  std::size_t at = near;
  while (at < healths.size() && at < near + max_steps && healths[at].first < id) ++at;
  const bool is_found = at < healths.size() && healths[at].first >= id && (at == 0 || healths[at - 1].first < id);
  near = is_found ? at : index_of(id);
  return near < healths.size() && healths[near].first == id ? std::optional(healths[near].second) : std::nullopt;
}

// Returns the index of the link, or of the next one.
std::size_t EarlierRun::index_of(const storage::LinkId& id) const {
  // Ids are hashes, so an id is close to the index that its value predicts.
  const auto size = static_cast<double>(healths.size());
  const double position = std::ldexp(static_cast<double>(std::hash<storage::LinkId>()(id)), -64) * size;
  const double reach = 4 * std::sqrt(size);
  auto first = healths.begin() + static_cast<std::ptrdiff_t>(std::max(position - reach, 0.0));
  auto last = healths.begin() + static_cast<std::ptrdiff_t>(std::min(position + reach, size));
  if (first == healths.end() || first->first > id) first = healths.begin();
  if (last != healths.end() && last->first < id) last = healths.end();
  const auto is_before = [](const auto& one, const storage::LinkId& other) { return one.first < other; };
  return static_cast<std::size_t>(std::lower_bound(first, last, id, is_before) - healths.begin());
}

const storage::NotificationState* EarlierRun::notification_state(const storage::LinkId& id) const {
  const auto found = notification_states.find(id);
  return found == notification_states.end() ? nullptr : &found->second;
}

EarlierRun read_earlier_run(const storage::Store& store, storage::Run run) {
  EarlierRun earlier;
  const std::vector<storage::IdRange> parts = storage::parts_to_read();
  std::vector<decltype(earlier.healths)> healths(parts.size());
  const storage::RunResults results(store, run);
  storage::read_in_threads(parts.size(), [&](std::size_t part) {
    results.for_each_health(parts[part], [&of_part = healths[part]](const storage::LinkId& id, Health health) {
      of_part.emplace_back(id, health);
    });
  });
  std::size_t count = 0;
  for (const auto& of_part : healths) count += of_part.size();
  earlier.healths.reserve(count);
  for (auto& of_part : healths) {
    earlier.healths.insert(earlier.healths.end(), of_part.begin(), of_part.end());
    of_part = {};
  }
  earlier.run = std::move(run);
  return earlier;
}

EarlierRun read_notified_run(const storage::Store& store, const std::optional<storage::Run>& run) {
  EarlierRun earlier;
  if (run) {
    earlier = read_earlier_run(store, *run);
    storage::RunResults(store, *run)
        .for_each_notification_state([&earlier](const storage::LinkId& id, const storage::NotificationState& state) {
          earlier.notification_states.emplace(id, state);
        });
  }
  earlier.is_notified = true;
  return earlier;
}

LinkChange change_of(const storage::LinkResult& result, std::optional<Health> before, const storage::Run& earlier) {
  return {change_since(result, before, earlier), before};
}

std::size_t Changes::news() const {
  std::size_t sum = 0;
  for (const auto& [change, name] : change_names) sum += is_news(change) ? count(change) : 0;
  return sum;
}

}  // namespace linkherd::reports
