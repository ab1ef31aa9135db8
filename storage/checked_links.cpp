#include "storage/checked_links.h"

#include <algorithm>
#include <numeric>
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

void CheckedLinks::for_each_result(const VisitResults& visit) const {
  ResultBatch batch(visit);
  for_each([&batch](std::size_t number, const CheckedLink& link) { batch.add(number, link.result); });
  batch.hand_over();
}

namespace {

// The limits of a batch of results.
constexpr std::size_t max_results = 256;
constexpr std::size_t max_occurrences = 256;  // a single link may have very many

}  // namespace

void ResultBatch::add(std::size_t number, LinkResult result) {
  occurrence_count_ += result.occurrences.size();
  batch_.emplace_back(number, std::move(result));
  if (batch_.size() == max_results || occurrence_count_ >= max_occurrences) hand_over();
}

void ResultBatch::hand_over() {
  if (!batch_.empty()) visit_(batch_);
  batch_.clear();
  occurrence_count_ = 0;
}

LinksOfFiles::LinksOfFiles(const CheckedLinks& all, const std::function<bool(const std::string& file)>& is_wanted)
    : all_(all) {
  using Position = std::tuple<std::string, std::size_t, std::size_t, std::uint32_t>;
  std::vector<Position> positions;  // first wanted occurrence of each link
  all_.for_each([&](std::size_t number, const CheckedLink& link) {
    bool is_first = true;
    for (const parser::LinkOccurrence& one : link.result.occurrences) {
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
  std::vector<parser::LinkOccurrence> occurrences = std::move(link.result.occurrences);
  keep_wanted(occurrences);
  set_occurrences(link.result, std::move(occurrences));
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
  std::uint32_t result = 0;  // index in the order of ids

  auto operator<=>(const FirstPosition&) const =
      default;  // NOLINT(modernize-use-nullptr): false alarm of clang-tidy 14
};

}  // namespace

namespace {

// Returns true if a later run has the same inputs. Its occurrences have replaced those of `run`.
bool has_later_occurrences(const Store& store, const Run& run) {
  return std::ranges::any_of(store.runs(), [&run](const Run& other) {
    return other.identity == run.identity && other.started_at > run.started_at;
  });
}

// Replaces what the results say about their occurrences, so that they agree with the occurrences in the store.
void update_occurrences(const RunResults& stored, std::vector<LinkResult>& results) {
  constexpr std::size_t results_at_once = 64;  // a single link may have very many occurrences
  std::vector<LinkResult*> batch;
  const auto update_batch = [&] {
    stored.add_occurrences(batch);
    for (LinkResult* const result : batch) {
      if (!result->occurrences.empty()) set_occurrences(*result, std::exchange(result->occurrences, {}));
      result->occurrences = {};
    }
    batch.clear();
  };
  for (LinkResult& result : results) {
    batch.push_back(&result);
    if (batch.size() == results_at_once) update_batch();
  }
  update_batch();
}

}  // namespace

StoredLinks::StoredLinks(const Store& store, const Run& run)
    : history_(store), stored_(store, run), finished_at_(run.finished_at) {
  const bool should_update = has_later_occurrences(store, run);
  const std::vector<IdRange> ranges = parts_to_read();
  std::vector<std::vector<LinkResult>> parts(ranges.size());
  read_in_threads(parts.size(), [&](std::size_t part) {
    stored_.for_each(ranges[part], [&read = parts[part]](LinkResult&& result) {
      if (result.occurrence_count > 0) read.push_back(std::move(result));
    });
    if (should_update) update_occurrences(stored_, parts[part]);
  });
  std::size_t links = 0;
  for (const auto& part : parts) links += part.size();
  results_.reserve(links);
  parser::TextTable files;
  std::vector<FirstPosition> positions;
  positions.reserve(links);
  for (auto& part : parts) {
    for (LinkResult& result : part) {
      const auto index = static_cast<std::uint32_t>(results_.size());
      positions.push_back({files.intern(result.first.file), result.first.line, result.first.column, index});
      results_.emplace_back(0, std::move(result));
    }
    part = {};
  }
  std::vector<std::uint32_t> sorted(files.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::sort(sorted, {}, [&files](std::uint32_t file) { return files.text(file); });
  std::vector<std::uint32_t> ranks(files.size());
  for (std::uint32_t rank = 0; rank < sorted.size(); ++rank) ranks[sorted[rank]] = rank;
  for (FirstPosition& position : positions) position.file = ranks[position.file];
  sort_in_threads(positions);
  order_.reserve(links);
  for (const FirstPosition& position : positions) {
    results_[position.result].first = order_.size();
    order_.push_back(position.result);
  }
}

CheckedLink StoredLinks::at(std::size_t number) const { return stored_.link(id(number)); }

std::vector<parser::LinkOccurrence> StoredLinks::occurrences(std::size_t number) const {
  return stored_.occurrences(id(number));
}

void StoredLinks::for_each_of(std::span<const std::uint32_t> numbers,
                              const std::function<bool(std::size_t position, const CheckedLink& link)>& visit) const {
  const LinksById by_id(numbers, [this](std::uint32_t number) { return id(number); });
  std::size_t next = 0;
  stored_.for_each_link_of(by_id.ids, [&](const CheckedLink& link) { return visit(by_id.positions[next++], link); });
}

std::vector<CheckOutcome> StoredLinks::checks(std::size_t number) const {
  std::vector<CheckOutcome> checks = history_.last_checks(id(number));
  if (finished_at_) std::erase_if(checks, [this](const CheckOutcome& check) { return check.at > *finished_at_; });
  return checks;
}

void StoredLinks::for_each(const std::function<void(std::size_t number, const CheckedLink& link)>& visit) const {
  auto known = results_.begin();  // sorted by id, like the links of the run
  stored_.for_each_link([&](const CheckedLink& link) {
    while (known != results_.end() && known->second.id < link.result.id) ++known;
    if (known != results_.end() && known->second.id == link.result.id) visit(known->first, link);
    return true;
  });
}

void StoredLinks::for_each_result(const VisitResults& visit) const {
  constexpr std::size_t results_of_part = 8192;  // small, so that all threads end at about the same time
  read_in_threads(results_.size() / results_of_part + 1, [&](std::size_t part) {
    const std::size_t end = std::min(results_.size(), (part + 1) * results_of_part);
    for (std::size_t first = part * results_of_part; first < end;) first = visit_batch(first, end, visit);
  });
}

// Visits a batch of the results [first, end). Returns the index of the next one.
std::size_t StoredLinks::visit_batch(std::size_t first, std::size_t end, const VisitResults& visit) const {
  std::vector<NumberedResult> batch;
  std::vector<LinkResult*> lacking;
  batch.reserve(std::min(max_results, end - first));
  for (std::size_t occurrences = 0; first < end && batch.size() < max_results && occurrences < max_occurrences;
       ++first) {
    LinkResult& result = batch.emplace_back(results_[first]).second;
    if (result.occurrence_count == 1 && is_fine(result.verdict.health, result.verdict.reason)) continue;
    lacking.push_back(&result);
    occurrences += result.occurrence_count;
  }
  stored_.add_occurrences(lacking);
  visit(batch);
  return first;
}

}  // namespace linkherd::storage
