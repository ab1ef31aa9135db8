#include "crawler/fetch/hop_state_machine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/http/redirect.h"
#include "crawler/fetch/http/response_headers.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

constexpr Duration exhaustion_pause = std::chrono::milliseconds(500);
constexpr Duration max_exhaustion = std::chrono::seconds(30);

constexpr int max_failed_alternatives = 3;  // unsuccessful requests per host with other headers or another HTTP version

constexpr Duration archive_timeout = std::chrono::seconds(30);
constexpr int max_archive_redirects = 3;

bool end_with(HopAnswer& answer, FailureKind failure, std::string detail) {
  answer.failure = failure;
  answer.detail = std::move(detail);
  return false;
}

void start_hop(PendingFetch& fetch, parser::Url url) {
  fetch.url = std::move(url);
  fetch.not_before.reset();
  fetch.retries = 0;
  fetch.should_imitate_browser = false;
  fetch.version_trial = VersionTrial::none;
  fetch.refusal.reset();
  fetch.needs_fresh_connection = fetch.request.is_confirmation();
}

void collect_cookies(PendingFetch& fetch, const HopAnswer& answer, Timestamp now) {
  const std::vector<Cookie> before = fetch.cookies;
  for (const Header& header : answer.headers) {
    if (header.name != "set-cookie") continue;
    if (auto cookie = parse_set_cookie(fetch.url, header.value, now))
      keep_cookie(fetch.cookies, std::move(*cookie), now);
  }
  fetch.has_new_cookies = fetch.has_new_cookies || fetch.cookies != before;
}

// A cookie wall expects its own cookies: the chain starts again with the cookies that it has set. Some walls set one
// cookie per round. Without a new cookie the answer would be the same again.
bool pass_cookie_wall(PendingFetch& fetch, const parser::Url& to) {
  constexpr int max_rounds = 3;
  if (!fetch.has_new_cookies || fetch.cookies.empty() || fetch.cookie_rounds == max_rounds) return false;
  ++fetch.cookie_rounds;
  fetch.has_new_cookies = false;
  fetch.with_cookies_from = fetch.redirects.size();
  start_hop(fetch, to);
  return true;
}

// Makes `to` the next hop; `hop` is the redirect that leads to it. Returns false and sets the failure of the answer if
// the redirect cannot be followed.
bool follow(PendingFetch& fetch, HopAnswer& answer, storage::Redirect hop, parser::Url to, const FetchOptions& options,
            Timestamp now) {
  fetch.redirects.push_back(std::move(hop));
  collect_cookies(fetch, answer, now);
  if (fetch.request.is_for_link() && to.host() != fetch.url.host()) {
    return end_with(answer, FailureKind::bad_redirect, fmt::format("redirected to another host: {}", to.href()));
  }
  if (closes_loop(fetch.redirects, to, fetch.with_cookies_from.value_or(0))) {
    if (pass_cookie_wall(fetch, to)) return true;
    return end_with(answer, FailureKind::redirect_loop, fmt::format("redirected back to {}", to.href()));
  }
  const int max_chain_length = fetch.request.purpose() == Purpose::archive
                                   ? std::min(max_archive_redirects, options.max_redirects)
                                   : options.max_redirects;
  if (static_cast<int>(fetch.redirects.size()) > max_chain_length) {
    return end_with(answer, FailureKind::too_many_redirects, fmt::format("more than {} redirects", max_chain_length));
  }
  if (time_left(fetch, options) <= Duration::zero()) {
    return end_with(answer, FailureKind::timeout,
                    fmt::format("redirected for longer than {}", format_duration(fetch.spent)));
  }
  start_hop(fetch, std::move(to));
  return true;
}

bool follow_redirect(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now) {
  const std::string location(find_header(answer.headers, "location"));
  if (location.empty()) {
    const bool was_cut = !answer.detail.empty();
    return end_with(answer, FailureKind::bad_redirect,
                    was_cut ? fmt::format("a redirect whose target cannot be read: {}", answer.detail)
                            : "a redirect without Location");
  }
  Result<parser::Url> to = redirect_target(fetch.url, location);
  storage::Redirect hop{std::string(fetch.url.href()), answer.status, to ? std::string(to->href()) : location};
  if (to && to->is_http()) return follow(fetch, answer, std::move(hop), std::move(*to), options, now);
  fetch.redirects.push_back(std::move(hop));
  return to ? end_with(answer, FailureKind::unsupported_scheme, fmt::format("redirected to {}", to->href()))
            : end_with(answer, FailureKind::bad_redirect, to.error().message);
}

// Returns nullopt if the page does not redirect by itself; otherwise like follow().
std::optional<bool> follow_page(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now) {
  if (fetch.request.is_for_link()) return std::nullopt;
  const auto redirect = page_redirect(answer, fetch.url, fetch.request.body_limit(options.max_body));
  if (!redirect || repeats_reload(fetch.redirects, fetch.url, redirect->to)) return std::nullopt;
  if (options.is_known_page && options.is_known_page(fetch, answer)) return std::nullopt;
  Result<parser::Url> to = redirect_target(fetch.url, redirect->to.href());
  if (!to) return std::nullopt;
  storage::Redirect hop{.from = std::string(fetch.url.href()),
                        .status = answer.status,
                        .to = std::string(to->href()),
                        .kind = redirect->kind,
                        .is_canonical = redirect->is_permanent};
  return follow(fetch, answer, std::move(hop), std::move(*to), options, now);
}

// Many servers refuse HEAD or answer it arbitrarily. No answer to HEAD may make a link dead, in this run or by strikes:
// 404 and 410 are confirmed with GET in any case.
bool must_use_get(const PendingFetch& fetch, const HopAnswer& answer, const FetchOptions& options) {
  if (!uses_head(fetch, options)) return false;
  const bool is_refusal = answer.status >= 400 && answer.status < 500 && answer.status != 405 && answer.status != 408;
  if (options.method == MethodPlan::head && is_refusal) return false;
  switch (answer.failure) {
    case FailureKind::none:
      return !is_redirect_status(answer.status) && answer.status != 304 && answer.status != 429 &&
             (answer.status < 200 || answer.status >= 300);
    case FailureKind::bad_response:
    case FailureKind::odd_status_line:
    case FailureKind::connection_reset:
    case FailureKind::headers_too_large:
    case FailureKind::timeout: return true;
    default: return false;
  }
}

bool try_again(PendingFetch& fetch, const HopAnswer& answer, const FetchOptions& options, Timestamp now,
               double jitter) {
  HopOutcome outcome{.status = answer.status,
                     .failure = answer.failure,
                     .is_connection_reused = answer.is_connection_reused(),
                     .needs_fresh_connection = fetch.needs_fresh_connection};
  if (answer.retry_at) outcome.retry_after = *answer.retry_at - now;
  const RetryDecision decision = decide_retry(outcome, fetch.retries, options.retry, jitter);
  if (decision.counts && fetch.request.is_follow_up()) return false;
  if (!decision.retry || decision.wait >= time_left(fetch, options)) return false;
  if (decision.counts) ++fetch.retries;
  fetch.spent += decision.wait;
  fetch.not_before = now + decision.wait;
  fetch.needs_fresh_connection = decision.needs_fresh_connection || fetch.request.is_confirmation();
  return true;
}

// Keeps the answer while the hop is repeated in another way. A long body is cut.
void keep_refusal(PendingFetch& fetch, HopAnswer answer) {
  constexpr std::size_t max_kept_bytes = std::size_t{64} << 10;
  if (answer.body.size() > max_kept_bytes) {
    answer.body.resize(max_kept_bytes);
    answer.body.shrink_to_fit();
    answer.body_state = BodyState::cut;
  }
  answer.lease = {};  // otherwise a used-up budget would delay the next hop
  fetch.refusal = std::make_unique<HopAnswer>(std::move(answer));
}

}  // namespace

bool may_retry_as_browser(const PendingFetch& fetch, const HopAnswer& answer, const FetchOptions& options) {
  constexpr std::array<int, 4> refusals{400, 403, 405, 406};
  if (!options.retry_as_browser || fetch.should_imitate_browser || fetch.request.is_follow_up()) return false;
  if (answer.failure != FailureKind::none || !answer.detail.empty()) return false;
  if (std::ranges::find(refusals, answer.status) == refusals.end()) return false;
  return !options.is_wall || !options.is_wall(answer);
}

void make_browser_hop(PendingFetch& fetch, HopAnswer answer) {
  start_hop(fetch, fetch.url);
  fetch.should_use_get = true;
  fetch.should_imitate_browser = true;
  keep_refusal(fetch, std::move(answer));
}

bool is_no_refusal(const HopAnswer& answer) {
  if (answer.failure != FailureKind::none) return false;
  return (answer.status >= 200 && answer.status < 400) || answer.status == 404 || answer.status == 410;
}

bool uses_head(const PendingFetch& fetch, const FetchOptions& options) {
  return options.method != MethodPlan::get && !fetch.should_use_get && !fetch.request.is_confirmation() &&
         !fetch.request.is_follow_up();
}

Duration time_left(const PendingFetch& fetch, const FetchOptions& options) {
  const Duration whole = fetch.request.purpose() == Purpose::archive ? std::min(archive_timeout, options.link_timeout)
                                                                     : options.link_timeout;
  return std::max(Duration::zero(), whole - fetch.spent);
}

bool make_next_hop(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now, double jitter) {
  if (answer.failure == FailureKind::none && is_redirect_status(answer.status)) {
    return follow_redirect(fetch, answer, options, now);
  }
  if (const std::optional<bool> goes_on = follow_page(fetch, answer, options, now)) return *goes_on;
  if (must_use_get(fetch, answer, options)) {
    fetch.should_use_get = true;
    start_hop(fetch, fetch.url);
    return true;
  }
  return try_again(fetch, answer, options, now, jitter);
}

HopStateMachine::HopStateMachine(boost::asio::io_context& io, PoolShared& shared, CurlLoop& curl, Resolver& resolver,
                                 AwakeTime& awake, Frontier& frontier, StallWatch& stalls, Handlers handlers)
    : shared_(shared),
      awake_(awake),
      frontier_(frontier),
      stalls_(stalls),
      handlers_(std::move(handlers)),
      runner_(shared, curl, resolver, awake),
      robots_(io, runner_, shared.clock),
      random_(std::random_device()()) {}

void HopStateMachine::restore(const storage::HostState& host) { robots_.restore(host); }
void HopStateMachine::add_to(std::vector<storage::HostState>& states) const { robots_.add_to(states); }

asio::awaitable<void> HopStateMachine::run(std::unique_ptr<PendingFetch> fetch) {
  const std::string origin = fetch->url.origin();
  const Timestamp started = shared_.clock.now();
  const auto retries = browser_retries_.find(origin);
  fetch->should_imitate_browser =
      fetch->should_imitate_browser || (retries != browser_retries_.end() && retries->second.has_helped);
  HopRequest request = make_request(*fetch, origin);
  StallWatch::Slot slot(stalls_, fetch->is_first_contact);
  request.slot = &slot;
  const bool is_listed = !fetch->request.needs_permission();
  HopAnswer answer = co_await request_page(request, origin, is_listed);
  complete_hop(std::move(fetch), origin, started, request, std::move(answer));
}

asio::awaitable<HopAnswer> HopStateMachine::request_page(HopRequest& request, const std::string& origin,
                                                         bool is_listed) {
  bool is_disallowed_by_robots = false;
  const bool needs_permission = !is_listed && shared_.options.robots != RobotsMode::ignore;
  if (needs_permission || needs_robots(origin)) {
    const Timestamp asked = shared_.clock.now();
    std::optional<HopAnswer> refusal = co_await robots_.refusal(request);
    if (robots_.has_answered_since(origin, asked)) frontier_.note_robots_answer(origin, shared_.clock.now());
    const RobotsRules* const rules = robots_.known_rules(origin);
    if (rules != nullptr && rules->crawl_delay()) frontier_.set_crawl_delay(origin, *rules->crawl_delay());
    if (refusal && refusal->local_cause == LocalCause::asleep) co_return std::move(*refusal);
    if (refusal && host_result(*refusal) == ContactResult::unresponsive && !needs_permission)
      frontier_.note_unanswered(origin, asked, shared_.clock.now());
    if (refusal && (needs_permission || !ignores_robots_refusal(*refusal, origin))) co_return std::move(*refusal);
    is_disallowed_by_robots = refusal && rules != nullptr;
  }
  HopAnswer answer = co_await runner_.run(request);
  answer.is_disallowed_by_robots = is_disallowed_by_robots;
  co_return answer;
}

// A listed link is fetched whatever robots.txt says, and also if only robots.txt cannot be fetched.
bool HopStateMachine::ignores_robots_refusal(const HopAnswer& refusal, const std::string& origin) {
  if (shared_.options.robots != RobotsMode::listed) return false;
  switch (refusal.failure) {
    case FailureKind::robots_disallowed: return true;
    case FailureKind::timeout:
    case FailureKind::connection_reset:
    case FailureKind::bad_response:
    case FailureKind::odd_status_line:
    case FailureKind::headers_too_large: robots_unanswered_.insert(origin); return true;
    default: return false;
  }
}

// Listed links need no permission, but robots.txt of a host with many links may contain a Crawl-delay.
bool HopStateMachine::needs_robots(const std::string& origin) const {
  constexpr std::size_t many = 10;
  switch (shared_.options.robots) {
    case RobotsMode::respect: return true;
    case RobotsMode::ignore: return false;
    case RobotsMode::listed: break;
  }
  if (robots_unanswered_.contains(origin)) return false;
  return robots_.known_rules(origin) != nullptr || frontier_.pending(origin) + 1 >= many;
}

HopRequest HopStateMachine::make_request(const PendingFetch& fetch, const std::string& origin) const {
  const Timestamp now = shared_.clock.now();
  const bool is_statement = fetch.request.is_for_link();
  return {.url = fetch.url,
          .validators = fetch.request.validators(),
          .needs_fresh_connection = fetch.needs_fresh_connection,
          .should_keep_connection = frontier_.has_turn_within(origin, shared_.connections_of_thread() / 2),
          .should_keep_any_body = shared_.options.should_keep_any_body || is_statement,
          .max_body = fetch.request.body_limit(shared_.options.max_body),
          .head = uses_head(fetch, shared_.options),
          .is_to_own_origin = !is_statement && is_own_origin(fetch.link_url, fetch.url),
          .cookie = fetch.with_cookies_from ? cookies_for(fetch.cookies, fetch.url, now) : std::string(),
          .time_left = time_left(fetch, shared_.options),
          .should_imitate_browser = fetch.should_imitate_browser,
          .http2 = offers_http2(fetch, origin)};
}

void HopStateMachine::complete_hop(std::unique_ptr<PendingFetch> fetch, const std::string& origin, Timestamp started,
                                   const HopRequest& request, HopAnswer answer) {
  const Timestamp now = shared_.clock.now();
  const Contact contact{
      .outcome = contact_outcome(answer), .result = host_result(answer), .started = std::max(started, request.started)};
  frontier_.note_finished(origin, contact, now);
  if (answer.local_cause == LocalCause::address_busy) {
    fetch->not_before = answer.retry_at;
    handlers_.next(std::move(fetch));
  } else if (answer.failure == FailureKind::host_unavailable) {
    finish_untried(*fetch, FailureKind::host_unavailable);
  } else if (!restart_after_sleep(fetch, answer, now) && !wait_for_local_resources(fetch, answer, now)) {
    record_attempt(*fetch, started, answer);
    if (const auto until = requested_pause(origin, answer, now)) apply_retry_after(origin, *until, answer, now);
    if (choose_next_hop(*fetch, request, origin, answer, now)) {
      handlers_.next(std::move(fetch));
    } else {
      finish(*fetch, started, std::move(answer));
    }
  }
  handlers_.on_hop_completed();
}

// Returns false if `answer` is final.
bool HopStateMachine::choose_next_hop(PendingFetch& fetch, const HopRequest& request, const std::string& origin,
                                      HopAnswer& answer, Timestamp now) {
  end_version_trial(fetch, origin, answer);
  const bool in_other_version = wants_other_version(fetch, request, origin, answer);
  // Immediately and without counting as a retry. A timeout takes long, so the next retry uses the other version in that
  // case.
  if (in_other_version && answer.failure != FailureKind::timeout) {
    start_version_trial(fetch, origin, std::move(answer));
    return true;
  }
  if (is_refused_again(fetch, origin, answer)) return false;
  const double jitter = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
  if (make_next_hop(fetch, answer, shared_.options, now, jitter)) {
    if (in_other_version) start_version_trial(fetch, origin, std::move(answer));
    return true;
  }
  return retry_as_browser(fetch, origin, answer);
}

// Returns true if the hop should be repeated once with the other HTTP version, because the server may support only that
// one. The number of unsuccessful trials per host is limited. If a trial succeeds, the host gets that version from then
// on.
bool HopStateMachine::wants_other_version(const PendingFetch& fetch, const HopRequest& request,
                                          const std::string& origin, const HopAnswer& answer) const {
  if (answer.version != HttpVersion::in_doubt || request.http2 != shared_.options.http2) return false;
  if (fetch.version_trial != VersionTrial::none || fetch.refusal || stopping_) return false;
  if (fetch.request.is_follow_up() || time_left(fetch, shared_.options) <= Duration::zero()) return false;
  if (answer.status == 421 && !fetch.needs_fresh_connection) return false;  // the connection may be the reason
  const auto other = other_versions_.find(origin);
  return other == other_versions_.end() || other->second.has_helped || other->second.failed < max_failed_alternatives;
}

void HopStateMachine::start_version_trial(PendingFetch& fetch, const std::string& origin, HopAnswer answer) {
  keep_refusal(fetch, std::move(answer));
  fetch.version_trial = VersionTrial::next;
  fetch.needs_fresh_connection = true;
  ++other_versions_[origin].failed;
}

// If the trial failed, it is ignored: the first answer decides how to go on.
void HopStateMachine::end_version_trial(PendingFetch& fetch, const std::string& origin, HopAnswer& answer) {
  if (fetch.version_trial != VersionTrial::next) return;
  fetch.version_trial = VersionTrial::over;
  const std::unique_ptr<HopAnswer> first = std::move(fetch.refusal);
  if (answer.failure != FailureKind::none || answer.version == HttpVersion::in_doubt) {
    answer = std::move(*first);
    // Otherwise the server has chosen the usual version nevertheless.
  } else if ((answer.version == HttpVersion::http2) != shared_.options.http2) {
    AlternativeRetries& other = other_versions_[origin];
    --other.failed;
    other.has_helped = true;
  }
}

bool HopStateMachine::offers_http2(const PendingFetch& fetch, const std::string& origin) const {
  const auto known = other_versions_.find(origin);
  const bool in_other =
      fetch.version_trial == VersionTrial::next || (known != other_versions_.end() && known->second.has_helped);
  return shared_.options.http2 ? !in_other : in_other || fetch.should_imitate_browser;
}

// Repeats a refused hop once with the headers of a browser and returns true. The number of unsuccessful repetitions per
// host is limited.
bool HopStateMachine::retry_as_browser(PendingFetch& fetch, const std::string& origin, HopAnswer& answer) {
  if (stopping_ || !may_retry_as_browser(fetch, answer, shared_.options)) return false;
  AlternativeRetries& retries = browser_retries_[origin];
  if (!retries.has_helped && retries.failed == max_failed_alternatives) return false;
  ++retries.failed;
  make_browser_hop(fetch, std::move(answer));
  return true;
}

// Returns true if the browser headers did not help, so that the first answer stands. If they helped, later links use
// them from the start.
bool HopStateMachine::is_refused_again(PendingFetch& fetch, const std::string& origin, HopAnswer& answer) {
  if (!fetch.refusal) return false;
  AlternativeRetries& retries = browser_retries_[origin];
  if (is_no_refusal(answer)) {
    --retries.failed;
    retries.has_helped = true;
    fetch.refusal.reset();
    return false;
  }
  answer = std::move(*fetch.refusal);
  return true;
}

// Returns true if the hop failed while the process was stopped or the machine asleep. The hop then goes back into the
// frontier as if it had not started. The number of restarts is limited, because a machine may be too busy to run
// linkherd at all.
bool HopStateMachine::restart_after_sleep(std::unique_ptr<PendingFetch>& fetch, const HopAnswer& answer,
                                          Timestamp now) {
  constexpr int max_restarts = 3;
  if (answer.local_cause != LocalCause::asleep || stopping_ || fetch->restarts == max_restarts) return false;
  spdlog::info(
      fmt::format("{} starts again, because this process was stopped or the machine was asleep", fetch->url.href()));
  ++fetch->restarts;
  fetch->needs_fresh_connection = true;
  fetch->not_before = now;
  frontier_.push(std::move(fetch));
  return true;
}

// Returns true if the hop failed because a local resource was exhausted. The hop then waits in the frontier. If the
// exhaustion lasts, the run cannot go on, but the link is not to blame.
bool HopStateMachine::wait_for_local_resources(std::unique_ptr<PendingFetch>& fetch, HopAnswer& answer, Timestamp now) {
  if (answer.local_cause != LocalCause::exhausted) {
    if (answer.was_contacted()) exhausted_since_.reset();
    return false;
  }
  if (!exhausted_since_)
    spdlog::warn(fmt::format("this machine lacks resources, so requests pause: {}", answer.detail));
  const Duration awake = awake_.sample().awake;
  exhausted_since_ = exhausted_since_.value_or(awake);
  if (stopping_ || awake - *exhausted_since_ > max_exhaustion) {
    answer.failure = stopping_.value_or(FailureKind::outage);
    return false;
  }
  paused_until_ = now + exhaustion_pause;
  fetch->not_before = paused_until_;
  frontier_.push(std::move(fetch));
  return true;
}

void HopStateMachine::record_attempt(PendingFetch& fetch, Timestamp started, const HopAnswer& answer) {
  const bool is_untried = answer.failure == FailureKind::interrupted ||
                          answer.failure == FailureKind::robots_disallowed ||
                          answer.failure == FailureKind::not_in_archive;
  if (is_untried) return;
  const Duration took = answer.saved_at ? Duration::zero() : std::max(Duration::zero(), shared_.clock.now() - started);
  fetch.spent += took;
  storage::Attempt attempt;
  attempt.at = answer.saved_at.value_or(started);
  attempt.url = fetch.url.href();
  attempt.status = answer.status;
  if (answer.failure != FailureKind::none) attempt.failure = enum_name(failure_names, answer.failure);
  attempt.milliseconds =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  if (spdlog::should_log(spdlog::level::debug))
    spdlog::debug(fmt::format("{} {} {} {} ms {}", attempt.url, attempt.status, attempt.failure, attempt.milliseconds,
                              answer.detail));
  fetch.attempts.push_back(std::move(attempt));
  fetch.last_detail = answer.detail;
  shared_.observer.on_attempt(fetch.url, answer.status, answer.failure);
}

// Returns the time until which the host wants no requests. A host that answers 429 without a time gets a pause that
// doubles each time.
std::optional<Timestamp> HopStateMachine::requested_pause(const std::string& origin, const HopAnswer& answer,
                                                          Timestamp now) {
  if (answer.saved_at) return std::nullopt;  // in an archive, the pause was meant for another client
  const std::optional<Timestamp> until = answer.retry_at ? answer.retry_at : answer.quota_reset_at;
  if (answer.status != 429) return until;
  const int refusals = frontier_.count_refusal(origin);
  if (until) {
    refuses_without_time_.erase(origin);
  } else {
    refuses_without_time_.insert(origin);
  }
  return until ? until : now + wait_after_refusal(refusals, shared_.options.retry);
}

// Pauses the whole host. If the pause is longer than linkherd waits, the other links of the host end too. Several
// pauses without an answer between them count as one.
void HopStateMachine::apply_retry_after(const std::string& origin, Timestamp until, const HopAnswer& answer,
                                        Timestamp now) {
  const bool is_host_time = answer.retry_at || answer.quota_reset_at;
  const Duration length = frontier_.pause(origin, until, now, {.status = answer.status, .is_host_time = is_host_time});
  if (length <= shared_.options.retry.max_retry_after) return;
  frontier_.abandon_until(origin, until);
}

void HopStateMachine::finish(PendingFetch& fetch, Timestamp started, HopAnswer answer) {
  // A server that requires a client certificate may close the connection silently if it gets none. Others request one,
  // but do not need it. So this is assumed only if no retry has helped.
  const bool was_cut = answer.failure == FailureKind::connection_reset || answer.failure == FailureKind::bad_response ||
                       answer.failure == FailureKind::tls_handshake;
  if (answer.lacks_client_certificate && was_cut) {
    answer.failure = FailureKind::client_certificate;
    answer.detail = "the server asks for a client certificate (--client-cert), and ended the connection without one";
  }
  FetchResult result(fetch);
  result.fetched_at = answer.saved_at.value_or(started);
  result.answer = std::move(answer);
  if (result.answer.failure == FailureKind::interrupted) {
    result.answer.failure = stopping_.value_or(FailureKind::interrupted);
  }
  if (result.answer.status == 429 && !result.answer.retry_at) result.answer.retry_at = result.answer.quota_reset_at;
  handlers_.on_finished(std::move(result));
}

void HopStateMachine::finish_untried(PendingFetch& fetch, FailureKind why, std::optional<Timestamp> retry_at) {
  FetchResult result(fetch);
  HopAnswer& answer = result.answer;
  if (fetch.refusal) {
    result.fetched_at = result.attempts.back().at;
    answer = std::move(*fetch.refusal);
  } else if (why == FailureKind::host_unavailable &&
             fetch.retries > 0) {  // it has been tried, so it has a failure of its own
    const storage::Attempt& last = result.attempts.back();
    result.fetched_at = last.at;
    answer.status = last.status;
    answer.failure = enum_value(failure_names, last.failure).value_or(FailureKind::none);
    answer.detail = std::move(fetch.last_detail);
    answer.body_state = BodyState::cut;
  } else {
    result.fetched_at = shared_.clock.now();
    answer.failure = why;
    answer.retry_at = retry_at;
    if (why == FailureKind::retry_after && refuses_without_time_.contains(result.final_url.origin())) {
      answer.detail = "the host refused too many requests in a row (HTTP 429) and did not say when to retry";
    }
  }
  handlers_.on_finished(std::move(result));
}

}  // namespace linkherd::crawler
