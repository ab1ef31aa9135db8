#include "crawler/frontier/frontier.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

const Timestamp start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 5}};

std::unique_ptr<PendingFetch> fetch(std::string_view url, std::optional<Timestamp> not_before = std::nullopt) {
  return std::make_unique<PendingFetch>(FetchRequest{.id = {},
                                                     .url = parser::Url::parse(url).value(),
                                                     .validators = std::nullopt,
                                                     .confirming = false,
                                                     .not_before = not_before});
}

std::unique_ptr<PendingFetch> hop(std::string_view url) {
  auto f = fetch(url);
  f->redirects.push_back({.from = "https://elsewhere.example/", .status = 301, .to = std::string(url)});
  return f;
}

std::string href(const std::unique_ptr<PendingFetch>& f) { return f ? std::string(f->url.href()) : "nothing"; }
std::string pop(Frontier& frontier, Timestamp now) { return href(frontier.pop(now)); }

Politeness pace(int concurrency, Duration interval) {
  return {.host_concurrency = concurrency, .host_request_interval = interval};
}

// Raises a host's concurrency to `to` by clean contacts, without leaving anything pending.
void warm_up(Frontier& frontier, const std::string& origin, double to) {
  frontier.restore({.origin = origin, .not_before = std::nullopt, .concurrency = to});
}

}  // namespace

TEST_CASE("an empty frontier has nothing and is never ready") {
  Frontier frontier{Politeness{}};
  CHECK(frontier.pop(start) == nullptr);
  CHECK_FALSE(frontier.next_ready());
  CHECK(frontier.size() == 0);
  CHECK(frontier.drain().empty());
  CHECK(frontier.biggest_backlogs(3).empty());
  CHECK(frontier.host_states().empty());
  CHECK_FALSE(frontier.has_pending("https://a.example"));
  frontier.finished("https://a.example", ContactOutcome::clean, start);  // of a host it does not know: no matter
}

TEST_CASE("a host is asked one at a time and at its interval") {
  Frontier frontier(pace(6, 100ms));
  for (const char* url : {"https://a.example/1", "https://a.example/2", "https://a.example/3"})
    frontier.push(fetch(url));
  REQUIRE(frontier.next_ready());
  CHECK(*frontier.next_ready() <= start);
  CHECK(pop(frontier, start) == "https://a.example/1");
  CHECK_FALSE(frontier.next_ready());  // the only slot is taken
  CHECK(pop(frontier, start + 1h) == "nothing");

  frontier.finished("https://a.example", ContactOutcome::clean, start + 1h);
  CHECK(pop(frontier, start + 1h) == "https://a.example/2");
  frontier.finished("https://a.example", ContactOutcome::clean, start + 1h + 10ms);
  CHECK(frontier.next_ready() == start + 1h + 100ms);
  CHECK(pop(frontier, start + 1h + 99ms) == "nothing");
  CHECK(pop(frontier, start + 1h + 100ms) == "https://a.example/3");
  CHECK_FALSE(frontier.next_ready());
  CHECK(frontier.size() == 0);
}

TEST_CASE("next_ready is exactly when pop gives something") {
  Frontier frontier(pace(6, 70ms));
  for (int i = 0; i < 40; ++i) {
    const std::string host = "https://h" + std::to_string(i % 7) + ".example";
    frontier.push(fetch(host + "/" + std::to_string(i), i % 3 == 0 ? std::optional(start + i * 13ms) : std::nullopt));
  }
  frontier.pause("https://h2.example", start + 400ms);
  Timestamp now = start;
  int popped = 0;
  while (const std::optional<Timestamp> next = frontier.next_ready()) {
    if (*next > now) {
      REQUIRE(frontier.pop(*next - 1us) == nullptr);
      now = *next;
    }
    const auto f = frontier.pop(now);
    REQUIRE(f != nullptr);
    ++popped;
    frontier.finished(f->url.origin(), ContactOutcome::clean, now);
  }
  CHECK(popped == 40);
  CHECK(frontier.size() == 0);
}

TEST_CASE("among hosts whose time has come the biggest goes first") {
  Frontier frontier(pace(1, 100ms));
  frontier.push(fetch("https://small.example/1"));
  for (int i = 0; i < 3; ++i) frontier.push(fetch("https://big.example/" + std::to_string(i)));
  for (int i = 0; i < 2; ++i) frontier.push(fetch("https://middle.example/" + std::to_string(i)));
  CHECK(pop(frontier, start) == "https://big.example/0");
  CHECK(pop(frontier, start) == "https://middle.example/0");
  CHECK(pop(frontier, start) == "https://small.example/1");
  CHECK(pop(frontier, start) == "nothing");

  // One that grows while it is ready moves up.
  frontier.push(fetch("https://x.example/1"));
  frontier.push(fetch("https://y.example/1"));
  CHECK(frontier.pop(start - 1h) != nullptr);  // x or y: both are ready now
  frontier.push(fetch("https://z.example/1"));
  frontier.push(fetch("https://z.example/2"));
  CHECK(pop(frontier, start) == "https://z.example/1");
}

TEST_CASE("without an interval a host fills its slots at once") {
  Frontier frontier(pace(3, 0ms));
  warm_up(frontier, "https://a.example", 100.0);  // capped at the ceiling
  for (int i = 0; i < 5; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) == nullptr);
  frontier.finished("https://a.example", ContactOutcome::clean, start);
  CHECK(frontier.pop(start) != nullptr);
  // Overload halves the limit from 3 to 1.5: no new start before two more have ended.
  frontier.finished("https://a.example", ContactOutcome::overloaded, start);
  CHECK(frontier.pop(start) == nullptr);
  frontier.finished("https://a.example", ContactOutcome::not_contacted, start);
  CHECK(frontier.pop(start) == nullptr);
  frontier.finished("https://a.example", ContactOutcome::not_contacted, start);
  CHECK(frontier.pop(start) != nullptr);
}

TEST_CASE("eight clean contacts open a second slot") {
  Frontier frontier(pace(6, 0ms));
  for (int i = 0; i < 20; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
  for (int i = 0; i < 8; ++i) {
    CHECK(frontier.pop(start) != nullptr);
    CHECK(frontier.pop(start) == nullptr);
    frontier.finished("https://a.example", ContactOutcome::clean, start);
  }
  CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) == nullptr);
}

TEST_CASE("links under way go before new ones and deferred ones when their time has come") {
  Frontier frontier(pace(1, 0ms));
  frontier.push(fetch("https://a.example/new-1"));
  frontier.push(fetch("https://a.example/new-2"));
  frontier.push(fetch("https://a.example/later", start + 2s));
  frontier.push(fetch("https://a.example/sooner", start + 1s));
  frontier.push(fetch("https://a.example/sooner-too", start + 1s));
  frontier.push(hop("https://a.example/hop"));
  auto again = fetch("https://a.example/again");
  again->attempts.emplace_back();
  frontier.push(std::move(again));
  const auto next = [&](Timestamp now) {
    std::string got = pop(frontier, now);
    frontier.finished("https://a.example", ContactOutcome::clean, now);
    return got;
  };
  CHECK(next(start) == "https://a.example/hop");
  CHECK(next(start) == "https://a.example/again");
  CHECK(next(start) == "https://a.example/new-1");  // deferred ones do not block
  CHECK(next(start + 1s) == "https://a.example/sooner");
  CHECK(next(start + 1s) == "https://a.example/sooner-too");
  CHECK(next(start + 1s) == "https://a.example/new-2");
  CHECK(frontier.next_ready() == start + 2s);
  CHECK(next(start + 1s) == "nothing");
  CHECK(next(start + 2s) == "https://a.example/later");
}

TEST_CASE("a popped fetch has used up its time") {
  Frontier frontier(pace(1, 0ms));
  frontier.push(fetch("https://a.example/", start));
  const auto f = frontier.pop(start);
  REQUIRE(f != nullptr);
  CHECK_FALSE(f->not_before);
}

TEST_CASE("a host that asked for silence blocks nobody else") {
  Frontier frontier(pace(1, 0ms));
  for (int i = 0; i < 9; ++i) frontier.push(fetch("https://busy.example/" + std::to_string(i)));
  frontier.push(fetch("https://other.example/"));
  CHECK(pop(frontier, start) == "https://busy.example/0");
  frontier.pause("https://busy.example", start + 30s);
  frontier.pause("https://busy.example", start + 10s);  // the later deadline stands
  frontier.finished("https://busy.example", ContactOutcome::overloaded, start);
  CHECK(pop(frontier, start) == "https://other.example/");
  CHECK(frontier.next_ready() == start + 30s);
  CHECK(pop(frontier, start + 29s) == "nothing");
  CHECK(pop(frontier, start + 30s) == "https://busy.example/1");
}

TEST_CASE("a slot given back without contact gives its interval back too") {
  Frontier frontier(pace(2, 100ms));
  for (int i = 0; i < 4; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
  CHECK(frontier.pop(start) != nullptr);
  frontier.finished("https://a.example", ContactOutcome::not_contacted, start);
  CHECK(frontier.pop(start) != nullptr);
  frontier.finished("https://a.example", ContactOutcome::failed, start);
  CHECK(frontier.pop(start) == nullptr);
  CHECK(frontier.pop(start + 100ms) != nullptr);

  // Not where another contact came in between: that one's interval holds.
  Frontier two(pace(2, 100ms));
  warm_up(two, "https://b.example", 2.0);
  for (int i = 0; i < 4; ++i) two.push(fetch("https://b.example/" + std::to_string(i)));
  CHECK(two.pop(start) != nullptr);
  CHECK(two.pop(start + 100ms) != nullptr);
  two.finished("https://b.example", ContactOutcome::clean, start + 100ms);
  two.finished("https://b.example", ContactOutcome::not_contacted, start + 100ms);
  CHECK(two.pop(start + 150ms) == nullptr);
  CHECK(two.pop(start + 200ms) != nullptr);
}

TEST_CASE("the interval holds for a host that was drained and comes back") {
  Frontier frontier(pace(1, 100ms));
  frontier.push(fetch("https://a.example/1"));
  CHECK(frontier.pop(start) != nullptr);
  frontier.finished("https://a.example", ContactOutcome::clean, start + 5ms);
  CHECK(frontier.pop(start + 50ms) == nullptr);
  frontier.push(fetch("https://a.example/2"));
  CHECK(frontier.pop(start + 99ms) == nullptr);
  CHECK(frontier.next_ready() == start + 100ms);
  CHECK(frontier.pop(start + 100ms) != nullptr);
  frontier.finished("https://a.example", ContactOutcome::clean, start + 101ms);
  // Forgotten after its silence, it starts anew.
  CHECK(frontier.pop(start + 1h) == nullptr);
  frontier.push(fetch("https://a.example/3"));
  CHECK(frontier.pop(start + 1h) != nullptr);
}

TEST_CASE("what was learnt about a host goes to the next run") {
  Frontier frontier(pace(6, 0ms));
  frontier.restore({.origin = "https://fast.example", .not_before = std::nullopt, .concurrency = 4.5});
  frontier.restore({.origin = "https://silent.example", .not_before = start + 1h, .concurrency = 1.0});
  frontier.restore({.origin = "https://over.example", .not_before = start - 1h, .concurrency = 1.0});
  frontier.restore({.origin = "https://odd.example", .not_before = std::nullopt, .concurrency = -3.0});
  frontier.push(fetch("https://silent.example/"));
  frontier.push(fetch("https://over.example/"));
  frontier.push(fetch("https://dull.example/"));
  CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) == nullptr);
  CHECK(frontier.next_ready() == start + 1h);
  frontier.finished("https://over.example", ContactOutcome::clean, start);
  frontier.finished("https://dull.example", ContactOutcome::clean, start);
  frontier.pause("https://told.example", start + 2h);  // a host that nothing is pending for

  const std::vector<storage::HostState> expected{
      {.origin = "https://fast.example", .not_before = std::nullopt, .concurrency = 4.5},
      {.origin = "https://silent.example", .not_before = start + 1h, .concurrency = 1.0},
      {.origin = "https://told.example", .not_before = start + 2h, .concurrency = 1.0},
  };
  CHECK(frontier.host_states() == expected);
  CHECK(frontier.pop(start + 1h) != nullptr);
  CHECK(frontier.host_states().size() == 2);  // the silence of silent.example is over
}

TEST_CASE("draining gives back all that is pending and slots can still be given back") {
  Frontier frontier(pace(1, 0ms));
  std::set<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    const std::string url = "https://h" + std::to_string(i % 5) + ".example/" + std::to_string(i);
    expected.insert(url);
    frontier.push(i % 4 == 0 ? hop(url) : fetch(url, i % 4 == 1 ? std::optional(start + 1h) : std::nullopt));
  }
  const auto taken = frontier.pop(start);
  REQUIRE(taken != nullptr);
  expected.erase(href(taken));
  std::set<std::string> drained;
  for (const auto& f : frontier.drain()) drained.insert(href(f));
  CHECK(drained == expected);
  CHECK(frontier.size() == 0);
  CHECK_FALSE(frontier.next_ready());
  frontier.finished(taken->url.origin(), ContactOutcome::not_contacted, start);
  CHECK(frontier.pop(start + 24h) == nullptr);
}

TEST_CASE("the biggest backlogs come with the time until which they wait") {
  Frontier frontier(pace(1, 100ms));
  for (int i = 0; i < 4; ++i) frontier.push(fetch("https://four.example/" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) frontier.push(fetch("https://three.example/" + std::to_string(i)));
  frontier.push(fetch("https://one.example/"));
  CHECK(frontier.pop(start) != nullptr);
  frontier.pause("https://three.example", start + 5s);
  const std::vector<HostBacklog> backlogs = frontier.biggest_backlogs(2);
  REQUIRE(backlogs.size() == 2);
  CHECK(backlogs[0].origin == "https://four.example");
  CHECK(backlogs[0].pending == 3);
  CHECK_FALSE(backlogs[0].not_before);  // it waits for its slot
  CHECK(backlogs[1].origin == "https://three.example");
  CHECK(backlogs[1].not_before == start + 5s);
  CHECK(frontier.biggest_backlogs(100).size() == 3);
  CHECK(frontier.has_pending("https://four.example"));
  CHECK_FALSE(frontier.has_pending("https://none.example"));
}

TEST_CASE("origins differ by scheme and port") {
  Frontier frontier(pace(1, 0ms));
  for (const char* url :
       {"https://a.example/", "http://a.example/", "https://a.example:8443/", "https://a.example/2"}) {
    frontier.push(fetch(url));
  }
  int ready = 0;
  while (frontier.pop(start)) ++ready;
  CHECK(ready == 3);
}

TEST_CASE("whatever happens every fetch comes out once and no host is asked too fast") {
  const Politeness politeness = pace(4, 50ms);
  Frontier frontier(politeness);
  std::map<std::string, std::vector<Timestamp>> starts;
  std::map<std::string, int> seen;
  std::vector<std::pair<Timestamp, std::string>> in_flight;
  std::uint32_t random = 12345;
  const auto next_random = [&random] { return (random = random * 1664525U + 1013904223U) >> 8U; };
  Timestamp now = start;
  int pushed = 0;
  constexpr int total = 3000;
  while (pushed < total || frontier.size() != 0 || !in_flight.empty()) {
    now += Duration(next_random() % 5000);
    for (std::uint32_t i = next_random() % 4; i > 0 && pushed < total; --i, ++pushed) {
      const std::string url = "https://h" + std::to_string(next_random() % 20) + ".example/" + std::to_string(pushed);
      frontier.push(next_random() % 5 == 0 ? fetch(url, now + Duration(next_random() % 100'000)) : fetch(url));
    }
    std::erase_if(in_flight, [&](const auto& flight) {
      if (flight.first > now) return false;
      frontier.finished(flight.second, next_random() % 20 == 0 ? ContactOutcome::overloaded : ContactOutcome::clean,
                        now);
      return true;
    });
    while (const auto f = frontier.pop(now)) {
      const std::string origin = f->url.origin();
      ++seen[href(f)];
      starts[origin].push_back(now);
      in_flight.emplace_back(now + Duration(next_random() % 100'000), origin);
      REQUIRE(std::ranges::count(in_flight, origin, &std::pair<Timestamp, std::string>::second) <= 4);
    }
  }
  CHECK(seen.size() == total);
  CHECK(std::ranges::all_of(seen, [](const auto& entry) { return entry.second == 1; }));
  for (const auto& entry : starts) {
    const std::vector<Timestamp>& times = entry.second;
    CAPTURE(entry.first);
    for (std::size_t i = 1; i < times.size(); ++i) REQUIRE(times[i] - times[i - 1] >= politeness.host_request_interval);
  }
}

TEST_CASE("forty thousand hosts and a host of forty thousand links are no trouble") {
  Frontier frontier(pace(6, 0ms));
  for (int i = 0; i < 40'000; ++i) {
    frontier.push(fetch("https://h" + std::to_string(i) + ".example/"));
    frontier.push(fetch("https://big.example/" + std::to_string(i)));
  }
  CHECK(frontier.size() == 80'000);
  int popped = 0;
  while (const auto f = frontier.pop(start)) {
    ++popped;
    frontier.finished(f->url.origin(), ContactOutcome::clean, start);
  }
  CHECK(popped == 80'000);
}
