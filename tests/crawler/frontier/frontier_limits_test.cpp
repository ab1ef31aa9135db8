// Tests limits on the pace of hosts beyond their own concurrency and interval: domains, overrides, Crawl-delay, the
// circuit breaker, consecutive pauses, and the order of hosts.
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/frontier/fetch_states.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

parser::Url url(std::string_view text) { return parser::Url::parse(text).value(); }

}  // namespace

TEST_CASE("an override applies to a host or to its registrable domain") {
  const HostOverrides overrides{
      {"zhihu.com", {.concurrency = 2, .request_interval = 500ms}},
      {"zhuanlan.zhihu.com", {.concurrency = 1}},
      {"127.0.0.1", {.request_interval = 0ms}},
  };
  struct Row {
    const char* url;
    HostOverride expected;
  };
  const std::vector<Row> rows{
      {"https://zhihu.com/", {.concurrency = 2, .request_interval = 500ms}},
      {"https://www.zhihu.com:8443/", {.concurrency = 2, .request_interval = 500ms}},
      {"https://zhuanlan.zhihu.com/p/1", {.concurrency = 1, .request_interval = 500ms}},
      {"https://notzhihu.com/", {}},
      {"http://127.0.0.1:8080/", {.request_interval = 0ms}},
      {"http://com/", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CHECK(override_for(overrides, url(row.url)) == row.expected);
    CHECK(override_for({}, url(row.url)) == HostOverride{});
  }
}

TEST_CASE("a crawl delay slows requests within a limit and a user's own interval overrides it") {
  const auto limits = [](int concurrency, Duration interval, bool users, bool robots = false) {
    return HostLimits{
        .concurrency = concurrency, .interval = interval, .is_interval_set_by_user = users, .is_crawl_delay = robots};
  };
  using seconds = std::chrono::duration<double>;
  CHECK(with_crawl_delay(limits(6, 100ms, false), seconds(2)) == limits(1, 2s, false, true));
  CHECK(with_crawl_delay(limits(6, 100ms, false), seconds(0.01)) == limits(1, 100ms, false));
  CHECK(with_crawl_delay(limits(6, 100ms, false), seconds(86400)) == limits(1, 10s, false, true));
  CHECK(with_crawl_delay(limits(6, 100ms, false), seconds(0)) == limits(6, 100ms, false));
  CHECK(with_crawl_delay(limits(6, 100ms, true), seconds(5)) == limits(6, 100ms, true));
}

TEST_CASE("a crawl delay from robots.txt applies from then on") {
  Frontier frontier(pace(6, 100ms));
  for (int i = 0; i < 3; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
  CHECK(frontier.pop(start) != nullptr);
  frontier.set_crawl_delay("https://a.example", std::chrono::duration<double>(3));
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start + 150ms), start + 150ms);
  CHECK(frontier.pop(start + 150ms) != nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start + 200ms), start + 200ms);
  CHECK(frontier.next_ready() == start + 3150ms);
}

TEST_CASE("hosts of one domain share their slots and take turns") {
  Politeness politeness = pace(2, 0ms);
  politeness.domain_concurrency = 3;
  Frontier frontier(politeness);
  for (int host = 0; host < 10; ++host) {
    for (int i = 0; i <= host; ++i) {
      frontier.push(fetch("https://h" + std::to_string(host) + ".zhihu.com/" + std::to_string(i)));
    }
  }
  frontier.push(fetch("https://other.example/"));
  std::vector<std::string> in_flight;
  int popped = 0;
  Timestamp now = start;
  while (frontier.size() != 0 || !in_flight.empty()) {
    now += 1ms;
    while (const auto f = frontier.pop(now)) {
      ++popped;
      in_flight.push_back(f->hop_url.origin());
    }
    REQUIRE(in_flight.size() <= 4);
    REQUIRE_FALSE(in_flight.empty());  // no link is delayed forever
    frontier.note_finished(in_flight.front(),
                           contact(popped % 7 == 0 ? ContactOutcome::overloaded : ContactOutcome::clean, now), now);
    if (popped % 5 == 0) frontier.pause("https://h9.zhihu.com", now + 3ms, now);
    in_flight.erase(in_flight.begin());
    if (in_flight.empty() && frontier.size() != 0) now = std::max(now, frontier.next_ready().value_or(now + 1h));
  }
  CHECK(popped == 56);
}

TEST_CASE("an override may give a host more slots than its domain") {
  Politeness politeness = pace(2, 0ms);
  politeness.domain_concurrency = 3;
  politeness.overrides["mine.example"] = {.concurrency = 20};
  Frontier frontier(politeness);
  frontier.restore({.origin = "https://mine.example", .not_before = std::nullopt, .concurrency = 20.0});
  for (int i = 0; i < 30; ++i) frontier.push(fetch("https://mine.example/" + std::to_string(i)));
  int popped = 0;
  while (frontier.pop(start)) ++popped;
  CHECK(popped == 20);
}

TEST_CASE("the longest queue takes turns with hosts that had no request yet") {
  Frontier frontier(pace(1, 0ms));
  for (int i = 0; i < 9; ++i) frontier.push(fetch("https://big.example/" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) frontier.push(fetch("https://small" + std::to_string(i) + ".example/"));
  std::string order;
  for (int i = 0; i < 7; ++i) {
    const auto f = frontier.pop(start + i * 1ms);
    REQUIRE(f != nullptr);
    order += f->hop_url.host().substr(0, 1);
    frontier.note_finished(f->hop_url.origin(), contact(ContactOutcome::clean, start + i * 1ms), start + i * 1ms);
  }
  CHECK(order == "bbsbsbs");
}

TEST_CASE("an unconnectable host is probed with tried links and then given up") {
  Frontier frontier(pace(1, 100ms));
  const std::string origin = "https://down.example";
  for (int i = 0; i < 100; ++i) frontier.push(fetch(origin + "/" + std::to_string(i)));
  Timestamp now = start;
  int tried = 0;
  int again = 0;
  while (frontier.take_abandoned().empty()) {
    const auto next = frontier.next_ready();
    REQUIRE(next.has_value());
    now = std::max(now, *next);
    auto f = frontier.pop(now);
    REQUIRE(f != nullptr);
    f->attempts.empty() ? ++tried : ++again;
    f->attempts.emplace_back();
    f->not_before = now + 500ms;
    frontier.note_finished(origin, contact(ContactOutcome::failed, now), now);
    frontier.push(std::move(f));
    REQUIRE(now < start + 1min);
    if (tried + again == 6) break;
  }
  CHECK(tried == 3);  // no further links were tried after the limit was detected
  CHECK(again == 3);
  CHECK(now - start < 10s);
  CHECK(frontier.take_abandoned(30).size() == 30);
  CHECK(frontier.size() == 70);
  CHECK_FALSE(frontier.next_ready());
  CHECK(frontier.has_abandoned());
  CHECK(frontier.take_abandoned().size() == 70);
  CHECK(frontier.size() == 0);
  CHECK_FALSE(frontier.has_abandoned());
  frontier.push(fetch(origin + "/late"));
  CHECK_FALSE(frontier.next_ready());
  CHECK(frontier.take_abandoned().size() == 1);
  CHECK(frontier.size() == 0);
}

TEST_CASE("links of a host with a long pause are given up until the pause ends") {
  Frontier frontier(pace(1, 0ms));
  const std::string origin = "https://quiet.example";
  for (int i = 0; i < 10; ++i) frontier.push(fetch(origin + "/" + std::to_string(i)));
  CHECK(frontier.pop(start) != nullptr);
  frontier.note_finished(origin, contact(ContactOutcome::clean, start), start);
  frontier.abandon_until(origin, start + 1h);
  CHECK_FALSE(frontier.next_ready());
  const std::vector<std::unique_ptr<FetchState>> some = frontier.take_abandoned(4);
  REQUIRE(some.size() == 4);
  CHECK(some.front()->not_before == start + 1h);
  frontier.push(fetch("https://other.example/"));
  CHECK(frontier.pop(start + 1h) != nullptr);
  CHECK(frontier.take_abandoned().empty());  // the remaining links may be requested again
  CHECK(frontier.pop(start + 1h) != nullptr);
  CHECK(frontier.size() == 4);
}

TEST_CASE("a host that answers a probe gets requests as before") {
  Frontier frontier(pace(1, 0ms));
  const std::string origin = "https://blip.example";
  for (int i = 0; i < 10; ++i) frontier.push(fetch(origin + "/" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) {
    CHECK(frontier.pop(start) != nullptr);
    frontier.note_finished(origin, contact(ContactOutcome::failed, start), start);
  }
  CHECK(frontier.pop(start) == nullptr);
  CHECK(frontier.next_ready() == start + 1s);
  CHECK(frontier.pop(start + 1s) != nullptr);
  CHECK_FALSE(frontier.next_ready());  // one probe at a time
  frontier.note_finished(origin, contact(ContactOutcome::clean, start + 1s), start + 1s);
  int rest = 0;
  while (frontier.pop(start + 1s)) {
    ++rest;
    frontier.note_finished(origin, contact(ContactOutcome::clean, start + 1s), start + 1s);
  }
  CHECK(rest == 6);
  CHECK(frontier.take_abandoned().empty());
}

TEST_CASE("links of a failing host are taken from both ends of its list") {
  Frontier frontier(pace(1, 0ms));
  const std::string origin = "https://half.example";
  for (int i = 0; i < 10; ++i) frontier.push(fetch(origin + "/" + std::to_string(i)));
  std::string order;
  for (int i = 0; i < 10; ++i) {
    const auto f = frontier.pop(start + i * 1s);
    REQUIRE(f != nullptr);
    order += f->hop_url.path().substr(1);
    const bool broken = f->hop_url.path() < "/5";
    const Contact contact{.outcome = ContactOutcome::clean,
                          .result = broken ? ContactResult::server_error : ContactResult::served,
                          .started = start + i * 1s};
    frontier.note_finished(origin, contact, start + i * 1s);
  }
  CHECK(order == "0918273645");
}

TEST_CASE("a host that never answers is unresponsive and one that did is not") {
  Frontier frontier(pace(6, 0ms));
  const storage::UnresponsivePeriod before{
      .since = start - 72h, .last = start - 48h, .strikes = 2, .last_strike = start - 48h};
  const auto known = [&before](const std::string& origin) {
    return storage::HostState{.origin = origin, .not_before = std::nullopt, .unresponsive = before};
  };
  frontier.restore(known("https://answers-robots.example"));
  frontier.restore(known("https://lives.example"));
  frontier.restore(known("https://not-asked.example"));
  frontier.restore(known("https://still-silent.example"));
  const auto ask = [&frontier](const std::string& origin, std::vector<ContactResult> replies) {
    for (const ContactResult result : replies) {
      frontier.push(fetch(origin + "/"));
      CHECK(frontier.pop(start) != nullptr);
      frontier.note_finished(origin, {.outcome = ContactOutcome::clean, .result = result, .started = start},
                             start + 1s);
    }
  };
  ask("https://answers-robots.example", {ContactResult::unresponsive});
  frontier.note_robots_response("https://answers-robots.example", start);
  ask("https://lives.example", {ContactResult::unresponsive, ContactResult::server_error});
  ask("https://still-silent.example", {ContactResult::unresponsive, ContactResult::no_evidence, ContactResult::closed});
  ask("https://ends-silent.example", {ContactResult::served, ContactResult::unresponsive});
  ask("https://newly-silent.example", {ContactResult::unconnected});
  ask("https://never-asked.example", {ContactResult::address_down, ContactResult::address_down});
  std::map<std::string, std::optional<storage::UnresponsivePeriod>> unanswered;
  for (const storage::HostState& state : frontier.host_states()) unanswered[state.origin] = state.unresponsive;
  CHECK(unanswered.size() == 5);
  CHECK_FALSE(unanswered.at("https://answers-robots.example"));
  CHECK_FALSE(unanswered.at("https://lives.example"));
  CHECK(unanswered.at("https://not-asked.example") == before);
  storage::UnresponsivePeriod longer = before;
  longer.last = start + 1s;
  CHECK(unanswered.at("https://still-silent.example") == longer);
  CHECK(unanswered.at("https://newly-silent.example") ==
        storage::UnresponsivePeriod{.since = start + 1s, .last = start + 1s});
}

TEST_CASE("an unresponsive host gets other links in each run") {
  std::set<std::string> asked;
  for (int strikes = 0; strikes < 3; ++strikes) {
    Frontier frontier(pace(1, 0ms));
    frontier.restore({.origin = "https://a.example",
                      .not_before = std::nullopt,
                      .unresponsive = storage::UnresponsivePeriod{.since = start, .last = start, .strikes = strikes}});
    for (int i = 0; i < 40; ++i) frontier.push(fetch("https://a.example/" + std::to_string(i)));
    for (int i = 0; i < 5; ++i) {
      asked.insert(pop(frontier, start));
      frontier.note_finished(
          "https://a.example",
          {.outcome = ContactOutcome::overloaded, .result = ContactResult::no_evidence, .started = start}, start);
    }
  }
  CHECK(asked.size() >= 12);
  CHECK_FALSE(asked.contains("nothing"));
}

TEST_CASE("consecutive pauses count as refusals and a clean answer resets them") {
  Frontier frontier(pace(1, 0ms));
  frontier.push(fetch("https://a.example/"));
  CHECK(frontier.pause("https://a.example", start + 30s, start) == 30s);
  CHECK(frontier.count_refusal("https://a.example") == 1);
  CHECK(frontier.pause("https://a.example", start + 61s, start + 31s) == 61s);
  CHECK(frontier.count_refusal("https://a.example") == 2);
  CHECK(frontier.pop(start + 61s) != nullptr);
  frontier.note_finished("https://a.example", contact(ContactOutcome::clean, start + 61s), start + 61s);
  CHECK(frontier.pause("https://a.example", start + 91s, start + 61s) == 30s);
  CHECK(frontier.count_refusal("https://a.example") == 1);
}

TEST_CASE("a host without address does not use its interval for each of its links") {
  Frontier frontier(pace(6, 100ms));
  for (int i = 0; i < 50; ++i) frontier.push(fetch("https://nowhere.example/" + std::to_string(i)));
  int popped = 0;
  while (frontier.pop(start + popped * 1us)) {
    frontier.note_finished("https://nowhere.example", contact(ContactOutcome::not_contacted, start + popped * 1us),
                           start + popped * 1us);
    ++popped;
  }
  CHECK(popped == 50);
}

TEST_CASE("newly learnt host state overwrites the stored one") {
  Frontier frontier(pace(6, 0ms));
  frontier.restore({.origin = "https://was-fast.example", .not_before = std::nullopt, .concurrency = 2.0});
  frontier.push(fetch("https://was-fast.example/"));
  CHECK(frontier.pop(start) != nullptr);
  frontier.note_finished("https://was-fast.example", contact(ContactOutcome::overloaded, start), start);
  const auto states = frontier.host_states();
  REQUIRE(states.size() == 1);
  CHECK(states[0].concurrency == 1.0);
}
