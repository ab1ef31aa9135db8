#include "crawler/run/result_recorder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/run/run_links.h"
#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;
using storage::RunState;

namespace {

const Timestamp start = parse_timestamp("2026-03-05T10:00:00Z").value();

LinkTable plan_of_urls(const std::vector<const char*>& urls) {
  LinkTable plan;
  for (const char* text : urls) {
    const parser::Url url = parser::Url::parse(text).value();
    const std::size_t link = plan.find_or_add(storage::LinkId::of(url), url.href(), std::nullopt);
    parser::LinkOccurrence occurrence;
    occurrence.file = "list.md";
    occurrence.url = occurrence.href = text;
    plan.add_occurrence(link, occurrence);
  }
  return plan;
}

std::vector<FetchRequest> begin(ResultRecorder& recorder) {
  recorder.begin();
  return recorder.take_requests();
}

AnalyzedPage page_of(const FetchRequest& request, int status, Health health, std::string_view reason, Timestamp at) {
  AnalyzedPage page{{},
                    FetchRequest(request.id(), request.href(), std::nullopt, request.is_confirmation()),
                    parser::Url::parse(request.href()).value()};
  page.snapshot.fetched_at = at;
  page.snapshot.status = status;
  page.snapshot.final_url = request.href();
  page.snapshot.verdict.health = health;
  page.snapshot.verdict.reason = reason;
  page.snapshot.verdict.rule = "status";
  return page;
}

AnalyzedPage alive(const FetchRequest& request, Timestamp at) {
  AnalyzedPage page = page_of(request, 200, Health::alive, storage::reason::ok, at);
  page.body = "the body of " + std::string(request.href());
  page.snapshot.body_digest = storage::content_digest(page.body);
  page.snapshot.etag = "\"v1\"";
  page.snapshot.metadata.title = {"A title", "title", 0.9};
  return page;
}

// A store and the objects that a recorder needs, for several runs.
struct Runs {
  tests::TempDir folder;
  std::unique_ptr<storage::Store> store = storage::Store::open(folder / "store");
  CrawlOptions options;

  Runs() {
    options.inputs = {"list.md"};
    options.configuration = "a";
  }
};

constexpr const char* first_url = "https://a.cn/1";
constexpr const char* second_url = "https://b.cn/2";

}  // namespace

TEST_CASE("a finished link is stored before the run ends") {
  Runs runs;
  const Clock clock(start);
  ResultRecorder recorder(plan_of_urls({first_url, second_url}), runs.options, clock, runs.store.get());
  const auto requests = begin(recorder);
  REQUIRE(requests.size() == 2);
  CHECK_FALSE(recorder.record_page(alive(requests[0], start)).has_value());
  recorder.write_recorded();
  const auto record = storage::LinkHistory(*runs.store).state(requests[0].id());
  REQUIRE(record.has_value());
  CHECK(record->snapshot.verdict.health == Health::alive);
  CHECK(storage::LinkHistory(*runs.store).body(record->snapshot.body_digest) == "the body of https://a.cn/1");
  CHECK(recorder.done() == 1);
}

TEST_CASE("large buffered results are written without being asked") {
  Runs runs;
  const Clock clock(start);
  constexpr std::size_t count = 100;
  std::vector<std::string> urls;
  for (std::size_t number = 0; number < count; ++number) urls.push_back(fmt::format("https://a.cn/{}", number));
  std::vector<const char*> texts;
  for (const std::string& url : urls) texts.push_back(url.c_str());
  ResultRecorder recorder(plan_of_urls(texts), runs.options, clock, runs.store.get());
  constexpr std::size_t body_bytes = 200'000;
  std::size_t unwritten = 0;
  std::size_t writes = 0;
  for (const FetchRequest& request : begin(recorder)) {
    AnalyzedPage page = alive(request, start);
    page.body.resize(body_bytes, ' ');
    page.snapshot.body_digest = storage::content_digest(page.body);
    recorder.record_page(std::move(page));
    const bool is_written = storage::LinkHistory(*runs.store).state(request.id()).has_value();
    writes += is_written ? 1 : 0;
    unwritten = is_written ? 0 : unwritten + 1;
    REQUIRE(unwritten * body_bytes < 10'000'000);
  }
  CHECK(writes == 2);
  recorder.close(RunState::complete);
  CHECK(storage::RunResults(*runs.store, recorder.run()).count_by_health() ==
        std::map<Health, std::uint64_t>{{Health::alive, count}});
}

TEST_CASE("without a store the latest result of a link is read back from memory or the temporary file") {
  constexpr std::size_t in_memory = 10'000;  // further results are in the temporary file
  std::vector<std::string> urls;
  for (std::size_t index = 0; index < in_memory + 2; ++index) urls.push_back(fmt::format("https://a.cn/{}", index));
  std::vector<const char*> texts;
  for (const std::string& url : urls) texts.push_back(url.c_str());
  RunLinks links(plan_of_urls(texts), nullptr);
  for (std::size_t index = 0; index <= in_memory; ++index) links.keep(index, links.planned(index));
  storage::CheckedLink large = links.planned(in_memory + 1);
  for (const char letter : std::string_view("abcdefghijklmnopqrst")) {  // 20 MiB: the file has a buffer of 16
    large.result.verdict.evidence.assign(std::size_t{1} << 20, letter);
    links.keep(in_memory + 1, large);
  }
  CHECK(links.at(in_memory + 1).result.verdict.evidence == large.result.verdict.evidence);
  for (const std::size_t index : {std::size_t{0}, in_memory}) {
    storage::CheckedLink changed = links.planned(index);
    changed.state.archived_copy = storage::ArchivedCopy{"https://archive.example/a", start, start};
    links.keep(index, changed);
    CHECK(links.at(index).state.archived_copy == changed.state.archived_copy);
  }
}

TEST_CASE("an interrupted run is resumed and its finished links are not fetched again") {
  Runs runs;
  {
    const Clock clock(start);
    ResultRecorder killed(plan_of_urls({first_url, second_url}), runs.options, clock, runs.store.get());
    const auto requests = begin(killed);
    killed.record_page(page_of(requests[0], 403, Health::blocked, "http_403", start));
    killed.write_recorded();
  }  // no close(), as in a killed process
  runs.options.max_cache_age = Duration::zero();
  const Clock clock(start + std::chrono::minutes(5));
  ResultRecorder resumed(plan_of_urls({first_url, second_url}), runs.options, clock, runs.store.get());
  const auto requests = begin(resumed);
  CHECK(resumed.run().number == 1);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].href() == second_url);
  resumed.record_page(alive(requests[0], start));
  resumed.close(RunState::complete);
  const auto links = resumed.take_links();
  CHECK(links->at(0).result.verdict.health == Health::blocked);
  CHECK(links->at(1).result.verdict.health == Health::alive);
}

TEST_CASE("a link that left the lists before the resumed run is no longer in it but still known") {
  Runs runs;
  const Clock clock(start);
  ResultRecorder killed(plan_of_urls({first_url, second_url}), runs.options, clock, runs.store.get());
  const auto requests = begin(killed);
  killed.record_page(alive(requests[0], start));
  killed.write_recorded();
  for (int call = 0; call < 2; ++call) killed.write_unfinished();
  ResultRecorder resumed(plan_of_urls({second_url}), runs.options, clock, runs.store.get());
  begin(resumed);
  CHECK(resumed.run().number == 1);
  CHECK_FALSE(storage::RunResults(*runs.store, resumed.run()).find(requests[0].id()).has_value());
  CHECK(storage::RunResults(*runs.store, resumed.run()).find(requests[1].id()).has_value());
  CHECK(storage::LinkHistory(*runs.store).state(requests[0].id()).has_value());
}

TEST_CASE("a link is stored in its run when it is finished or has waited between two writes") {
  Runs runs;
  const Clock clock(start);
  ResultRecorder recorder(plan_of_urls({first_url, second_url}), runs.options, clock, runs.store.get());
  const auto requests = begin(recorder);
  const auto entry_of = [&](std::size_t number) {
    return storage::RunResults(*runs.store, recorder.run()).find(requests[number].id());
  };
  recorder.write_unfinished();
  CHECK_FALSE(entry_of(0).has_value());
  recorder.record_page(alive(requests[0], start));
  recorder.write_recorded();
  recorder.write_unfinished();
  REQUIRE(entry_of(0).has_value());
  CHECK(entry_of(0)->finished);
  CHECK(entry_of(0)->occurrences.size() == 1);
  REQUIRE(entry_of(1).has_value());
  CHECK_FALSE(entry_of(1)->finished);
  CHECK(entry_of(1)->verdict.reason == storage::reason::interrupted);
  CHECK(entry_of(1)->occurrences.size() == 1);
  recorder.record_page(alive(requests[1], start));
  recorder.close(RunState::complete);
  CHECK(entry_of(1)->finished);
  CHECK(entry_of(1)->occurrences.size() == 1);
}

TEST_CASE("another configuration starts another run") {
  Runs runs;
  const Clock clock(start);
  ResultRecorder first(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
  begin(first);
  CrawlOptions other = runs.options;
  other.configuration = "b";
  const Clock later(start + std::chrono::minutes(1));
  ResultRecorder second(plan_of_urls({first_url}), other, later, runs.store.get());
  begin(second);
  CHECK(second.run().number == first.run().number + 1);
}

TEST_CASE("a recently alive link comes from the store and later becomes a conditional request") {
  Runs runs;
  {
    const Clock clock(start);
    ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
    const auto requests = begin(recorder);
    recorder.record_page(alive(requests[0], clock.now()));
    recorder.close(RunState::complete);
  }
  {
    const Clock clock(start + std::chrono::hours(1));
    ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
    CHECK(begin(recorder).empty());
    recorder.close(RunState::complete);
    const auto links = recorder.take_links();
    CHECK(links->at(0).result.is_from_store);
    CHECK(links->at(0).result.verdict.health == Health::alive);
  }
  const Clock clock(start + std::chrono::hours(30));
  ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
  const auto requests = begin(recorder);
  REQUIRE(requests.size() == 1);
  REQUIRE(requests[0].validators() != nullptr);
  CHECK(requests[0].validators()->etag == "\"v1\"");
  CHECK(requests[0].validators()->url == first_url);

  recorder.record_page(page_of(requests[0], 304, Health::alive, storage::reason::not_modified, clock.now()));
  recorder.close(RunState::complete);
  const auto links = recorder.take_links();
  REQUIRE(links->at(0).state.snapshot.metadata.title.has_value());
  CHECK(links->at(0).state.snapshot.metadata.title->value == "A title");
  CHECK(links->at(0).state.snapshot.body_digest == storage::content_digest("the body of https://a.cn/1"));
  CHECK(storage::LinkHistory(*runs.store).snapshots(requests[0].id(), 10).size() == 2);
}

TEST_CASE("a stored validator with a line break is not sent") {
  Runs runs;
  runs.options.max_cache_age = Duration::zero();
  const Clock clock(start);
  for (const char* etag : {"\"v1\"\r\nAuthorization: Basic eDp5", "\"v1\"\n", "\"v1\""}) {
    CAPTURE(etag);
    {
      ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
      AnalyzedPage page = alive(begin(recorder).at(0), clock.now());
      page.snapshot.etag = etag;
      recorder.record_page(std::move(page));
      recorder.close(RunState::complete);
    }
    ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
    const auto requests = begin(recorder);
    REQUIRE(requests.size() == 1);
    CHECK((requests[0].validators() != nullptr) == (std::string_view(etag) == "\"v1\""));
  }
}

TEST_CASE("a dead link is confirmed by a second check on a new connection") {
  Runs runs;
  const Clock clock(start);
  ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
  const auto requests = begin(recorder);
  const auto again = recorder.record_page(page_of(requests[0], 404, Health::dead, "http_404", start));
  REQUIRE(again.has_value());
  CHECK(again->is_confirmation());
  CHECK(recorder.done() == 0);
  CHECK_FALSE(storage::LinkHistory(*runs.store).state(requests[0].id()).has_value());

  SUBCASE("a dead confirmation makes the link dead") {
    CHECK_FALSE(recorder.record_page(page_of(*again, 404, Health::dead, "http_404", start + std::chrono::seconds(10)))
                    .has_value());
    recorder.close(RunState::complete);
    CHECK(recorder.take_links()->at(0).result.verdict.health == Health::dead);
  }
  SUBCASE("an alive confirmation makes the link alive") {
    CHECK_FALSE(recorder.record_page(alive(*again, start + std::chrono::seconds(10))).has_value());
    recorder.close(RunState::complete);
    CHECK(recorder.take_links()->at(0).result.verdict.health == Health::alive);
  }
}

TEST_CASE("an unreachable link gets a strike unless the run was an outage") {
  for (const RunState state : {RunState::complete, RunState::outage}) {
    Runs runs;
    const Clock clock(start);
    ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
    const auto requests = begin(recorder);
    recorder.record_page(page_of(requests[0], 0, Health::unreachable, storage::reason::timeout, start));
    recorder.close(state);
    const auto links = recorder.take_links();
    if (state == RunState::complete) {
      CHECK(links->at(0).result.verdict.health == Health::unreachable);
      CHECK(links->at(0).state.strikes == 1);
    } else {
      CHECK(links->at(0).result.verdict.health == Health::deferred);
      CHECK(links->at(0).result.verdict.reason == storage::reason::outage);
      CHECK_FALSE(storage::LinkHistory(*runs.store).state(requests[0].id()).has_value());
    }
  }
}

TEST_CASE("links die with a host that is unresponsive in three runs a day apart without outage") {
  Runs runs;
  Timestamp now = start;
  storage::HostState host{.origin = "https://a.cn", .not_before = std::nullopt, .unresponsive = std::nullopt};
  const auto run_after = [&](Duration wait, RunState state) {
    now += wait;
    const Timestamp asked = now + std::chrono::seconds(1);
    if (!host.unresponsive) host.unresponsive = {.since = asked, .last = asked};
    host.unresponsive->last = asked;
    const Clock clock(now);
    ResultRecorder recorder(plan_of_urls({first_url, "https://a.cn/never-tried", second_url}), runs.options, clock,
                            runs.store.get());
    const auto requests = begin(recorder);
    recorder.record_page(page_of(requests[0], 0, Health::unreachable, storage::reason::timeout, now));
    recorder.record_page(page_of(requests[1], 0, Health::deferred, storage::reason::host_unavailable, now));
    recorder.record_page(alive(requests[2], now));
    recorder.close(state, {host});
    host = runs.store->hosts().front();
    const auto links = recorder.take_links();
    CHECK(links->at(2).result.verdict.health == Health::alive);
    return std::pair(links->at(0).result.verdict.health, links->at(1).result.verdict.health);
  };
  runs.options.max_cache_age = Duration::zero();
  constexpr Duration day = std::chrono::hours(24);
  const std::pair waiting(Health::unreachable, Health::deferred);
  CHECK(run_after(day, RunState::outage) == std::pair(Health::deferred, Health::deferred));
  CHECK_FALSE(host.unresponsive);
  CHECK(run_after(day, RunState::complete) == waiting);
  CHECK(run_after(std::chrono::hours(1), RunState::complete) == waiting);
  CHECK(run_after(day, RunState::complete) == waiting);
  CHECK(host.unresponsive->strikes == 2);
  CHECK(run_after(day, RunState::outage) == std::pair(Health::deferred, Health::deferred));
  CHECK(host.unresponsive->strikes == 2);
  CHECK(run_after(day, RunState::interrupted) == std::pair(Health::dead, Health::dead));
  CHECK(host.unresponsive->strikes == 3);
}

TEST_CASE("a page behind a new wall keeps its known metadata") {
  Runs runs;
  runs.options.max_cache_age = Duration::zero();
  {
    const Clock clock(start);
    ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
    recorder.record_page(alive(begin(recorder).front(), start));
    recorder.close(RunState::complete);
  }
  const Clock clock(start + std::chrono::hours(24));
  ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
  recorder.record_page(page_of(begin(recorder).front(), 403, Health::blocked, "http_403", clock.now()));
  recorder.close(RunState::complete);
  const auto links = recorder.take_links();
  CHECK(links->at(0).result.verdict.health == Health::blocked);
  REQUIRE(links->at(0).state.snapshot.metadata.title.has_value());
}

TEST_CASE("results are the same with and without a store") {
  const std::vector<const char*> urls{"https://a.cn/alive",   "https://a.cn/gone",   "https://a.cn/wall",
                                      "https://a.cn/silent",  "https://a.cn/late",   "https://a.cn/back",
                                      "https://a.cn/skipped", "https://a.cn/untried"};
  Runs runs;
  runs.options.confirm_wait = std::chrono::seconds(10);
  const Clock clock(start);
  const auto checked = [&](storage::Store* store) {
    ResultRecorder recorder(plan_of_urls(urls), runs.options, clock, store);
    const auto requests = begin(recorder);
    REQUIRE(requests.size() == urls.size());
    const auto dead = [](const FetchRequest& request, Timestamp at) {
      AnalyzedPage page = page_of(request, 404, Health::dead, "http_404", at);
      page.snapshot.attempts.push_back({at, std::string(request.href()), 404, "", 12});
      return page;
    };
    const Timestamp later = start + std::chrono::seconds(11);
    recorder.record_page(alive(requests[0], start));
    const auto gone = recorder.record_page(dead(requests[1], start));
    const auto back = recorder.record_page(dead(requests[5], start));
    REQUIRE((gone && back));
    recorder.record_page(page_of(requests[2], 403, Health::blocked, "http_403", start));
    recorder.record_page(page_of(requests[3], 0, Health::unreachable, "timeout", start));
    recorder.record_page(page_of(requests[4], 0, Health::deferred, "host_unavailable", start));
    recorder.record_page(page_of(requests[6], 0, Health::skipped, "robots_disallowed", start));
    recorder.record_page(dead(*gone, later));
    recorder.record_page(alive(*back, later));
    recorder.close(RunState::complete);
    std::vector<storage::CheckedLink> links;
    const auto all = recorder.take_links();
    for (std::size_t i = 0; i < all->size(); ++i) links.push_back(all->at(i));
    return links;
  };
  const std::vector<storage::CheckedLink> stored = checked(runs.store.get());
  const std::vector<storage::CheckedLink> unstored = checked(nullptr);
  for (std::size_t i = 0; i < urls.size(); ++i) {
    CAPTURE(urls[i]);
    CHECK(stored[i].state == unstored[i].state);
    CHECK(stored[i].result == unstored[i].result);
  }
  CHECK(unstored[0].state.snapshot.metadata.title->value == "A title");
  CHECK(unstored[1].result.verdict.health == Health::dead);
  CHECK(unstored[1].state.snapshot.attempts.size() == 2);
  CHECK(unstored[3].state.strikes == 1);
  CHECK(unstored[4].result.verdict.reason == "host_unavailable");
  CHECK(unstored[5].result.verdict.health == Health::alive);
  CHECK(unstored[7].result.verdict.reason == storage::reason::interrupted);
}

TEST_CASE("an unreachable link is not finished before the run ends") {
  Runs runs;
  const Clock clock(start);
  ResultRecorder recorder(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
  const auto requests = begin(recorder);
  recorder.record_page(page_of(requests[0], 0, Health::unreachable, "timeout", start));
  for (int call = 0; call < 2; ++call) recorder.write_unfinished();  // results from before the first call
  const std::optional<storage::LinkResult> entry =
      storage::RunResults(*runs.store, recorder.run()).find(requests[0].id());
  REQUIRE(entry.has_value());
  CHECK_FALSE(entry->finished);
  CHECK_FALSE(storage::LinkHistory(*runs.store).state(requests[0].id()).has_value());
}

TEST_CASE("a stored link whose URL differs is fetched at the URL of the list") {
  Runs runs;
  const Clock clock(start);
  {
    ResultRecorder before(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
    const auto requests = begin(before);
    before.record_page(alive(requests[0], start - std::chrono::hours(48)));
    before.close(RunState::complete);
    for (const char* damaged : {"no URL at all", "https://elsewhere.cn/"}) {
      CAPTURE(damaged);
      storage::CheckedLink link;
      link.state = *storage::LinkHistory(*runs.store).state(requests[0].id());
      link.result = *storage::RunResults(*runs.store, before.run()).find(requests[0].id());
      link.state.url = damaged;
      storage::put_link(*runs.store, before.run(), link, {});
      ResultRecorder again(plan_of_urls({first_url}), runs.options, clock, runs.store.get());
      const auto requests_again = begin(again);
      REQUIRE(requests_again.size() == 1);
      CHECK(requests_again[0].href() == first_url);
      again.record_page(alive(requests_again[0], start - std::chrono::hours(48)));
      again.write_recorded();
      CHECK(storage::LinkHistory(*runs.store).state(requests[0].id())->url == first_url);
      again.close(RunState::complete);
    }
  }
}

TEST_CASE("a run without store works the same and remembers nothing") {
  CrawlOptions options;
  const Clock clock(start);
  ResultRecorder recorder(plan_of_urls({first_url}), options, clock, nullptr);
  const auto requests = begin(recorder);
  REQUIRE(requests.size() == 1);
  recorder.record_page(alive(requests[0], start));
  recorder.close(RunState::complete);
  CHECK(recorder.run().number == 0);
  CHECK(recorder.take_links()->at(0).result.verdict.health == Health::alive);
}
