#include "crawler/fetch/http/retry_policy.h"

#include <algorithm>
#include <array>
#include <optional>

#include "crawler/fetch/http/fetch_result.h"

namespace linkherd::crawler {

namespace {

// Server errors that a retry cannot change: the server is unable, not allowed, or misconfigured.
constexpr std::array<int, 6> lasting_server_errors{501, 505, 508, 510, 511, 526};

bool is_worth_retry(const AttemptResult& response) {
  return response.failure == FailureKind::none ? is_transient_status(response.status)
                                               : find_meaning(response.failure).is_transient;
}

// A server may close an idle connection just when linkherd writes to it. The next attempt uses a new connection, so it
// cannot fail this way again.
bool is_stale_connection(const AttemptResult& response) {
  return response.is_connection_reused() &&
         (response.failure == FailureKind::connection_reset || response.failure == FailureKind::bad_response ||
          response.failure == FailureKind::odd_status_line);
}

// 421 (Misdirected Request): the server objects to the connection, not the request. The hop is repeated once on a new
// connection.
bool is_misdirected(const AttemptResult& response, bool needed_fresh_connection) {
  return response.failure == FailureKind::none && response.status == 421 && !needed_fresh_connection;
}

Duration nominal_wait(int retries_so_far, const RetryPolicy& policy) {
  Duration wait = std::min(policy.first_wait, policy.max_wait);
  for (int i = 0; i < retries_so_far && wait < policy.max_wait; ++i) wait = std::min(wait * 2, policy.max_wait);
  return wait;
}

}  // namespace

bool is_transient_status(int status) {
  if (status == 408 || status == 425 || status == 429) return true;
  return status >= 500 && status < 600 &&
         std::ranges::find(lasting_server_errors, status) == lasting_server_errors.end();
}

Duration wait_after_refusal(int refusals_in_a_row, const RetryPolicy& policy) {
  return nominal_wait(std::max(refusals_in_a_row, 1) - 1, policy);
}

RetryDecision decide_retry(const AttemptResult& response, bool needed_fresh_connection, int retries_so_far,
                           const RetryPolicy& policy, Timestamp now, double jitter) {
  if (is_stale_connection(response) || is_misdirected(response, needed_fresh_connection))
    return {.retry = Retry::at_once, .wait = {}};
  if (!is_worth_retry(response) || retries_so_far >= policy.max_retries) return {};
  const Duration min_wait = response.retry_at ? *response.retry_at - now : Duration::zero();
  if (min_wait > policy.max_retry_after) return {};

  const std::chrono::duration<double, Duration::period> nominal = nominal_wait(retries_so_far, policy);
  const Duration wait = std::chrono::duration_cast<Duration>(nominal * (0.5 + std::clamp(jitter, 0.0, 1.0) / 2));
  return {.retry = Retry::later, .wait = std::max(wait, min_wait)};
}

}  // namespace linkherd::crawler
