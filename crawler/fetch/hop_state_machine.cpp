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
  fetch.alternative = Alternative::none;
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

// Makes `to` the next hop; `redirect` leads to it. Returns false and sets the failure of the answer if the redirect
// cannot be followed.
bool follow(EndedHop& hop, storage::Redirect redirect, parser::Url to) {
  PendingFetch& fetch = hop.fetch;
  HopAnswer& answer = hop.answer;
  const FetchOptions& options = hop.options;
  fetch.redirects.push_back(std::move(redirect));
  collect_cookies(fetch, answer, hop.now);
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

std::optional<bool> follow_redirect(EndedHop& hop) {
  PendingFetch& fetch = hop.fetch;
  HopAnswer& answer = hop.answer;
  if (answer.failure != FailureKind::none || !is_redirect_status(answer.status)) return std::nullopt;
  const std::string location(find_header(answer.headers, "location"));
  if (location.empty()) {
    const bool was_cut = !answer.detail.empty();
    return end_with(answer, FailureKind::bad_redirect,
                    was_cut ? fmt::format("a redirect whose target cannot be read: {}", answer.detail)
                            : "a redirect without Location");
  }
  Result<parser::Url> to = redirect_target(fetch.url, location);
  storage::Redirect redirect{std::string(fetch.url.href()), answer.status, to ? std::string(to->href()) : location};
  if (to && to->is_http()) return follow(hop, std::move(redirect), std::move(*to));
  fetch.redirects.push_back(std::move(redirect));
  return to ? end_with(answer, FailureKind::unsupported_scheme, fmt::format("redirected to {}", to->href()))
            : end_with(answer, FailureKind::bad_redirect, to.error().message);
}

std::optional<bool> follow_page(EndedHop& hop) {
  PendingFetch& fetch = hop.fetch;
  if (fetch.request.is_for_link()) return std::nullopt;
  const auto found = page_redirect(hop.answer, fetch.url, fetch.request.body_limit(hop.options.max_body));
  if (!found || repeats_reload(fetch.redirects, fetch.url, found->to)) return std::nullopt;
  if (hop.options.is_known_page && hop.options.is_known_page(fetch, hop.answer)) return std::nullopt;
  Result<parser::Url> to = redirect_target(fetch.url, found->to.href());
  if (!to) return std::nullopt;
  storage::Redirect redirect{.from = std::string(fetch.url.href()),
                             .status = hop.answer.status,
                             .to = std::string(to->href()),
                             .kind = found->kind,
                             .is_canonical = found->is_permanent};
  return follow(hop, std::move(redirect), std::move(*to));
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

// Keeps the answer while the hop is repeated in another way. A long body is cut.
void keep_refusal(EndedHop& hop, Alternative alternative) {
  constexpr std::size_t max_kept_bytes = std::size_t{64} << 10;
  HopAnswer& answer = hop.answer;
  if (answer.body.size() > max_kept_bytes) {
    answer.body.resize(max_kept_bytes);
    answer.body.shrink_to_fit();
    answer.body_state = BodyState::cut;
  }
  answer.lease = {};  // otherwise a used-up budget would delay the next hop
  hop.fetch.refusal = std::make_unique<HopAnswer>(std::move(answer));
  hop.fetch.alternative = alternative;
}

// Returns true if the server may support only the other version of HTTP.
bool wants_other_version(const EndedHop& hop) {
  const PendingFetch& fetch = hop.fetch;
  if (!hop.may_change_version || hop.answer.version != HttpVersion::in_doubt) return false;
  if (fetch.alternative != Alternative::none || fetch.request.is_follow_up()) return false;
  if (hop.answer.status == 421 && !fetch.needs_fresh_connection) return false;  // the connection may be the reason
  return time_left(fetch, hop.options) > Duration::zero();
}

void change_version(EndedHop& hop) {
  keep_refusal(hop, Alternative::other_version);
  hop.fetch.needs_fresh_connection = true;
}

// Immediately and without counting as a retry. A timeout takes long, so the next retry uses the other version in that
// case.
std::optional<bool> try_other_version(EndedHop& hop) {
  if (hop.answer.failure == FailureKind::timeout || !wants_other_version(hop)) return std::nullopt;
  change_version(hop);
  return true;
}

std::optional<bool> use_get(EndedHop& hop) {
  if (!must_use_get(hop.fetch, hop.answer, hop.options)) return std::nullopt;
  const bool in_other_version = wants_other_version(hop);
  hop.fetch.should_use_get = true;
  start_hop(hop.fetch, hop.fetch.url);
  if (in_other_version) change_version(hop);
  return true;
}

std::optional<bool> try_again(EndedHop& hop) {
  PendingFetch& fetch = hop.fetch;
  const HopAnswer& answer = hop.answer;
  HopOutcome outcome{.status = answer.status,
                     .failure = answer.failure,
                     .is_connection_reused = answer.is_connection_reused(),
                     .needs_fresh_connection = fetch.needs_fresh_connection};
  if (answer.retry_at) outcome.retry_after = *answer.retry_at - hop.now;
  const RetryDecision decision = decide_retry(outcome, fetch.retries, hop.options.retry, hop.jitter);
  if (decision.counts && fetch.request.is_follow_up()) return std::nullopt;
  if (!decision.retry || decision.wait >= time_left(fetch, hop.options)) return std::nullopt;
  const bool in_other_version = wants_other_version(hop);
  if (decision.counts) ++fetch.retries;
  fetch.spent += decision.wait;
  fetch.not_before = hop.now + decision.wait;
  fetch.needs_fresh_connection = decision.needs_fresh_connection || fetch.request.is_confirmation();
  if (in_other_version) change_version(hop);
  return true;
}

std::optional<bool> imitate_browser(EndedHop& hop) {
  constexpr std::array<int, 4> refusals{400, 403, 405, 406};
  const HopAnswer& answer = hop.answer;
  if (!hop.options.retry_as_browser || !hop.may_imitate_browser) return std::nullopt;
  if (hop.fetch.request.is_follow_up()) return std::nullopt;
  if (answer.failure != FailureKind::none || !answer.detail.empty()) return std::nullopt;
  if (std::ranges::find(refusals, answer.status) == refusals.end()) return std::nullopt;
  if (hop.options.is_wall && hop.options.is_wall(answer)) return std::nullopt;
  start_hop(hop.fetch, hop.fetch.url);
  hop.fetch.should_use_get = true;
  keep_refusal(hop, Alternative::browser);
  return true;
}

}  // namespace

const std::array<NextHopRule, 6> next_hop_rules{{{NextHop::other_version, try_other_version},
                                                 {NextHop::redirect, follow_redirect},
                                                 {NextHop::page_redirect, follow_page},
                                                 {NextHop::get_after_head, use_get},
                                                 {NextHop::retry, try_again},
                                                 {NextHop::browser, imitate_browser}}};

bool make_next_hop(EndedHop& hop) {
  for (const NextHopRule& rule : next_hop_rules) {
    if (const std::optional<bool> goes_on = rule.apply(hop)) return *goes_on;
  }
  return false;
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
  const bool as_browser = fetch.alternative == Alternative::browser || known(browser_retries_, origin).has_helped;
  const bool in_other_version =
      fetch.alternative == Alternative::other_version || known(other_versions_, origin).has_helped;
  return {.url = fetch.url,
          .validators = fetch.request.validators_for(fetch.url),
          .needs_fresh_connection = fetch.needs_fresh_connection,
          .should_keep_connection = frontier_.has_turn_within(origin, shared_.connections_of_thread() / 2),
          .should_keep_any_body = shared_.options.should_keep_any_body || is_statement,
          .max_body = fetch.request.body_limit(shared_.options.max_body),
          .head = uses_head(fetch, shared_.options),
          .is_to_own_origin = !is_statement && is_own_origin(fetch.link_url, fetch.url),
          .cookie = fetch.with_cookies_from ? cookies_for(fetch.cookies, fetch.url, now) : std::string(),
          .time_left = time_left(fetch, shared_.options),
          .should_imitate_browser = as_browser,
          .http2 = shared_.options.http2 ? !in_other_version : in_other_version || as_browser};
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
  end_alternative(fetch, origin, answer);
  const auto may_try = [this](const AlternativeRetries& retries) {
    return !stopping_ && (retries.has_helped || retries.failed < max_failed_alternatives);
  };
  EndedHop hop{.fetch = fetch,
               .answer = answer,
               .options = shared_.options,
               .now = now,
               .jitter = std::uniform_real_distribution<double>(0.0, 1.0)(random_),
               .may_change_version = request.http2 == shared_.options.http2 && may_try(known(other_versions_, origin)),
               .may_imitate_browser = !request.should_imitate_browser && may_try(known(browser_retries_, origin))};
  const bool goes_on = make_next_hop(hop);
  if (fetch.refusal) ++retries_of(fetch.alternative, origin).failed;
  return goes_on;
}

HopStateMachine::AlternativeRetries HopStateMachine::known(const RetriesOfOrigins& retries, const std::string& origin) {
  const auto found = retries.find(origin);
  return found == retries.end() ? AlternativeRetries{} : found->second;
}

HopStateMachine::AlternativeRetries& HopStateMachine::retries_of(Alternative alternative, const std::string& origin) {
  return (alternative == Alternative::browser ? browser_retries_ : other_versions_)[origin];
}

// If the repetition in another way did not help, it is ignored: the first answer decides how to go on. If it helped,
// later links of the host use that way from the start.
void HopStateMachine::end_alternative(PendingFetch& fetch, const std::string& origin, HopAnswer& answer) {
  if (!fetch.refusal) return;
  const std::unique_ptr<HopAnswer> first = std::move(fetch.refusal);
  const bool as_browser = fetch.alternative == Alternative::browser;
  const bool has_answered = answer.failure == FailureKind::none && answer.version != HttpVersion::in_doubt;
  // Although the other version was offered, the server may have chosen the usual one.
  const bool was_used = as_browser || (answer.version == HttpVersion::http2) != shared_.options.http2;
  if (as_browser ? !is_no_refusal(answer) : !has_answered) {
    answer = std::move(*first);
  } else if (was_used) {
    AlternativeRetries& retries = retries_of(fetch.alternative, origin);
    --retries.failed;
    retries.has_helped = true;
  }
  if (!as_browser) fetch.alternative = Alternative::other_version_over;
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
