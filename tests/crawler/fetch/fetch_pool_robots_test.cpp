// Tests how robots.txt affects the requests of the pool: which are sent, at what pace, and how they end if it is
// missing.
#include <chrono>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/raw_server.h"

namespace linkherd::tests {

TEST_CASE("respect mode fetches robots.txt once per host and obeys it") {
  SmallInternet internet;
  internet.host("rules.test")
      .page("/robots.txt", html_page("User-agent: *\nDisallow: /private\n", "text/plain"))
      .default_page(html_page("x"));
  internet.host("none.test").page("/", html_page("x"));
  internet.host("moved.test").page("/", redirect_page(302, "http://rules.test/private/z"));
  FetchPoolFixture fixture(internet);
  fixture.options.robots = crawler::RobotsMode::respect;
  for (const std::string path : {"/a", "/private/b", "/c"})
    fixture.pool().submit(request_for(std::string("http://rules.test") + path));
  fixture.pool().submit(request_for("http://none.test/"));
  fixture.pool().submit(request_for("http://moved.test/"));
  std::map<std::string, FailureKind> failures;
  for (const FetchResult& result : fixture.take(5))
    failures[std::string(result.link_url.href())] = result.response.failure;
  CHECK(failures["http://rules.test/a"] == FailureKind::none);
  CHECK(failures["http://rules.test/private/b"] == FailureKind::robots_disallowed);
  CHECK(failures["http://rules.test/c"] == FailureKind::none);
  CHECK(failures["http://none.test/"] == FailureKind::none);
  CHECK(failures["http://moved.test/"] == FailureKind::robots_disallowed);
  CHECK(internet.count("rules.test", "/robots.txt") == 1);
  CHECK(internet.count("rules.test", "/private/b") == 0);
  CHECK(internet.count("none.test", "/robots.txt") == 1);
}

TEST_CASE("robots rules are kept between runs for a day with the other host state") {
  SmallInternet internet;
  internet.host("rules.test")
      .page("/robots.txt", html_page("User-agent: *\nDisallow: /private\nCrawl-delay: 0.2\n", "text/plain"))
      .default_page(html_page("x"));
  internet.host("broken.test").page("/robots.txt", status_page(500)).default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  fixture.options.robots = crawler::RobotsMode::respect;
  CHECK(fixture.fetch("http://rules.test/a").response.status == 200);
  CHECK(fixture.fetch("http://broken.test/a").response.failure == FailureKind::robots_disallowed);
  std::vector<storage::HostState> states = fixture.pool().host_states();
  REQUIRE(states.size() == 1);  // robots.txt is requested again after an error
  CHECK(states[0].origin == "http://rules.test");
  CHECK(states[0].robots == "User-agent: *\nDisallow: /private\nCrawl-delay: 0.2\n");
  internet.clear_requests();

  FetchPoolFixture next(internet);
  next.options.robots = crawler::RobotsMode::respect;
  next.pool().restore(states);
  const auto started = std::chrono::steady_clock::now();
  for (const std::string path : {"/a", "/b", "/c", "/private/d"})
    next.pool().submit(request_for("http://rules.test" + path));
  CHECK(next.take(4).size() == 4);
  CHECK(std::chrono::steady_clock::now() - started > std::chrono::milliseconds(390));
  CHECK(internet.count("rules.test", "/robots.txt") == 0);
  CHECK(internet.count("rules.test", "/private/d") == 0);

  FetchPoolFixture much_later(internet);
  much_later.options.robots = crawler::RobotsMode::respect;
  states[0].robots_at = *states[0].robots_at - std::chrono::hours(25);
  much_later.pool().restore(states);
  CHECK(much_later.fetch("http://rules.test/a").response.status == 200);
  CHECK(internet.count("rules.test", "/robots.txt") == 1);
}

TEST_CASE("the crawl delay of a host with many listed links is read and all its links are fetched") {
  SmallInternet internet;
  internet.host("many.test")
      .page("/robots.txt", html_page("User-agent: *\nDisallow: /private\nCrawl-delay: 0.05\n", "text/plain"))
      .default_page(html_page("x"));
  for (const crawler::RobotsMode mode : {crawler::RobotsMode::listed, crawler::RobotsMode::ignore}) {
    internet.clear_requests();
    FetchPoolFixture fixture(internet);
    fixture.options.threads = 1;
    fixture.options.robots = mode;
    const bool listed = mode == crawler::RobotsMode::listed;
    for (int i = 0; i < 20; ++i) {
      fixture.pool().submit(
          request_for("http://many.test/" + std::string(i == 15 ? "private/" : "") + std::to_string(i)));
    }
    for (const FetchResult& result : fixture.take(20)) {
      CHECK(result.response.status == 200);
      const bool is_private = result.link_url.path().starts_with("/private");
      CHECK(result.response.is_disallowed_by_robots == (listed && is_private));
    }
    CHECK(internet.count("many.test", "/robots.txt") <= (listed ? 1U : 0U));
  }
}

TEST_CASE("robots.txt is not requested without respect mode") {
  SmallInternet internet;
  internet.host("example.com").default_page(html_page("x"));
  FetchPoolFixture fixture(internet);
  CHECK(fixture.fetch("http://example.com/a").response.status == 200);
  CHECK(internet.count("example.com", "/robots.txt") == 0);
}

TEST_CASE("a robots.txt redirect to a failing host leaves the rules unknown") {
  SmallInternet internet;
  internet.host("busy.test").default_page(status_page(429));
  const std::map<std::string, std::string> places{{"gone.test", "http://no-such-host.test/robots.txt"},
                                                  {"down.test", "http://127.0.0.1:9/robots.txt"},
                                                  {"busied.test", "http://busy.test/robots.txt"}};
  for (const auto& [host, place] : places)
    internet.host(host).page("/robots.txt", redirect_page(301, place)).default_page(html_page("x"));
  for (const crawler::RobotsMode mode : {crawler::RobotsMode::listed, crawler::RobotsMode::respect}) {
    FetchPoolFixture fixture(internet);
    fixture.options.threads = 1;
    fixture.options.robots = mode;
    for (const auto& [host, place] : places) {
      for (int i = 0; i < 20; ++i) fixture.pool().submit(request_for("http://" + host + "/" + std::to_string(i)));
    }
    const bool listed = mode == crawler::RobotsMode::listed;
    for (const FetchResult& result : fixture.take(60)) {
      CAPTURE(result.link_url.href());
      CHECK(result.response.failure == (listed ? FailureKind::none : FailureKind::robots_disallowed));
      CHECK(result.response.status == (listed ? 200 : 0));
    }
    for (const storage::HostState& state : fixture.pool().host_states())
      CHECK_FALSE(state.robots_at);  // robots.txt was requested again
  }
}

TEST_CASE("listed links are fetched even if the host closes the connection on robots.txt") {
  const RawServer server([](ServerConnection& client) {
    for (std::string request = client.read_request(); !request.empty(); request = client.read_request()) {
      if (request.starts_with("GET /robots.txt")) return;
      client.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  });
  SmallInternet internet;
  internet.host("raw.test");
  FetchPoolFixture fixture(internet);
  fixture.options.robots = crawler::RobotsMode::listed;
  fixture.options.retry.max_retries = 0;
  fixture.options.connect_to = {"*:80:127.0.0.1:" + std::to_string(server.port())};
  for (int i = 0; i < 20; ++i) fixture.pool().submit(request_for("http://raw.test/" + std::to_string(i)));
  for (const FetchResult& result : fixture.take(20)) CHECK(result.response.status == 200);
}

}  // namespace linkherd::tests
