#include "storage/checked_links.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "storage/read_ahead.h"
#include "storage/store.h"

namespace linkherd::storage {
namespace {

// The first occurrence of a link, with the file by its number.
struct FirstPlace {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t link = 0;  // in the order of ids
};

// The first occurrences of links in the order of their ids.
struct Places {
  std::map<std::string, std::uint32_t> files;  // numbered as they come
  std::vector<FirstPlace> places;
  std::vector<LinkId> ids;

  void add(const LinkId& id, const Place& first) {
    const auto next = static_cast<std::uint32_t>(files.size());
    const std::uint32_t file = files.try_emplace(first.file, next).first->second;
    places.push_back({file, first.line, first.column, static_cast<std::uint32_t>(ids.size())});
    ids.push_back(id);
  }
};

// The names of all files, sorted.
std::vector<std::string_view> sorted_files(const std::vector<Places>& parts) {
  std::vector<std::string_view> names;
  for (const Places& part : parts) {
    for (const auto& [name, number] : part.files) names.push_back(name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Numbers the files of a part by their rank among all.
void rank_files(Places& part, const std::vector<std::string_view>& sorted) {
  std::vector<std::uint32_t> ranks(part.files.size());
  for (const auto& [name, number] : part.files) {
    const auto found = std::ranges::lower_bound(sorted, std::string_view(name));
    ranks[number] = static_cast<std::uint32_t>(found - sorted.begin());
  }
  for (FirstPlace& place : part.places) place.file = ranks[place.file];
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

void CheckedLinks::for_each_first(const VisitBatch& visit) const {
  for_each([&visit](std::size_t number, const CheckedLink& link) {
    const Excerpt excerpt = excerpt_of(link.record.snapshot);
    const NumberedLink one{number, &link, &excerpt, link.entry.occurrences.size()};
    visit({&one, 1});
  });
}

namespace {

constexpr std::size_t links_at_once = 64;
constexpr std::size_t places_at_once = 256;  // a link may be written in very many

}  // namespace

LinkBatch::LinkBatch(const CheckedLinks::VisitBatch& visit) : visit_(visit) {
  links_.reserve(links_at_once);  // which are pointed to
}

void LinkBatch::add(std::size_t number, ExcerptedLink&& link, std::size_t occurrences) {
  const ExcerptedLink& added = links_.emplace_back(std::move(link));
  batch_.push_back({number, added.link.get(), &added.excerpt, occurrences});
  places_ += added.link->entry.occurrences.size();
  if (batch_.size() == links_at_once || places_ >= places_at_once) hand_over();
}

void LinkBatch::hand_over() {
  if (!batch_.empty()) visit_(batch_);
  batch_.clear();
  links_.clear();
  places_ = 0;
}

StoredLinks::StoredLinks(const Store& store, Run run) : store_(store), run_(std::move(run)) {
  const std::vector<IdRange> ranges = parts_to_read();
  std::vector<Places> parts(ranges.size());
  read_in_threads(parts.size(), [&](std::size_t part) {
    store_.for_each_first_place(run_, ranges[part],
                                [&](const LinkId& id, const Place& place) { parts[part].add(id, place); });
  });
  const std::vector<std::string_view> files = sorted_files(parts);
  std::vector<FirstPlace> places;
  for (Places& part : parts) {
    rank_files(part, files);
    const auto before = static_cast<std::uint32_t>(numbers_.size());
    for (FirstPlace& place : part.places) place.link += before;
    places.insert(places.end(), part.places.begin(), part.places.end());
    for (const LinkId& id : part.ids) numbers_.emplace_back(id, 0);
    part.places = {};
    part.ids = {};
  }
  std::ranges::sort(
      places, {}, [](const FirstPlace& place) { return std::tuple(place.file, place.line, place.column, place.link); });
  order_.reserve(places.size());
  for (const FirstPlace& place : places) {
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

void StoredLinks::for_each_first(const VisitBatch& visit) const {
  const std::vector<IdRange> ranges = parts_to_read();
  read_in_threads(ranges.size(), [&](std::size_t part) {
    LinkBatch batch(visit);
    auto known = std::ranges::lower_bound(numbers_, ranges[part].first, {}, [](const auto& one) { return one.first; });
    store_.for_each_excerpt(run_, ranges[part], [&](ExcerptedLink&& link) {
      const RunEntry& entry = link.link->entry;
      while (known != numbers_.end() && known->first < entry.id) ++known;
      if (known == numbers_.end() || known->first != entry.id) return;
      const std::size_t occurrences = entry.occurrences.size();
      batch.add(known->second, std::move(link), occurrences);
    });
    batch.hand_over();
  });
}

}  // namespace linkherd::storage
