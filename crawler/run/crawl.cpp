#include "crawler/run/crawl.h"

#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include <spdlog/spdlog.h>

#include "crawler/clock/clock.h"
#include "crawler/lookups/github_lookups.h"
#include "crawler/run/browser_checks.h"
#include "crawler/run/dead_link_lookups.h"
#include "crawler/run/fetch_backend.h"
#include "crawler/run/follow_ups.h"
#include "crawler/run/outage.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/result_recorder.h"
#include "crawler/run/site_crawl.h"

namespace linkherd::crawler {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t links_at_once = 1000;  // that are moved from the table to the frontier at a time
constexpr auto poll_interval = std::chrono::milliseconds(100);
constexpr auto visit_poll_interval = std::chrono::milliseconds(20);  // while the browser shows pages
constexpr auto outage_interval = std::chrono::milliseconds(250);
constexpr auto progress_interval = std::chrono::milliseconds(250);
constexpr auto write_interval = std::chrono::seconds(1);
// No outage is declared before `outage_earliest`, so that the first contacts have time to end. Between the two, slow
// contacts may still be pending, and the rules are stricter.
constexpr auto outage_earliest = std::chrono::seconds(3);
constexpr auto slow_contacts_time = std::chrono::seconds(20);

// due() returns true once per `interval`.
class IntervalTimer {
 public:
  explicit IntervalTimer(steady_clock::duration interval) : interval_(interval), last_(steady_clock::now()) {}
  bool due() {
    const auto now = steady_clock::now();
    if (now - last_ < interval_) return false;
    last_ = now;
    return true;
  }

 private:
  steady_clock::duration interval_;
  steady_clock::time_point last_;
};

bool is_stopped(const CrawlControls& controls) {
  return controls.stop != nullptr && controls.stop->load() != StopSignal::none;
}

const SiteApiSet* site_apis_of(const CrawlOptions& options) {
  if (!options.should_use_site_apis) return nullptr;
  return options.site_apis == nullptr ? &SiteApiSet::built_in() : options.site_apis.get();
}

// One run in progress. run() repeats four steps until every link has a result:
// 1. poll() checks for a signal, an outage, a captive portal and the deadline. It also writes results and reports
//    progress. Each of these has its own interval.
// 2. The next 1000 links are taken from the table and submitted, if any may be taken.
// 3. Links to GitHub are collected, and one request queries several of them.
// 4. take_pages() handles the pages that are ready. It waits for a page only if no link may be taken.
// 5. visit_pages() begins visits of the browser, and handles the pages whose visits have ended.
//
// `outstanding_` counts submitted links without a result. A link may need several pages. For example, a link that
// answers 404 stays outstanding while its confirmation waits `confirm_wait`, and ends with the second page. Soft-404
// probes and other follow-up requests are not counted, because the page they belong to is. stop() makes the backend end
// all pending requests, so the loop ends by itself.
class Crawl {
 public:
  Crawl(const CrawlOptions& options, const Clock& clock, storage::Store* store, const CrawlControls& controls,
        ResultRecorder& recorder)
      : options_(options),
        clock_(clock),
        store_(store),
        controls_(controls),
        recorder_(recorder),
        backend_(options.make_backend ? options.make_backend() : std::make_unique<LocalFetchBackend>(options, clock)),
        follow_ups_(site_apis_of(options), options.harvest, options.fetch.saved == nullptr),
        dead_link_lookups_(options, clock, store, recorder) {
    if (options.github && options.fetch.saved == nullptr)
      github_.emplace(*options.github, options.fetch.retry.max_retry_after);
    if (options.browser) browser_checks_.emplace(options, clock);
  }

  storage::RunState run(std::vector<FetchRequest> first) {
    if (store_ != nullptr && options_.fetch.saved == nullptr) {
      const std::vector<storage::HostState> known = recorder_.known_hosts();
      backend_->restore(known);
      follow_ups_.restore(known, clock_.now());
    }
    submit(std::move(first));
    while (outstanding_ > 0 || !recorder_.all_taken()) {
      poll();
      if (recorder_.may_take()) submit(recorder_.take_requests(links_at_once));
      send_github_request();
      take_pages(recorder_.may_take() ? std::chrono::milliseconds(0) : wait_for_page());
      visit_pages();
    }
    browser_checks_.reset();
    report_progress();
    if (state_ == storage::RunState::open && is_outage(backend_->contacts(), options_.outage_share, true)) {
      state_ = storage::RunState::outage;
    }
    if (dead_link_lookups_.is_used() && state_ == storage::RunState::open && !stopped_) finish_lookups();
    if (options_.fetch.saved != nullptr) return end_state();  // a web archive was read, and no host was contacted
    hosts_ = host_states();
    for (const storage::HostState& host : hosts_) {
      if (host.crawl_delay && options_.fetch.robots != RobotsMode::ignore)
        pace_.set_crawl_delay(host.origin, *host.crawl_delay);
      if (host.pauses) pace_.pause(host.origin, *host.pauses);
    }
    return end_state();
  }

  std::vector<storage::PaceBound> slowest_hosts() const { return pace_.slowest_hosts(); }
  std::vector<storage::HostState> take_hosts() { return std::move(hosts_); }  // call after run()

 private:
  storage::RunState end_state() const {
    return state_ == storage::RunState::open ? storage::RunState::complete : state_;
  }

  void submit(std::vector<FetchRequest> requests) {
    outstanding_ += requests.size();
    if (!github_ || stopped_) return fetch(std::move(requests));
    std::vector<FetchRequest> others;
    for (FetchRequest& request : requests) {
      if (is_page_to_read(request) || !github_->add(request)) others.push_back(std::move(request));
    }
    fetch(std::move(others));
  }

  // Returns true if the links or anchors of the page are needed.
  bool is_page_to_read(const FetchRequest& request) const {
    if (request.wants_anchors()) return true;
    if (options_.site == nullptr) return false;
    return request.purpose() == Purpose::found ||
           options_.site->scope().is_start(parser::Url::parse(request.href()).value());
  }

  void fetch(std::vector<FetchRequest> requests) {
    if (requests.empty()) return;
    if (!stopped_) {
      for (const FetchRequest& request : requests) pace_.add(request.href());
    }
    backend_->submit(std::move(requests));
  }

  std::vector<storage::HostState> host_states() const {
    std::vector<storage::HostState> hosts = backend_->host_states();
    follow_ups_.add_to(hosts);
    return hosts;
  }

  void take_pages(std::chrono::milliseconds timeout) {
    take_page(timeout);
    for (std::size_t i = 0; i < max_queued_pages && take_page(std::chrono::milliseconds(0)); ++i) {
      // handle every page that is ready, before the next poll()
    }
  }

  std::chrono::milliseconds wait_for_page() const {
    return browser_checks_ && browser_checks_->is_visiting() ? visit_poll_interval : poll_interval;
  }

  void visit_pages() {
    if (!browser_checks_) return;
    browser_checks_->begin_visits([this] { return backend_->host_states(); });
    for (AnalyzedPage& page : browser_checks_->take_finished()) handle_found(std::move(page));
  }

  bool take_page(std::chrono::milliseconds timeout) {
    std::optional<AnalyzedPage> page = backend_->pop_for(timeout);
    if (page) handle_page(std::move(*page));
    return page.has_value();
  }

  void handle_page(AnalyzedPage page) {
    if (page.request.purpose() == Purpose::archive || page.request.is_for_relocation()) {
      dead_link_lookups_.handle_response(page);
      send_lookups();
    } else if (page.request.purpose() == Purpose::github) {
      handle_github_answer(page);
    } else if (page.request.is_follow_up()) {
      for (AnalyzedPage& waiting : follow_ups_.release(std::move(page), clock_.now())) handle_found(std::move(waiting));
    } else {
      follow_ups_.note_host(page);  // also for held pages, because their host answered
      if (stopped_ || !portal_detector_.hold(page)) handle_found(std::move(page));
    }
  }

  void handle_found(AnalyzedPage page) {
    page.has_host_lost_it = recorder_.doubts().has_host_lost_it(page);
    if (follow_ups_.hold(page, !stopped_, clock_.now())) {
      if (auto next = follow_ups_.take_request()) backend_->submit(std::move(next->request), next->not_before);
    } else if (!browser_checks_ || !browser_checks_->hold(page)) {
      record_evaluated(std::move(page));
    }
  }

  void record_evaluated(AnalyzedPage page) {
    dead_link_lookups_.note_page(page);
    std::optional<FetchRequest> again = recorder_.record_page(std::move(page));
    if (again) {
      backend_->submit(std::move(*again), clock_.now() + options_.confirm_wait);
    } else {
      --outstanding_;
      send_lookups();
    }
  }

  void send_github_request() {
    if (!github_) return;
    if (stopped_) return fetch(github_->give_up());
    if (auto next = github_->next_request(!recorder_.may_take()))
      backend_->submit(std::move(next->request), next->not_before);
  }

  // Requests the page itself if it may mismatch its entries.
  void handle_github_answer(const AnalyzedPage& answer) {
    GithubLookups::Outcome outcome = github_->handle_response(answer.snapshot, answer.body);
    for (GithubLookups::KnownLink& known : outcome.known) {
      AnalyzedPage page{{.snapshot = std::move(known.snapshot)}, std::move(known.request), std::move(known.url)};
      page.has_requested_site_api = true;
      if (recorder_.doubts().needs_text(page)) {
        outcome.unknown.push_back(std::move(page.request));
      } else {
        record_evaluated(std::move(page));
      }
    }
    fetch(std::move(outcome.unknown));
  }

  void send_lookups() {
    std::vector<FetchRequest> requests = dead_link_lookups_.take_requests();
    if (!requests.empty()) backend_->submit(std::move(requests));
  }

  // Sends the remaining archive lookups, and searches for the new addresses of dead pages, after every link has ended.
  // Takes at most `lookup_wait`. What is pending then is dropped.
  void finish_lookups() {
    std::vector<storage::HostState> hosts = host_states();
    recorder_.settle_undecided(storage::RunState::complete, hosts);
    is_finishing_lookups_ = true;
    dead_link_lookups_.start_search();
    send_lookups();
    const auto end = steady_clock::now() + options_.lookup_wait;
    while (dead_link_lookups_.is_pending() && steady_clock::now() < end) {
      poll();
      take_pages(poll_interval);
    }
    if (dead_link_lookups_.is_pending() && !stopped_)
      spdlog::info("no more lookups of dead links in this run: they took too long");
    dead_link_lookups_.record_new_addresses();
  }

  void poll() {
    elapsed_ = awake_.sample().awake;
    if (state_ == storage::RunState::open) {
      if (is_stopped(controls_)) {
        stop(storage::RunState::interrupted, FailureKind::interrupted);
      } else if (!is_finishing_lookups_ && outage_check_.due() && sees_outage()) {
        spdlog::info("your network seems to be down: the run ends");
        stop(storage::RunState::outage, FailureKind::outage);
      } else if (!stopped_ && options_.deadline && elapsed_ >= *options_.deadline) {
        stop(state_, FailureKind::deadline);  // the run still counts as complete: it did what was possible in its time
      }
    }
    check_for_portal();
    if (write_.due()) {
      recorder_.write_recorded();
      recorder_.write_unfinished();
      if (store_ != nullptr) store_->sync();
      backend_->pages_are_stored();
    }
    if (progress_.due()) report_progress();
  }

  // Releases held pages once a decision about a captive portal is possible. That is the case if a portal is detected,
  // if slow first answers had enough time, or if nothing else is left to wait for.
  void check_for_portal() {
    if (portal_detector_.held() == 0) return;
    const bool nothing_else = portal_detector_.held() == outstanding_ && !recorder_.may_take();
    const bool at_once = nothing_else || stopped_ || portal_detector_.is_full();
    if (!at_once && !portal_check_.due()) return;
    const bool slow_contacts_done = at_once || elapsed_ >= slow_contacts_time;
    if (!stopped_ && (slow_contacts_done || elapsed_ >= outage_earliest) &&
        portal_detector_.has_portal(slow_contacts_done)) {
      spdlog::info("many domains redirect to one address: a captive portal seems to answer for them, so the run ends");
      stop(storage::RunState::outage, FailureKind::outage);
    }
    if (!slow_contacts_done && !stopped_) return;
    for (AnalyzedPage& page : portal_detector_.release()) {
      if (state_ == storage::RunState::outage) {
        page.snapshot.verdict = storage::without_request(storage::Health::deferred, storage::reason::outage, "run",
                                                         "a captive portal may have answered instead of the host");
      }
      handle_found(std::move(page));
    }
  }

  bool sees_outage() const {
    return elapsed_ >= outage_earliest &&
           is_outage(backend_->contacts(), options_.outage_share, elapsed_ >= slow_contacts_time);
  }

  void stop(storage::RunState state, FailureKind why) {
    state_ = state;
    stopped_ = why;
    dead_link_lookups_.stop();
    if (browser_checks_) browser_checks_->stop();
    backend_->stop(why);
  }

  void report_progress() {
    CrawlProgress progress;
    progress.done = recorder_.done();
    progress.total = recorder_.total();
    progress.by_health = recorder_.finished_by_health();
    progress.pool = backend_->status();
    if (controls_.on_progress) controls_.on_progress(progress);
    backend_->show(progress);
  }

  const CrawlOptions& options_;
  const Clock& clock_;
  storage::Store* store_;
  const CrawlControls& controls_;
  ResultRecorder& recorder_;
  std::unique_ptr<FetchBackend> backend_;
  std::size_t outstanding_ = 0;
  PaceBounds pace_{options_.fetch.politeness};
  std::vector<storage::HostState> hosts_;  // their states at the end of the run
  CaptivePortalDetector portal_detector_{options_.outage_share};
  FollowUps follow_ups_;
  DeadLinkLookups dead_link_lookups_;
  std::optional<BrowserChecks> browser_checks_;
  std::optional<GithubLookups> github_;
  bool is_finishing_lookups_ = false;  // true if every link has ended and only lookups of dead links are pending
  storage::RunState state_ = storage::RunState::open;
  std::optional<FailureKind> stopped_;  // why no further link is started
  AwakeTime awake_;
  Duration elapsed_{};  // time while the machine was awake
  IntervalTimer outage_check_{outage_interval};
  IntervalTimer portal_check_{outage_interval};
  IntervalTimer progress_{progress_interval};
  IntervalTimer write_{write_interval};
};

}  // namespace

CrawlResult crawl(LinkTable table, const CrawlOptions& options, const Clock& clock, storage::Store* store,
                  const CrawlControls& controls) {
  const auto started = steady_clock::now();
  ResultRecorder recorder(std::move(table), options, clock, store, controls.on_finished);
  recorder.begin();
  CrawlResult result;
  try {
    std::vector<FetchRequest> first;
    while (first.empty() && !recorder.all_taken() && !is_stopped(controls))
      first = recorder.take_requests(links_at_once);
    storage::RunState state = storage::RunState::complete;
    std::vector<storage::HostState> hosts;
    if (!first.empty() || !recorder.all_taken() || !recorder.dead_links().empty()) {
      Crawl run(options, clock, store, controls, recorder);
      state = run.run(std::move(first));
      result.slowest_hosts = run.slowest_hosts();
      hosts = run.take_hosts();
    }
    result.pruned = recorder.close(state, std::move(hosts));
  } catch (const std::runtime_error& error) {  // results so far are worth a report
    if (recorder.done() == 0 && dynamic_cast<const storage::StoreError*>(&error) == nullptr) throw;
    result.failure = std::current_exception();
    recorder.abort();
  }
  result.run = recorder.run();
  result.links = recorder.take_links();
  result.elapsed = std::chrono::duration_cast<Duration>(steady_clock::now() - started);
  return result;
}

}  // namespace linkherd::crawler
