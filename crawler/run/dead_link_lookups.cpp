#include "crawler/run/dead_link_lookups.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "parser/metadata/dates/dates.h"

namespace linkherd::crawler {
namespace {

// An archive that was queried this recently is not queried again.
bool is_recent(Timestamp asked_at, Timestamp now) { return asked_at <= now && now - asked_at < std::chrono::days(30); }

// Prefers the copy nearest to the page's own date. Without a date, prefers the time when the link was alive or known.
Timestamp wanted_copy(const storage::LinkState& state, Timestamp now) {
  if (const auto& published = state.snapshot.metadata.published) {
    const auto date = parser::parse_written_date(published->value);
    if (date && parser::is_plausible(*date, now)) return parser::start_of_date(*date);
  }
  if (state.last_alive) return *state.last_alive;
  return state.first_seen == Timestamp{} ? now : state.first_seen;
}

}  // namespace

DeadLinkLookups::DeadLinkLookups(const CrawlOptions& options, const Clock& clock, const storage::Store* store,
                                 ResultRecorder& recorder)
    : clock_(clock), recorder_(recorder) {
  if (options.archive) archive_.emplace(*options.archive);
  // a page of a web archive says nothing about the site today
  if (options.relocation && options.fetch.saved == nullptr) relocations_.emplace(*options.relocation, store);
}

void DeadLinkLookups::note_page(const AnalyzedPage& page) {
  if (relocations_) relocations_->note_page(page);
}

void DeadLinkLookups::start_search() {
  if (relocations_) relocations_->start(recorder_.links(), recorder_.dead_links(), clock_.now());
}

std::vector<FetchRequest> DeadLinkLookups::take_requests() {
  std::vector<FetchRequest> requests = std::exchange(requests_, {});
  if (is_stopped_) return requests;
  if (archive_ && !archive_->is_pending() && !archive_->is_abandoned()) {
    if (std::optional<DeadLink> link = next_link()) requests.push_back(archive_->make_request(std::move(*link)));
  }
  if (relocations_) std::ranges::move(relocations_->take_requests(), std::back_inserter(requests));
  return requests;
}

// Returns a dead link to look up in the archive. Recently looked up links are omitted.
std::optional<DeadLink> DeadLinkLookups::next_link() {
  if (dead_taken_ == recorder_.dead_links().size()) return std::nullopt;
  recorder_.write_recorded();
  const Timestamp now = clock_.now();
  while (dead_taken_ < recorder_.dead_links().size()) {
    const std::size_t index = recorder_.dead_links()[dead_taken_++];
    const auto url = parser::Url::parse(recorder_.links().href_to_fetch(index));
    if (url.has_error() || !archive_->may_know(*url)) continue;
    const storage::LinkState state = recorder_.links().at(index).state;
    if (state.archived_copy && is_recent(state.archived_copy->asked_at, now)) continue;
    return DeadLink{index, *url, wanted_copy(state, now)};
  }
  return std::nullopt;
}

void DeadLinkLookups::handle_response(const AnalyzedPage& response) {
  if (response.request.is_for_relocation()) {
    if (relocations_ && !is_stopped_) relocations_->handle_response(response);
    return;
  }
  if (!archive_) return;
  ArchiveLookups::Outcome outcome = archive_->handle_response(response.snapshot, response.body);
  if (outcome.known) {
    recorder_.update_dead_link(outcome.known->first, [&outcome](storage::LinkState& state) {
      state.archived_copy = std::move(outcome.known->second);
    });
  }
  if (outcome.next) requests_.push_back(std::move(*outcome.next));
}

bool DeadLinkLookups::is_pending() const {
  return (archive_ && archive_->is_pending()) || (relocations_ && !is_stopped_ && !relocations_->is_done());
}

void DeadLinkLookups::record_new_addresses() {
  if (!relocations_) return;
  for (auto& [index, relocation] : relocations_->take_results(clock_.now())) {
    recorder_.update_dead_link(
        index, [&found = relocation](storage::LinkState& state) { state.relocation = std::move(found); });
  }
}

}  // namespace linkherd::crawler
