#include "storage/checked_links.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "storage/store.h"

namespace linkherd::storage {
namespace {

// The first occurrence of a link.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t link = 0;  // in the order of ids
};

// Returns the rank of each file when sorted by name.
std::vector<std::uint32_t> ranks_of(const std::map<std::string, std::uint32_t>& files) {
  std::vector<std::uint32_t> ranks(files.size());
  std::uint32_t rank = 0;
  for (const auto& [name, number] : files) ranks[number] = rank++;
  return ranks;
}

}  // namespace

LinksById::LinksById(std::span<const std::uint32_t> numbers, const std::function<LinkId(std::uint32_t number)>& id_of) {
  std::vector<std::pair<LinkId, std::size_t>> sorted;
  sorted.reserve(numbers.size());
  for (const std::uint32_t number : numbers) sorted.emplace_back(id_of(number), sorted.size());
  std::ranges::sort(sorted);
  ids.reserve(sorted.size());
  positions.reserve(sorted.size());
  for (const auto& [id, position] : sorted) {
    ids.push_back(id);
    positions.push_back(position);
  }
}

void CheckedLinks::for_each_of(std::span<const std::uint32_t> numbers,
                               const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const {
  for (std::size_t i = 0; i < numbers.size() && visit(i, at(numbers[i])); ++i) {
  }
}

void CheckedLinks::for_each_first(const VisitFirst& visit) const {
  for_each(
      [&visit](std::size_t number, const CheckedLink& link) { visit(number, link, link.entry.occurrences.size()); });
}

StoredLinks::StoredLinks(const Store& store, Run run) : store_(store), run_(std::move(run)) {
  std::map<std::string, std::uint32_t> files;
  std::vector<Place> places;
  store_.for_each_occurrences(run_, [&](const LinkId& id, const std::vector<parser::LinkOccurrence>& occurrences) {
    if (occurrences.empty()) return true;
    const parser::LinkOccurrence& first = occurrences.front();
    const auto next = static_cast<std::uint32_t>(files.size());
    const std::uint32_t file = files.try_emplace(first.file, next).first->second;
    places.push_back({file, first.line, first.column, static_cast<std::uint32_t>(numbers_.size())});
    numbers_.emplace_back(id, 0);
    return true;
  });
  const std::vector<std::uint32_t> ranks = ranks_of(files);
  std::ranges::sort(places, {}, [&ranks](const Place& place) {
    return std::tuple(ranks[place.file], place.line, place.column, place.link);
  });
  order_.reserve(places.size());
  for (const Place& place : places) {
    auto& [id, number] = numbers_[place.link];
    number = static_cast<std::uint32_t>(order_.size());
    order_.push_back(id);
  }
}

CheckedLink StoredLinks::at(std::size_t number) const { return store_.checked_link(run_, order_[number]); }

std::vector<parser::LinkOccurrence> StoredLinks::occurrences(std::size_t number) const {
  return store_.occurrences(run_, order_[number]);
}

void StoredLinks::for_each_of(std::span<const std::uint32_t> numbers,
                              const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const {
  const LinksById by_id(numbers, [this](std::uint32_t number) { return order_[number]; });
  std::size_t next = 0;
  store_.for_each_link_of(run_, by_id.ids,
                          [&](const CheckedLink& link) { return visit(by_id.positions[next++], link); });
}

std::vector<Look> StoredLinks::looks(std::size_t number) const {
  std::vector<Look> looks = store_.last_looks(order_[number]);
  if (run_.finished_at) std::erase_if(looks, [this](const Look& look) { return look.at > *run_.finished_at; });
  return looks;
}

void StoredLinks::for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const {
  auto known = numbers_.begin();  // both are in the order of ids
  store_.for_each_link(run_, [&](const CheckedLink& link) {
    while (known != numbers_.end() && known->first < link.entry.id) ++known;
    if (known != numbers_.end() && known->first == link.entry.id) visit(known->second, link);
    return true;
  });
}

}  // namespace linkherd::storage
