// Tests what a frontier keeps and returns (host states, backlogs, pending fetches) and that it loses nothing.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <malloc.h>

#include "tests/crawler/frontier/fetch_states.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

TEST_CASE("learnt host state is carried to the next run") {
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
  frontier.note_finished("https://over.example", contact(ContactOutcome::clean, start), start);
  frontier.note_finished("https://dull.example", contact(ContactOutcome::clean, start), start);
  frontier.pause("https://told.example", start + 2h, start);  // a host without pending links

  const std::vector<storage::HostState> expected{
      {.origin = "https://fast.example", .not_before = std::nullopt, .concurrency = 4.5},
      {.origin = "https://silent.example", .not_before = start + 1h, .concurrency = 1.0},
      {.origin = "https://told.example", .not_before = start + 2h, .concurrency = 1.0},
  };
  CHECK(frontier.host_states() == expected);
  CHECK(frontier.pop(start + 1h) != nullptr);
  CHECK(frontier.host_states().size() == 2);  // silent.example is no longer remembered as silent
}

TEST_CASE("draining returns all pending fetches and slots can still be returned") {
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
  frontier.note_finished(taken->hop_url.origin(), contact(ContactOutcome::not_contacted, start), start);
  CHECK(frontier.pop(start + 24h) == nullptr);
}

TEST_CASE("the longest backlogs come with their wait reason") {
  Frontier frontier(pace(1, 100ms));
  for (int i = 0; i < 4; ++i) frontier.push(fetch("https://four.example/" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) frontier.push(fetch("https://three.example/" + std::to_string(i)));
  frontier.push(fetch("https://one.example/"));
  CHECK(frontier.pop(start) != nullptr);
  frontier.pause("https://three.example", start + 5s, start, {.status = 429});
  const std::vector<HostBacklog> backlogs = frontier.biggest_backlogs(2, start + 1s);
  REQUIRE(backlogs.size() == 2);
  CHECK(backlogs[0].origin == "https://four.example");
  CHECK(backlogs[0].pending == 3);
  CHECK(backlogs[0].wait == HostWait{});  // waits for a slot
  CHECK(backlogs[1].origin == "https://three.example");
  CHECK(backlogs[1].wait == HostWait{.reason = WaitReason::host_pause, .status = 429, .time = 5s});
  CHECK(frontier.biggest_backlogs(100, start).size() == 3);
}

TEST_CASE("each wait reason is known") {
  Frontier frontier(pace(1, 100ms));
  const auto wait_of = [&frontier](Timestamp now) {
    const std::vector<HostBacklog> backlogs = frontier.biggest_backlogs(1, now);
    return backlogs.empty() ? HostWait{} : backlogs.front().wait;
  };
  const std::string origin = "https://a.example";
  frontier.push(fetch("https://a.example/retried", start + 4s));
  CHECK(wait_of(start + 1s) == HostWait{.reason = WaitReason::retry, .time = 3s});
  frontier.push(fetch("https://a.example/fresh"));
  CHECK(wait_of(start) == HostWait{});
  frontier.set_crawl_delay(origin, std::chrono::duration<double>(2));
  CHECK(wait_of(start) == HostWait{.reason = WaitReason::crawl_delay, .time = 2s});
  frontier.pause(origin, start + 3s, start, {.status = 429, .is_host_time = false});
  CHECK(wait_of(start) == HostWait{.reason = WaitReason::own_pause, .status = 429, .time = 3s});
}

TEST_CASE("a pause counts only if a request waited for it") {
  Frontier frontier(pace(1, 0ms));
  const std::string origin = "https://a.example";
  const auto waited = [&frontier] {
    const std::vector<storage::HostState> states = frontier.host_states();
    return states.empty() || !states.front().pauses ? Duration{} : states.front().pauses->waited;
  };
  frontier.push(fetch("https://a.example/1"));
  frontier.push(fetch("https://a.example/2"));
  CHECK(frontier.pop(start) != nullptr);
  frontier.pause(origin, start + 5s, start, {.status = 429});
  frontier.pause(origin, start + 7s, start + 1s, {.status = 429});  // two more seconds
  frontier.note_finished(origin, contact(ContactOutcome::overloaded, start), start + 1s);
  CHECK(waited() == 0s);
  CHECK(frontier.pop(start + 7s) != nullptr);
  CHECK(waited() == 7s);
  frontier.pause(origin, start + 60s, start + 7s, {.status = 429});  // no link waits for the end of the pause
  CHECK(waited() == 7s);
  CHECK(frontier.host_states().front().pauses->status == 429);
}

TEST_CASE("every fetch comes out exactly once and no host gets requests too fast") {
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
      frontier.note_finished(flight.second,
                             contact(next_random() % 20 == 0 ? ContactOutcome::overloaded : ContactOutcome::clean, now),
                             now);
      return true;
    });
    while (const auto f = frontier.pop(now)) {
      const std::string origin = f->hop_url.origin();
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

TEST_CASE("a frontier returns every link of 40000 hosts and of a host with 40000 links") {
  Frontier frontier(pace(6, 0ms));
  for (int i = 0; i < 40'000; ++i) {
    frontier.push(fetch("https://h" + std::to_string(i) + ".example/"));
    frontier.push(fetch("https://big.example/" + std::to_string(i)));
  }
  CHECK(frontier.size() == 80'000);
  int popped = 0;
  while (const auto f = frontier.pop(start)) {
    ++popped;
    frontier.note_finished(f->hop_url.origin(), contact(ContactOutcome::clean, start), start);
  }
  CHECK(popped == 80'000);
}

TEST_CASE("a pending link takes little more memory than its URL") {
  constexpr std::size_t links = 200'000;
  constexpr std::size_t hosts = 100;
  std::size_t length = 0;
  Frontier frontier(pace(6, 0ms));
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;  // 0 under a sanitizer
  for (std::size_t i = 0; i < links; ++i) {
    const std::string url =
        "https://host" + std::to_string(i % hosts) + ".example/a/path/of/some/length/" + std::to_string(i);
    length += url.size();
    frontier.push(fetch(url));
  }
  const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  const double each = (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(links);
  const double url = static_cast<double>(length) / static_cast<double>(links);
  CAPTURE(each);
  CHECK(frontier.size() == links);
  CHECK(each < url + 2 * sizeof(FetchRequest) + 24);  // 24: overhead and rounding of malloc
}
