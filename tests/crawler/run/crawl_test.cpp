#include "crawler/run/crawl.h"

#include <chrono>
#include <map>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "crawler/run/link_table_builder.h"
#include "storage/link_history.h"
#include "storage/run_results.h"
#include "tests/crawler/run/crawl_options.h"
#include "tests/support/small_internet.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;
using storage::CheckedLink;
using storage::Health;

namespace {

LinkTable plan_for(const std::string& markdown) {
  std::vector<InputDocument> documents{{"list.md", markdown, parser::DocumentFormat::markdown}};
  return build_link_table(documents, {});
}

std::vector<CheckedLink> all_of(const CrawlResult& result) {
  std::vector<CheckedLink> links;
  for (std::size_t i = 0; i < result.links->size(); ++i) links.push_back(result.links->at(i));
  return links;
}

CheckedLink link_to(const CrawlResult& result, std::string_view url) {
  const std::vector<CheckedLink> links = all_of(result);
  const auto found = std::ranges::find(links, url, [](const CheckedLink& link) { return link.state.url; });
  REQUIRE(found != links.end());
  return *found;
}

std::ptrdiff_t count(const CrawlResult& result, Health health) {
  std::ptrdiff_t number = 0;
  result.links->for_each(
      [&](std::size_t, const CheckedLink& link) { number += link.result.verdict.health == health ? 1 : 0; });
  return number;
}

}  // namespace

TEST_CASE("a run takes every link through all stages") {
  tests::SmallInternet internet;
  internet.host("good.cn").page("/p", tests::html_page("<title>Good page</title><h1>Good page</h1>"));
  internet.host("good.cn").page("/old", tests::redirect_page(301, "https://moved.cn/new"));
  internet.host("moved.cn").page("/new", tests::html_page("<title>New</title>"));
  internet.host("wall.cn").default_page(tests::status_page(403));
  const CrawlOptions options = options_for(internet);
  const tests::TempDir folder;
  auto store = storage::Store::open(folder / "store");
  const Clock clock;
  CrawlResult result = crawl(plan_for("[a](https://good.cn/p) [b](https://good.cn/old) [c](https://good.cn/gone)\n"
                                      "[d](https://wall.cn/) [e](https://nowhere.cn/) [m](mailto:x@y.cn)\n"),
                             options, clock, store.get(), {});

  REQUIRE(result.links->size() == 6);
  CHECK(result.run.state == storage::RunState::complete);
  CHECK(link_to(result, "https://good.cn/p").result.verdict.health == Health::alive);
  CHECK(link_to(result, "https://good.cn/p").state.snapshot.metadata.title->value == "Good page");
  const CheckedLink moved = link_to(result, "https://good.cn/old");
  CHECK(moved.result.verdict.health == Health::redirected);
  CHECK(moved.result.verdict.reason == storage::reason::moved_permanently);
  CHECK(moved.state.snapshot.final_url == "https://moved.cn/new");
  REQUIRE(moved.state.snapshot.redirects.size() == 1);
  CHECK(link_to(result, "https://good.cn/gone").result.verdict.reason == "http_404");
  CHECK(internet.count("good.cn", "/gone") == 2);
  CHECK(link_to(result, "https://wall.cn/").result.verdict.health == Health::blocked);
  CHECK(link_to(result, "https://nowhere.cn/").result.verdict.reason == storage::reason::dns_not_found);
  CHECK(link_to(result, "mailto:x@y.cn").result.verdict.health == Health::skipped);

  // Another program finds all results on disk.
  result.links.reset();
  store.reset();
  store = storage::Store::open(folder / "store");
  const auto run = store->latest_run();
  REQUIRE(run.has_value());
  CHECK(run->state == storage::RunState::complete);
  std::map<std::string, std::string> stored;
  storage::RunResults(*store, *run).for_each_link([&](const CheckedLink& link) {
    CAPTURE(link.state.url);
    CHECK(link.result.finished);
    CHECK(link.result.occurrences.size() == 1);
    stored[link.state.url] = link.result.verdict.reason;
    return true;
  });
  CHECK(stored == std::map<std::string, std::string>{{"https://good.cn/p", "ok"},
                                                     {"https://good.cn/old", "moved_permanently"},
                                                     {"https://good.cn/gone", "http_404"},
                                                     {"https://wall.cn/", "http_403"},
                                                     {"https://nowhere.cn/", "dns_not_found"},
                                                     {"mailto:x@y.cn", "unsupported_scheme"}});
  const auto page =
      storage::LinkHistory(*store).state(storage::LinkId::of(parser::Url::parse("https://good.cn/p").value()));
  REQUIRE(page.has_value());
  CHECK(page->snapshot.metadata.title->value == "Good page");
  CHECK(storage::LinkHistory(*store).body(page->snapshot.body_digest).value_or("").find("Good page") !=
        std::string::npos);
}

TEST_CASE("a URL that is listed repeatedly is fetched once") {
  tests::SmallInternet internet;
  internet.host("a.cn").page("/p", tests::html_page("x"));
  const Clock clock;
  const CrawlResult result = crawl(plan_for("[a](https://a.cn/p) [b](https://a.cn/p#f) [c](https://A.CN/p)\n"),
                                   options_for(internet), clock, nullptr, {});
  REQUIRE(result.links->size() == 1);
  CHECK(result.links->at(0).result.occurrences.size() == 3);
  CHECK(internet.count("a.cn", "/p") == 1);
}

TEST_CASE("the confirmation of a dead link waits for confirm_wait") {
  tests::SmallInternet internet;
  internet.host("a.cn").default_page(tests::status_page(404));
  CrawlOptions options = options_for(internet);
  options.confirm_wait = 1500ms;
  const Clock clock;
  const CrawlResult result = crawl(plan_for("<https://a.cn/gone>\n"), options, clock, nullptr, {});
  const std::vector<storage::Attempt> attempts = link_to(result, "https://a.cn/gone").state.snapshot.attempts;
  REQUIRE(attempts.size() == 2);
  CHECK(attempts[1].at - attempts[0].at >= options.confirm_wait);
}

TEST_CASE("a stop signal ends the run within the grace time without loss" * doctest::test_suite("timing")) {
  tests::SmallInternet internet;
  internet.host("fast.cn").default_page(tests::html_page("x"));
  tests::Page silent;
  silent.delivery = tests::Delivery::silence;
  internet.host("silent.cn").default_page(silent);
  CrawlOptions options = options_for(internet);
  options.fetch.shutdown_grace = 500ms;
  options.fetch.timeout = 60s;
  std::string list = "[s](https://silent.cn/)\n";
  for (int i = 0; i < 200; ++i) list += "[f](https://fast.cn/" + std::to_string(i) + ")\n";
  options.fetch.politeness.host_request_interval = 50ms;

  std::atomic<StopSignal> stop{StopSignal::none};
  CrawlControls controls;
  controls.stop = &stop;
  bool was_busy = false;
  std::thread signal([&] {
    was_busy = internet.wait_for_requests(5, 30s);
    stop = StopSignal::interrupt;
  });
  const Clock clock;
  const auto started = std::chrono::steady_clock::now();
  const CrawlResult result = crawl(plan_for(list), options, clock, nullptr, controls);
  signal.join();
  CHECK(was_busy);
  CHECK(std::chrono::steady_clock::now() - started < 30s);
  CHECK(result.run.state == storage::RunState::interrupted);
  CHECK(result.links->size() == 201);
  CHECK(link_to(result, "https://silent.cn/").result.verdict.health == Health::deferred);
  CHECK(count(result, Health::alive) > 0);
  CHECK(count(result, Health::deferred) > 0);
  CHECK(count(result, Health::dead) == 0);
}

TEST_CASE("after the run deadline unfinished links are deferred and finished ones count" *
          doctest::test_suite("timing")) {
  tests::SmallInternet internet;
  internet.host("slow.cn").default_page(tests::html_page("x"));
  internet.host("gone.cn").default_page(tests::status_page(404));
  CrawlOptions options = options_for(internet);
  options.deadline = 1500ms;
  options.fetch.shutdown_grace = 500ms;
  options.fetch.politeness.host_request_interval = 200ms;
  options.confirm_wait = 60s;
  std::string list = "[g](https://gone.cn/)\n";
  for (int i = 0; i < 500; ++i) list += "[f](https://slow.cn/" + std::to_string(i) + ")\n";
  const Clock clock;
  const auto started = std::chrono::steady_clock::now();
  const CrawlResult result = crawl(plan_for(list), options, clock, nullptr, {});
  CHECK(std::chrono::steady_clock::now() - started < 20s);
  CHECK(result.run.state == storage::RunState::complete);
  CHECK(result.links->size() == 501);
  CHECK(count(result, Health::alive) > 0);
  CHECK(count(result, Health::dead) == 0);
  CHECK(link_to(result, "https://slow.cn/499").result.verdict.reason == storage::reason::deadline);
  CHECK(link_to(result, "https://slow.cn/499").state.strikes == 0);
  CHECK(link_to(result, "https://gone.cn/").result.verdict.reason == storage::reason::unconfirmed);
}

TEST_CASE("a run without any DNS answer ends as an outage without dead links" * doctest::test_suite("timing")) {
  tests::SmallInternet internet;
  CrawlOptions options = options_for(internet);
  options.fetch.connect_to.clear();
  options.fetch.dns_servers = {"127.0.0.1:9"};  // nothing listens there
  std::string list;
  for (int i = 0; i < 30; ++i) list += "[x](https://host" + std::to_string(i) + ".cn/)\n";
  const Clock clock;
  const auto started = std::chrono::steady_clock::now();
  const CrawlResult result = crawl(plan_for(list), options, clock, nullptr, {});
  CHECK(std::chrono::steady_clock::now() - started < 30s);
  CHECK(result.run.state == storage::RunState::outage);
  for (const CheckedLink& link : all_of(result)) CHECK(link.result.verdict.health == Health::deferred);
}

TEST_CASE("a run completes although its bodies exceed the body budget") {
  tests::SmallInternet internet;
  const tests::Page page = tests::html_page("<p>" + std::string(200'000, 'x'));
  for (int i = 0; i < 100; ++i) internet.host("big.cn").page("/" + std::to_string(i), page);
  CrawlOptions options = options_for(internet);
  options.fetch.body_budget = 1'000'000;
  options.fetch.politeness.host_concurrency = 50;
  options.parse_threads = 1;
  std::string list;
  for (int i = 0; i < 100; ++i) list += "[x](http://big.cn/" + std::to_string(i) + ")\n";
  const Clock clock;
  const CrawlResult result = crawl(plan_for(list), options, clock, nullptr, {});
  CHECK(count(result, Health::alive) == 100);
}

TEST_CASE("pages left over from a failed run are freed before their budget") {
  tests::SmallInternet internet;
  internet.host("big.cn").default_page(tests::html_page("<p>" + std::string(20'000, 'x')));
  CrawlOptions options = options_for(internet);
  options.fetch.politeness.host_concurrency = 50;
  std::string list;
  for (int i = 0; i < 600; ++i) list += "[x](http://big.cn/" + std::to_string(i) + ")\n";
  const Clock clock;
  CrawlControls controls;
  controls.on_progress = [](const CrawlProgress& progress) {
    if (progress.done == 0) return;      // the run would have no result
    std::this_thread::sleep_for(300ms);  // pages still arrive
    throw std::runtime_error("no terminal");
  };
  const CrawlResult result = crawl(plan_for(list), options, clock, nullptr, controls);
  REQUIRE(result.failure != nullptr);
  CHECK_THROWS_WITH(std::rethrow_exception(result.failure), "no terminal");
}

TEST_CASE("the injected clock gives all timestamps") {
  tests::SmallInternet internet;
  internet.host("a.cn").default_page(tests::html_page("x"));
  const Timestamp then = parse_timestamp("2031-01-02T03:04:05Z").value();
  const Clock clock(then);
  const CrawlResult result = crawl(plan_for("[a](https://a.cn/)\n"), options_for(internet), clock, nullptr, {});
  CHECK(result.run.started_at >= then);
  CHECK(result.links->at(0).state.snapshot.fetched_at >= then);
  CHECK(result.links->at(0).state.snapshot.fetched_at < then + 10min);
}

TEST_CASE("archive lookups end at their time limit") {
  tests::SmallInternet internet;
  internet.host("blog.herd.com");  // 404 for all
  internet.host("archive.herd").handler([](const tests::ReceivedRequest& request) {
    tests::Page answer = tests::html_page(R"({"archived_snapshots":{}})", "application/json");
    if (request.target.starts_with("/web/")) answer = tests::status_page(404);
    answer.delay = 100ms;
    return answer;
  });
  std::string list;
  for (int i = 0; i < 300; ++i) list += "<https://blog.herd.com/" + std::to_string(i) + ">\n";
  CrawlOptions options = options_for(internet);
  options.archive = Archive(*parser::Url::parse("https://archive.herd/"));
  options.lookup_wait = 500ms;
  const CrawlResult result = crawl(plan_for(list), options, Clock(), nullptr, {});
  CHECK(count(result, Health::dead) == 300);
  CHECK(result.run.state == storage::RunState::complete);
  CHECK(internet.requests("archive.herd").size() >= 1);
  CHECK(internet.requests("archive.herd").size() < 600);
}
