#include "crawler/run/run_links.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "parser/url/credentials.h"
#include "storage/link_history.h"
#include "storage/read_ahead.h"
#include "storage/stored_values.h"

namespace linkherd::crawler {

using storage::CheckedLink;

namespace {

// Unwraps data that this process wrote.
template <class T>
T expect(Result<T> read) {
  if (read.has_error()) throw std::runtime_error("the temporary file has changed: " + read.error().message);
  return std::move(*read);
}

bool has_snapshot(const storage::LinkState& state) { return state.snapshot.fetched_at != Timestamp{}; }

// `masked`: returns the text without its passwords.
void mask(std::string& text, std::string (*masked)(std::string_view)) {
  // a fast check that fails almost always: a site has millions of occurrences
  if (text.find('@') != std::string::npos) text = masked(text);
}

std::vector<parser::LinkOccurrence> without_passwords(std::vector<parser::LinkOccurrence> occurrences) {
  for (parser::LinkOccurrence& occurrence : occurrences) {
    mask(occurrence.url, parser::mask_password);
    mask(occurrence.href, parser::mask_password);
    mask(occurrence.text, parser::mask_passwords_in);
    mask(occurrence.description, parser::mask_passwords_in);
    for (std::string& heading : occurrence.headings) mask(heading, parser::mask_passwords_in);
  }
  return occurrences;
}

}  // namespace

RunLinks::RunLinks(LinkTable table, const storage::Store* store) : table_(std::move(table)), store_(store) {}

// `first_known`: the first occurrence if known, else null.
std::string RunLinks::url(std::size_t index, const parser::LinkOccurrence* first_known) const {
  const std::string_view href = table_.href(index);
  if (!href.empty()) return parser::mask_password(href);
  if (first_known != nullptr) return parser::mask_password(first_known->url);
  const Occurrences first = table_.occurrences(index, 1);
  return first.empty() ? std::string() : parser::mask_password(first.front().url);
}

CheckedLink RunLinks::planned(std::size_t index, const parser::LinkOccurrence* first_known) const {
  CheckedLink link;
  link.result.id = link.state.id = id(index);
  link.result.url = parser::mask_password(table_.href(index));
  link.state.url = url(index, first_known);
  const storage::Verdict* const verdict = table_.verdict(index);
  link.result.finished = verdict != nullptr;
  if (verdict != nullptr) {
    link.result.verdict = *verdict;
    mask(link.result.verdict.evidence, parser::mask_passwords_in);
  } else {
    link.result.verdict = storage::without_request(storage::Health::deferred, storage::reason::interrupted, "run",
                                                   "the run ended before this link was checked");
  }
  return link;
}

CheckedLink RunLinks::with_state(std::size_t index) const {
  CheckedLink link = planned(index);
  if (store_ == nullptr) return link;
  if (std::optional<storage::LinkState> state = storage::LinkHistory(*store_).state(link.result.id)) {
    state->url = std::move(link.state.url);  // the table's URL, as in stored()
    link.state = std::move(*state);
  }
  return link;
}

std::vector<std::size_t> RunLinks::split(std::size_t index, const std::vector<LinkTable::NewLink>& into,
                                         const LinkTable::GoesTo& goes_to) {
  std::vector<std::size_t> indices = table_.split(index, into, goes_to);
  if (!indices.empty() && indices.front() == index) {  // the old result belongs to another link
    in_memory_.erase(index);
    if (store_ == nullptr) keep(index, planned(index));
  }
  return indices;
}

// Omits what the table has.
void RunLinks::keep(std::size_t index, CheckedLink link) {
  link.result.occurrences.clear();
  link.result.first = {};
  constexpr std::size_t max_in_memory = 10'000;
  if (in_memory_.size() < max_in_memory || in_memory_.contains(index)) {
    in_memory_.insert_or_assign(index, std::move(link));
    return;
  }
  if (store_ != nullptr) return;
  if (extents_.size() <= index) extents_.resize(size());
  extents_[index] = spilled_.add(storage::encode_checked_link(link));
}

std::optional<CheckedLink> RunLinks::kept_result(std::size_t index) const {
  if (const auto found = in_memory_.find(index); found != in_memory_.end()) return found->second;
  if (!has_kept_result(index)) return std::nullopt;
  return expect(storage::decode_checked_link(spilled_.read(extents_[index]), table_.id(index)));
}

CheckedLink RunLinks::kept(std::size_t index, Occurrences occurrences) const {
  CheckedLink link = planned(index, occurrences.empty() ? nullptr : &occurrences.front());
  if (std::optional<CheckedLink> result = kept_result(index)) {
    link.result = std::move(result->result);
    const bool says_something = has_snapshot(result->state) || result->state.archived_copy || result->state.relocation;
    if (says_something) link.state = std::move(result->state);
  }
  storage::complete(link, std::move(occurrences));
  return link;
}

CheckedLink RunLinks::at(std::size_t index) const {
  if (is_kept(index)) return kept(index, occurrences(index));
  return stored(index, results_->link_without_occurrences(table_.id(index)), occurrences(index));
}

// `found`: what the store has, if anything. Data of the table replaces it, because a store may be damaged or come
// from another user.
CheckedLink RunLinks::stored(std::size_t index, std::optional<CheckedLink> found, Occurrences occurrences) const {
  CheckedLink link = found ? std::move(*found) : with_state(index);
  link.state.url = url(index, occurrences.empty() ? nullptr : &occurrences.front());
  storage::complete(link, std::move(occurrences));
  return link;
}

std::vector<parser::LinkOccurrence> RunLinks::occurrences(std::size_t index) const {
  return without_passwords(table_.occurrences(index));
}

std::vector<parser::LinkOccurrence> RunLinks::first_occurrences(std::size_t index, std::size_t max_count) const {
  return without_passwords(table_.occurrences(index, max_count));
}

void RunLinks::for_each_of(std::span<const std::uint32_t> indices, const VisitPosition& visit) const {
  for_each_of(
      indices, [this](std::size_t index) { return occurrences(index); },
      [&visit](std::size_t position, CheckedLink&& link) { return visit(position, link); });
}

// Visits kept results first, then those in the store.
void RunLinks::for_each_of(std::span<const std::uint32_t> indices, const OccurrencesOf& occurrences_of,
                           const TakePosition& take) const {
  std::vector<std::uint32_t> others;  // positions in `indices`
  for (std::uint32_t position = 0; position < indices.size(); ++position) {
    const std::uint32_t index = indices[position];
    if (!is_kept(index)) {
      others.push_back(position);
    } else if (!take(position, kept(index, occurrences_of(index)))) {
      return;
    }
  }
  if (others.empty()) return;
  const storage::LinksById by_id(others, [&](std::uint32_t position) { return table_.id(indices[position]); });
  std::size_t next = 0;
  results_->for_each_link_without_occurrences(by_id.ids, [&](std::optional<CheckedLink>&& found) {
    const std::uint32_t position = others[by_id.positions[next++]];
    const std::uint32_t index = indices[position];
    return take(position, stored(index, std::move(found), occurrences_of(index)));
  });
}

std::vector<storage::CheckOutcome> RunLinks::checks(std::size_t index) const {
  return store_ == nullptr ? std::vector<storage::CheckOutcome>()
                           : storage::LinkHistory(*store_).last_checks(table_.id(index));
}

std::vector<std::uint32_t> RunLinks::all_indices() const {
  std::vector<std::uint32_t> indices(size());
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

void RunLinks::for_each(const std::function<void(std::size_t index, const CheckedLink& link)>& visit) const {
  for_each_of(all_indices(), [&visit](std::size_t index, const CheckedLink& link) {
    visit(index, link);
    return true;
  });
}

// Returns the result of a link to a file without problems, with the data that for_each_result() promises. Returns
// nullopt for other links and if a different result was recorded.
std::optional<storage::LinkResult> RunLinks::fine_file(std::size_t index) const {
  const storage::Verdict* const known = table_.verdict(index);
  if (known == nullptr || !storage::is_fine(known->health, known->reason) || !table_.href(index).empty() ||
      has_kept_result(index))
    return std::nullopt;
  storage::LinkResult result;
  if (table_.occurrence_count(index) > 0) {
    Occurrences first;
    first.push_back(table_.first_occurrence(index));
    mask(first.front().url, parser::mask_password);
    mask(first.front().href, parser::mask_password);
    result.url = first.front().url;
    storage::set_occurrences(result, std::move(first));
    result.occurrence_count = table_.occurrence_count(index);
  }
  result.id = id(index);
  result.finished = true;
  result.verdict.health = known->health;
  result.verdict.reason = known->reason;
  return result;
}

void RunLinks::for_each_result(const VisitResults& visit) const {
  const std::size_t parts = storage::parts_to_read().size();
  const std::size_t of_part = size() / parts + 1;
  storage::read_in_threads(parts, [&](std::size_t part) {
    storage::ResultBatch batch(visit);
    std::vector<std::uint32_t> others;
    const std::size_t end = std::min(size(), (part + 1) * of_part);
    for (std::size_t index = part * of_part; index < end; ++index) {
      if (std::optional<storage::LinkResult> file = fine_file(index)) {
        batch.add(index, std::move(*file));
      } else {
        others.push_back(static_cast<std::uint32_t>(index));
      }
    }
    const auto first_of = [this](std::size_t index) {
      return table_.href(index).empty() ? first_occurrences(index, 1) : occurrences(index);
    };
    for_each_of(others, first_of, [&](std::size_t position, CheckedLink&& link) {
      link.result.occurrence_count = table_.occurrence_count(others[position]);
      batch.add(others[position], std::move(link.result));
      return true;
    });
    batch.hand_over();
  });
}

}  // namespace linkherd::crawler
