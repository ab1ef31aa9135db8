#include "crawler/run/result_recorder.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "crawler/classify/classify.h"
#include "crawler/classify/content_drift.h"
#include "crawler/classify/recheck.h"
#include "crawler/classify/strikes.h"
#include "crawler/run/previous_check.h"
#include "crawler/run/site_crawl.h"
#include "parser/metadata/dates/dates.h"
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

// Returns the text by which a page describes itself.
std::string describe_own_metadata(const parser::Metadata& metadata) {
  std::string words;
  for (const auto* field : {&metadata.title, &metadata.site_name, &metadata.description}) {
    if (*field) words += (*field)->value + "\n";
  }
  return words;
}

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
      fragments_(*links_, options.filter, store) {}

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
    exclude_from_crawl(index);
    std::optional<Verdict> verdict;
    if (links_->has_verdict(index)) verdict = *links_->table().verdict(index);
    bool is_from_store = false;
    std::optional<Validators> validators;
    if (store_ != nullptr) {
      CheckedLink link = links_->with_state(index);
      const Snapshot& last = link.state.snapshot;
      writer_->take(link.state.first_seen == Timestamp{});
      earlier_answers_.add(link.state);
      if (verdict || reuse_stored_verdict(index, link)) {
        verdict = link.result.verdict;
        is_from_store = link.result.is_from_store;
        counts_.set(index, verdict->health);
        note_death(index, *verdict);
        if (page_exists(*verdict)) earlier_answers_.add_reused(last);
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

bool ResultRecorder::has_host_lost_it(const AnalyzedPage& page) const {
  if (store_ == nullptr || page.snapshot.status != 404) return false;
  if (!earlier_answers_.was_alive_before(page.snapshot.final_url)) return false;
  const std::optional<std::size_t> index = links_->find(page.request.id());
  return !index || links_->with_state(*index).state.snapshot.verdict.health != Health::dead;
}

// Doubts a 404 if the page is visible: it matches its entry, or was alive earlier in this run.
void ResultRecorder::doubt_missing_page(std::size_t index, AnalyzedPage& page) const {
  Snapshot& snapshot = page.snapshot;
  if (snapshot.status != 404 || snapshot.verdict.health != Health::dead || snapshot.verdict.rule != "status") return;
  if (alive_pages_.contains(links_->table(), index, snapshot.final_url)) {
    snapshot.verdict =
        doubt_404(fmt::format("HTTP 404 at {}, which was alive earlier in this run.", snapshot.final_url));
  } else if (!page.visible.text.empty()) {
    const std::optional<std::string> entry =
        matching_entry(links_->first_occurrences(index, max_compared_entries), page.visible);
    if (entry)
      snapshot.verdict = doubt_404(fmt::format("HTTP 404, but the title of the page matches its entry: {}.", *entry));
  }
}

// `url`: the URL whose host no longer exists. Earlier snapshots of the link count if they led to that host.
bool ResultRecorder::has_answered_before(const storage::LinkId& id, const std::string& url) const {
  if (store_ == nullptr) return false;
  constexpr std::size_t max_snapshots = 32;
  return earlier_answers_.has_answered(url) ||
         EarlierAnswers::has_answered(storage::LinkHistory(*store_).snapshots(id, max_snapshots), url);
}

void ResultRecorder::write_unfinished() {
  if (writer_) writer_->write_unfinished(taken_);
}

// Returns how many links of the table may be taken now.
std::size_t ResultRecorder::end_of_step() {
  return options_.site == nullptr ? total() : options_.site->end_of_step(taken_, total());
}

void ResultRecorder::exclude_from_crawl(std::size_t index) {
  if (options_.site == nullptr || links_->has_verdict(index)) return;
  const auto url = parser::Url::parse(links_->href_to_fetch(index)).value();
  if (const std::optional<Verdict> verdict = options_.site->verdict_if_excluded(url))
    links_->set_verdict(index, *verdict);
}

FetchRequest ResultRecorder::request_for(std::size_t index, std::optional<Validators> validators) {
  const std::string_view href = links_->href_to_fetch(index);
  bool is_found = false;
  if (options_.site != nullptr) {
    const SiteScope& scope = options_.site->scope();
    const auto url = parser::Url::parse(href).value();
    const bool is_start = scope.is_start(url);
    const bool is_of_site = is_start || scope.contains(url);
    if (is_of_site) options_.site->took(index);
    is_found = is_of_site && !is_start;
  }
  FetchRequest request(links_->id(index), href, std::move(validators), false,
                       is_found ? Purpose::found : Purpose::link);
  if (options_.web_anchors && (options_.site != nullptr || fragments_.has_fragment(index))) request.want_anchors();
  return request;
}

void ResultRecorder::add_page_links(std::size_t index, AnalyzedPage& page) {
  if (options_.site == nullptr) return;
  if (!page.links)
    page.links = options_.site->links_on(page.url, page.snapshot, page.body);  // a worker does not know the site
  if (page.links && page_exists(page.snapshot.verdict)) follow(page.url, page.snapshot, *page.links);
  if (page.snapshot.verdict.reason == storage::reason::robots_disallowed) options_.site->forbid(page.url);
  options_.site->ended(index);
}

// Reads the links of a page that is not fetched from its stored body. Returns false if the page should be followed but
// the store has no body.
bool ResultRecorder::add_stored_links(std::size_t index, const Snapshot& snapshot) {
  if (options_.site == nullptr || !has_links(snapshot)) return true;
  const auto url = parser::Url::parse(links_->href_to_fetch(index)).value();
  const auto page = parser::Url::parse(snapshot.final_url);
  if (!page || !options_.site->scope().may_be_read(url, *page)) return true;
  const std::optional<std::string> body = storage::LinkHistory(*store_).body(snapshot.body_digest);
  if (!body) return false;
  if (const std::optional<LinkTable> links = options_.site->links_on(url, snapshot, *body))
    follow(url, snapshot, *links);
  return true;
}

void ResultRecorder::follow(const parser::Url& link, const Snapshot& snapshot, const LinkTable& links) {
  if (!options_.site->follow(link, snapshot, links_->table())) return;
  const std::vector<std::uint32_t> indices = links_->append(links);
  if (store_ == nullptr) return;
  for (const std::uint32_t index : indices) {
    if (index < taken_) writer_->add_occurrences(index);
  }
}

// Reads the anchors of a page that is not fetched from its stored body. Returns false if they are needed but the store
// has no body.
bool ResultRecorder::add_stored_anchors(std::size_t index, const Snapshot& snapshot) {
  if (!options_.web_anchors || !may_have_anchors(snapshot)) return true;
  const bool is_needed = fragments_.has_fragment(index);
  if (!is_needed && options_.site == nullptr) return true;
  const std::optional<std::string> body = storage::LinkHistory(*store_).body(snapshot.body_digest);
  if (!body) return !is_needed;
  std::optional<PageAnchors> anchors = collect_body_anchors(snapshot, *body);
  if (!anchors) return !is_needed;  // a PDF is read only when it is fetched
  fragments_.add(index, snapshot, std::move(*anchors));
  return true;
}

bool ResultRecorder::needs_body(std::size_t index, const Snapshot& snapshot) const {
  if (options_.site != nullptr && has_links(snapshot)) return true;
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
  if (!add_stored_anchors(index, last) || !add_stored_links(index, last)) return false;
  link.result.verdict = before ? before->verdict : last.verdict;
  link.result.is_from_store = !before || before->is_from_store;
  link.result.finished = true;
  return true;
}

std::optional<FetchRequest> ResultRecorder::record_page(AnalyzedPage page) {
  const std::size_t index = links_->find(page.request.id()).value();
  Snapshot& snapshot = page.snapshot;
  add_page_links(index, page);

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

  compare_with_entries(index, page);
  doubt_missing_page(index, page);
  if (page_exists(snapshot.verdict)) alive_pages_.add(index, snapshot);
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

bool ResultRecorder::needs_text(const AnalyzedPage& page) const {
  const Snapshot& snapshot = page.snapshot;
  if (!page_exists(snapshot.verdict)) return false;
  const std::string about = describe_own_metadata(snapshot.metadata);
  return may_need_text(links_->first_occurrences(links_->find(page.request.id()).value(), max_compared_entries),
                       {page.url, snapshot.final_url, about, page.visible});
}

// Makes an alive page suspect if it mismatches its entries. The next run checks it again.
void ResultRecorder::compare_with_entries(std::size_t index, AnalyzedPage& page) {
  Snapshot& snapshot = page.snapshot;
  if (!page_exists(snapshot.verdict) || page.visible.text.empty()) return;
  const parser::Metadata& metadata = snapshot.metadata;
  const std::string about = describe_own_metadata(metadata);
  const std::optional<ContentMismatch> found = find_content_mismatch(
      links_->first_occurrences(index, max_compared_entries), {page.url, snapshot.final_url, about, page.visible});
  if (!found) return;
  const std::string_view title = metadata.title ? metadata.title->value : page.visible.title;
  snapshot.verdict = mismatch_evaluator_.evaluate(snapshot.verdict, *found, page.url, title);
}

void ResultRecorder::record_verdict(std::size_t index, const Verdict& verdict) {
  note_death(index, verdict);
  if (store_ != nullptr) {
    storage::LinkResult result = writer_->known_result(index);
    result.verdict = verdict;
    result.finished = verdict.health != Health::deferred;
    counts_.set(index, verdict.health);
    writer_->put(index, std::move(result));
  } else {
    CheckedLink link = links_->planned(index);
    link.result.verdict = verdict;
    link.result.finished = verdict.health != Health::deferred;
    links_->keep(index, std::move(link));
  }
}

// Makes an alive page suspect if its content drifted from the first version. The page is suspect until it matches the
// first version again.
void ResultRecorder::compare_with_first_version(storage::LinkState& state, const AnalyzedPage& page,
                                                Snapshot& snapshot) const {
  if (store_ == nullptr || !state.first_version_at) return;
  const Snapshot& last = state.snapshot;
  if (page_exists(last.verdict) && last.main_text.digest == snapshot.main_text.digest) return;
  const std::optional<Snapshot> first = storage::LinkHistory(*store_).snapshot_at(state.id, *state.first_version_at);
  if (!first || !is_comparable(*first)) {  // the row was lost: the next snapshot is the first version
    state.first_version_at.reset();
    return;
  }
  if (page.visible.text.empty()) return;
  if (std::optional<Verdict> verdict = find_content_drift(*first, {page.url, snapshot, page.visible})) {
    snapshot.verdict = std::move(*verdict);
  }
}

Verdict ResultRecorder::record_result(std::size_t index, Snapshot snapshot, AnalyzedPage* page) {
  const bool is_new = writer_ && writer_->is_new(index);
  CheckedLink link = is_new ? links_->planned(index) : links_->with_state(index);
  const bool known = link.state.snapshot.fetched_at != Timestamp{};
  if (known && options_.fetch.saved != nullptr && link.state.snapshot.fetched_at >= snapshot.fetched_at) {
    return record_stored_verdict(index, std::move(link));
  }
  if (page != nullptr && page_exists(snapshot.verdict)) compare_with_first_version(link.state, *page, snapshot);
  if (known) doubt_unchanged_page(link.state.snapshot, snapshot);
  if (!page_exists(snapshot.verdict)) snapshot.main_text = {};
  if (known) carry_over_previous(link.state.snapshot, snapshot, options_.harvest);
  snapshot.vantage = options_.vantage;
  const std::optional<storage::LinkState> before = known ? std::optional(link.state) : std::nullopt;
  const bool is_missing_host = snapshot.verdict.reason == storage::reason::dns_not_found;
  const HostHistory history{.struck_out = undecided_.struck_out(snapshot.final_url),
                            .has_answered = is_missing_host && has_answered_before(link.result.id, snapshot.final_url)};
  link.state = update_state(before, link.result.id, link.state.url, std::move(snapshot), options_.strikes, history);
  link.result.verdict = link.state.snapshot.verdict;
  link.result.finished = true;
  if (page != nullptr && page->anchors && page_exists(link.result.verdict))
    fragments_.add(index, link.state.snapshot, *page->anchors);
  note_death(index, link.result.verdict);
  if (store_ != nullptr) {
    counts_.set(index, link.result.verdict.health);
    const bool is_kept = options_.retention.bodies != storage::KeptBodies::none;
    writer_->add(index, link, is_kept && page != nullptr ? std::string_view(page->body) : std::string_view());
  }
  Verdict verdict = link.result.verdict;
  links_->keep(index, std::move(link));
  return verdict;
}

void ResultRecorder::write_recorded() {
  if (writer_) writer_->write_buffered();
}

// Records a link whose stored snapshot is not older than that of the web archive.
Verdict ResultRecorder::record_stored_verdict(std::size_t index, CheckedLink link) {
  link.result.verdict = link.state.snapshot.verdict;
  link.result.is_from_store = true;
  link.result.finished = true;
  note_death(index, link.result.verdict);
  counts_.set(index, link.result.verdict.health);
  storage::set_state(link.result, link.state);
  Verdict verdict = link.result.verdict;
  writer_->put(index, std::move(link.result));
  return verdict;
}

void ResultRecorder::note_death(std::size_t index, const Verdict& verdict) {
  const bool is_needed = options_.archive || options_.relocation;
  if (is_needed && verdict.health == Health::dead) dead_.push_back(static_cast<std::uint32_t>(index));
}

std::optional<DeadLink> ResultRecorder::take_dead_link() {
  if (!options_.archive || dead_taken_ == dead_.size()) return std::nullopt;
  write_recorded();
  const Timestamp now = clock_.now();
  while (dead_taken_ < dead_.size()) {
    const std::size_t index = dead_[dead_taken_++];
    const auto url = parser::Url::parse(links_->href_to_fetch(index));
    if (url.has_error() || !options_.archive->may_know(*url)) continue;
    const storage::LinkState state = links_->at(index).state;
    if (state.archived_copy && is_recent(state.archived_copy->asked_at, now)) continue;
    return DeadLink{index, *url, wanted_copy(state, now)};
  }
  return std::nullopt;
}

void ResultRecorder::put_archived_copy(std::size_t index, storage::ArchivedCopy copy) {
  update_dead_link(index, [&copy](storage::LinkState& state) { state.archived_copy = std::move(copy); });
}

void ResultRecorder::put_relocation(std::size_t index, storage::Relocation relocation) {
  update_dead_link(index, [&relocation](storage::LinkState& state) { state.relocation = std::move(relocation); });
}

void ResultRecorder::update_dead_link(std::size_t index, const std::function<void(storage::LinkState& state)>& update) {
  write_recorded();
  CheckedLink link = links_->at(index);
  update(link.state);
  // the link was never fetched because its host is dead
  if (link.state.first_seen == Timestamp{}) link.state.first_seen = began_;
  if (writer_) writer_->put_link(index, link);
  links_->keep(index, std::move(link));
}

void ResultRecorder::evaluate_fragments() {
  const auto store_new = [this](std::size_t index) {
    if (!writer_) return;
    CheckedLink link = links_->with_state(index);
    if (link.state.first_seen == Timestamp{}) link.state.first_seen = began_;
    counts_.set(index, link.result.verdict.health);
    writer_->put_link(index, std::move(link));
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
  if (options_.site != nullptr && state == storage::RunState::complete) keep_planned_results();
  run_.by_health = counts_.by_health(total());
  store_->put_hosts(hosts);
  return store_->end_run(run_, options_.retention, *run_.finished_at, *run_.finished_at - began_);
}

}  // namespace linkherd::crawler
