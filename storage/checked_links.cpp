#include "storage/checked_links.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "parser/text_table.h"
#include "storage/read_ahead.h"
#include "storage/store.h"

namespace linkherd::storage {

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
    const Excerpt excerpt = make_excerpt(link.record.snapshot);
    const NumberedLink one{number, &link, &excerpt, link.entry.occurrences.size()};
    visit({&one, 1});
  });
}

namespace {

constexpr std::size_t links_at_once = 256;
constexpr std::size_t occurrences_at_once = 256;  // a single link may have very many

}  // namespace

LinkBatch::LinkBatch(const CheckedLinks::VisitBatch& visit) : visit_(visit) {}

void LinkBatch::add(std::size_t number, std::unique_ptr<const ExcerptedLink> link, std::size_t occurrences) {
  const ExcerptedLink& added = *links_.emplace_back(std::move(link));
  batch_.push_back({number, &added.link, &added.excerpt, occurrences});
  occurrence_count_ += added.link.entry.occurrences.size();
  if (batch_.size() == links_at_once || occurrence_count_ >= occurrences_at_once) hand_over();
}

void LinkBatch::hand_over() {
  if (!batch_.empty()) visit_(batch_);
  batch_.clear();
  links_.clear();
  occurrence_count_ = 0;
}

LinksOfFiles::LinksOfFiles(const CheckedLinks& all, const std::function<bool(const std::string& file)>& is_wanted)
    : all_(all) {
  using Position = std::tuple<std::string, std::size_t, std::size_t, std::uint32_t>;
  std::vector<Position> positions;  // first wanted occurrence of each link
  all_.for_each([&](std::size_t number, const CheckedLink& link) {
    bool is_first = true;
    for (const parser::LinkOccurrence& one : link.entry.occurrences) {
      const auto [file, is_new] = files_.try_emplace(one.file, false);
      if (is_new) file->second = is_wanted(one.file);
      if (file->second && std::exchange(is_first, false))
        positions.emplace_back(one.file, one.line, one.column, static_cast<std::uint32_t>(number));
    }
  });
  std::ranges::sort(positions);
  numbers_.reserve(positions.size());
  for (const Position& position : positions) numbers_.push_back(std::get<3>(position));
}

void LinksOfFiles::keep_wanted(std::vector<parser::LinkOccurrence>& occurrences) const {
  std::erase_if(occurrences, [this](const parser::LinkOccurrence& one) { return !files_.at(one.file); });
}

CheckedLink LinksOfFiles::with_wanted_occurrences(CheckedLink link) const {
  keep_wanted(link.entry.occurrences);
  return link;
}

CheckedLink LinksOfFiles::at(std::size_t number) const { return with_wanted_occurrences(all_.at(numbers_[number])); }

std::vector<parser::LinkOccurrence> LinksOfFiles::occurrences(std::size_t number) const {
  std::vector<parser::LinkOccurrence> all = all_.occurrences(numbers_[number]);
  keep_wanted(all);
  return all;
}

void LinksOfFiles::for_each_of(std::span<const std::uint32_t> numbers,
                               const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const {
  std::vector<std::uint32_t> among_all;
  among_all.reserve(numbers.size());
  for (const std::uint32_t number : numbers) among_all.push_back(numbers_[number]);
  all_.for_each_of(among_all, [&](std::size_t position, const CheckedLink& link) {
    return visit(position, with_wanted_occurrences(link));
  });
}

std::vector<CheckOutcome> LinksOfFiles::checks(std::size_t number) const { return all_.checks(numbers_[number]); }

void LinksOfFiles::for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const {
  all_.for_each_of(numbers_, [&](std::size_t number, const CheckedLink& link) {
    visit(number, with_wanted_occurrences(link));
    return true;
  });
}

namespace {

// The first occurrence of a link. Sorting these structs gives the list order.
struct FirstPosition {
  std::uint32_t file = 0;  // index
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t link = 0;  // index in the order of ids

  auto operator<=>(const FirstPosition&) const =
      default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

}  // namespace

// The links that one thread reads, in the order of their ids.
struct StoredLinks::Part {
  parser::TextTable files;
  std::vector<FirstPosition> positions;
  std::vector<KnownLink> links;

  void add(const LinkId& id, const FirstOccurrence& first, bool has_own_verdict) {
    const std::uint32_t file = files.intern(first.file);
    positions.push_back({file, first.line, first.column, static_cast<std::uint32_t>(links.size())});
    links.push_back({id, 0, file, first.element, first.role, first.is_placeholder, first.is_only, has_own_verdict});
  }

  // Makes indices global: those of files refer to `all`, which is sorted, and those of links start at `before`.
  void number(const std::vector<std::string>& all, std::uint32_t before) {
    std::vector<std::uint32_t> ranks(files.size());
    for (std::uint32_t file = 0; file < ranks.size(); ++file)
      ranks[file] = static_cast<std::uint32_t>(std::ranges::lower_bound(all, files.text(file)) - all.begin());
    for (KnownLink& link : links) link.file = ranks[link.file];
    for (FirstPosition& position : positions) {
      position.file = ranks[position.file];
      position.link += before;
    }
  }
};

StoredLinks::StoredLinks(const Store& store, Run run) : store_(store), run_(std::move(run)) {
  const std::vector<IdRange> ranges = parts_to_read();
  std::vector<Part> parts(ranges.size());
  read_in_threads(parts.size(), [&](std::size_t part) {
    store_.for_each_first(run_, ranges[part],
                          [&of_part = parts[part]](const LinkId& id, const FirstOccurrence& first,
                                                   bool has_own_verdict) { of_part.add(id, first, has_own_verdict); });
  });
  std::vector<std::size_t> begins;
  std::size_t links = 0;
  for (const Part& part : parts) {
    begins.push_back(links);
    links += part.links.size();
    for (std::uint32_t file = 0; file < part.files.size(); ++file) files_.emplace_back(part.files.text(file));
  }
  std::ranges::sort(files_);
  files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
  known_.resize(links);
  std::vector<FirstPosition> positions(links);
  read_in_threads(parts.size(), [&](std::size_t part) {
    parts[part].number(files_, static_cast<std::uint32_t>(begins[part]));
    const auto begin = static_cast<std::ptrdiff_t>(begins[part]);
    std::ranges::copy(parts[part].links, known_.begin() + begin);
    std::ranges::copy(parts[part].positions, positions.begin() + begin);
    parts[part] = {};
  });
  sort_in_threads(positions);
  order_.reserve(positions.size());
  for (const FirstPosition& position : positions) {
    KnownLink& link = known_[position.link];
    link.number = static_cast<std::uint32_t>(order_.size());
    order_.push_back(link.id);
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

std::vector<CheckOutcome> StoredLinks::checks(std::size_t number) const {
  std::vector<CheckOutcome> checks = store_.last_checks(order_[number]);
  if (run_.finished_at)
    std::erase_if(checks, [this](const CheckOutcome& check) { return check.at > *run_.finished_at; });
  return checks;
}

void StoredLinks::for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const {
  auto known = known_.begin();  // sorted by id, like the links of the run
  store_.for_each_link(run_, [&](const CheckedLink& link) {
    while (known != known_.end() && known->id < link.entry.id) ++known;
    if (known != known_.end() && known->id == link.entry.id) visit(known->number, link);
    return true;
  });
}

std::unique_ptr<ExcerptedLink> StoredLinks::read_excerpt(ExcerptReader& reader, const KnownLink& known) const {
  std::unique_ptr<ExcerptedLink> read = reader.read(known.id, known.has_own_verdict, !known.is_only);
  CheckedLink& link = read->link;
  if (!link.entry.occurrences.empty()) return read;
  parser::LinkOccurrence& only = link.entry.occurrences.emplace_back();
  only.file = files_[known.file];
  only.url = only.href = link.record.url;
  only.element = known.element;
  only.role = known.role;
  if (known.is_placeholder) only.notes = {parser::LinkNote::placeholder};
  return read;
}

void StoredLinks::for_each_first(const VisitBatch& visit) const {
  constexpr std::size_t links_of_part = 8192;  // small, so that all threads end at about the same time
  read_in_threads(known_.size() / links_of_part + 1, [&](std::size_t part) {
    LinkBatch batch(visit);
    ExcerptReader reader(store_, run_);
    const std::size_t begin = part * links_of_part;
    const std::size_t size = std::min(links_of_part, known_.size() - begin);
    for (const KnownLink& known : std::span(known_).subspan(begin, size)) {
      std::unique_ptr<ExcerptedLink> link = read_excerpt(reader, known);
      const std::size_t occurrences = link->link.entry.occurrences.size();
      batch.add(known.number, std::move(link), occurrences);
    }
    batch.hand_over();
  });
}

}  // namespace linkherd::storage
