#include "reports/telling.h"

#include <algorithm>
#include <iterator>

namespace linkherd::reports {
namespace {

using storage::Health;
using storage::Told;

}  // namespace

Teller::Teller(const EarlierRun* earlier, std::size_t links) : earlier_(earlier) {
  if (!is_telling()) return;
  ids_.resize(links);
  is_there_.resize(links);
}

void Teller::add(std::size_t number, const storage::CheckedLink& link, bool is_accepted) {
  if (!is_telling()) return;
  const Health health = link.entry.verdict.health;
  ids_[number] = link.entry.id;
  is_there_[number] = storage::is_there(link.entry.verdict);
  Told told;
  if (!is_judged(health) || is_accepted) {
    told.health = earlier_->health(link.entry.id);
    // What stops being accepted is news, unless it was told before.
    if (!told.health && is_accepted && is_judged(health)) told.health = Health::skipped;
    if (told.health == health) told.health.reset();
  }
  // A page that is not seen now had its certificate and its repetitions told nevertheless.
  const Told* const before = earlier_->told_of(link.entry.id);
  if (before != nullptr && !is_there_[number]) {
    told.certificate = before->certificate;
    told.repeats = before->repeats;
  }
  if (told != Told()) known_[number] = told;
}

void Teller::add_certificate(std::size_t number, const std::string& host, Timestamp expires) {
  if (!is_telling()) return;
  known_[number].certificate = expires;
  const Told* const before = earlier_->told_of(ids_[number]);
  if (before != nullptr && before->certificate == expires) known_hosts_.insert(host);
}

std::vector<DuplicateGroup> Teller::new_groups(const std::vector<DuplicateGroup>& groups) {
  std::map<std::size_t, std::uint32_t> repeats;
  for (const DuplicateGroup& group : groups) {
    for (const DuplicateEntry& entry : group.entries) ++repeats[entry.link];
  }
  const auto is_new = [&](const DuplicateEntry& entry) {
    const Told* const before = earlier_->told_of(ids_[entry.link]);
    return before == nullptr || before->repeats < repeats[entry.link];
  };
  std::vector<DuplicateGroup> added;
  std::ranges::copy_if(groups, std::back_inserter(added),
                       [&is_new](const DuplicateGroup& group) { return std::ranges::any_of(group.entries, is_new); });
  for (const auto& [number, count] : repeats) {
    Told& told = known_[number];
    told.repeats = is_there_[number] ? count : std::max(count, told.repeats);
  }
  return added;
}

std::vector<std::pair<storage::LinkId, Told>> Teller::take() {
  std::vector<std::pair<storage::LinkId, Told>> all;
  all.reserve(known_.size());
  for (const auto& [number, told] : known_) all.emplace_back(ids_[number], told);
  return all;
}

}  // namespace linkherd::reports
