#include "crawler/run/result_recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "crawler/classify/classify.h"
#include "crawler/classify/recheck.h"
#include "crawler/classify/strikes.h"
#include "crawler/run/previous_check.h"
#include "crawler/run/site_crawl.h"
#include "parser/url/credentials.h"
#include "storage/link_history.h"
#include "storage/link_id.h"
#include "storage/stored_times.h"

namespace linkherd::crawler {
namespace {

using storage::CheckedLink;
using storage::Health;
using storage::Snapshot;
using storage::Verdict;

// Older interrupted runs keep their number, but every link is checked again.
constexpr Duration resume_window = std::chrono::hours(20);

// Returns nullopt if no request was made.
std::optional<Duration> time_of_requests(const Snapshot& snapshot) {
  if (snapshot.attempts.empty()) return std::nullopt;
  Duration sum{};
  for (const storage::Attempt& attempt : snapshot.attempts) sum += std::chrono::milliseconds(attempt.milliseconds);
  return sum;
}

}  // namespace

ResultRecorder::ResultRecorder(LinkTable table, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                               OnFinished on_finished)
    : links_(std::make_unique<RunLinks>(std::move(table), store)),
      options_(options),
      clock_(clock),
      store_(store),
      on_finished_(std::move(on_finished)),
      doubts_(*links_, store),
      fragments_(*links_, options.filter, store) {
  const auto on_changed = [this](std::size_t index) {
    if (writer_ && index < taken_) writer_->add_occurrences(index);
  };
  if (options.site != nullptr) site_.emplace(*options.site, *links_, store, on_changed);
}

void ResultRecorder::begin() {
  const Timestamp now = clock_.now();
  began_ = now;
  const std::string identity = storage::content_digest(options_.configuration);
  std::vector<std::string> inputs = options_.inputs;
  for (std::string& input : inputs) input = parser::mask_password(input);
  if (store_ != nullptr) {
    run_ = store_->begin_run(identity, inputs, now, options_.is_partial);
    writer_.emplace(*store_, run_, *links_);
    // A resumed crawl finds its links again one by one.
    if (options_.site == nullptr) keep_planned_results();
  } else {
    run_.identity = identity;
    run_.inputs = std::move(inputs);
    run_.started_at = now;
    run_.is_partial = options_.is_partial;
  }
  run_.strikes = options_.strikes.strikes;
  run_.vantage = options_.vantage;
  run_.shard = options_.shard;
  if (run_.shard) run_.shard->whole = storage::content_digest(options_.whole_configuration);
  // A start time in the future comes from a clock that was ahead, so the age of the run is unknown.
  const Duration age = now - run_.started_at;
  is_resumed_ =
      age != Duration::zero() && age > -resume_window && age < std::max(resume_window, options_.max_cache_age);
  links_->belong_to(run_);
}

void ResultRecorder::keep_planned_results() {
  writer_->results().keep([this](const storage::LinkId& id) { return links_->find(id).has_value(); });
}

std::vector<storage::HostState> ResultRecorder::known_hosts() const {
  std::vector<storage::HostState> hosts;
  if (store_ != nullptr) hosts = store_->hosts();
  for (storage::HostState& host : hosts) clamp_times(host, began_);
  return hosts;
}

std::vector<FetchRequest> ResultRecorder::take_requests(std::size_t max_count) {
  std::vector<FetchRequest> requests;
  std::vector<storage::NumberedResult> results;
  for (; max_count > 0 && may_take(); --max_count) {
    const std::size_t index = taken_++;
    if (site_) site_->exclude(index);
    std::optional<Verdict> verdict;
    if (links_->has_verdict(index)) verdict = *links_->table().verdict(index);
    bool is_from_store = false;
    std::optional<Validators> validators;
    if (store_ != nullptr) {
      CheckedLink link = links_->with_state(index);
      const Snapshot& last = link.state.snapshot;
      writer_->take(link.state.first_seen == Timestamp{});
      doubts_.note_earlier(link.state);
      if (verdict || reuse_stored_verdict(index, link)) {
        verdict = link.result.verdict;
        is_from_store = link.result.is_from_store;
        note_verdict(index, *verdict);
        if (page_exists(*verdict)) doubts_.note_reused(last);
        storage::set_state(link.result, link.state);
        results.emplace_back(index, std::move(link.result));
      } else if (!needs_body(index, last)) {
        validators = validators_of(last);
      }
    }
    if (verdict) {
      finish(index, *verdict, std::nullopt, is_from_store);
    } else {
      requests.push_back(request_for(index, std::move(validators)));
    }
  }
  if (store_ != nullptr) writer_->put(results);
  return requests;
}

void ResultRecorder::write_unfinished() {
  if (writer_) writer_->write_unfinished(taken_);
}

FetchRequest ResultRecorder::request_for(std::size_t index, std::optional<Validators> validators) {
  const std::string_view href = links_->href_to_fetch(index);
  const Purpose purpose = site_ ? site_->start(index) : Purpose::link;
  FetchRequest request(links_->id(index), href, std::move(validators), false, purpose);
  if (options_.web_anchors && (site_ || fragments_.has_fragment(index))) request.want_anchors();
  return request;
}

// Reads the anchors of a page that is not fetched from its stored body. Returns false if they are needed but the store
// has no body.
bool ResultRecorder::add_stored_anchors(std::size_t index, const Snapshot& snapshot) {
  if (!options_.web_anchors || !may_have_anchors(snapshot)) return true;
  const bool is_needed = fragments_.has_fragment(index);
  if (!is_needed && !site_) return true;
  const std::optional<std::string> body = storage::LinkHistory(*store_).body(snapshot.body_digest);
  if (!body) return !is_needed;
  std::optional<PageAnchors> anchors = collect_body_anchors(snapshot, *body);
  if (!anchors) return !is_needed;  // a PDF is read only when it is fetched
  fragments_.add(index, snapshot, std::move(*anchors));
  return true;
}

bool ResultRecorder::needs_body(std::size_t index, const Snapshot& snapshot) const {
  if (site_ && has_links(snapshot)) return true;
  return options_.web_anchors && fragments_.has_fragment(index) && may_have_anchors(snapshot);
}

// Returns true if the link needs no request: this run finished it before an interruption, or it is not due yet. Sets
// the verdict of `link` then.
bool ResultRecorder::reuse_stored_verdict(std::size_t index, CheckedLink& link) {
  const Snapshot& last = link.state.snapshot;
  if (last.fetched_at == Timestamp{}) return false;
  std::optional<storage::LinkResult> before;
  if (is_resumed_) before = writer_->results().find(link.result.id);
  if (!before || !before->finished) {
    if (options_.fetch.saved != nullptr) return false;  // record_result() knows which of the two snapshots is later
    if (is_due(link.state, options_.vantage, clock_.now(), options_.max_cache_age)) return false;
    before.reset();
  }
  if (!add_stored_anchors(index, last)) return false;
  if (site_ && !site_->add_stored_links(index, last)) return false;
  link.result.verdict = before ? before->verdict : last.verdict;
  link.result.is_from_store = !before || before->is_from_store;
  link.result.finished = true;
  return true;
}

std::optional<FetchRequest> ResultRecorder::record_page(AnalyzedPage page) {
  const std::size_t index = links_->find(page.request.id()).value();
  Snapshot& snapshot = page.snapshot;
  if (site_) site_->add_links(index, page);

  if (needs_confirmation(snapshot.verdict) && !page.request.is_confirmation()) {
    undecided_.add_unconfirmed(index, snapshot);
    return page.request.confirmation();
  }
  if (page.request.is_confirmation()) {
    Snapshot first = undecided_.take_unconfirmed(index);
    if (options_.fetch.saved == nullptr) {  // with a web archive, both responses are the same
      snapshot.verdict = confirmed(first.verdict, snapshot.verdict, snapshot.fetched_at - first.fetched_at);
      first.attempts.insert(first.attempts.end(), snapshot.attempts.begin(), snapshot.attempts.end());
      snapshot.attempts = std::move(first.attempts);
    }
  }

  doubts_.compare_with_list(index, page);
  const std::optional<Duration> duration = time_of_requests(snapshot);
  Verdict verdict = snapshot.verdict;
  switch (snapshot.verdict.health) {
    case Health::deferred:
      if (snapshot.verdict.reason == storage::reason::host_unavailable)
        undecided_.add_of_failed_host(index, snapshot.final_url);
      record_verdict(index, snapshot.verdict);
      break;
    case Health::skipped:
      // The redirects to a skipped page are worth keeping.
      if (snapshot.redirects.empty()) {
        record_verdict(index, snapshot.verdict);
      } else {
        verdict = record_result(index, std::move(snapshot), nullptr);
      }
      break;
    case Health::unreachable: undecided_.add_unreachable(index, snapshot); break;
    default: verdict = record_result(index, std::move(snapshot), &page);
  }
  finish(index, verdict, duration, false);
  return std::nullopt;
}

void ResultRecorder::finish(std::size_t index, const Verdict& verdict, std::optional<Duration> duration,
                            bool is_from_store) {
  counts_.finish(verdict.health);
  if (on_finished_)
    on_finished_({links_->planned(index).state.url, verdict.health, verdict.reason, duration, is_from_store});
}

void ResultRecorder::record_verdict(std::size_t index, const Verdict& verdict) {
  CheckedLink link = known_link(index);
  link.result.verdict = verdict;
  link.result.finished = verdict.health != Health::deferred;
  store_verdict(index, std::move(link), std::nullopt);
}

// Returns the link with the findings of earlier runs.
CheckedLink ResultRecorder::known_link(std::size_t index) const {
  return writer_ ? writer_->known_link(index) : links_->planned(index);
}

Verdict ResultRecorder::record_result(std::size_t index, Snapshot snapshot, AnalyzedPage* page) {
  CheckedLink link = known_link(index);
  link.result.finished = true;
  const bool known = link.state.snapshot.fetched_at != Timestamp{};
  // the snapshot of a web archive may be older than the stored one
  if (known && options_.fetch.saved != nullptr && link.state.snapshot.fetched_at >= snapshot.fetched_at) {
    Verdict verdict = link.result.verdict = link.state.snapshot.verdict;
    link.result.is_from_store = true;
    store_verdict(index, std::move(link), std::nullopt);
    return verdict;
  }
  if (page != nullptr && page_exists(snapshot.verdict)) doubts_.compare_with_first_version(link.state, *page, snapshot);
  if (known) doubt_unchanged_page(link.state.snapshot, snapshot);
  if (!page_exists(snapshot.verdict)) snapshot.main_text = {};
  if (known) carry_over_previous(link.state.snapshot, snapshot, options_.harvest);
  snapshot.vantage = options_.vantage;
  const std::optional<storage::LinkState> before = known ? std::optional(link.state) : std::nullopt;
  const bool is_missing_host = snapshot.verdict.reason == storage::reason::dns_not_found;
  const HostHistory history{
      .struck_out = undecided_.struck_out(snapshot.final_url),
      .has_answered = is_missing_host && doubts_.has_answered_before(link.result.id, snapshot.final_url)};
  link.state = update_state(before, link.result.id, link.state.url, std::move(snapshot), options_.strikes, history);
  link.result.verdict = link.state.snapshot.verdict;
  if (page != nullptr && page->anchors && page_exists(link.result.verdict))
    fragments_.add(index, link.state.snapshot, *page->anchors);
  const bool is_kept = page != nullptr && options_.retention.bodies != storage::KeptBodies::none;
  Verdict verdict = link.result.verdict;
  store_verdict(index, std::move(link), is_kept ? std::string_view(page->body) : std::string_view());
  return verdict;
}

// Stores the verdict of a link. `body_of_check`: the body that this check found, or empty if none is kept; nullopt if
// the link was not checked, so that its state stays as it was.
void ResultRecorder::store_verdict(std::size_t index, CheckedLink link, std::optional<std::string_view> body_of_check) {
  note_verdict(index, link.result.verdict);
  if (writer_ && !body_of_check) {
    storage::set_state(link.result, link.state);
    return writer_->put(index, std::move(link.result));
  }
  if (writer_) writer_->add(index, link, *body_of_check);
  links_->keep(index, std::move(link));
}

void ResultRecorder::note_verdict(std::size_t index, const Verdict& verdict) {
  counts_.set(index, verdict.health);
  const bool is_needed = options_.archive || options_.relocation;
  if (is_needed && verdict.health == Health::dead) dead_.push_back(static_cast<std::uint32_t>(index));
}

void ResultRecorder::write_recorded() {
  if (writer_) writer_->write_buffered();
}

void ResultRecorder::update_dead_link(std::size_t index, const std::function<void(storage::LinkState& state)>& update) {
  write_recorded();
  CheckedLink link = links_->at(index);
  update(link.state);
  store_state(index, link);
  links_->keep(index, std::move(link));
}

// Stores the state of a link that was not fetched, because its host is dead or it is a fragment of a page.
void ResultRecorder::store_state(std::size_t index, CheckedLink& link) {
  if (link.state.first_seen == Timestamp{}) link.state.first_seen = began_;
  if (writer_) writer_->put_link(index, link);
}

void ResultRecorder::evaluate_fragments() {
  const auto store_new = [this](std::size_t index) {
    if (!writer_) return;
    CheckedLink link = links_->with_state(index);
    counts_.set(index, link.result.verdict.health);
    store_state(index, link);
  };
  const auto store_changed = [this](std::size_t index) {
    if (writer_) writer_->add_occurrences(index);
  };
  const std::vector<storage::LinkId> replaced = fragments_.evaluate(store_new, store_changed);
  if (store_ == nullptr || replaced.empty()) return;
  writer_->results().keep([&replaced](const storage::LinkId& id) { return !std::ranges::binary_search(replaced, id); });
}

void ResultRecorder::abort() {
  if (store_ != nullptr) links_->drop_kept();  // the store lacks buffered results
  if (run_.state == storage::RunState::open) run_.state = storage::RunState::interrupted;
  run_.finished_at = clock_.now();
}

void ResultRecorder::settle_undecided(storage::RunState state, std::vector<storage::HostState>& hosts) {
  const bool is_outage = state == storage::RunState::outage;
  undecided_.count_strikes(hosts, began_, options_.strikes, is_outage);
  undecided_.take_unreachable([&](std::size_t index, Snapshot snapshot) {
    if (is_outage) {
      record_verdict(index, storage::without_request(Health::deferred, storage::reason::outage, "run",
                                                     "your network failed during the run"));
    } else {
      record_result(index, std::move(snapshot), nullptr);
    }
  });
  undecided_.take_links_of_failed_hosts([this](std::size_t index, const storage::UnresponsivePeriod& unresponsive) {
    record_verdict(index, dead_with_host(unresponsive));
  });
  write_recorded();
}

storage::PruneResult ResultRecorder::close(storage::RunState state, std::vector<storage::HostState> hosts) {
  settle_undecided(state, hosts);
  run_.state = state;
  run_.finished_at = clock_.now();
  evaluate_fragments();
  if (store_ == nullptr) return {};
  writer_->write_new_occurrences();
  if (site_ && state == storage::RunState::complete) keep_planned_results();
  run_.by_health = counts_.by_health(total());
  store_->put_hosts(hosts);
  return store_->end_run(run_, options_.retention, *run_.finished_at, *run_.finished_at - began_);
}

}  // namespace linkherd::crawler
