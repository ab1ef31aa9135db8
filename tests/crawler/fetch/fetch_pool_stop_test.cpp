// Tests shutdown: every request gives exactly one result within the grace time in every state of the pool.
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/crawler/fetch/fetch_pool_fixture.h"

namespace linkherd::tests {

namespace {

// Creates hosts of every kind: quick, slow, silent, redirecting to each other, unknown to DNS, with bad certificates.
std::vector<std::string> mixed_links(SmallInternet& internet, int hosts) {
  std::vector<std::string> links;
  for (int i = 0; i < hosts; ++i) {
    const std::string name = "h" + std::to_string(i) + ".test";
    Page page = html_page("x");
    switch (i % 6) {
      case 0: break;
      case 1: page.delay = std::chrono::milliseconds(200); break;
      case 2: page.delivery = Delivery::silence; break;
      case 3: page = redirect_page(302, "http://h" + std::to_string(i + 1) + ".test/redirected"); break;
      case 4: page = status_page(503); break;
      default: internet.dns(name, dns_failure(i % 12 == 5 ? DnsKind::silence : DnsKind::not_found)); break;
    }
    internet.host(name).default_page(page);
    for (int k = 0; k < 5; ++k) links.push_back("http://" + name + "/" + std::to_string(k));
  }
  return links;
}

}  // namespace

TEST_CASE("an exception in a pool thread reaches the caller and the other threads end cleanly") {
  const auto fail = [](const parser::Url& url, int /*status*/, FailureKind /*failure*/) {
    if (url.path() == "/breaks") throw std::runtime_error("the machine is broken");
  };
  SmallInternet internet;
  Page silent;
  silent.delivery = Delivery::silence;
  internet.host("silent.test").default_page(silent);
  internet.host("good.test").default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  crawler::ByteBudget bodies(1 << 20);
  crawler::FetchPool pool(fixture.options, fixture.clock, bodies, fixture.results, fail);
  for (int i = 0; i < 20; ++i) pool.submit(request_for("http://silent.test/" + std::to_string(i)));
  pool.submit(request_for("http://good.test/fine"));
  CHECK(fixture.take(1).size() == 1);
  CHECK_NOTHROW(pool.rethrow_failure());
  pool.submit(request_for("http://good.test/breaks"));
  const auto has_failed = [&pool] {
    try {
      pool.rethrow_failure();
      return false;
    } catch (const std::runtime_error& error) {
      return std::string(error.what()) == "the machine is broken";
    }
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!has_failed() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(has_failed());
}

TEST_CASE("a stop under load ends every link exactly once and within the grace time" * doctest::test_suite("timing")) {
  SmallInternet internet;
  const std::vector<std::string> links = mixed_links(internet, 60);
  FetchPoolFixture fixture(internet);
  fixture.options.threads = 3;
  fixture.options.max_concurrency = 40;
  fixture.options.shutdown_grace = std::chrono::milliseconds(300);
  fixture.options.timeout =
      std::chrono::seconds(60);  // longer than the limit below, so that only the grace period ends silent requests
  for (const std::string& url : links) fixture.pool().submit(request_for(url));
  REQUIRE(internet.wait_for_requests(30, std::chrono::seconds(60)));
  const auto stopped = std::chrono::steady_clock::now();
  fixture.pool().stop(FailureKind::interrupted);
  fixture.pool().stop(FailureKind::outage);
  fixture.pool().submit(request_for("http://late.test/"));
  std::multiset<std::string> ended;
  std::size_t interrupted = 0;
  for (const FetchResult& result : fixture.take(links.size() + 1)) {
    ended.insert(std::string(result.link_url.href()));
    interrupted += result.response.failure == FailureKind::interrupted ? 1U : 0U;
    CHECK(result.response.failure != FailureKind::outage);
  }
  CHECK(std::chrono::steady_clock::now() - stopped < std::chrono::seconds(10));
  std::multiset<std::string> expected(links.begin(), links.end());
  expected.insert("http://late.test/");
  CHECK(ended == expected);
  CHECK(interrupted > 30);
  CHECK_FALSE(fixture.results.pop_for(std::chrono::milliseconds(100)));
}

TEST_CASE("requests in flight may finish within the grace time") {
  SmallInternet internet;
  Page slow = html_page("slow");
  slow.delay = std::chrono::milliseconds(400);
  internet.host("slow.test").default_page(slow);
  Page moved = redirect_page(301, "/there");
  moved.delay = std::chrono::milliseconds(400);
  internet.host("moved.test").default_page(moved);
  FetchPoolFixture fixture(internet);
  fixture.pool().submit(request_for("http://slow.test/"));
  fixture.pool().submit(request_for("http://moved.test/"));
  REQUIRE(internet.wait_for_requests(2, std::chrono::seconds(10)));
  fixture.pool().stop(FailureKind::outage);
  for (const FetchResult& result : fixture.take(2)) {
    if (result.link_url.host() == "slow.test") {
      CHECK(result.response.status == 200);
      CHECK(result.response.failure == FailureKind::none);
    } else {
      CHECK(result.response.failure == FailureKind::outage);  // the next hop was not started
      CHECK(result.redirects.size() == 1);
    }
  }
}

TEST_CASE("destroying the pool in any state does not crash") {
  SmallInternet internet;
  const std::vector<std::string> links = mixed_links(internet, 30);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    FetchPoolFixture fixture(internet, round % 2 == 0 ? 1 : 1000);
    if (round == 4) fixture.options.robots = crawler::RobotsMode::respect;
    for (const std::string& url : links) fixture.pool().submit(request_for(url));
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * round));
    if (round == 2) fixture.results.close();
    if (round == 3) fixture.pool().stop(FailureKind::interrupted);
    fixture.end_pool();
  }
  FetchPoolFixture unused(internet);
  unused.pool();
}

TEST_CASE("unusable options are refused when the pool is created") {
  SmallInternet internet;
  FetchPoolFixture fixture(internet);
  fixture.options.ca_file = "/no/such/file.pem";
  CHECK_THROWS_WITH_AS(fixture.pool(), doctest::Contains("/no/such/file.pem"), std::runtime_error);
  fixture.options.ca_file = internet.ca_file();
  fixture.options.connect_to = {"example.com:80"};
  CHECK_THROWS_WITH_AS(fixture.pool(), doctest::Contains("example.com:80"), std::runtime_error);
  fixture.options.connect_to.clear();
  fixture.options.dns_servers = {"not an address"};
  CHECK_THROWS_AS(fixture.pool(), std::runtime_error);
}

}  // namespace linkherd::tests
