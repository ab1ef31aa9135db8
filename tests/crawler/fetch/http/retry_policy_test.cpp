#include "crawler/fetch/http/retry_policy.h"

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/fetch/http/fetch_result.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

constexpr double max_jitter = 0.999999999;
constexpr RetryDecision no_retry{};

constexpr RetryDecision at_once{.retry = Retry::at_once, .wait = {}};
constexpr Timestamp zero_time{};

AttemptResult answered(int status, std::optional<Duration> retry_after = std::nullopt) {
  AttemptResult response;
  response.status = status;
  if (retry_after) response.retry_at = zero_time + *retry_after;
  return response;
}

RetryDecision decide(const AttemptResult& response, int retries = 0, const RetryPolicy& policy = {},
                     double jitter = 0.5) {
  return decide_retry(response, false, retries, policy, zero_time, jitter);
}

bool is_retried(const AttemptResult& response) { return decide(response).retry != Retry::none; }

}  // namespace

TEST_CASE("only transient server errors are retried") {
  const std::set<int> expected{408, 425, 429, 500, 502, 503, 504, 506, 507, 509,
                               520, 521, 522, 523, 524, 525, 527, 530, 599};
  for (const int status :
       {200, 204, 206, 301, 304, 400, 401, 403, 404, 405, 410, 412, 451, 501, 505, 508, 510, 511, 526, 600, 999}) {
    CAPTURE(status);
    CHECK_FALSE(is_retried(answered(status)));
  }
  for (const int status : expected) {
    CAPTURE(status);
    CHECK(is_retried(answered(status)));
  }
}

TEST_CASE("a misdirected request is repeated once on its own connection") {
  RetryPolicy none;
  none.max_retries = 0;
  CHECK(decide(answered(421), 0, none) == at_once);
  CHECK(decide_retry(answered(421), true, 0, RetryPolicy{}, zero_time, 0.5) == no_retry);
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
    CHECK(is_retried(failed_attempt(failure, "")) == expected.contains(failure));
  }
}

TEST_CASE("the wait doubles up to its limit and jitter keeps it between half and all") {
  const AttemptResult refused = failed_attempt(FailureKind::connection_refused, "");
  RetryPolicy policy;
  policy.max_retries = 1000;
  struct Row {
    int retries;
    Duration nominal;
  };
  for (const Row& row :
       {Row{0, 1s}, Row{1, 2s}, Row{2, 4s}, Row{3, 8s}, Row{4, 16s}, Row{5, 30s}, Row{6, 30s}, Row{999, 30s}}) {
    CAPTURE(row.retries);
    CHECK(decide(refused, row.retries, policy, 0.0).wait == row.nominal / 2);
    CHECK(decide(refused, row.retries, policy, 0.5).wait == row.nominal * 3 / 4);
    const Duration max_wait = decide(refused, row.retries, policy, max_jitter).wait;
    CHECK(max_wait > row.nominal * 99 / 100);
    CHECK(max_wait <= row.nominal);
  }
  policy.first_wait = 0s;
  CHECK(decide(refused, 3, policy, 0.5) == RetryDecision{.retry = Retry::later, .wait = 0s});
  policy.first_wait = 1h;  // above the longest wait
  CHECK(decide(refused, 0, policy, max_jitter).wait <= policy.max_wait);
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
  const AttemptResult refused = failed_attempt(FailureKind::connection_refused, "");
  CHECK(decide(refused, 2, RetryPolicy{}, 0).retry == Retry::later);
  CHECK(decide(refused, 3, RetryPolicy{}, 0) == no_retry);
  RetryPolicy none;
  none.max_retries = 0;
  CHECK(decide(refused, 0, none, 0) == no_retry);
}

TEST_CASE("Retry-After is a minimum wait and above its limit ends the retries") {
  struct Row {
    const char* what;
    AttemptResult response;
    std::optional<Duration> wait;  // none: no retry
  };
  std::vector<Row> rows;
  rows.push_back({"longer than the own wait", answered(429, 45s), 45s});
  rows.push_back({"shorter than the own wait", answered(503, 100ms), 500ms});
  rows.push_back({"none", answered(429), 500ms});
  rows.push_back({"zero", answered(429, 0s), 500ms});
  rows.push_back({"just the limit", answered(429, 60s), 60s});
  rows.push_back({"above the limit", answered(429, 61s), std::nullopt});
  rows.push_back({"above the limit with 503", answered(503, 1h), std::nullopt});
  rows.push_back({"with a status that is not retried", answered(404, 1s), std::nullopt});
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const RetryDecision decision = decide(row.response, 0, RetryPolicy{}, 0.0);
    CHECK(decision.retry == (row.wait ? Retry::later : Retry::none));
    if (row.wait) CHECK(decision.wait == *row.wait);
  }
}

TEST_CASE("an error on a reused connection is retried at once and does not count") {
  const auto decide_on = [](ConnectionUse connection, FailureKind failure, int retries) {
    AttemptResult response = failed_attempt(failure, "");
    response.connection = connection;
    return decide(response, retries);
  };
  constexpr ConnectionUse reused = ConnectionUse::reused;
  constexpr ConnectionUse opened = ConnectionUse::opened;
  CHECK(decide_on(reused, FailureKind::connection_reset, 0) == at_once);
  CHECK(decide_on(reused, FailureKind::bad_response, 0) == at_once);
  CHECK(decide_on(reused, FailureKind::connection_reset, 3) == at_once);  // also when no retries are left
  CHECK(decide_on(opened, FailureKind::connection_reset, 0).retry == Retry::later);
  CHECK(decide_on(opened, FailureKind::connection_reset, 3) == no_retry);
  CHECK(decide_on(reused, FailureKind::timeout, 0).retry == Retry::later);  // a slow server is slow on any connection
  AttemptResult missing = answered(404);
  missing.connection = reused;
  CHECK_FALSE(is_retried(missing));
}
