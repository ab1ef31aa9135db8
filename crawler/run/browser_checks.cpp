#include "crawler/run/browser_checks.h"

#include <exception>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/classify/classify.h"
#include "crawler/fetch/bounded_queue.h"
#include "crawler/run/crawl.h"
#include "crawler/run/fetch_backend.h"
#include "storage/verdict.h"

namespace linkherd::crawler {
namespace {

using std::chrono::steady_clock;
using storage::Health;
using storage::Verdict;

constexpr std::size_t max_visits = 10'000;
constexpr std::size_t max_visit_bytes = std::size_t{32} << 20;
constexpr auto pace_query_interval = std::chrono::seconds(1);

std::optional<LinkFilter> filter_of(const std::vector<std::string>& patterns) {
  if (patterns.empty()) return std::nullopt;
  LinkFilterOptions options;
  for (const std::string& pattern : patterns) options.include.push_back({"--browser-for", pattern});
  return std::move(LinkFilter::make(options).value());
}

// Returns true if a browser may see more of the page than linkherd. A page that seems dead or suspect is requested a
// second time first. What a site API has said needs no browser.
bool needs_browser(const AnalyzedPage& page) {
  const Verdict& verdict = page.snapshot.verdict;
  if (verdict.reason == storage::reason::challenge) return verdict.health == Health::blocked;
  if (!page.is_built_by_script || verdict.rule.starts_with("site_api:")) return false;
  const bool is_missing = page.snapshot.status == 404 && verdict.health == Health::dead && verdict.rule == "status";
  if (is_missing || verdict.health == Health::suspect) return page.request.is_confirmation();
  return page_exists(verdict);
}

bool is_same_page(const std::string& a, const parser::Url& b) {
  const auto url = parser::Url::parse(a);
  return url && url->href_without_fragment() == b.href_without_fragment();
}

bool is_empty(const AnalyzedPage& shown) {
  const Verdict& verdict = shown.snapshot.verdict;
  return (page_exists(verdict) || verdict.reason == storage::reason::doubtful_404) && shown.visible.text.empty() &&
         !shown.snapshot.metadata.title;
}

// Returns true if what the browser showed says nothing about the page, although the plain answer does.
bool says_less(const AnalyzedPage& shown, VisitOutcome outcome, const AnalyzedPage& plain) {
  if (is_empty(shown)) return true;
  if (plain.snapshot.verdict.health == Health::blocked) return false;
  switch (shown.snapshot.verdict.health) {
    case Health::blocked:
    case Health::deferred:
    case Health::skipped:
    case Health::unreachable: return true;
    case Health::alive:
    case Health::redirected: {
      // An error page whose scripts lead to another page is still an error page.
      const auto end = parser::Url::parse(shown.snapshot.final_url);
      return !page_exists(plain.snapshot.verdict) && end && !is_same_page(plain.snapshot.final_url, *end) &&
             !is_same_page(std::string(plain.url.href()), *end);
    }
    default:  // an application may say "not found" if it cannot load its data
      return outcome == VisitOutcome::incomplete && page_exists(plain.snapshot.verdict);
  }
}

// The redirects of the plain answer count if the browser ended at the same page. Another page was reached by a script.
std::vector<storage::Redirect> redirects_to(const parser::Url& shown, const AnalyzedPage& page) {
  const storage::Snapshot& plain = page.snapshot;
  if (shown.href_without_fragment() == page.url.href_without_fragment()) return {};
  std::vector<storage::Redirect> redirects = plain.redirects;
  const auto end = parser::Url::parse(plain.final_url);
  if (!end || end->href_without_fragment() != shown.href_without_fragment()) {
    redirects.push_back({.from = plain.final_url,
                         .status = plain.status,
                         .to = std::string(shown.href()),
                         .kind = parser::RedirectKind::script});
  }
  return redirects;
}

// Returns what the analysis reads: the DOM as the body of a response. The DOM has its own encoding and length.
FetchResult result_of(const AnalyzedPage& page, const parser::Url& shown, RenderedPage& rendered, Timestamp now) {
  const FetchRequest& held = page.request;
  FetchRequest request(held.id(), held.href(), std::nullopt, held.is_confirmation(), held.purpose());
  if (held.wants_anchors()) request.want_anchors();
  FetchChain chain(std::move(request));
  chain.redirects = redirects_to(shown, page);
  FetchResult result(std::move(chain), shown);
  result.fetched_at = page.snapshot.fetched_at;
  AttemptResult& response = result.response;
  response.started = now;
  response.status = rendered.status;
  response.headers = std::move(rendered.headers);
  std::erase_if(response.headers, [](const storage::ResponseHeader& header) {
    return header.name == "content-type" || header.name == "content-encoding" || header.name == "content-length";
  });
  response.headers.push_back({"content-type", "text/html; charset=utf-8"});
  response.body = std::move(rendered.html);
  response.is_body_decoded = true;
  response.connection = ConnectionUse::opened;
  return result;
}

// Combines the plain answer with the page that the browser showed.
AnalyzedPage combined(AnalyzedPage held, const RenderedPage& rendered, AnalyzedPage shown) {
  storage::Snapshot& plain = held.snapshot;
  storage::Snapshot& snapshot = shown.snapshot;
  std::string state;
  if (rendered.outcome == VisitOutcome::incomplete) {
    state = fmt::format(", from an incomplete page ({})", rendered.detail);
    if (shown.anchors) shown.anchors->is_built_by_script = true;  // more anchors may be missing
  }
  if (says_less(shown, rendered.outcome, held)) {
    const std::string_view met = is_empty(shown) ? "an empty page." : std::string_view(snapshot.verdict.evidence);
    plain.verdict.evidence += fmt::format(" In a browser{}: {}", state, met);
    return held;
  }
  const bool is_missing = plain.status == 404 && snapshot.status == 404 && snapshot.verdict.health == Health::dead;
  if (is_missing && !shown.visible.text.empty())
    snapshot.verdict = doubt_404(fmt::format("HTTP 404, with the page \"{}\".", shown.visible.title));
  // Some sites hide their pages from browsers that a program controls.
  if (page_exists(plain.verdict) && snapshot.verdict.health == Health::dead)
    snapshot.verdict = doubt_404(std::move(snapshot.verdict.evidence));
  if (is_same_page(snapshot.final_url, held.url) || snapshot.final_url == plain.final_url)
    parser::fill_gaps(snapshot.metadata, plain.metadata);
  snapshot.verdict.evidence = fmt::format("Without a browser: {} ({}). In a browser{}: {}",
                                          enum_name(storage::health_names, plain.verdict.health), plain.verdict.reason,
                                          state, snapshot.verdict.evidence);
  snapshot.attempts = std::move(plain.attempts);
  snapshot.remote_address = std::move(plain.remote_address);
  snapshot.certificate = std::move(plain.certificate);
  snapshot.plain = storage::PlainAnswer{plain.status, std::move(plain.verdict)};
  shown.request = std::move(held.request);
  shown.has_requested_browser = true;
  shown.has_requested_site_api = held.has_requested_site_api;
  shown.has_requested_branch = held.has_requested_branch;
  shown.has_requested_home = held.has_requested_home;
  return shown;
}

}  // namespace

struct BrowserChecks::Machine {
  struct Ended {
    storage::LinkId id;
    RenderedPage rendered;
  };

  // A page is in one queue at a time, and the number of pages in the browser is limited, so that no push ever waits.
  Machine(const CrawlOptions& options, const Clock& clock)
      : ended(max_visits),
        results(max_visits),
        pages(max_visits),
        analysis(1, analysis_options(options), clock, results, pages),
        browser(*options.browser, options.fetch, clock) {}

  BoundedQueue<Ended> ended;
  BoundedQueue<FetchResult> results;
  BoundedQueue<AnalyzedPage> pages;
  AnalysisPool analysis;
  Browser browser;  // destroyed first, because its callbacks use the queues
};

BrowserChecks::BrowserChecks(const CrawlOptions& options, const Clock& clock)
    : options_(options), clock_(clock), filter_(filter_of(options.browser_patterns)) {}

BrowserChecks::~BrowserChecks() = default;

bool BrowserChecks::has_room_for(const AnalyzedPage& page) const {
  return waiting_.size() + in_progress_.size() < max_visits && held_bytes_ + page.bytes() <= max_visit_bytes;
}

bool BrowserChecks::hold(AnalyzedPage& page) {
  if (is_stopped_ || page.has_requested_browser || !needs_browser(page)) return false;
  if (filter_ && filter_->excludes({}, page.url.href())) return false;
  if (!page.url.username().empty() || !page.url.password().empty()) return false;  // they would be in the address bar
  const auto final_url = parser::Url::parse(page.snapshot.final_url);
  if (!final_url || !has_room_for(page)) return false;
  page.has_requested_browser = true;
  page.lease = {};  // the bytes of held pages have a limit of their own
  held_bytes_ += page.bytes();
  std::string origin = final_url->origin();
  const auto [host, is_new] = hosts_.try_emplace(origin);
  if (is_new) {
    host->second.limits = host_limits(options_.fetch.politeness, *final_url);
    has_new_hosts_ = true;
  }
  // The plain request counts too.
  if (!host->second.is_visited) host->second.next_visit = steady_clock::now() + host->second.limits.interval;
  waiting_.push_back({std::move(page), std::move(origin)});
  return true;
}

void BrowserChecks::learn_pace(const HostStates& host_states) {
  const auto now = steady_clock::now();
  if (!has_new_hosts_ || now < next_pace_query_) return;
  next_pace_query_ = now + pace_query_interval;
  has_new_hosts_ = false;
  const bool obeys_robots = options_.fetch.robots != RobotsMode::ignore;
  for (const storage::HostState& state : host_states()) {
    const auto host = hosts_.find(state.origin);
    if (host == hosts_.end() || host->second.is_pace_known || !state.crawl_delay || !obeys_robots) continue;
    HostLimits& limits = host->second.limits;
    const Duration before = limits.interval;
    limits = with_crawl_delay(limits, *state.crawl_delay);
    host->second.next_visit += limits.interval - before;
  }
  for (auto& [origin, host] : hosts_) host.is_pace_known = true;
}

void BrowserChecks::begin_visits(const HostStates& host_states) {
  // One more page waits for each tab, so that the browser does not wait for the next call.
  const auto max_in_browser = 2 * static_cast<std::size_t>(options_.browser->tabs);
  if (waiting_.empty() || in_browser_ >= max_in_browser) return;
  learn_pace(host_states);
  const auto now = steady_clock::now();
  for (auto next = waiting_.begin(); next != waiting_.end() && in_browser_ < max_in_browser && !is_stopped_;) {
    Host& host = hosts_.at(next->origin);
    if (!host.is_pace_known || host.is_visited || now < host.next_visit) {
      ++next;
      continue;
    }
    Visit visit = std::move(*next);
    next = waiting_.erase(next);
    begin(std::move(visit), host);
  }
}

void BrowserChecks::begin(Visit visit, Host& host) {
  const storage::LinkId id = visit.page.request.id();
  std::string url(visit.page.url.href());
  try {
    if (!machine_) machine_ = std::make_unique<Machine>(options_, clock_);
    machine_->browser.visit(std::move(url), [&ended = machine_->ended, id](RenderedPage page) {
      Machine::Ended end{id, std::move(page)};
      ended.push(end);
    });
  } catch (const std::exception& error) {  // such as an unusable CA file, or too many threads
    spdlog::warn(fmt::format("no page is checked with a browser: {}", error.what()));
    finish(std::move(visit));
    return stop();
  }
  host.is_visited = true;
  ++in_browser_;
  in_progress_.emplace(id, std::move(visit));
}

BrowserChecks::Visit BrowserChecks::take_visit(const storage::LinkId& id) {
  auto visit = in_progress_.extract(id);
  return std::move(visit.mapped());
}

void BrowserChecks::end(const storage::LinkId& id, RenderedPage rendered) {
  --in_browser_;
  Visit& visit = in_progress_.at(id);
  Host& host = hosts_.at(visit.origin);
  host.is_visited = false;
  host.next_visit = steady_clock::now() + host.limits.interval;
  std::string& evidence = visit.page.snapshot.verdict.evidence;
  if (rendered.has_page()) {
    const auto shown = parser::Url::parse(rendered.final_url);
    if (shown && shown->is_http()) {
      FetchResult result = result_of(visit.page, *shown, rendered, clock_.now());
      visit.rendered = std::move(rendered);
      machine_->results.push(result);
      return;
    }
    evidence += " A browser left the page for an address that is not of the web.";
  } else if (rendered.outcome == VisitOutcome::failed) {
    evidence += fmt::format(" A browser could not show the page: {}.", rendered.detail);
  }
  finish(take_visit(id));
  if (rendered.outcome == VisitOutcome::unavailable) stop();
}

void BrowserChecks::finish(Visit visit) {
  held_bytes_ -= visit.page.bytes();
  finished_.push_back(std::move(visit.page));
}

std::vector<AnalyzedPage> BrowserChecks::take_finished() {
  if (machine_) {
    constexpr auto at_once = std::chrono::milliseconds(0);
    while (auto ended = machine_->ended.pop_for(at_once)) end(ended->id, std::move(ended->rendered));
    while (auto page = machine_->pages.pop_for(at_once)) {
      Visit visit = take_visit(page->request.id());
      held_bytes_ -= visit.page.bytes();
      finished_.push_back(combined(std::move(visit.page), visit.rendered, std::move(*page)));
    }
    machine_->analysis.rethrow_failure();
  }
  return std::exchange(finished_, {});
}

void BrowserChecks::finish_waiting() {
  for (Visit& visit : std::exchange(waiting_, {})) finish(std::move(visit));
}

void BrowserChecks::stop() {
  is_stopped_ = true;
  finish_waiting();
  if (machine_) machine_->browser.stop();
}

}  // namespace linkherd::crawler
