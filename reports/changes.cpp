#include "reports/changes.h"

#include <algorithm>

#include "storage/store.h"

namespace linkherd::reports {
namespace {

using storage::Health;

bool is_broken(Health health) { return health == Health::dead || health == Health::insecure; }

bool is_bad(Health health) { return is_broken(health) || health == Health::suspect; }

// A link that was redirected then leads somewhere else since; one about which nothing was known then was redirected
// before, unless its record says when that began.
bool has_moved(const storage::CheckedLink& link, std::optional<Health> before, const storage::Run& earlier) {
  const storage::Verdict& verdict = link.entry.verdict;
  if (verdict.health != Health::redirected || verdict.reason != storage::reason::moved_permanently) return false;
  if (before == Health::alive) return true;
  return link.record.moved_at && earlier.finished_at && *link.record.moved_at > *earlier.finished_at;
}

Change change_since(const storage::CheckedLink& link, std::optional<Health> before, const storage::Run& earlier) {
  const storage::Verdict& verdict = link.entry.verdict;
  const bool was_bad = before && is_bad(*before);
  if (is_broken(verdict.health)) return before && is_broken(*before) ? Change::still : Change::broken;
  if (verdict.health == Health::suspect) {
    if (was_bad) return Change::still;
    return verdict.reason == storage::reason::content_changed ? Change::drifted : Change::suspect;
  }
  if (!before) return Change::added;
  if (!is_judged(verdict.health)) return is_judged(*before) ? Change::unjudged : Change::same;
  if (was_bad) return Change::recovered;
  return has_moved(link, before, earlier) ? Change::moved : Change::same;
}

}  // namespace

bool is_judged(Health health) { return is_bad(health) || health == Health::alive || health == Health::redirected; }

bool is_news(Change change) {
  switch (change) {
    case Change::broken:
    case Change::drifted:
    case Change::suspect:
    case Change::recovered:
    case Change::moved: return true;
    case Change::still:
    case Change::unjudged:
    case Change::added:
    case Change::same: break;
  }
  return false;
}

std::optional<Health> EarlierRun::health(const storage::LinkId& id, std::size_t& near) const {
  const storage::Told* const known = told_of(id);
  if (known != nullptr && known->health) return known->health;
  if (near >= healths.size() || healths[near].first != id) {
    const auto found = std::ranges::lower_bound(healths, id, {}, [](const auto& one) { return one.first; });
    if (found == healths.end() || found->first != id) return std::nullopt;
    near = static_cast<std::size_t>(found - healths.begin());
  }
  return healths[near++].second;
}

std::optional<Health> EarlierRun::health(const storage::LinkId& id) const {
  std::size_t near = 0;
  return health(id, near);
}

const storage::Told* EarlierRun::told_of(const storage::LinkId& id) const {
  const auto found = told.find(id);
  return found == told.end() ? nullptr : &found->second;
}

EarlierRun read_earlier_run(const storage::Store& store, storage::Run run) {
  EarlierRun earlier;
  store.for_each_health(
      run, [&earlier](const storage::LinkId& id, Health health) { earlier.healths.emplace_back(id, health); });
  std::ranges::sort(earlier.healths);
  earlier.run = std::move(run);
  return earlier;
}

EarlierRun read_told_run(const storage::Store& store, const std::optional<storage::Run>& run) {
  EarlierRun earlier;
  if (run) {
    earlier = read_earlier_run(store, *run);
    store.for_each_told(
        *run, [&earlier](const storage::LinkId& id, const storage::Told& told) { earlier.told.emplace(id, told); });
  }
  earlier.is_told = true;
  return earlier;
}

LinkChange change_of(const storage::CheckedLink& link, std::optional<Health> before, const storage::Run& earlier) {
  return {change_since(link, before, earlier), before};
}

std::size_t Changes::news() const {
  std::size_t sum = 0;
  for (const auto& [change, name] : change_names) sum += is_news(change) ? count(change) : 0;
  return sum;
}

ChangeFinder::ChangeFinder(const EarlierRun* earlier, std::size_t links) : earlier_(earlier) {
  if (earlier_ == nullptr) return;
  changes_.since = earlier_->run;
  changes_.is_telling = earlier_->is_told;
  changes_.links.resize(links);
  changes_.removed = earlier_->healths.size();
}

bool ChangeFinder::add(std::size_t number, const storage::CheckedLink& link, bool is_accepted) {
  if (earlier_ == nullptr) return false;
  const std::optional<Health> before = earlier_->health(link.entry.id, near_);
  if (before) --changes_.removed;
  const LinkChange found = change_of(link, before, earlier_->run);
  changes_.links[number] = found;
  if (is_accepted) return false;
  ++changes_.counts[static_cast<std::size_t>(found.change)];
  return is_news(found.change);
}

}  // namespace linkherd::reports
