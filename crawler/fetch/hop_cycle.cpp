#include "crawler/fetch/hop_cycle.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/next_hop.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

constexpr Duration exhaustion_pause = std::chrono::milliseconds(500);
constexpr Duration longest_exhaustion = std::chrono::seconds(30);

}  // namespace

HopCycle::HopCycle(boost::asio::io_context& io, PoolShared& shared, CurlLoop& curl, Resolver& resolver,
                   AwakeTime& awake, Frontier& frontier, StallWatch& stalls, Handlers handlers)
    : shared_(shared),
      awake_(awake),
      frontier_(frontier),
      stalls_(stalls),
      handlers_(std::move(handlers)),
      runner_(shared, curl, resolver, awake),
      robots_(io, runner_, shared.clock),
      random_(std::random_device()()) {}

void HopCycle::restore(const storage::HostState& host) { robots_.restore(host); }
void HopCycle::add_to(std::vector<storage::HostState>& states) const { robots_.add_to(states); }

asio::awaitable<void> HopCycle::run(std::unique_ptr<PendingFetch> fetch) {
  const std::string origin = fetch->url.origin();
  const Timestamp started = shared_.clock.now();
  const auto retries = browser_retries_.find(origin);
  fetch->as_browser = fetch->as_browser || (retries != browser_retries_.end() && retries->second.helped);
  HopRequest request = make_request(*fetch, origin);
  StallWatch::Slot slot(stalls_, fetch->first_contact);
  request.slot = &slot;
  const bool is_listed = !fetch->request.needs_permission();
  HopAnswer answer = co_await ask(request, origin, is_listed);
  settle(std::move(fetch), origin, started, std::move(answer));
}

asio::awaitable<HopAnswer> HopCycle::ask(HopRequest& request, const std::string& origin, bool is_listed) {
  bool against_robots = false;
  const bool needs_permission = !is_listed && shared_.options.robots != RobotsMode::ignore;
  if (needs_permission || asks_robots(origin)) {
    const Timestamp asked = shared_.clock.now();
    std::optional<HopAnswer> refusal = co_await robots_.refusal(request);
    if (robots_.has_answered_since(origin, asked)) frontier_.answered(origin, shared_.clock.now());
    const RobotsRules* const rules = robots_.known_rules(origin);
    if (rules != nullptr && rules->crawl_delay()) frontier_.slow_down(origin, *rules->crawl_delay());
    if (refusal && refusal->slept) co_return std::move(*refusal);
    if (refusal && (needs_permission || !is_listed_all_the_same(*refusal, origin))) co_return std::move(*refusal);
    against_robots = refusal && rules != nullptr;
  }
  HopAnswer answer = co_await runner_.run(request);
  answer.against_robots = against_robots;
  co_return answer;
}

// A link that a person listed is fetched whatever robots.txt says, and also where that file alone does not come.
bool HopCycle::is_listed_all_the_same(const HopAnswer& refusal, const std::string& origin) {
  if (shared_.options.robots != RobotsMode::listed) return false;
  switch (refusal.failure) {
    case FailureKind::robots_disallowed: return true;
    case FailureKind::timeout:
    case FailureKind::connection_reset:
    case FailureKind::bad_response:
    case FailureKind::headers_too_large: silent_about_robots_.insert(origin); return true;
    default: return false;
  }
}

// Listed links do not ask for permission, but a host with many of them is asked how fast it may be read.
bool HopCycle::asks_robots(const std::string& origin) const {
  constexpr std::size_t many = 10;
  switch (shared_.options.robots) {
    case RobotsMode::respect: return true;
    case RobotsMode::ignore: return false;
    case RobotsMode::listed: break;
  }
  if (silent_about_robots_.contains(origin)) return false;
  return robots_.known_rules(origin) != nullptr || frontier_.pending(origin) + 1 >= many;
}

HopRequest HopCycle::make_request(const PendingFetch& fetch, const std::string& origin) const {
  const Timestamp now = shared_.clock.now();
  const bool is_statement = fetch.request.asks_about_a_link();
  return {.url = fetch.url,
          .validators = fetch.request.validators(),
          .fresh_connection = fetch.fresh_connection,
          .keep_connection = frontier_.has_pending(origin),
          .any_body = shared_.options.any_body || is_statement,
          .max_body = body_limit(fetch.request, shared_.options.max_body),
          .head = asks_head(fetch, shared_.options),
          .own_origin = !is_statement && is_own_origin(fetch.link_url, fetch.url),
          .cookie = fetch.with_cookies_from ? cookies_for(fetch.cookies, fetch.url, now) : std::string(),
          .time_left = time_left(fetch, shared_.options),
          .as_browser = fetch.as_browser};
}

void HopCycle::settle(std::unique_ptr<PendingFetch> fetch, const std::string& origin, Timestamp started,
                      HopAnswer answer) {
  const Timestamp now = shared_.clock.now();
  const Contact contact{.outcome = contact_outcome(answer), .reply = host_reply(answer), .started = started};
  frontier_.finished(origin, contact, now);
  if (answer.address_busy_until) {
    fetch->not_before = answer.address_busy_until;
    handlers_.next(std::move(fetch));
  } else if (answer.failure == FailureKind::host_unavailable) {
    finish_untried(*fetch, FailureKind::host_unavailable);
  } else if (!restart_after_sleep(fetch, answer, now) && !wait_for_local_resources(fetch, answer, now)) {
    record_attempt(*fetch, started, answer);
    if (const auto until = requested_pause(origin, answer, now)) apply_retry_after(origin, *until, now);
    const double jitter = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
    const bool goes_on =
        !is_refused_again(*fetch, origin, answer) &&
        (make_next_hop(*fetch, answer, shared_.options, now, jitter) || retry_as_browser(*fetch, origin, answer));
    if (goes_on) {
      handlers_.next(std::move(fetch));
    } else {
      finish(*fetch, started, std::move(answer));
    }
  }
  handlers_.settled();
}

// True: the hop, refused when it was asked for plainly, is asked for once more as a browser would. Only so many in vain
// of a host.
bool HopCycle::retry_as_browser(PendingFetch& fetch, const std::string& origin, HopAnswer& answer) {
  constexpr int most_in_vain = 3;
  if (stopping_ || !may_retry_as_browser(fetch, answer, shared_.options)) return false;
  BrowserRetries& retries = browser_retries_[origin];
  if (!retries.helped && retries.in_vain == most_in_vain) return false;
  ++retries.in_vain;
  crawler::retry_as_browser(fetch, std::move(answer));
  return true;
}

// True: asking as a browser would has not helped, and the first answer stands. Else later links begin with it.
bool HopCycle::is_refused_again(PendingFetch& fetch, const std::string& origin, HopAnswer& answer) {
  if (!fetch.refusal) return false;
  BrowserRetries& retries = browser_retries_[origin];
  if (is_no_refusal(answer)) {
    --retries.in_vain;
    retries.helped = true;
    fetch.refusal.reset();
    return false;
  }
  answer = std::move(*fetch.refusal);
  return true;
}

// True: the hop failed while this process was stopped or its machine asleep, and waits in the frontier to be begun
// anew, as if it had never been. Not without end: a machine may be too busy to run us at all.
bool HopCycle::restart_after_sleep(std::unique_ptr<PendingFetch>& fetch, const HopAnswer& answer, Timestamp now) {
  constexpr int most_restarts = 3;
  if (!answer.slept || stopping_ || fetch->restarts == most_restarts) return false;
  spdlog::info(
      fmt::format("{} is begun again: this process was stopped or the machine asleep meanwhile", fetch->url.href()));
  ++fetch->restarts;
  fetch->fresh_connection = true;
  fetch->not_before = now;
  frontier_.push(std::move(fetch));
  return true;
}

// True: the hop failed for want of something of our own, and waits in the frontier until there may be some again. Where
// that lasts, the run cannot go on, but no link is to blame.
bool HopCycle::wait_for_local_resources(std::unique_ptr<PendingFetch>& fetch, HopAnswer& answer, Timestamp now) {
  if (!answer.local_exhaustion) {
    if (answer.contacted) exhausted_since_.reset();
    return false;
  }
  if (!exhausted_since_) spdlog::warn(fmt::format("this machine cannot go on for the moment: {}", answer.detail));
  const Duration awake = awake_.look().awake;
  exhausted_since_ = exhausted_since_.value_or(awake);
  if (stopping_ || awake - *exhausted_since_ > longest_exhaustion) {
    answer.failure = stopping_.value_or(FailureKind::outage);
    return false;
  }
  paused_until_ = now + exhaustion_pause;
  fetch->not_before = paused_until_;
  frontier_.push(std::move(fetch));
  return true;
}

void HopCycle::record_attempt(PendingFetch& fetch, Timestamp started, const HopAnswer& answer) {
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

// Until when the host wants to be left alone. One that only says "too many requests" gets a silence that doubles.
std::optional<Timestamp> HopCycle::requested_pause(const std::string& origin, const HopAnswer& answer, Timestamp now) {
  if (answer.saved_at) return std::nullopt;  // it was meant for somebody else, then
  const std::optional<Timestamp> until = answer.retry_at ? answer.retry_at : answer.quota_reset_at;
  if (answer.status != 429) return until;
  const int refusals = frontier_.refused(origin);
  return until ? until : now + wait_after_refusal(refusals, shared_.options.retry);
}

// A deadline for the whole host. Where it is further away than we wait, be it in one piece or in several without an
// answer between them, its other links end here too.
void HopCycle::apply_retry_after(const std::string& origin, Timestamp until, Timestamp now) {
  const Duration silence = frontier_.pause(origin, until, now);
  if (silence <= shared_.options.retry.max_retry_after) return;
  frontier_.give_up_until(origin, until);
}

void HopCycle::finish(PendingFetch& fetch, Timestamp started, HopAnswer answer) {
  FetchResult result(fetch);
  result.fetched_at = answer.saved_at.value_or(started);
  result.answer = std::move(answer);
  if (result.answer.failure == FailureKind::interrupted) {
    result.answer.failure = stopping_.value_or(FailureKind::interrupted);
  }
  if (result.answer.status == 429 && !result.answer.retry_at) result.answer.retry_at = result.answer.quota_reset_at;
  handlers_.finished(std::move(result));
}

void HopCycle::finish_untried(PendingFetch& fetch, FailureKind why, std::optional<Timestamp> retry_at) {
  FetchResult result(fetch);
  HopAnswer& answer = result.answer;
  if (fetch.refusal) {
    result.fetched_at = result.attempts.back().at;
    answer = std::move(*fetch.refusal);
  } else if (why == FailureKind::host_unavailable &&
             fetch.retries > 0) {  // it was tried, so it has a failure of its own
    const storage::Attempt& last = result.attempts.back();
    result.fetched_at = last.at;
    answer.status = last.status;
    answer.failure = enum_value(failure_names, last.failure).value_or(FailureKind::none);
    answer.detail = std::move(fetch.last_detail);
    answer.body_complete = false;
  } else {
    result.fetched_at = shared_.clock.now();
    answer.failure = why;
    answer.retry_at = retry_at;
  }
  handlers_.finished(std::move(result));
}

}  // namespace linkherd::crawler
