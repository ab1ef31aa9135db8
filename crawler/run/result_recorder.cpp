#include "crawler/run/result_recorder.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/classify/classify.h"
#include "crawler/classify/content_drift.h"
#include "crawler/classify/recheck.h"
#include "crawler/classify/strikes.h"
#include "crawler/run/site_crawl.h"
#include "crawler/sources/link_filter.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/lists/text_directive.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/page_headers.h"
#include "parser/url/credentials.h"
#include "storage/link_id.h"
#include "storage/stored_times.h"
#include "storage/stored_values.h"

namespace linkherd::crawler {
namespace {

using storage::CheckedLink;
using storage::Health;
using storage::Snapshot;
using storage::Verdict;

// Older interrupted runs keep their number, but every link is checked again.
constexpr Duration resume_window = std::chrono::hours(20);

// Buffered results are written above this size. One large batch, sorted by key, takes less time than many small ones.
constexpr std::size_t max_buffered_bytes = std::size_t{8} << 20;

bool logs_stored() { return spdlog::should_log(spdlog::level::debug); }

std::string stored_line(const storage::LinkResult& result) {
  const Verdict& verdict = result.verdict;
  return fmt::format("stored: {} {} {}", result.url, enum_name(storage::health_names, verdict.health), verdict.reason);
}

// An archive that was queried this recently is not queried again.
bool is_recent(Timestamp asked_at, Timestamp now) { return asked_at <= now && now - asked_at < std::chrono::days(30); }

// Prefers the copy nearest to the page's own date. Without a date, prefers the time when the link was alive or known.
Timestamp wanted_copy(const storage::LinkRecord& record, Timestamp now) {
  if (const auto& published = record.snapshot.metadata.published) {
    const auto date = parser::parse_written_date(published->value);
    if (date && parser::is_plausible(*date, now)) return parser::start_of_date(*date);
  }
  if (record.last_alive) return *record.last_alive;
  return record.first_seen == Timestamp{} ? now : record.first_seen;
}

std::string origin_of(const std::string& url) {
  const Result<parser::Url> parsed = parser::Url::parse(url);
  return parsed ? parsed->origin() : std::string();
}

std::size_t hash_of_host(const std::string& url) {
  const Result<parser::Url> parsed = parser::Url::parse(url);
  return parsed ? std::hash<std::string_view>()(parsed->host()) : 0;
}

std::size_t hash_of_page(std::string_view url) { return std::hash<std::string_view>()(url.substr(0, url.find('#'))); }

// If a page is unchanged since `before`, or no longer alive, `now` inherits its data.
void carry_over_previous(const Snapshot& before, Snapshot& now, parser::Harvest harvest) {
  if (now.status == 304) {
    now.body_digest = before.body_digest;
    now.body_bytes = before.body_bytes;
    now.charset = before.charset;
    now.is_body_complete = before.is_body_complete;
    if (now.content_type.empty()) now.content_type = before.content_type;
    if (now.etag.empty()) now.etag = before.etag;
    if (now.last_modified.empty()) now.last_modified = before.last_modified;
    now.facts = before.facts;
  }
  if (now.status != 304 && page_exists(now.verdict)) {
    if (harvest != parser::Harvest::full) fill_gaps(now.metadata, before.metadata);  // the metadata was not harvested
    return;
  }
  now.metadata = before.metadata;
  now.main_text = before.main_text;
}

// Doubts a 404 whose text equals that of the page when it was alive.
void doubt_unchanged_page(const Snapshot& before, Snapshot& now) {
  if (now.status != 404 || now.verdict.health != Health::dead || !now.main_text.was_read()) return;
  if (now.main_text.digest == before.main_text.digest)
    now.verdict = doubt_404("HTTP 404, but the text of the page is the same as when it was alive.");
}

// Returns the text by which a page describes itself.
std::string describe_own_metadata(const parser::Metadata& metadata) {
  std::string words;
  for (const auto* field : {&metadata.title, &metadata.site_name, &metadata.description}) {
    if (*field) words += (*field)->value + "\n";
  }
  return words;
}

// These values become header fields of a request, and a damaged store must not inject others.
bool is_field_value(std::string_view text) { return !parser::has_ascii_control(text); }

std::string_view fragment_of(const parser::LinkOccurrence& occurrence) {
  const std::size_t at = occurrence.href.find('#');
  return at == std::string::npos ? std::string_view() : std::string_view(occurrence.href).substr(at + 1);
}

// Returns true if links can be read from the page.
bool has_links(const Snapshot& snapshot) { return page_exists(snapshot.verdict) && !snapshot.charset.empty(); }

// Returns nullopt if no request was made.
std::optional<Duration> time_of_requests(const Snapshot& snapshot) {
  if (snapshot.attempts.empty()) return std::nullopt;
  Duration sum{};
  for (const storage::Attempt& attempt : snapshot.attempts) sum += std::chrono::milliseconds(attempt.milliseconds);
  return sum;
}

std::optional<Validators> validators_of(const Snapshot& snapshot) {
  if (!page_exists(snapshot.verdict) || (snapshot.etag.empty() && snapshot.last_modified.empty())) return std::nullopt;
  // The text of a page is unknown if the page could not be read, or if a site API vouched for it. Only a full response
  // can change that.
  if (parser::is_html_type(snapshot.content_type) && !snapshot.main_text.was_read()) return std::nullopt;
  if (!is_field_value(snapshot.etag) || !is_field_value(snapshot.last_modified)) return std::nullopt;
  const auto url = parser::Url::parse(snapshot.final_url);
  if (url.has_error()) return std::nullopt;
  Validators validators;
  validators.url = url->href_without_fragment();
  validators.etag = snapshot.etag;
  validators.last_modified = snapshot.last_modified;
  return validators;
}

}  // namespace

ResultRecorder::ResultRecorder(Plan plan, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                               OnFinished on_finished)
    : links_(std::make_unique<RunLinks>(std::move(plan), store)),
      options_(options),
      clock_(clock),
      store_(store),
      on_finished_(std::move(on_finished)) {}

void ResultRecorder::begin() {
  const Timestamp now = clock_.now();
  began_ = now;
  const std::string identity = storage::content_digest(options_.configuration);
  std::vector<std::string> inputs = options_.inputs;
  for (std::string& input : inputs) input = parser::mask_password(input);
  if (store_ != nullptr) {
    run_ = store_->begin_run(identity, inputs, now, options_.is_partial);
    // A resumed crawl finds its links again one by one.
    if (options_.site == nullptr) keep_planned_results();
    writer_ = std::make_unique<storage::LinkWriter>(*store_, run_);
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
  store_->keep_results(run_, [this](const storage::LinkId& id) { return links_->find(id).has_value(); });
}

std::vector<storage::HostState> ResultRecorder::known_hosts() const {
  std::vector<storage::HostState> hosts;
  if (store_ != nullptr) hosts = store_->hosts();
  for (storage::HostState& host : hosts) clamp_times(host, began_);
  return hosts;
}

std::vector<FetchRequest> ResultRecorder::take_requests(std::size_t max_count) {
  std::vector<FetchRequest> requests;
  std::vector<storage::LinkResult> results;
  for (; max_count > 0 && may_take(); --max_count) {
    const std::size_t index = taken_++;
    exclude_from_crawl(index);
    bool finished = links_->is_decided(index);
    bool is_from_store = false;
    std::optional<Verdict> verdict;
    std::optional<Validators> validators;
    if (store_ != nullptr) {
      CheckedLink link = links_->with_record(index);
      is_new_.push_back(link.record.first_seen == Timestamp{});
      note_history(link.record);
      if (!finished && reuse_stored_verdict(link)) {
        finished = add_stored_anchors(index, link.record.snapshot) && add_stored_links(index, link.record.snapshot);
        if (!finished) link.entry = links_->planned(index).entry;
      }
      const bool needs_body = (options_.site != nullptr && has_links(link.record.snapshot)) ||
                              (options_.web_anchors && has_fragment(index) && may_have_anchors(link.record.snapshot));
      if (!finished && !needs_body) validators = validators_of(link.record.snapshot);
      if (finished) {
        count(index, link.entry.verdict);
        note_death(index, link.entry.verdict);
        is_from_store = link.entry.is_from_store;
        verdict = link.entry.verdict;
        if (page_exists(link.entry.verdict))
          earlier_answers_[hash_of_host(link.record.snapshot.final_url)] = EarlierAnswer::is_alive;
        storage::set_state(link.entry, link.record);
        add_occurrences(index, link.entry);
        results.push_back(std::move(link.entry));
      }
    }
    if (finished) {
      if (!verdict) verdict = links_->plan().verdict(index);
      finish(index, *verdict, std::nullopt, is_from_store);
    } else {
      requests.push_back(request_for(index, std::move(validators)));
    }
  }
  if (store_ != nullptr) store_->put_results(run_, results);
  return requests;
}

// A host that has sent any answer exists.
void ResultRecorder::note_history(const storage::LinkRecord& record) {
  constexpr std::size_t max_hosts = 1'000'000;
  const Snapshot& last = record.snapshot;
  if (earlier_answers_.size() >= max_hosts) return;
  const auto note = [&](const std::string& url) {
    EarlierAnswer& past = earlier_answers_[hash_of_host(url)];
    past = std::max(past, record.last_alive ? EarlierAnswer::was_alive : EarlierAnswer::answered);
  };
  if (record.last_alive || last.status != 0 || !last.redirects.empty()) note(record.url);
  if (last.status != 0) note(last.final_url);
}

bool ResultRecorder::has_host_lost_it(const AnalyzedPage& page) const {
  if (store_ == nullptr || page.snapshot.status != 404) return false;
  const auto known = earlier_answers_.find(hash_of_host(page.snapshot.final_url));
  if (known == earlier_answers_.end() || known->second != EarlierAnswer::was_alive) return false;
  const std::optional<std::size_t> index = links_->find(page.request.id());
  return !index || links_->with_record(*index).record.snapshot.verdict.health != Health::dead;
}

void ResultRecorder::note_alive(std::size_t index, const Snapshot& snapshot) {
  was_alive_.resize(std::max(was_alive_.size(), index + 1));
  was_alive_[index] = true;
  if (!snapshot.redirects.empty()) alive_redirect_targets_.insert(hash_of_page(snapshot.final_url));
}

bool ResultRecorder::was_alive_in_this_run(std::size_t index, const std::string& url) const {
  if (alive_redirect_targets_.contains(hash_of_page(url))) return true;
  const auto parsed = parser::Url::parse(url);
  const std::optional<std::size_t> other = parsed ? links_->find(storage::LinkId::of(*parsed)) : std::nullopt;
  return other && *other != index && *other < was_alive_.size() && was_alive_[*other];
}

// Doubts a 404 if the page is visible: it matches its entry, or was alive earlier in this run.
void ResultRecorder::doubt_missing_page(std::size_t index, AnalyzedPage& page) const {
  Snapshot& snapshot = page.snapshot;
  if (snapshot.status != 404 || snapshot.verdict.health != Health::dead || snapshot.verdict.rule != "status") return;
  if (was_alive_in_this_run(index, snapshot.final_url)) {
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
  const std::size_t host = hash_of_host(url);
  if (store_ == nullptr || earlier_answers_.contains(host)) return store_ != nullptr;
  constexpr std::size_t max_snapshots = 32;
  return std::ranges::any_of(store_->history(id, max_snapshots), [host](const Snapshot& one) {
    return one.status != 0 && hash_of_host(one.final_url) == host;
  });
}

// Adds the occurrences to the first result of a link; later results do not repeat them, only the first one.
void ResultRecorder::add_occurrences(std::size_t index, storage::LinkResult& result) {
  has_result_.resize(std::max(has_result_.size(), index + 1));
  const bool is_first = !has_result_[index];
  has_result_[index] = true;
  storage::set_occurrences(result, is_first ? links_->occurrences(index) : links_->first_occurrences(index, 1));
  if (is_first) return;
  result.occurrence_count = links_->plan().occurrence_count(index);
  result.occurrences.clear();
}

// Returns what is known of a link without a verdict of this run.
storage::LinkResult ResultRecorder::known_result(std::size_t index) const {
  const bool is_new = store_ == nullptr || (index < is_new_.size() && is_new_[index]);
  CheckedLink link = is_new ? links_->planned(index) : links_->with_record(index);
  storage::set_state(link.entry, link.record);
  return std::move(link.entry);
}

void ResultRecorder::write_unfinished() {
  if (store_ == nullptr) return;
  constexpr std::size_t max_occurrences = 20'000;  // takes about 100 ms; the rest is written by the next call
  has_result_.resize(taken_);
  std::vector<storage::LinkResult> results;
  for (std::size_t occurrence_count = 0; with_results_ < taken_before_ && occurrence_count < max_occurrences;
       ++with_results_) {
    if (has_result_[with_results_]) continue;
    storage::LinkResult& result = results.emplace_back(known_result(with_results_));
    add_occurrences(with_results_, result);
    occurrence_count += result.occurrences.size();
  }
  store_->put_results(run_, results);
  taken_before_ = taken_;
}

// Returns how many links of the plan may be taken now.
std::size_t ResultRecorder::end_of_step() {
  return options_.site == nullptr ? total() : options_.site->end_of_step(taken_, total());
}

void ResultRecorder::exclude_from_crawl(std::size_t index) {
  if (options_.site == nullptr || links_->is_decided(index)) return;
  const auto url = parser::Url::parse(links_->href_to_fetch(index)).value();
  if (const std::optional<Verdict> verdict = options_.site->verdict_if_excluded(url)) links_->decide(index, *verdict);
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
  FetchRequest request = is_found ? FetchRequest::found(links_->id(index), href, std::move(validators))
                                  : FetchRequest(links_->id(index), href, std::move(validators));
  if (options_.web_anchors && (options_.site != nullptr || has_fragment(index))) request.want_anchors();
  return request;
}

void ResultRecorder::add_page_links(std::size_t index, AnalyzedPage& page) {
  if (options_.site == nullptr) return;
  if (!page.links) page.links = links_on(page.url, page.snapshot, page.body);  // a worker does not know the site
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
  const std::optional<std::string> body = store_->body(snapshot.body_digest);
  if (!body) return false;
  if (const std::optional<Plan> links = links_on(url, snapshot, *body)) follow(url, snapshot, *links);
  return true;
}

// Returns the links of a page that was fetched for `link`, or nullopt if the page is not part of the site.
std::optional<Plan> ResultRecorder::links_on(const parser::Url& link, const Snapshot& snapshot,
                                             std::string_view body) const {
  if (body.empty() || !has_links(snapshot)) return std::nullopt;
  const auto page = parser::Url::parse(snapshot.final_url);
  SiteScope& scope = options_.site->scope();
  if (!page || !scope.may_be_read(link, *page)) return std::nullopt;
  return scope.read(link, *page, parser::decode_html(body, snapshot.charset).text);
}

void ResultRecorder::follow(const parser::Url& link, const Snapshot& snapshot, const Plan& links) {
  if (!options_.site->follow(link, snapshot, links_->plan())) return;
  const std::vector<std::uint32_t> indices = links_->append(links);
  if (store_ == nullptr) return;
  has_new_occurrences_.resize(taken_);
  for (const std::uint32_t index : indices) {
    if (index < taken_) has_new_occurrences_[index] = true;
  }
}

bool ResultRecorder::has_fragment(std::size_t index) const {
  bool has = false;
  links_->plan().for_each_occurrence(index, [&has](const parser::LinkOccurrence& occurrence) {
    has = is_evaluated_fragment(fragment_of(occurrence));
    return !has;
  });
  return has;
}

// Reads the anchors of a page that is not fetched from its stored body. Returns false if they are needed but the store
// has no body.
bool ResultRecorder::add_stored_anchors(std::size_t index, const Snapshot& snapshot) {
  if (!options_.web_anchors || !may_have_anchors(snapshot)) return true;
  const bool is_needed = has_fragment(index);
  if (!is_needed && options_.site == nullptr) return true;
  const std::optional<std::string> body = store_->body(snapshot.body_digest);
  if (!body) return !is_needed;
  std::optional<PageAnchors> anchors = collect_body_anchors(snapshot, *body);
  if (!anchors) return !is_needed;  // a PDF is read only when it is fetched
  keep_anchors(index, snapshot, std::move(*anchors));
  return true;
}

// Keeps the text only if a known link needs it, because the texts of a whole site are large.
void ResultRecorder::keep_anchors(std::size_t index, const Snapshot& snapshot, PageAnchors anchors) {
  bool asks_for_text = false;
  links_->plan().for_each_occurrence(index, [&asks_for_text](const parser::LinkOccurrence& link) {
    asks_for_text = !parser::find_text_directive(fragment_of(link)).empty();
    return !asks_for_text;
  });
  if (!asks_for_text) {
    anchors.has_text = false;
    anchors.text.clear();
  }
  anchors.page = snapshot.final_url.substr(0, snapshot.final_url.find('#'));
  pages_with_anchors_.emplace_back(static_cast<std::uint32_t>(index), anchors_.add(encode(anchors)));
}

// Called when all links are known.
void ResultRecorder::evaluate_fragments() {
  std::size_t comparisons_left = 200'000;  // of existing names with missing ones; bounds the time
  std::vector<storage::LinkId> replaced;
  for (const auto& [index, extent] : pages_with_anchors_) {
    const storage::LinkId id = links_->id(index);
    FragmentEvaluator evaluator(decode_page_anchors(anchors_.read(extent)));
    evaluate_fragments_of(index, evaluator, comparisons_left);
    if (links_->id(index) != id) replaced.push_back(id);
  }
  pages_with_anchors_.clear();
  if (store_ == nullptr || replaced.empty()) return;
  std::ranges::sort(replaced);
  store_->keep_results(run_,
                       [&replaced](const storage::LinkId& id) { return !std::ranges::binary_search(replaced, id); });
}

// Makes a fragment that the page lacks a link of its own. The same applies to a fragment that the store has as a link,
// which records that it works again.
void ResultRecorder::evaluate_fragments_of(std::size_t index, FragmentEvaluator& evaluator,
                                           std::size_t& comparisons_left) {
  constexpr std::size_t max_fragments = 1000;  // per page
  const std::string page(links_->href_to_fetch(index));
  const std::size_t names = evaluator.anchors().names.size() + 1;
  std::vector<Plan::NewLink> found;
  std::map<std::string, std::optional<std::size_t>, std::less<>> by_fragment;
  const auto goes_to = [&](const parser::LinkOccurrence& occurrence) -> std::optional<std::size_t> {
    const bool is_left_out = !occurrence.ignored_by.empty() ||
                             (options_.filter != nullptr && options_.filter->excludes(occurrence.url, occurrence.href));
    const std::string_view fragment = fragment_of(occurrence);
    if (is_left_out || !is_evaluated_fragment(fragment)) return std::nullopt;
    const auto [known, is_new] = by_fragment.try_emplace(std::string(fragment));
    if (!is_new || found.size() == max_fragments) return known->second;
    const bool may_suggest = comparisons_left >= names;
    std::optional<Verdict> verdict = evaluator.problem_of(fragment, may_suggest);
    if (verdict && may_suggest) comparisons_left -= names;
    std::string href = page + "#" + known->first;
    const storage::LinkId id = storage::LinkId::of_text(href);
    if (!verdict && store_ != nullptr && store_->link(id)) verdict = evaluator.alive_verdict();
    if (!verdict) return std::nullopt;
    known->second = found.size();
    found.push_back({id, std::move(href), std::move(*verdict)});
    return known->second;
  };
  links_->plan().for_each_occurrence(index, [&goes_to](const parser::LinkOccurrence& occurrence) {
    goes_to(occurrence);
    return true;
  });
  if (found.empty()) return;
  const std::vector<std::size_t> indices = links_->split(index, found, goes_to);
  if (store_ == nullptr) return;
  for (const std::size_t made : indices) store_fragment(made);
  if (indices.front() == index) return;
  has_new_occurrences_.resize(std::max<std::size_t>(has_new_occurrences_.size(), index + 1));
  has_new_occurrences_[index] = true;
}

void ResultRecorder::store_fragment(std::size_t index) {
  CheckedLink link = links_->with_record(index);
  if (link.record.first_seen == Timestamp{}) link.record.first_seen = began_;
  link.entry.occurrences = links_->occurrences(index);
  count(index, link.entry.verdict);
  store_->put_link(run_, link, {});
}

// Stores occurrences at the end that were found after their link was taken. Earlier ones are stored when the link is
// taken.
void ResultRecorder::store_new_occurrences() {
  constexpr std::size_t at_once = 16;  // a link may have an occurrence on every page
  std::vector<storage::LinkResult> results;
  for (std::size_t index = 0; index < has_new_occurrences_.size(); ++index) {
    if (!has_new_occurrences_[index]) continue;
    std::optional<storage::LinkResult> result = store_->result(run_, links_->id(index));
    if (!result) continue;
    result->occurrences = links_->occurrences(index);
    results.push_back(std::move(*result));
    if (results.size() < at_once) continue;
    store_->put_results(run_, results);
    results.clear();
  }
  store_->put_results(run_, results);
}

// Returns true if the link needs no request: this run finished it before an interruption, or it is not due yet.
bool ResultRecorder::reuse_stored_verdict(CheckedLink& link) const {
  if (link.record.snapshot.fetched_at == Timestamp{}) return false;
  if (is_resumed_) {
    const std::optional<storage::LinkResult> before = store_->result(run_, link.entry.id);
    if (before && before->finished) {
      link.entry.verdict = before->verdict;
      link.entry.is_from_store = before->is_from_store;
      link.entry.finished = true;
      return true;
    }
  }
  if (options_.fetch.saved != nullptr) return false;  // record_result() knows which of the two snapshots is later
  if (!is_due(link.record, options_.vantage, clock_.now(), options_.max_cache_age)) {
    link.entry.verdict = link.record.snapshot.verdict;
    link.entry.is_from_store = true;
    link.entry.finished = true;
  }
  return link.entry.finished;
}

std::optional<FetchRequest> ResultRecorder::record_page(AnalyzedPage page) {
  const std::size_t index = links_->find(page.request.id()).value();
  Snapshot& snapshot = page.snapshot;
  add_page_links(index, page);

  if (needs_confirmation(snapshot.verdict) && !page.request.is_confirmation()) {
    unconfirmed_[index] = hold_back(snapshot);
    return page.request.confirmation();
  }
  if (page.request.is_confirmation()) {
    Snapshot first = held_back(unconfirmed_.at(index));
    unconfirmed_.erase(index);
    if (options_.fetch.saved == nullptr) {  // with a web archive, both responses are the same
      snapshot.verdict = confirmed(first.verdict, snapshot.verdict, snapshot.fetched_at - first.fetched_at);
      first.attempts.insert(first.attempts.end(), snapshot.attempts.begin(), snapshot.attempts.end());
      snapshot.attempts = std::move(first.attempts);
    }
  }

  compare_with_entries(index, page);
  doubt_missing_page(index, page);
  if (page_exists(snapshot.verdict)) note_alive(index, snapshot);
  const std::optional<Duration> duration = time_of_requests(snapshot);
  Verdict verdict = snapshot.verdict;
  switch (snapshot.verdict.health) {
    case Health::deferred:
      if (snapshot.verdict.reason == storage::reason::host_unavailable) {
        links_of_failed_hosts_[origin_of(snapshot.final_url)].push_back(static_cast<std::uint32_t>(index));
      }
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
    case Health::unreachable: unreachable_.emplace_back(index, hold_back(snapshot)); break;
    default: verdict = record_result(index, std::move(snapshot), &page);
  }
  finish(index, verdict, duration, false);
  return std::nullopt;
}

void ResultRecorder::finish(std::size_t index, const Verdict& verdict, std::optional<Duration> duration,
                            bool is_from_store) {
  ++done_;
  ++finished_by_health_[verdict.health];
  if (on_finished_)
    on_finished_({links_->planned(index).record.url, verdict.health, verdict.reason, duration, is_from_store});
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
    storage::LinkResult result = known_result(index);
    result.verdict = verdict;
    result.finished = verdict.health != Health::deferred;
    count(index, verdict);
    add_occurrences(index, result);
    store_->put_results(run_, {result});
    if (logs_stored()) spdlog::debug(stored_line(result));
  } else {
    CheckedLink link = links_->planned(index);
    link.entry.verdict = verdict;
    link.entry.finished = verdict.health != Health::deferred;
    links_->keep(index, std::move(link));
  }
}

// Makes an alive page suspect if its content drifted from the first version. The page is suspect until it matches the
// first version again.
void ResultRecorder::compare_with_first_version(storage::LinkRecord& record, const AnalyzedPage& page,
                                                Snapshot& snapshot) const {
  if (store_ == nullptr || !record.first_reading_at) return;
  const Snapshot& last = record.snapshot;
  if (page_exists(last.verdict) && last.main_text.digest == snapshot.main_text.digest) return;
  const std::optional<Snapshot> first = store_->snapshot_at(record.id, *record.first_reading_at);
  if (!first || !is_comparable(*first)) {  // the row was lost: the next snapshot is the first version
    record.first_reading_at.reset();
    return;
  }
  if (page.visible.text.empty()) return;
  if (std::optional<Verdict> verdict = find_content_drift(*first, {page.url, snapshot, page.visible})) {
    snapshot.verdict = std::move(*verdict);
  }
}

Verdict ResultRecorder::record_result(std::size_t index, Snapshot snapshot, AnalyzedPage* page) {
  const bool is_new = store_ != nullptr && is_new_[index];
  CheckedLink link = is_new ? links_->planned(index) : links_->with_record(index);
  const bool known = link.record.snapshot.fetched_at != Timestamp{};
  if (known && options_.fetch.saved != nullptr && link.record.snapshot.fetched_at >= snapshot.fetched_at) {
    return record_stored_verdict(index, std::move(link));
  }
  if (page != nullptr && page_exists(snapshot.verdict)) compare_with_first_version(link.record, *page, snapshot);
  if (known) doubt_unchanged_page(link.record.snapshot, snapshot);
  if (!page_exists(snapshot.verdict)) snapshot.main_text = {};
  if (known) carry_over_previous(link.record.snapshot, snapshot, options_.harvest);
  snapshot.vantage = options_.vantage;
  const std::optional<storage::LinkRecord> before = known ? std::optional(link.record) : std::nullopt;
  const auto host = struck_out_.empty() ? struck_out_.end() : struck_out_.find(origin_of(snapshot.final_url));
  const bool is_missing_host = snapshot.verdict.reason == storage::reason::dns_not_found;
  const HostHistory history{.struck_out = host == struck_out_.end() ? nullptr : &host->second,
                            .has_answered = is_missing_host && has_answered_before(link.entry.id, snapshot.final_url)};
  link.record = update_record(before, link.entry.id, link.record.url, std::move(snapshot), options_.strikes, history);
  link.entry.verdict = link.record.snapshot.verdict;
  link.entry.finished = true;
  if (page != nullptr && page->anchors && page_exists(link.entry.verdict))
    keep_anchors(index, link.record.snapshot, *page->anchors);
  note_death(index, link.entry.verdict);
  if (store_ != nullptr) {
    count(index, link.entry.verdict);
    const bool is_kept = options_.retention.bodies != storage::KeptBodies::none;
    add_occurrences(index, link.entry);
    writer_->add(link, is_kept && page != nullptr ? std::string_view(page->body) : std::string_view(), is_new);
    recorded_.push_back(static_cast<std::uint32_t>(index));
    if (logs_stored()) stored_lines_.push_back(stored_line(link.entry));
    if (writer_->bytes() >= max_buffered_bytes) write_recorded();
  }
  Verdict verdict = link.entry.verdict;
  links_->keep(index, std::move(link));
  return verdict;
}

void ResultRecorder::write_recorded() {
  if (recorded_.empty()) return;
  writer_->write();
  for (const std::string& line : stored_lines_) spdlog::debug(line);
  recorded_.clear();
  stored_lines_.clear();
}

// Records a link whose stored snapshot is not older than that of the web archive.
Verdict ResultRecorder::record_stored_verdict(std::size_t index, CheckedLink link) {
  link.entry.verdict = link.record.snapshot.verdict;
  link.entry.is_from_store = true;
  link.entry.finished = true;
  note_death(index, link.entry.verdict);
  count(index, link.entry.verdict);
  storage::set_state(link.entry, link.record);
  add_occurrences(index, link.entry);
  store_->put_results(run_, {link.entry});
  return std::move(link.entry.verdict);
}

void ResultRecorder::note_death(std::size_t index, const Verdict& verdict) {
  if (options_.archive && verdict.health == Health::dead) dead_.push_back(static_cast<std::uint32_t>(index));
}

std::optional<DeadLink> ResultRecorder::take_dead_link() {
  if (!options_.archive || !has_dead_links()) return std::nullopt;
  write_recorded();
  const Timestamp now = clock_.now();
  while (dead_taken_ < dead_.size()) {
    const std::size_t index = dead_[dead_taken_++];
    const auto url = parser::Url::parse(links_->href_to_fetch(index));
    if (url.has_error() || !options_.archive->may_know(*url)) continue;
    const storage::LinkRecord record = links_->at(index).record;
    if (record.archived_copy && is_recent(record.archived_copy->asked_at, now)) continue;
    return DeadLink{index, *url, wanted_copy(record, now)};
  }
  return std::nullopt;
}

void ResultRecorder::put_archived_copy(std::size_t index, storage::ArchivedCopy copy) {
  write_recorded();
  CheckedLink link = links_->at(index);
  link.record.archived_copy = std::move(copy);
  // the link was never fetched because its host is dead
  if (link.record.first_seen == Timestamp{}) link.record.first_seen = began_;
  if (store_ != nullptr) store_->put_link(run_, link, {});
  links_->keep(index, std::move(link));
}

// The verdict of a link may change later in the run.
void ResultRecorder::count(std::size_t index, const Verdict& verdict) {
  if (healths_.size() < links_->size()) healths_.resize(links_->size(), Health::deferred);
  healths_[index] = verdict.health;
}

storage::SpillFile::Extent ResultRecorder::hold_back(const Snapshot& snapshot) {
  return held_back_.add(storage::encode_snapshot(snapshot));
}

Snapshot ResultRecorder::held_back(storage::SpillFile::Extent extent) const {
  Result<Snapshot> snapshot = storage::decode_snapshot(held_back_.read(extent));
  if (snapshot.has_error()) throw std::runtime_error("the temporary file has changed: " + snapshot.error().message);
  return std::move(*snapshot);
}

void ResultRecorder::record_unreachable(storage::RunState state) {
  for (const auto& [index, extent] : unreachable_) {
    if (state == storage::RunState::outage) {
      record_verdict(index, storage::without_request(Health::deferred, storage::reason::outage, "run",
                                                     "your network failed during the run"));
    } else {
      record_result(index, held_back(extent), nullptr);
    }
  }
  unreachable_.clear();
}

// Handles hosts that were contacted in this run and never answered. In an outage they are not at fault, and their
// stored state stays as it was.
void ResultRecorder::count_host_strikes(storage::RunState state, std::vector<storage::HostState>& hosts) {
  for (storage::HostState& host : hosts) {
    if (!host.unresponsive) continue;
    if (state == storage::RunState::outage) {
      if (host.unresponsive->strikes == 0) host.unresponsive.reset();
      continue;
    }
    if (host.unresponsive->last <= began_) continue;  // not contacted in this run
    count_strike(*host.unresponsive, options_.strikes);
    if (is_struck_out(*host.unresponsive, options_.strikes)) struck_out_.emplace(host.origin, *host.unresponsive);
  }
}

void ResultRecorder::record_links_of_failed_hosts() {
  for (const auto& [origin, unresponsive] : struck_out_) {
    const auto links = links_of_failed_hosts_.find(origin);
    if (links == links_of_failed_hosts_.end()) continue;
    for (const std::uint32_t index : links->second) record_verdict(index, dead_with_host(unresponsive));
  }
  links_of_failed_hosts_.clear();
}

void ResultRecorder::abort() {
  for (const std::uint32_t index : recorded_) links_->drop(index);  // the store does not have these results
  if (run_.state == storage::RunState::open) run_.state = storage::RunState::interrupted;
  run_.finished_at = clock_.now();
}

void ResultRecorder::record_deferred(storage::RunState state, std::vector<storage::HostState>& hosts) {
  count_host_strikes(state, hosts);
  record_unreachable(state);
  record_links_of_failed_hosts();
  write_recorded();
}

storage::PruneResult ResultRecorder::close(storage::RunState state, std::vector<storage::HostState> hosts) {
  record_deferred(state, hosts);
  run_.state = state;
  run_.finished_at = clock_.now();
  evaluate_fragments();
  if (store_ == nullptr) return {};
  store_new_occurrences();
  if (options_.site != nullptr && state == storage::RunState::complete) keep_planned_results();
  if (!healths_.empty()) healths_.resize(total(), Health::deferred);
  run_.by_health.clear();
  for (const Health health : healths_) ++run_.by_health[health];
  store_->put_hosts(hosts);
  return store_->end_run(run_, options_.retention, *run_.finished_at, *run_.finished_at - began_);
}

}  // namespace linkherd::crawler
