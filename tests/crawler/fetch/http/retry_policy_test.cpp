#include "crawler/fetch/http/retry_policy.h"

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

constexpr double max_jitter = 0.999999999;
constexpr RetryDecision no_retry{};

bool retried(const HopOutcome& outcome) { return decide_retry(outcome, 0, RetryPolicy{}, 0.5).retry; }

}  // namespace

TEST_CASE("only transient server errors are retried") {
  const std::set<int> expected{408, 425, 429, 500, 502, 503, 504, 506, 507, 509,
                               520, 521, 522, 523, 524, 525, 527, 530, 599};
  for (const int status :
       {200, 204, 206, 301, 304, 400, 401, 403, 404, 405, 410, 412, 451, 501, 505, 508, 510, 511, 526, 600, 999}) {
    CAPTURE(status);
    CHECK_FALSE(retried({.status = status}));
  }
  for (const int status : expected) {
    CAPTURE(status);
    CHECK(retried({.status = status}));
  }
}

TEST_CASE("a misdirected request is repeated once on its own connection") {
  RetryPolicy none;
  none.max_retries = 0;
  CHECK(decide_retry({.status = 421}, 0, none, 0.5) ==
        RetryDecision{.retry = true, .wait = 0s, .needs_fresh_connection = true, .counts = false});
  CHECK(decide_retry({.status = 421, .needs_fresh_connection = true}, 0, RetryPolicy{}, 0.5) == no_retry);
}

TEST_CASE("only transient failures are retried") {
  const std::set<FailureKind> expected{
      FailureKind::dns_no_address,      FailureKind::dns_failed,         FailureKind::dns_timeout,
      FailureKind::dns_untrusted,       FailureKind::connection_refused, FailureKind::connection_reset,
      FailureKind::network_unreachable, FailureKind::connect_timeout,    FailureKind::timeout,
      FailureKind::tls_handshake,       FailureKind::bad_response,       FailureKind::proxy_unreachable,
      FailureKind::proxy_silent,        FailureKind::proxy_failed};
  for (const auto& [failure, bound_name] : failure_names) {
    const std::string_view name = bound_name;
    CAPTURE(name);
    CHECK(retried({.status = 0, .failure = failure}) == expected.contains(failure));
  }
}

TEST_CASE("the wait doubles up to its limit and jitter keeps it between half and all") {
  const HopOutcome refused{.failure = FailureKind::connection_refused};
  RetryPolicy policy;
  policy.max_retries = 1000;
  struct Row {
    int retries;
    Duration nominal;
  };
  for (const Row& row :
       {Row{0, 1s}, Row{1, 2s}, Row{2, 4s}, Row{3, 8s}, Row{4, 16s}, Row{5, 30s}, Row{6, 30s}, Row{999, 30s}}) {
    CAPTURE(row.retries);
    CHECK(decide_retry(refused, row.retries, policy, 0.0).wait == row.nominal / 2);
    CHECK(decide_retry(refused, row.retries, policy, 0.5).wait == row.nominal * 3 / 4);
    const Duration max_wait = decide_retry(refused, row.retries, policy, max_jitter).wait;
    CHECK(max_wait > row.nominal * 99 / 100);
    CHECK(max_wait <= row.nominal);
  }
  policy.first_wait = 0s;
  CHECK(decide_retry(refused, 3, policy, 0.5) ==
        RetryDecision{.retry = true, .wait = 0s, .needs_fresh_connection = true, .counts = true});
  policy.first_wait = 1h;  // above the longest wait
  CHECK(decide_retry(refused, 0, policy, max_jitter).wait <= policy.max_wait);
}

TEST_CASE("a host that refuses without a time is paused longer each time") {
  const RetryPolicy policy;
  for (const auto& [refusals, wait] :
       std::vector<std::pair<int, Duration>>{{-1, 1s}, {0, 1s}, {1, 1s}, {2, 2s}, {3, 4s}, {6, 30s}, {100, 30s}}) {
    CAPTURE(refusals);
    CHECK(wait_after_refusal(refusals, policy) == wait);
  }
}

TEST_CASE("retries end at their limit") {
  const HopOutcome refused{.failure = FailureKind::connection_refused};
  CHECK(decide_retry(refused, 2, RetryPolicy{}, 0).retry);
  CHECK(decide_retry(refused, 3, RetryPolicy{}, 0) == no_retry);
  RetryPolicy none;
  none.max_retries = 0;
  CHECK(decide_retry(refused, 0, none, 0) == no_retry);
}

TEST_CASE("Retry-After is a minimum wait and above its limit ends the retries") {
  struct Row {
    const char* what;
    HopOutcome outcome;
    std::optional<Duration> wait;  // none: no retry
  };
  const std::vector<Row> rows{
      {"longer than the own wait", {.status = 429, .retry_after = 45s}, 45s},
      {"shorter than the own wait", {.status = 503, .retry_after = 100ms}, 500ms},
      {"none", {.status = 429}, 500ms},
      {"zero", {.status = 429, .retry_after = 0s}, 500ms},
      {"just the limit", {.status = 429, .retry_after = 60s}, 60s},
      {"above the limit", {.status = 429, .retry_after = 61s}, std::nullopt},
      {"above the limit with 503", {.status = 503, .retry_after = 1h}, std::nullopt},
      {"with a status that is not retried", {.status = 404, .retry_after = 1s}, std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const RetryDecision decision = decide_retry(row.outcome, 0, RetryPolicy{}, 0.0);
    CHECK(decision.retry == row.wait.has_value());
    if (row.wait) CHECK(decision.wait == *row.wait);
    CHECK_FALSE(decision.needs_fresh_connection);  // the connection has just been used successfully
  }
}

TEST_CASE("an error on a reused connection is retried at once and does not count") {
  const RetryDecision at_once{.retry = true, .wait = {}, .needs_fresh_connection = true, .counts = false};
  const auto decide = [](FailureKind failure, bool reused, int retries) {
    return decide_retry({.failure = failure, .is_connection_reused = reused}, retries, RetryPolicy{}, 0.5);
  };
  CHECK(decide(FailureKind::connection_reset, true, 0) == at_once);
  CHECK(decide(FailureKind::bad_response, true, 0) == at_once);
  CHECK(decide(FailureKind::connection_reset, true, 3) == at_once);  // also when no retries are left
  CHECK(decide(FailureKind::connection_reset, false, 0).counts);
  CHECK(decide(FailureKind::connection_reset, false, 0).needs_fresh_connection);
  CHECK(decide(FailureKind::connection_reset, false, 3) == no_retry);
  CHECK(decide(FailureKind::timeout, true, 0).counts);  // a slow server is slow on any connection
  CHECK_FALSE(decide_retry({.status = 404, .is_connection_reused = true}, 0, RetryPolicy{}, 0.5).retry);
}
