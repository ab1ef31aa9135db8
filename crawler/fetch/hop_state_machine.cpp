#include "crawler/fetch/hop_state_machine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/fetch/http/extra_headers.h"
#include "crawler/fetch/http/retry_policy.h"
#include "crawler/fetch/next_hop.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

HopStateMachine::HopStateMachine(boost::asio::io_context& io, PoolShared& shared, CurlLoop& curl, Resolver& resolver,
                                 AwakeTime& awake, Frontier& frontier, StallWatch& stalls, Handlers handlers)
    : shared_(shared),
      frontier_(frontier),
      stalls_(stalls),
      handlers_(std::move(handlers)),
      runner_(shared, curl, resolver, awake),
      robots_(io, runner_, shared.clock, shared.options.robots),
      exhaustion_(awake),
      random_(std::random_device()()) {}

void HopStateMachine::restore(const storage::HostState& host) { robots_.restore(host); }
void HopStateMachine::add_to(std::vector<storage::HostState>& states) const { robots_.add_to(states); }

asio::awaitable<void> HopStateMachine::run(std::unique_ptr<FetchState> fetch) {
  const std::string origin = fetch->hop_url.origin();
  const Timestamp started = shared_.clock.now();
  AttemptRequest request = make_request(*fetch, origin);
  StallWatch::Slot slot(stalls_, fetch->is_first_contact);
  request.slot = &slot;
  const bool is_listed = !fetch->request.needs_permission();
  AttemptResult response = co_await request_page(request, origin, is_listed);
  complete_attempt(std::move(fetch), origin, started, request, std::move(response));
}

asio::awaitable<AttemptResult> HopStateMachine::request_page(AttemptRequest& request, const std::string& origin,
                                                             bool is_listed) {
  bool is_disallowed_by_robots = false;
  const bool needs_permission = !is_listed && shared_.options.robots != RobotsMode::ignore;
  if (needs_permission || robots_.is_needed(origin, frontier_.pending(origin) + 1)) {
    const Timestamp asked = shared_.clock.now();
    std::optional<AttemptResult> refusal = co_await robots_.refusal(request);
    if (robots_.has_answered_since(origin, asked)) frontier_.note_robots_response(origin, shared_.clock.now());
    const RobotsRules* const rules = robots_.known_rules(origin);
    if (rules != nullptr && rules->crawl_delay()) frontier_.set_crawl_delay(origin, *rules->crawl_delay());
    if (refusal && refusal->local_cause == LocalCause::asleep) co_return std::move(*refusal);
    if (refusal && host_result(*refusal) == ContactResult::unresponsive && !needs_permission)
      frontier_.note_unanswered(origin, asked, shared_.clock.now());
    if (refusal && (needs_permission || !robots_.may_ignore(*refusal, origin))) co_return std::move(*refusal);
    is_disallowed_by_robots = refusal && rules != nullptr;
  }
  const Timestamp started = shared_.clock.now();
  AttemptResult response = co_await runner_.run(request);
  response.started = started;
  response.is_disallowed_by_robots = is_disallowed_by_robots;
  co_return response;
}

AttemptRequest HopStateMachine::make_request(const FetchState& fetch, const std::string& origin) const {
  const FetchOptions& options = shared_.options;
  const bool is_statement = fetch.request.is_lookup();
  const bool keeps_any_body = is_statement || fetch.request.is_for_relocation();  // which includes sitemaps in .gz
  const auto uses = [&](Alternative alternative) {
    return fetch.alternative == alternative || alternatives_.has_helped(alternative, origin);
  };
  const bool as_browser = uses(Alternative::browser);
  const bool in_other_version = uses(Alternative::other_version);
  const bool offers_http2 = options.http2 ? !in_other_version : in_other_version || as_browser;
  return {.url = fetch.hop_url,
          .purpose = keeps_any_body ? AttemptPurpose::statement : AttemptPurpose::page,
          .validators = fetch.request.validators_for(fetch.hop_url),
          .is_head = uses_head(fetch, options),
          .needs_fresh_connection = fetch.needs_fresh_connection,
          .should_keep_connection = frontier_.has_turn_within(origin, shared_.connections_of_thread() / 2),
          .is_to_own_origin = !is_statement && is_own_origin(fetch.link_url, fetch.hop_url),
          .should_imitate_browser = as_browser,
          .version = offers_http2 ? HttpVersion::http2 : HttpVersion::http1,
          .max_body = fetch.request.body_limit(options.max_body),
          .cookie = fetch.cookies.sent_from ? cookies_for(fetch.cookies.all, fetch.hop_url, shared_.clock.now())
                                            : std::string(),
          .time_left = time_left(fetch, options)};
}

void HopStateMachine::complete_attempt(std::unique_ptr<FetchState> fetch, const std::string& origin, Timestamp started,
                                       const AttemptRequest& request, AttemptResult response) {
  const Timestamp now = shared_.clock.now();
  const Contact contact{.outcome = contact_outcome(response),
                        .result = host_result(response),
                        .started = std::max(started, response.started)};
  frontier_.note_finished(origin, contact, now);
  if (response.local_cause == LocalCause::address_busy) {
    fetch->not_before = response.retry_at;
    handlers_.next(std::move(fetch));
  } else if (response.failure == FailureKind::host_unavailable) {
    finish_untried(*fetch, FailureKind::host_unavailable);
  } else if (!restart_after_sleep(fetch, response, now) && !wait_for_local_resources(fetch, response, now)) {
    record_attempt(*fetch, started, response);
    if (const auto until = requested_pause(origin, response, now)) apply_retry_after(origin, *until, response, now);
    if (choose_next_hop(*fetch, request, origin, response, now)) {
      handlers_.next(std::move(fetch));
    } else {
      finish(*fetch, started, std::move(response));
    }
  }
  handlers_.on_attempt_completed();
}

// Returns false if `response` is final.
bool HopStateMachine::choose_next_hop(FetchState& fetch, const AttemptRequest& request, const std::string& origin,
                                      AttemptResult& response, Timestamp now) {
  end_alternative(fetch, origin, response);
  const auto may_try = [&](Alternative alternative) {
    return !stopping_ && alternatives_.may_try(alternative, origin);
  };
  const bool has_usual_version = (request.version == HttpVersion::http2) == shared_.options.http2;
  EndedAttempt hop{.fetch = fetch,
                   .response = response,
                   .options = shared_.options,
                   .now = now,
                   .jitter = std::uniform_real_distribution<double>(0.0, 1.0)(random_),
                   .may_change_version = has_usual_version && may_try(Alternative::other_version),
                   .may_imitate_browser = !request.should_imitate_browser && may_try(Alternative::browser)};
  const bool goes_on = make_next_hop(hop);
  if (fetch.refusal) alternatives_.note_start(fetch.alternative, origin);
  return goes_on;
}

// If the repetition in another way did not help, it is ignored: the first response decides how to go on. If it helped,
// later links of the host use that way from the start.
void HopStateMachine::end_alternative(FetchState& fetch, const std::string& origin, AttemptResult& response) {
  if (!fetch.refusal) return;
  const std::unique_ptr<AttemptResult> first = std::move(fetch.refusal);
  const bool as_browser = fetch.alternative == Alternative::browser;
  const bool has_answered = response.failure == FailureKind::none && response.version != HttpVersion::in_doubt;
  // Although the other version was offered, the server may have chosen the usual one.
  const bool was_used = as_browser || (response.version == HttpVersion::http2) != shared_.options.http2;
  if (as_browser ? !is_no_refusal(response) : !has_answered) {
    response = std::move(*first);
  } else if (was_used) {
    alternatives_.note_success(fetch.alternative, origin);
  }
  if (!as_browser) fetch.alternative = Alternative::other_version_over;
}

// Returns true if the hop failed while the process was stopped or the machine asleep. The hop then goes back into the
// frontier as if it had not started. The number of restarts is limited, because a machine may be too busy to run
// linkherd at all.
bool HopStateMachine::restart_after_sleep(std::unique_ptr<FetchState>& fetch, const AttemptResult& response,
                                          Timestamp now) {
  constexpr int max_restarts = 3;
  if (response.local_cause != LocalCause::asleep || stopping_ || fetch->restarts == max_restarts) return false;
  spdlog::info(fmt::format("{} starts again, because this process was stopped or the machine was asleep",
                           fetch->hop_url.href()));
  ++fetch->restarts;
  fetch->needs_fresh_connection = true;
  fetch->not_before = now;
  frontier_.push(std::move(fetch));
  return true;
}

// Returns true if the hop failed because a local resource was exhausted. The hop then waits in the frontier. If the
// exhaustion lasts, the run cannot go on, but the link is not to blame.
bool HopStateMachine::wait_for_local_resources(std::unique_ptr<FetchState>& fetch, AttemptResult& response,
                                               Timestamp now) {
  if (response.local_cause != LocalCause::exhausted) {
    if (response.was_contacted()) exhaustion_.end();
    return false;
  }
  if (!exhaustion_.extend(now, response.detail) || stopping_) {
    response.failure = stopping_.value_or(FailureKind::outage);
    return false;
  }
  fetch->not_before = exhaustion_.until();
  frontier_.push(std::move(fetch));
  return true;
}

void HopStateMachine::record_attempt(FetchState& fetch, Timestamp started, const AttemptResult& response) {
  const bool is_untried = response.failure == FailureKind::interrupted ||
                          response.failure == FailureKind::robots_disallowed ||
                          response.failure == FailureKind::not_in_archive;
  if (is_untried) return;
  const Duration took =
      response.saved_at ? Duration::zero() : std::max(Duration::zero(), shared_.clock.now() - started);
  fetch.spent += took;
  storage::Attempt attempt;
  attempt.at = response.saved_at.value_or(started);
  attempt.url = fetch.hop_url.href();
  attempt.status = response.status;
  if (response.failure != FailureKind::none) attempt.failure = enum_name(failure_names, response.failure);
  attempt.milliseconds =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  if (spdlog::should_log(spdlog::level::debug))
    spdlog::debug(fmt::format("{} {} {} {} ms {}", attempt.url, attempt.status, attempt.failure, attempt.milliseconds,
                              response.detail));
  fetch.attempts.push_back(std::move(attempt));
  fetch.last_detail = response.detail;
  if (shared_.on_attempt) shared_.on_attempt(fetch.hop_url, response.status, response.failure);
}

// Returns the time until which the host wants no requests. A host that answers 429 without a time gets a pause that
// doubles each time.
std::optional<Timestamp> HopStateMachine::requested_pause(const std::string& origin, const AttemptResult& response,
                                                          Timestamp now) {
  if (response.saved_at) return std::nullopt;  // in an archive, the pause was meant for another client
  const std::optional<Timestamp> until = response.retry_at ? response.retry_at : response.quota_reset_at;
  if (response.status != 429) return until;
  const int refusals = frontier_.count_refusal(origin);
  if (until) {
    refuses_without_time_.erase(origin);
  } else {
    refuses_without_time_.insert(origin);
  }
  return until ? until : now + wait_after_refusal(refusals, shared_.options.retry);
}

// Pauses the whole host. If the pause is longer than linkherd waits, the other links of the host end too. Several
// pauses without a response between them count as one.
void HopStateMachine::apply_retry_after(const std::string& origin, Timestamp until, const AttemptResult& response,
                                        Timestamp now) {
  const bool is_host_time = response.retry_at || response.quota_reset_at;
  const Duration length =
      frontier_.pause(origin, until, now, {.status = response.status, .is_host_time = is_host_time});
  if (length <= shared_.options.retry.max_retry_after) return;
  frontier_.abandon_until(origin, until);
}

void HopStateMachine::finish(FetchState& fetch, Timestamp started, AttemptResult response) {
  // A server that requires a client certificate may close the connection silently if it gets none. Others request one,
  // but do not need it. So this is assumed only if no retry has helped.
  const bool was_cut = response.failure == FailureKind::connection_reset ||
                       response.failure == FailureKind::bad_response || response.failure == FailureKind::tls_handshake;
  if (response.lacks_client_certificate && was_cut) {
    response.failure = FailureKind::client_certificate;
    response.detail = "the server asks for a client certificate (--client-cert), and ended the connection without one";
  }
  FetchResult result(static_cast<FetchChain&&>(fetch), std::move(fetch.hop_url));
  result.fetched_at = response.saved_at.value_or(started);
  result.response = std::move(response);
  if (result.response.failure == FailureKind::interrupted) {
    result.response.failure = stopping_.value_or(FailureKind::interrupted);
  }
  if (result.response.status == 429 && !result.response.retry_at)
    result.response.retry_at = result.response.quota_reset_at;
  handlers_.on_finished(std::move(result));
}

void HopStateMachine::finish_untried(FetchState& fetch, FailureKind why, std::optional<Timestamp> retry_at) {
  FetchResult result(static_cast<FetchChain&&>(fetch), std::move(fetch.hop_url));
  AttemptResult& response = result.response;
  if (fetch.refusal) {
    result.fetched_at = result.attempts.back().at;
    response = std::move(*fetch.refusal);
  } else if (why == FailureKind::host_unavailable &&
             fetch.retries > 0) {  // it has been tried, so it has a failure of its own
    const storage::Attempt& last = result.attempts.back();
    result.fetched_at = last.at;
    response.status = last.status;
    response.failure = enum_value(failure_names, last.failure).value_or(FailureKind::none);
    response.detail = std::move(fetch.last_detail);
    response.body_state = BodyState::cut;
  } else {
    result.fetched_at = shared_.clock.now();
    response.failure = why;
    response.retry_at = retry_at;
    if (why == FailureKind::retry_after && refuses_without_time_.contains(result.final_url.origin())) {
      response.detail = "the host refused too many requests in a row (HTTP 429) and did not say when to retry";
    }
  }
  handlers_.on_finished(std::move(result));
}

}  // namespace linkherd::crawler
