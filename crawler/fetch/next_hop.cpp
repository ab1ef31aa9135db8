#include "crawler/fetch/next_hop.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "crawler/fetch/http/redirect.h"
#include "crawler/fetch/http/response_headers.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t longest_statement = std::size_t{2} << 20;
constexpr Duration longest_archive_question = std::chrono::seconds(30);
constexpr int most_archive_redirects = 3;

// Our machine's doing, and not the host's.
bool is_no_evidence(const HopAnswer& answer) { return answer.local_exhaustion || answer.slept; }

bool end_with(HopAnswer& answer, FailureKind failure, std::string detail) {
  answer.failure = failure;
  answer.detail = std::move(detail);
  return false;
}

void start_hop(PendingFetch& fetch, parser::Url url) {
  fetch.url = std::move(url);
  fetch.not_before.reset();
  fetch.retries = 0;
  fetch.as_browser = false;
  fetch.refusal.reset();
  fetch.fresh_connection = fetch.request.confirming();
}

void collect_cookies(PendingFetch& fetch, const HopAnswer& answer, Timestamp now) {
  const std::vector<Cookie> before = fetch.cookies;
  for (const Header& header : answer.headers) {
    if (header.name != "set-cookie") continue;
    if (auto cookie = parse_set_cookie(fetch.url, header.value, now))
      keep_cookie(fetch.cookies, std::move(*cookie), now);
  }
  fetch.new_cookies = fetch.new_cookies || fetch.cookies != before;
}

// A wall that wants to see its own cookies again: the chain goes on once more, with the cookies that it has set. Some
// set one a round; without a new one the answer would be the same again.
bool pass_cookie_wall(PendingFetch& fetch, const parser::Url& to) {
  constexpr int most_rounds = 3;
  if (!fetch.new_cookies || fetch.cookies.empty() || fetch.cookie_rounds == most_rounds) return false;
  ++fetch.cookie_rounds;
  fetch.new_cookies = false;
  fetch.with_cookies_from = fetch.redirects.size();
  start_hop(fetch, to);
  return true;
}

bool follow_redirect(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now) {
  const std::string location(find_header(answer.headers, "location"));
  Result<parser::Url> to = redirect_target(fetch.url, location);
  fetch.redirects.push_back({std::string(fetch.url.href()), answer.status, to ? std::string(to->href()) : location});
  collect_cookies(fetch, answer, now);
  if (!to) return end_with(answer, FailureKind::bad_redirect, to.error().message);
  if (!to->is_http()) {
    return end_with(answer, FailureKind::unsupported_scheme, fmt::format("redirected to {}", to->href()));
  }
  if (fetch.request.asks_about_a_link() && to->host() != fetch.url.host()) {
    return end_with(answer, FailureKind::bad_redirect, fmt::format("redirected to another host: {}", to->href()));
  }
  if (closes_loop(fetch.redirects, *to, fetch.with_cookies_from.value_or(0))) {
    if (pass_cookie_wall(fetch, *to)) return true;
    return end_with(answer, FailureKind::redirect_loop, fmt::format("redirected back to {}", to->href()));
  }
  const int most = fetch.request.purpose() == Purpose::archive ? std::min(most_archive_redirects, options.max_redirects)
                                                               : options.max_redirects;
  if (static_cast<int>(fetch.redirects.size()) > most) {
    return end_with(answer, FailureKind::too_many_redirects, fmt::format("more than {} redirects", most));
  }
  if (time_left(fetch, options) <= Duration::zero()) {
    return end_with(answer, FailureKind::timeout,
                    fmt::format("redirected for longer than {}", format_duration(fetch.spent)));
  }
  start_hop(fetch, std::move(*to));
  return true;
}

// Many servers refuse HEAD, or answer it with anything. No answer to it may make a link dead, in this run or by
// strikes: 404 and 410 are confirmed with GET in any case.
bool must_ask_with_get(const PendingFetch& fetch, const HopAnswer& answer, const FetchOptions& options) {
  if (!asks_head(fetch, options)) return false;
  const bool is_refusal = answer.status >= 400 && answer.status < 500 && answer.status != 405 && answer.status != 408;
  if (options.method == MethodPlan::head && is_refusal) return false;
  switch (answer.failure) {
    case FailureKind::none:
      return !is_redirect_status(answer.status) && answer.status != 304 && answer.status != 429 &&
             (answer.status < 200 || answer.status >= 300);
    case FailureKind::bad_response:
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
                     .reused_connection = answer.reused_connection,
                     .fresh_connection = fetch.fresh_connection};
  if (answer.retry_at) outcome.retry_after = *answer.retry_at - now;
  const RetryDecision decision = decide_retry(outcome, fetch.retries, options.retry, jitter);
  if (decision.counts && fetch.request.is_follow_up()) return false;
  if (!decision.retry || decision.wait >= time_left(fetch, options)) return false;
  if (decision.counts) ++fetch.retries;
  fetch.spent += decision.wait;
  fetch.not_before = now + decision.wait;
  fetch.fresh_connection = decision.fresh_connection || fetch.request.confirming();
  return true;
}

}  // namespace

bool may_retry_as_browser(const PendingFetch& fetch, const HopAnswer& answer, const FetchOptions& options) {
  constexpr std::array<int, 4> refusals{400, 403, 405, 406};
  if (!options.retry_as_browser || fetch.as_browser || fetch.request.is_follow_up()) return false;
  if (answer.failure != FailureKind::none || !answer.detail.empty()) return false;
  if (std::ranges::find(refusals, answer.status) == refusals.end()) return false;
  return !options.is_wall || !options.is_wall(answer);
}

void retry_as_browser(PendingFetch& fetch, HopAnswer answer) {
  constexpr std::size_t longest_kept = std::size_t{64} << 10;
  start_hop(fetch, fetch.url);
  fetch.use_get = true;
  fetch.as_browser = true;
  if (answer.body.size() > longest_kept) {
    answer.body.resize(longest_kept);
    answer.body.shrink_to_fit();
    answer.body_complete = false;
  }
  answer.lease = {};  // a budget that is used up would hold back the next hop
  fetch.refusal = std::make_unique<HopAnswer>(std::move(answer));
}

bool is_no_refusal(const HopAnswer& answer) {
  if (answer.failure != FailureKind::none) return false;
  return (answer.status >= 200 && answer.status < 400) || answer.status == 404 || answer.status == 410;
}

bool asks_head(const PendingFetch& fetch, const FetchOptions& options) {
  return options.method != MethodPlan::get && !fetch.use_get && !fetch.request.confirming() &&
         !fetch.request.is_follow_up();
}

Duration time_left(const PendingFetch& fetch, const FetchOptions& options) {
  const Duration whole = fetch.request.purpose() == Purpose::archive
                             ? std::min(longest_archive_question, options.link_timeout)
                             : options.link_timeout;
  return std::max(Duration::zero(), whole - fetch.spent);
}

std::size_t body_limit(const FetchRequest& request, std::size_t max_body) {
  return request.asks_about_a_link() ? longest_statement : max_body;
}

bool make_next_hop(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now, double jitter) {
  if (answer.failure == FailureKind::none && is_redirect_status(answer.status)) {
    return follow_redirect(fetch, answer, options, now);
  }
  if (must_ask_with_get(fetch, answer, options)) {
    fetch.use_get = true;
    start_hop(fetch, fetch.url);
    return true;
  }
  return try_again(fetch, answer, options, now, jitter);
}

ContactOutcome contact_outcome(const HopAnswer& answer) {
  if (is_no_evidence(answer) || !answer.contacted) return ContactOutcome::not_contacted;
  if (answer.failure == FailureKind::connect_timeout) return ContactOutcome::failed;
  if (answer.status == 429 || answer.status == 503 || answer.timed_out) return ContactOutcome::overloaded;
  if (answer.status != 0 || answer.unverified_status != 0) return ContactOutcome::clean;
  switch (answer.failure) {
    case FailureKind::timeout:
    case FailureKind::connection_reset: return ContactOutcome::overloaded;
    case FailureKind::bad_response:
    case FailureKind::headers_too_large: return ContactOutcome::clean;
    default: return ContactOutcome::failed;
  }
}

Reply host_reply(const HopAnswer& answer) {
  if (is_no_evidence(answer)) return Reply::undecided;
  switch (answer.failure) {
    case FailureKind::host_unavailable: return Reply::address_down;
    case FailureKind::dns_failed:
    case FailureKind::dns_timeout:
    case FailureKind::dns_no_address: return Reply::unconnected;
    default: break;
  }
  if (!answer.contacted) return Reply::undecided;
  if (answer.status >= 500 && is_transient_status(answer.status)) return Reply::server_error;
  if (answer.status != 0 || answer.unverified_status != 0) return Reply::served;
  switch (answer.failure) {
    case FailureKind::interrupted: return Reply::undecided;
    case FailureKind::timeout: return Reply::silent;
    case FailureKind::headers_too_large: return Reply::served;
    case FailureKind::connection_reset:
    case FailureKind::bad_response: return answer.reused_connection ? Reply::undecided : Reply::closed;
    default: return Reply::unconnected;
  }
}

Reply server_reply(const HopAnswer& answer) {
  if (is_no_evidence(answer) || !answer.contacted) return Reply::undecided;
  switch (answer.failure) {
    case FailureKind::connection_refused:
    case FailureKind::network_unreachable:
    case FailureKind::connect_timeout: return Reply::unconnected;
    case FailureKind::timeout: return Reply::silent;
    case FailureKind::interrupted: return Reply::undecided;
    default: return Reply::served;
  }
}

}  // namespace linkherd::crawler
