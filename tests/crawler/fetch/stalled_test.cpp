// Tests that unresponsive hosts cost other hosts nothing: stalled transfers are counted separately up to a limit.
#include <chrono>

#include <doctest/doctest.h>

#include "crawler/fetch/net/slots.h"
#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/raw_server.h"

namespace linkherd::tests {

TEST_CASE("a stalled request frees its slot and takes one again when it moves") {
  crawler::Slots slots(2, 1, 1);
  crawler::Slots::Claim claim(slots);
  CHECK(claim.take());
  CHECK(claim.take());
  CHECK_FALSE(claim.take());
  CHECK(claim.stall());
  CHECK_FALSE(claim.stall());  // the limit of stalled transfers is reached
  CHECK(claim.held() == 1);
  CHECK(claim.take());
  claim.resume();
  CHECK(claim.held() == 3);  // one above the limit, until one ends
  CHECK_FALSE(claim.take());
  claim.give_back();
  CHECK_FALSE(claim.take());
  claim.give_back();
  CHECK(claim.take());
  CHECK(claim.stall());
  claim.give_back_stalled();
  CHECK(claim.held() == 1);
}

TEST_CASE("unresponsive hosts do not delay other hosts" * doctest::test_suite("timing")) {
  SmallInternet internet;
  Page silence;
  silence.delivery = Delivery::silence;
  FetchPoolFixture fixture(internet);
  fixture.options.threads = 1;
  fixture.options.max_concurrency = 4;
  fixture.options.retry.max_retries = 0;
  fixture.options.timeout = std::chrono::seconds(10);
  constexpr int silent = 12;
  for (int i = 0; i < silent; ++i) {
    const std::string name = "silent" + std::to_string(i) + ".test";
    internet.host(name).default_page(silence);
    fixture.pool().submit(request_for("http://" + name + "/"));
  }
  REQUIRE(internet.wait_for_requests(4, std::chrono::seconds(5)));
  constexpr int lively = 20;
  for (int i = 0; i < lively; ++i) {
    const std::string name = "lively" + std::to_string(i) + ".test";
    internet.host(name).default_page(html_page("x"));
    fixture.pool().submit(request_for("http://" + name + "/"));
  }
  // Without a separate limit for stalled transfers, three rounds of ten seconds each would precede the other links.
  const auto started = std::chrono::steady_clock::now();
  int alive = 0;
  for (const FetchResult& result : fixture.take(lively)) alive += result.response.status == 200 ? 1 : 0;
  CHECK(alive == lively);
  CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(9));
}

TEST_CASE("a reused connection that dies is no evidence against the host") {
  SmallInternet internet;
  const RawServer server([](ServerConnection& client) {
    client.read_request();
    client.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\nx");
    client.read_request();  // the next request on the same connection gets no response
  });
  FetchPoolFixture fixture(internet);
  fixture.options.threads = 1;
  fixture.options.retry.max_retries = 0;
  fixture.options.politeness.host_concurrency = 1;
  fixture.options.connect_to = {"*:80:127.0.0.1:" + std::to_string(server.port())};
  for (int i = 0; i < 6; ++i) fixture.pool().submit(request_for("http://kept.test/" + std::to_string(i)));
  for (const FetchResult& result : fixture.take(6)) {
    CHECK(result.response.status == 200);
    CHECK(result.attempts.size() <= 2);
  }
  CHECK(server.connections() >= 3);
}

}  // namespace linkherd::tests
