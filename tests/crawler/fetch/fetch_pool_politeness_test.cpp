// Tests how the pool treats hosts that are down or refuse requests for the whole run.
#include <algorithm>
#include <chrono>

#include <doctest/doctest.h>

#include "tests/crawler/fetch/fetch_pool_fixture.h"

using namespace linkherd;
using namespace linkherd::tests;

namespace {

std::ptrdiff_t count(const std::vector<FetchResult>& results, FailureKind failure) {
  return std::ranges::count_if(results,
                               [failure](const FetchResult& result) { return result.response.failure == failure; });
}

}  // namespace

TEST_CASE("a host that is down gets few requests and its other links are deferred") {
  SmallInternet internet;
  internet.host("well.test").default_page(html_page("well"));
  FetchPoolFixture fixture(internet);
  fixture.options.connect_to.insert(fixture.options.connect_to.begin(),
                                    "down.test:80:127.0.0.1:9");  // nothing listens there
  for (int i = 0; i < 100; ++i) fixture.pool().submit(request_for("http://down.test/" + std::to_string(i)));
  for (int i = 0; i < 10; ++i) fixture.pool().submit(request_for("http://well.test/" + std::to_string(i)));
  const std::vector<FetchResult> results = fixture.take(110);
  REQUIRE(results.size() == 110);
  CHECK(count(results, FailureKind::none) == 10);
  const auto refused = count(results, FailureKind::connection_refused);
  CHECK(refused >= 1);
  CHECK(refused <= 6);
  CHECK(count(results, FailureKind::host_unavailable) == 100 - refused);
  for (const FetchResult& result : results) {
    if (result.response.failure == FailureKind::host_unavailable) CHECK(result.attempts.empty());
  }
  CHECK(fixture.fetch("http://down.test/late").response.failure == FailureKind::host_unavailable);
}

TEST_CASE("a host that refuses without Retry-After is asked less often and its other links are deferred") {
  SmallInternet internet;
  internet.host("enough.test").default_page(status_page(429));
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retry_after = std::chrono::milliseconds(300);
  for (int i = 0; i < 100; ++i) fixture.pool().submit(request_for("http://enough.test/" + std::to_string(i)));
  const std::vector<FetchResult> results = fixture.take(100);
  REQUIRE(results.size() == 100);
  CHECK(count(results, FailureKind::retry_after) +
            std::ranges::count_if(results, [](const FetchResult& result) { return result.response.status == 429; }) ==
        100);
  CHECK(internet.requests("enough.test").size() <= 8);
}

TEST_CASE("a retry that queues behind many links of its host loses no time") {
  SmallInternet internet;
  internet.host("long.test").default_page(html_page("well"));
  internet.host("long.test").pages("/first", {status_page(503), html_page("well")});
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retries = 1;
  fixture.options.politeness.host_concurrency = 1;
  fixture.options.politeness.host_request_interval = std::chrono::milliseconds(50);
  fixture.options.link_timeout = std::chrono::seconds(2);
  fixture.pool().submit(request_for("http://long.test/first"));
  for (int i = 0; i < 60; ++i) fixture.pool().submit(request_for("http://long.test/" + std::to_string(i)));
  for (const FetchResult& result : fixture.take(61)) CHECK(result.response.status == 200);
  CHECK(internet.count("long.test", "/first") == 2);
}

TEST_CASE("repeated Retry-After pauses of a host are not waited for endlessly" * doctest::test_suite("timing")) {
  SmallInternet internet;
  internet.host("again.test").default_page(status_page(503, {{"Retry-After", "1"}}));
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retry_after = std::chrono::milliseconds(1500);
  for (int i = 0; i < 50; ++i) fixture.pool().submit(request_for("http://again.test/" + std::to_string(i)));
  const auto started = std::chrono::steady_clock::now();
  CHECK(fixture.take(50).size() == 50);
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(15));
  CHECK(internet.requests("again.test").size() <= 3);
}

TEST_CASE("a host with a used-up quota is left alone until the quota resets") {
  SmallInternet internet;
  Page last = html_page("the last one");
  last.headers = {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "3600"}};
  internet.host("quota.test").default_page(last);
  FetchPoolFixture fixture(internet);
  fixture.options.robots = crawler::RobotsMode::ignore;
  for (int i = 0; i < 20; ++i) fixture.pool().submit(request_for("http://quota.test/" + std::to_string(i)));
  const std::vector<FetchResult> results = fixture.take(20);
  REQUIRE(results.size() == 20);
  CHECK(count(results, FailureKind::none) == 1);
  CHECK(count(results, FailureKind::retry_after) == 19);
  CHECK(internet.requests("quota.test").size() == 1);
}
