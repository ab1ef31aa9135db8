#include "crawler/fetch/next_hop.h"

#include <string>

#include <fmt/format.h>

#include "crawler/fetch/redirect.h"
#include "crawler/fetch/response_headers.h"

namespace linkherd::crawler {

namespace {

bool end_with(HopAnswer& answer, FailureKind failure, std::string detail) {
  answer.failure = failure;
  answer.detail = std::move(detail);
  return false;
}

bool follow_redirect(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options) {
  const std::string location(find_header(answer.headers, "location"));
  Result<parser::Url> to = redirect_target(fetch.url, location);
  fetch.redirects.push_back({std::string(fetch.url.href()), answer.status, to ? std::string(to->href()) : location});
  if (!to) return end_with(answer, FailureKind::bad_redirect, to.error().message);
  if (closes_loop(fetch.redirects, *to)) {
    return end_with(answer, FailureKind::redirect_loop, fmt::format("redirected back to {}", to->href()));
  }
  if (static_cast<int>(fetch.redirects.size()) > options.max_redirects) {
    return end_with(answer, FailureKind::too_many_redirects,
                    fmt::format("more than {} redirects", options.max_redirects));
  }
  fetch.url = std::move(*to);
  fetch.not_before.reset();
  fetch.retries = 0;
  fetch.fresh_connection = fetch.request.confirming;
  return true;
}

bool try_again(PendingFetch& fetch, const HopAnswer& answer, const RetryPolicy& policy, Timestamp now, double jitter) {
  HopOutcome outcome{.status = answer.status, .failure = answer.failure, .reused_connection = answer.reused_connection};
  if (const auto until = retry_after(answer.status, answer.headers, now)) outcome.retry_after = *until - now;
  const RetryDecision decision = decide_retry(outcome, fetch.retries, policy, jitter);
  if (!decision.retry) return false;
  if (decision.counts) ++fetch.retries;
  fetch.not_before = now + decision.wait;
  fetch.fresh_connection = decision.fresh_connection || fetch.request.confirming;
  return true;
}

}  // namespace

bool make_next_hop(PendingFetch& fetch, HopAnswer& answer, const FetchOptions& options, Timestamp now, double jitter) {
  if (answer.failure == FailureKind::none && is_redirect_status(answer.status)) {
    return follow_redirect(fetch, answer, options);
  }
  return try_again(fetch, answer, options.retry, now, jitter);
}

ContactOutcome contact_outcome(const HopAnswer& answer) {
  if (answer.own_trouble || !answer.contacted) return ContactOutcome::not_contacted;
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

}  // namespace linkherd::crawler
