#include "crawler/run_links.h"

#include <algorithm>
#include <string>
#include <utility>

namespace linkherd::crawler {

using storage::CheckedLink;

RunLinks::RunLinks(Plan plan, const storage::Store* store) : plan_(std::move(plan)), store_(store) {
  if (store_ == nullptr) kept_.resize(size());
}

CheckedLink RunLinks::planned(std::size_t number) const {
  CheckedLink link;
  PlannedLink plan = plan_.links[number];
  link.entry.id = link.record.id = plan.id;
  link.entry.occurrences = std::move(plan.occurrences);
  link.record.url = plan.url ? std::string(plan.url->href()) : link.entry.occurrences.front().url;
  link.entry.finished = plan.verdict.has_value();
  link.entry.verdict = std::move(plan.verdict)
                           .value_or(storage::without_request(storage::Health::deferred, storage::reason::interrupted,
                                                              "run", "the run ended before its turn came"));
  return link;
}

CheckedLink RunLinks::with_record(std::size_t number) const {
  CheckedLink link = planned(number);
  if (store_ == nullptr) return link;
  if (std::optional<storage::LinkRecord> record = store_->link(link.entry.id)) link.record = std::move(*record);
  return link;
}

void RunLinks::keep(std::size_t number, CheckedLink link) {
  kept_[number] = std::make_unique<CheckedLink>(std::move(link));
}

CheckedLink RunLinks::at(std::size_t number) const {
  if (store_ == nullptr) return kept_[number] ? *kept_[number] : planned(number);
  CheckedLink link = with_record(number);
  if (std::optional<storage::RunEntry> entry = store_->run_entry(run_, link.entry.id)) {
    entry->occurrences = std::move(link.entry.occurrences);
    link.entry = std::move(*entry);
  }
  return link;
}

std::vector<parser::LinkOccurrence> RunLinks::occurrences(std::size_t number) const {
  return plan_.links.occurrences(number);
}

void RunLinks::for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const {
  if (store_ == nullptr) {
    for (std::size_t number = 0; number < size(); ++number)
      visit(number, kept_[number] ? *kept_[number] : planned(number));
    return;
  }
  // In the order of the store, which unpacks a block of neighbours for whichever of them is asked for.
  std::vector<std::pair<storage::LinkId, std::size_t>> order;
  order.reserve(size());
  for (std::size_t number = 0; number < size(); ++number) order.emplace_back(plan_.links.id(number), number);
  std::ranges::sort(order);
  for (const auto& [id, number] : order) visit(number, at(number));
}

}  // namespace linkherd::crawler
