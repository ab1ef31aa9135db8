#include "crawler/frontier/frontier.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/frontier/fetch_states.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

// Sets the concurrency that earlier runs would have reached.
void warm_up(Frontier& frontier, const std::string& origin, double to) {
  frontier.restore({.origin = origin, .not_before = std::nullopt, .concurrency = to});
}

}  // namespace

TEST_CASE("an empty frontier returns nothing and is never ready") {
  Frontier frontier{Politeness{}};
  CHECK(frontier.pop(start) == nullptr);
  CHECK_FALSE(frontier.next_ready());
  CHECK(frontier.size() == 0);
  CHECK(frontier.drain().empty());
  CHECK(frontier.biggest_backlogs(3, start).empty());
  CHECK(frontier.host_states().empty());
  CHECK_FALSE(frontier.has_turn_within("https://a.example", 10));
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start),
                         start);  // an unknown host is ignored
}

TEST_CASE("a connection is kept only if its host has its turn soon") {
  Frontier frontier(pace(1, 0ms));
  const std::vector<std::pair<std::string, int>> backlogs{{"big", 5}, {"a", 3}, {"b", 3}, {"c", 3}, {"none", 0}};
  for (const auto& [host, links] : backlogs) {
    const std::string origin = "https://" + host + ".example/";
    for (int link = 0; link <= links; ++link) frontier.push(fetch(origin + std::to_string(link)));
    REQUIRE(pop(frontier, start) == origin + "0");
  }
  for (const auto& [host, links] : backlogs)
    frontier.note_finished("https://" + host + ".example", contact(ContactOutcome::clean, start), start);
  CHECK(frontier.has_turn_within("https://a.example", 4));
  CHECK_FALSE(frontier.has_turn_within("https://a.example", 3));
  CHECK_FALSE(frontier.has_turn_within("https://none.example", 4));
  REQUIRE(pop(frontier, start) == "https://big.example/1");
  CHECK(frontier.has_turn_within("https://big.example", 0));  // next in turn, after the current request
  CHECK_FALSE(frontier.has_turn_within("https://unknown.example", 4));
}

TEST_CASE("a host gets one request at a time at its interval") {
  Frontier frontier(pace(6, 100ms));
  for (const char* url : {"https://a.example/1", "https://a.example/2", "https://a.example/3"})
    frontier.push(fetch(url));
  REQUIRE(frontier.next_ready());
  CHECK(*frontier.next_ready() <= start);
  CHECK(pop(frontier, start) == "https://a.example/1");
  CHECK_FALSE(frontier.next_ready());  // the only slot is taken
  CHECK(pop(frontier, start + 1h) == "nothing");

  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start + 1h), start + 1h);
  CHECK(pop(frontier, start + 1h) == "https://a.example/2");
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start + 1h + 10ms), start + 1h + 10ms);
  CHECK(frontier.next_ready() == start + 1h + 100ms);
  CHECK(pop(frontier, start + 1h + 99ms) == "nothing");
  CHECK(pop(frontier, start + 1h + 100ms) == "https://a.example/3");
  CHECK_FALSE(frontier.next_ready());
  CHECK(frontier.size() == 0);
}

TEST_CASE("new hosts can wait while known hosts have links") {
  Frontier frontier(pace(6, 100ms));
  frontier.push(fetch("https://known.example/1"));
  frontier.push(fetch("https://known.example/2"));
  CHECK_FALSE(frontier.has_known_hosts_by(start));
  const auto first = frontier.pop(start);
  REQUIRE(first != nullptr);
  CHECK(first->is_first_contact);
  frontier.note_finished("https://known.example", contact(ContactOutcome::clean, start + 10ms), start + 10ms);
  frontier.push(fetch("https://new.example/1"));

  CHECK_FALSE(frontier.has_known_hosts_by(start + 99ms));
  CHECK(frontier.has_known_hosts_by(start + 100ms));
  CHECK(frontier.next_ready(false) == start + 100ms);
  CHECK(frontier.pop(start + 99ms, false) == nullptr);
  const auto second = frontier.pop(start + 100ms, false);
  REQUIRE(second != nullptr);
  CHECK(second->hop_url.href() == "https://known.example/2");
  CHECK_FALSE(second->is_first_contact);
  CHECK_FALSE(frontier.next_ready(false));
  CHECK(pop(frontier, start + 100ms) == "https://new.example/1");
}

TEST_CASE("next_ready returns the first moment at which pop returns a fetch") {
  Frontier frontier(pace(6, 70ms));
  for (int i = 0; i < 40; ++i) {
    const std::string host = "https://h" + std::to_string(i % 7) + ".example";
    frontier.push(fetch(host + "/" + std::to_string(i), i % 3 == 0 ? std::optional(start + i * 13ms) : std::nullopt));
  }
  frontier.pause("https://h2.example", start + 400ms, start);
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
    frontier.note_finished(f->hop_url.origin(), contact(ContactOutcome::clean, now), now);
  }
  CHECK(popped == 40);
  CHECK(frontier.size() == 0);
}

TEST_CASE("the ready host with the most links goes first") {
  Frontier frontier(pace(1, 100ms));
  frontier.push(fetch("https://small.example/1"));
  for (int i = 0; i < 3; ++i) frontier.push(fetch("https://big.example/" + std::to_string(i)));
  for (int i = 0; i < 2; ++i) frontier.push(fetch("https://middle.example/" + std::to_string(i)));
  CHECK(pop(frontier, start) == "https://big.example/0");
  CHECK(pop(frontier, start) == "https://middle.example/0");
  CHECK(pop(frontier, start) == "https://small.example/1");
  CHECK(pop(frontier, start) == "nothing");

  // A host moves up if its queue grows while it is ready.
  frontier.push(fetch("https://x.example/1"));
  frontier.push(fetch("https://y.example/1"));
  CHECK(frontier.pop(start - 1h) != nullptr);  // x and y are both ready
  frontier.push(fetch("https://z.example/1"));
  frontier.push(fetch("https://z.example/2"));
  CHECK(pop(frontier, start) == "https://z.example/1");
}

TEST_CASE("a host without interval fills its slots at once") {
  Frontier frontier(pace(3, 0ms));
  warm_up(frontier, "https://a.example", 100.0);  // capped at the ceiling
  for (int i = 0; i < 5; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) == nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start), start);
  CHECK(frontier.pop(start) != nullptr);
  // Overload halves the limit from 3 to 1.5. No fetch starts before two have ended.
  frontier.note_finished("https://a.example", contact(ContactOutcome::overloaded, start), start);
  CHECK(frontier.pop(start) == nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::not_contacted, start), start);
  CHECK(frontier.pop(start) == nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::not_contacted, start), start);
  CHECK(frontier.pop(start) != nullptr);
}

TEST_CASE("eight clean contacts open a second slot") {
  Frontier frontier(pace(6, 0ms));
  for (int i = 0; i < 20; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
  for (int i = 0; i < 8; ++i) {
    CHECK(frontier.pop(start) != nullptr);
    CHECK(frontier.pop(start) == nullptr);
    frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start), start);
  }
  CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) != nullptr);
  CHECK(frontier.pop(start) == nullptr);
}

TEST_CASE("redirect hops go before new links and delayed fetches go last") {
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
    frontier.note_finished("https://a.example", contact(ContactOutcome::clean, now), now);
    return got;
  };
  CHECK(next(start) == "https://a.example/hop");
  CHECK(next(start) == "https://a.example/again");
  CHECK(next(start) == "https://a.example/new-1");  // deferred fetches do not block others
  CHECK(next(start + 1s) == "https://a.example/new-2");
  CHECK(next(start + 1s) == "https://a.example/sooner");
  CHECK(next(start + 1s) == "https://a.example/sooner-too");
  CHECK(frontier.next_ready() == start + 2s);
  CHECK(next(start + 1s) == "nothing");
  CHECK(next(start + 2s) == "https://a.example/later");
}

TEST_CASE("a popped fetch has no start time any more") {
  Frontier frontier(pace(1, 0ms));
  frontier.push(fetch("https://a.example/", start));
  const auto f = frontier.pop(start);
  REQUIRE(f != nullptr);
  CHECK_FALSE(f->not_before);
}

TEST_CASE("a paused host delays no other host") {
  Frontier frontier(pace(1, 0ms));
  for (int i = 0; i < 9; ++i) frontier.push(fetch("https://busy.example/" + std::to_string(i)));
  frontier.push(fetch("https://other.example/"));
  CHECK(pop(frontier, start) == "https://busy.example/0");
  frontier.pause("https://busy.example", start + 30s, start);
  frontier.pause("https://busy.example", start + 10s, start);  // the later deadline remains
  frontier.note_finished("https://busy.example", contact(ContactOutcome::overloaded, start), start);
  CHECK(pop(frontier, start) == "https://other.example/");
  CHECK(frontier.next_ready() == start + 30s);
  CHECK(pop(frontier, start + 29s) == "nothing");
  CHECK(pop(frontier, start + 30s) == "https://busy.example/1");
}

TEST_CASE("a slot returned without contact returns its interval too") {
  Frontier frontier(pace(2, 100ms));
  for (int i = 0; i < 4; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
  CHECK(frontier.pop(start) != nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::not_contacted, start), start);
  CHECK(frontier.pop(start) != nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::failed, start), start);
  CHECK(frontier.pop(start) == nullptr);
  CHECK(frontier.pop(start + 100ms) != nullptr);

  // Not if another contact came in between. Its interval counts.
  Frontier two(pace(2, 100ms));
  warm_up(two, "https://b.example", 2.0);
  for (int i = 0; i < 4; ++i) two.push(fetch("https://b.example/" + std::to_string(i)));
  CHECK(two.pop(start) != nullptr);
  CHECK(two.pop(start + 100ms) != nullptr);
  two.note_finished("https://b.example", contact(ContactOutcome::clean, start + 100ms), start + 100ms);
  two.note_finished("https://b.example", contact(ContactOutcome::not_contacted, start + 100ms), start + 100ms);
  CHECK(two.pop(start + 150ms) == nullptr);
  CHECK(two.pop(start + 200ms) != nullptr);
}

TEST_CASE("a drained host keeps its interval when it comes back") {
  Frontier frontier(pace(1, 100ms));
  frontier.push(fetch("https://a.example/1"));
  CHECK(frontier.pop(start) != nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start + 5ms), start + 5ms);
  CHECK(frontier.pop(start + 50ms) == nullptr);
  frontier.push(fetch("https://a.example/2"));
  CHECK(frontier.pop(start + 99ms) == nullptr);
  CHECK(frontier.next_ready() == start + 100ms);
  CHECK(frontier.pop(start + 100ms) != nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start + 101ms), start + 101ms);
  // The host was forgotten after its silence, so it starts with default values.
  CHECK(frontier.pop(start + 1h) == nullptr);
  frontier.push(fetch("https://a.example/3"));
  CHECK(frontier.pop(start + 1h) != nullptr);
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
