#include "reports/sections.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "reports/link_entries.h"
#include "reports/naming.h"
#include "reports/summary.h"
#include "reports/wording.h"

namespace linkherd::reports {

using storage::CheckedLink;
using storage::Health;
using storage::Verdict;

void LinkGroups::add(std::size_t number, std::string name, std::string words) {
  const auto [known, is_new] = index_.try_emplace(name, groups_.size());
  if (is_new) {
    groups_.push_back({std::move(name), std::move(words), true, {number}});
    first_.push_back(number);
    return;
  }
  LinkGroup& group = groups_[known->second];
  std::size_t& first = first_[known->second];
  group.links.push_back(number);
  group.alike = group.alike && words == group.words;
  if (number > first) return;
  first = number;
  group.words = std::move(words);
}

std::vector<LinkGroup> LinkGroups::take() {
  for (LinkGroup& group : groups_) std::ranges::sort(group.links);
  std::ranges::sort(groups_, {}, [](const LinkGroup& group) { return group.links.front(); });
  return std::move(groups_);
}

std::size_t links_in(const std::vector<LinkGroup>& groups) {
  const auto with = [](std::size_t sum, const LinkGroup& group) { return sum + group.links.size(); };
  return std::accumulate(groups.begin(), groups.end(), std::size_t{0}, with);
}

void SectionSorter::add(std::size_t number, const CheckedLink& link) {
  const Verdict& verdict = link.entry.verdict;
  switch (verdict.health) {
    case Health::alive: sections_.fine.push_back(number); break;
    case Health::redirected:
      (verdict.reason == storage::reason::moved_permanently ? sections_.moved : sections_.fine).push_back(number);
      break;
    case Health::dead:
      if (is_broken_locally(verdict)) sections_.broken_locally.push_back(number);
      (only_warns(verdict) ? sections_.doubtful : sections_.broken).push_back(number);
      break;
    case Health::insecure: sections_.broken.push_back(number); break;
    case Health::unreachable: sections_.unanswered.push_back(number); break;
    case Health::blocked: unverified_.add(number, link_host(link), explained_with_advice(link)); break;
    case Health::deferred: add_put_off(number, link); break;
    case Health::skipped: {
      std::string words = reason_in_words(verdict);
      skipped_.add(number, words, words);
      break;
    }
  }
}

// Hosts that made us wait are named; everything else is ours and the same for all. What was seen first stands for all
// links of a host, though each may have been told its own deadline.
void SectionSorter::add_put_off(std::size_t number, const CheckedLink& link) {
  const Verdict& verdict = link.entry.verdict;
  if (verdict.reason == storage::reason::interrupted || verdict.reason == storage::reason::unconfirmed) {
    ++sections_.cut_short;
  }
  std::string name = reason_in_words(verdict);
  std::string words = name;
  if (verdict.reason == storage::reason::rate_limited || verdict.reason == storage::reason::host_unavailable) {
    const std::string host = link_host(link);
    name = fmt::format("{}: {}", host, name);
    words = verdict.evidence.empty() ? name : fmt::format("{}: {}", host, verdict.evidence);
  }
  put_off_.add(number, std::move(name), std::move(words));
}

Sections SectionSorter::take() {
  for (LinkList* list : {&sections_.broken, &sections_.broken_locally, &sections_.doubtful, &sections_.moved,
                         &sections_.unanswered, &sections_.fine}) {
    std::ranges::sort(*list);
  }
  sections_.unverified = unverified_.take();
  sections_.put_off = put_off_.take();
  sections_.skipped = skipped_.take();
  return std::move(sections_);
}

}  // namespace linkherd::reports
