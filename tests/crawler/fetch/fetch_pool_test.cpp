// Tests the main functions of the pool: many links, redirects, retries, conditional requests, politeness,
// back-pressure.
#include "crawler/fetch/fetch_pool.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/fetch/http/decode_body.h"
#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/raw_server.h"
#include "tests/support/tls_certificates.h"

namespace linkherd::tests {

TEST_CASE("a fetched page has headers and body and attempt") {
  SmallInternet internet;
  internet.host("example.com").page("/a?b=c", html_page("<p>hello</p>"));
  FetchPoolFixture fixture(internet);
  const FetchResult result = fixture.fetch("http://example.com/a?b=c#part");
  CHECK(result.response.status == 200);
  CHECK(result.response.failure == FailureKind::none);
  CHECK(result.response.body == "<p>hello</p>");
  CHECK(result.response.is_body_complete());
  CHECK(result.response.header("content-type") == "text/html; charset=utf-8");
  CHECK(result.final_url.href() == "http://example.com/a?b=c#part");
  CHECK(result.response.remote_address == "127.0.0.1");
  REQUIRE(result.attempts.size() == 1);
  CHECK(result.attempts[0].status == 200);
  CHECK(result.attempts[0].failure.empty());
  CHECK(fixture.attempts.seen() == std::vector<std::string>{"http://example.com/a?b=c#part 200 none"});
  const ReceivedRequest seen = internet.requests("example.com").at(0);
  CHECK(seen.header("User-Agent") == crawler::default_user_agent());
  CHECK(seen.header("Accept-Encoding") == "gzip, deflate, br");
}

TEST_CASE("many links on many hosts over several threads each give one result") {
  SmallInternet internet;
  constexpr int hosts = 40;
  constexpr int links = 10;
  std::set<std::string> asked;
  FetchPoolFixture fixture(internet, 16);
  fixture.options.threads = 3;
  fixture.options.max_concurrency = 12;
  fixture.options.politeness.host_concurrency = 2;
  fixture.options.robots = crawler::RobotsMode::ignore;
  for (int host = 0; host < hosts; ++host) {
    const std::string name = "host" + std::to_string(host) + ".test";
    Page page = html_page(name);
    page.delay = std::chrono::milliseconds(5);
    internet.host(name).default_page(page);
    for (int link = 0; link < links; ++link) asked.insert("http://" + name + "/" + std::to_string(link));
  }
  for (const std::string& url : asked) fixture.pool().submit(request_for(url));
  std::multiset<std::string> got;
  for (const FetchResult& result : fixture.take(hosts * links)) {
    CHECK(result.response.status == 200);
    CHECK(result.response.body == result.final_url.host());
    got.insert(std::string(result.link_url.href()));
  }
  CHECK(got == std::multiset<std::string>(asked.begin(), asked.end()));
  CHECK_FALSE(fixture.results.pop_for(std::chrono::milliseconds(50)));
  CHECK(internet.max_concurrent() <= 12);
  CHECK(internet.max_concurrent("host7.test") <= 2);
  CHECK(internet.requests().size() == hosts * links);
  const crawler::PoolStatus status = fixture.pool().status();
  CHECK(status.biggest_backlogs.size() <= 5);
}

TEST_CASE("a redirect chain across domains is followed and recorded") {
  SmallInternet internet;
  internet.host("a.test").page("/", redirect_page(301, "https://b.test/x?y#there"));
  internet.host("b.test").page("/x?y", redirect_page(302, "//c.test/"));
  internet.host("c.test").page("/", redirect_page(308, "/end")).page("/end", html_page("here"));
  FetchPoolFixture fixture(internet);
  fixture.options.threads = 4;
  const FetchResult result = fixture.fetch("http://a.test/#mine");
  CHECK(result.response.status == 200);
  CHECK(result.response.body == "here");
  CHECK(result.final_url.href() == "https://c.test/end#there");
  const std::vector<storage::Redirect> expected{{"http://a.test/#mine", 301, "https://b.test/x?y#there"},
                                                {"https://b.test/x?y#there", 302, "https://c.test/#there"},
                                                {"https://c.test/#there", 308, "https://c.test/end#there"}};
  CHECK(result.redirects == expected);
  CHECK(result.attempts.size() == 4);
}

TEST_CASE("redirects that lead nowhere end with the chain and the reason") {
  SmallInternet internet;
  internet.host("loop.test").page("/a", redirect_page(302, "/b")).page("/b", redirect_page(302, "/a"));
  internet.host("long.test").handler([](const ReceivedRequest& request) {
    return redirect_page(302, request.target + "x");
  });
  internet.host("bad.test")
      .page("/none", status_page(301))
      .page("/file", redirect_page(301, "file:///etc/passwd"))
      .page("/broken", redirect_page(301, "http://[nowhere/"));
  FetchPoolFixture fixture(internet);
  fixture.options.max_redirects = 4;
  struct Row {
    std::string url;
    FailureKind failure;
    std::size_t redirects;
  };
  const std::vector<Row> rows{{"http://loop.test/a", FailureKind::redirect_loop, 2},
                              {"http://long.test/", FailureKind::too_many_redirects, 5},
                              {"http://bad.test/none", FailureKind::bad_redirect, 0},
                              {"http://bad.test/file", FailureKind::unsupported_scheme, 1},
                              {"http://bad.test/broken", FailureKind::bad_redirect, 1}};
  for (const Row& row : rows) {
    CAPTURE(row.url);
    const FetchResult result = fixture.fetch(row.url);
    CHECK(result.response.failure == row.failure);
    CHECK(result.redirects.size() == row.redirects);
    CHECK_FALSE(result.response.detail.empty());
  }
}

TEST_CASE("transient failures are retried and lasting ones are reported") {
  SmallInternet internet;
  Page reset = html_page("x");
  reset.delivery = Delivery::reset_early;
  internet.host("blip.test").pages("/", {status_page(503), reset, html_page("fine")});
  internet.host("broken.test").default_page(status_page(500));
  FetchPoolFixture fixture(internet);
  fixture.options.retry.max_retries = 2;
  const FetchResult fine = fixture.fetch("http://blip.test/");
  CHECK(fine.response.status == 200);
  REQUIRE(fine.attempts.size() == 3);
  CHECK(fine.attempts[0].status == 503);
  CHECK(fine.attempts[1].failure == "connection_reset");
  const FetchResult broken = fixture.fetch("http://broken.test/");
  CHECK(broken.response.status == 500);
  CHECK(broken.attempts.size() == 3);
}

TEST_CASE("a short Retry-After pauses the whole host") {
  SmallInternet internet;
  internet.host("busy.test")
      .pages("/a", {status_page(429, {{"Retry-After", "1"}}), html_page("a")})
      .page("/b", html_page("b"));
  FetchPoolFixture fixture(internet);
  const auto started = std::chrono::steady_clock::now();
  CHECK(fixture.fetch("http://busy.test/a").response.status == 200);
  CHECK(std::chrono::steady_clock::now() - started >= std::chrono::milliseconds(900));
}

TEST_CASE("a long Retry-After ends the link with its answer and defers the other links of the host") {
  SmallInternet internet;
  Page refusal = status_page(429, {{"Retry-After", "7200"}});
  refusal.delay = std::chrono::milliseconds(100);
  internet.host("closed.test").default_page(refusal);
  internet.host("open.test").default_page(html_page("open"));
  FetchPoolFixture fixture(internet);
  const Timestamp before = fixture.clock.now();
  for (int i = 0; i < 20; ++i) fixture.pool().submit(request_for("http://closed.test/" + std::to_string(i)));
  fixture.pool().submit(request_for("http://open.test/"));
  int refused = 0;
  int deferred = 0;
  for (const FetchResult& result : fixture.take(21)) {
    if (result.response.status == 200) continue;
    refused += result.response.status == 429 ? 1 : 0;
    deferred += result.response.failure == FailureKind::retry_after ? 1 : 0;
    REQUIRE(result.response.retry_at);
    CHECK(*result.response.retry_at >= before + std::chrono::seconds(7190));
  }
  CHECK(refused >= 1);
  CHECK(refused + deferred == 20);
  CHECK(internet.requests("closed.test").size() == static_cast<std::size_t>(refused));
  // The store carries the deadline to later runs, where it has the same effect.
  const std::vector<storage::HostState> states = fixture.pool().host_states();
  const auto closed = std::ranges::find(states, "http://closed.test", &storage::HostState::origin);
  REQUIRE(closed != states.end());
  REQUIRE(closed->not_before);
  FetchPoolFixture next_run(internet);
  next_run.pool().restore(states);
  CHECK(next_run.fetch("http://closed.test/later").response.failure == FailureKind::retry_after);
  CHECK(next_run.fetch("http://open.test/").response.status == 200);
}

TEST_CASE("validators are sent only to the URL that they belong to") {
  SmallInternet internet;
  Page page = html_page("text");
  page.headers = {{"ETag", "\"one\""}};
  internet.host("example.com").page("/new", page).page("/old", redirect_page(301, "/new"));
  FetchPoolFixture fixture(internet);
  const FetchResult result = fixture.fetch(
      request_for("http://example.com/old#f", crawler::Validators{"http://example.com/new", "\"one\"", ""}));
  CHECK(result.response.status == 304);
  CHECK(result.response.failure == FailureKind::none);
  CHECK(result.response.body.empty());
  CHECK(internet.requests("example.com").at(0).header("If-None-Match").empty());
  CHECK(internet.requests("example.com").at(1).header("If-None-Match") == "\"one\"");
}

TEST_CASE("connections to a host are reused but a confirmation opens a new one") {
  SmallInternet internet;
  internet.host("example.com").default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  fixture.options.politeness.host_concurrency = 1;
  for (int i = 0; i < 10; ++i) fixture.pool().submit(request_for("http://example.com/" + std::to_string(i)));
  CHECK(fixture.take(10).size() == 10);
  std::set<std::uint64_t> connections;
  for (const ReceivedRequest& seen : internet.requests()) connections.insert(seen.connection);
  CHECK(connections.size() <= 2);  // the first request may have ended before the others were submitted
  CHECK(fixture.fetch(request_for("http://example.com/again", {}, true)).response.status == 200);
  CHECK_FALSE(connections.contains(internet.requests().back().connection));
}

TEST_CASE("unsolicited bytes on an idle connection are not taken for the next answer") {
  const RawServer::Script script = [](ServerConnection& client) {
    for (std::string request = client.read_request(); !request.empty(); request = client.read_request()) {
      const std::string path = request.substr(0, request.find(" HTTP"));
      client.send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", path.size(), path));
      client.pause(std::chrono::milliseconds(50));
      client.send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked");
    }
  };
  const RawServer plain(script);
  TestAuthority authority;
  const RawServer secure(script, [&authority](ssl_ctx_st* context) { authority.install(context); });
  SmallInternet internet;
  internet.host("raw.test");
  FetchPoolFixture fixture(internet);
  fixture.options.insecure = true;
  fixture.options.politeness.host_concurrency = 1;
  fixture.options.politeness.host_request_interval = std::chrono::seconds(1);
  fixture.options.connect_to = {fmt::format("*:80:127.0.0.1:{}", plain.port()),
                                fmt::format("*:443:127.0.0.1:{}", secure.port())};
  for (const std::string scheme : {"http", "https"}) {
    for (int i = 0; i < 3; ++i) fixture.pool().submit(request_for(fmt::format("{}://raw.test/{}", scheme, i)));
  }
  for (const FetchResult& result : fixture.take(6)) {
    CAPTURE(result.link_url.href());
    CHECK(result.response.body == "GET " + std::string(result.link_url.path()));
    CHECK(result.attempts.size() == 1);
  }
}

TEST_CASE("nothing is lost while the result queue is full") {
  SmallInternet internet;
  for (int i = 0; i < 30; ++i) internet.host("h" + std::to_string(i) + ".test").default_page(html_page("x"));
  FetchPoolFixture fixture(internet, 2);
  for (int i = 0; i < 30; ++i) fixture.pool().submit(request_for("http://h" + std::to_string(i) + ".test/"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(fixture.take(30).size() == 30);
}

TEST_CASE("new fetches wait while the body budget is used up") {
  SmallInternet internet;
  for (int i = 0; i < 20; ++i)
    internet.host("h" + std::to_string(i) + ".test").default_page(html_page(std::string(50'000, 'x')));
  FetchPoolFixture fixture(internet);
  fixture.options.threads = 1;
  fixture.options.max_concurrency = 2;
  fixture.options.body_budget = 100'000;
  for (int i = 0; i < 20; ++i) fixture.pool().submit(request_for("http://h" + std::to_string(i) + ".test/"));
  std::vector<FetchResult> held = fixture.take(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(internet.requests().size() <=
        4);  // two requests that fill the limit, and at most two that were admitted before
  held.clear();
  std::size_t rest = 0;
  while (rest < 18 && !fixture.take(1).empty()) ++rest;
  CHECK(rest == 18);
}

}  // namespace linkherd::tests
