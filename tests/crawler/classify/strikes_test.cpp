#include "crawler/classify/strikes.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/classify/recheck.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;
using storage::LinkState;
using namespace std::chrono_literals;

namespace {

const Timestamp start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 5}};

storage::Snapshot seen(Health health, Duration after) {
  storage::Snapshot snapshot;
  snapshot.fetched_at = start + after;
  snapshot.verdict = {
      .health = health, .reason = "timeout", .rule = "connection", .evidence = "No answer in time.", .confidence = 1.0};
  return snapshot;
}

struct Check {
  Health health;
  Duration after;
};

LinkState history(const std::vector<Check>& checks, const StrikePolicy& policy = {}) {
  std::optional<LinkState> state;
  for (const Check& check : checks)
    state = update_state(state, {}, "https://a.example/", seen(check.health, check.after), policy);
  return state.value();
}

constexpr Duration day = std::chrono::hours(24);

}  // namespace

TEST_CASE("a 404 on a host without any page dies by strikes and a doubtful 404 never does") {
  for (const std::string_view rule : {rule_lost_host, std::string_view("doubtful_404")}) {
    std::optional<LinkState> state = update_state({}, {}, "https://a.example/", seen(Health::alive, 0s), {});
    const auto check = [&](Duration after) {
      storage::Snapshot snapshot = seen(Health::suspect, after);
      snapshot.status = 404;
      snapshot.verdict.reason = storage::reason::doubtful_404;
      snapshot.verdict.rule = rule;
      state = update_state(state, {}, "https://a.example/", std::move(snapshot), {});
      return state->snapshot.verdict;
    };
    for (const Duration after : {day, day + 1h, 2 * day, 2 * day + 1h}) CHECK(check(after).health == Health::suspect);
    const storage::Verdict third = check(3 * day);
    const bool is_of_host = rule == rule_lost_host;
    CHECK(third.health == (is_of_host ? Health::dead : Health::suspect));
    CHECK(third.reason == (is_of_host ? "http_404" : "doubtful_404"));
    CHECK(check(3 * day + 1h).health == third.health);
    state = update_state(state, {}, "https://a.example/", seen(Health::alive, 4 * day), {});
    CHECK(check(5 * day).health == Health::suspect);
  }
}

TEST_CASE("a missing host is at first only suspect if the link was alive") {
  struct Row {
    const char* what;
    std::vector<Check> checks;
    Health health;
  };
  const std::vector<Row> rows{
      {"never alive", {{Health::dead, 0s}}, Health::dead},
      {"alive before", {{Health::alive, 0s}, {Health::dead, day}}, Health::suspect},
      {"again too soon", {{Health::alive, 0s}, {Health::dead, day}, {Health::dead, day + 19h}}, Health::suspect},
      {"again a day later", {{Health::alive, 0s}, {Health::dead, day}, {Health::dead, day + 20h}}, Health::dead},
      {"and for good",
       {{Health::alive, 0s}, {Health::dead, day}, {Health::dead, day + 20h}, {Health::dead, day + 21h}},
       Health::dead},
      {"alive in between",
       {{Health::alive, 0s}, {Health::dead, day}, {Health::alive, 2 * day}, {Health::dead, 3 * day}},
       Health::suspect},
      {"other failures before are no such look",
       {{Health::alive, 0s}, {Health::unreachable, day}, {Health::unreachable, 2 * day}, {Health::dead, 2 * day + 1h}},
       Health::suspect},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    std::optional<LinkState> state;
    for (const Check& check : row.checks) {
      storage::Snapshot snapshot = seen(check.health, check.after);
      if (check.health == Health::dead) snapshot.verdict.reason = storage::reason::dns_not_found;
      state = update_state(state, {}, "https://a.example/", std::move(snapshot), {});
    }
    CHECK(enum_name(storage::health_names, state->snapshot.verdict.health) ==
          enum_name(storage::health_names, row.health));
  }
}

TEST_CASE("a missing host is at first only suspect if it answered before") {
  storage::Snapshot check = seen(Health::dead, 0s);
  check.verdict.reason = storage::reason::dns_not_found;
  const HostHistory answered{.has_answered = true};
  const LinkState first = update_state(std::nullopt, {}, "https://a.example/", check, {}, answered);
  CHECK(first.snapshot.verdict.health == Health::suspect);
  CHECK(first.snapshot.verdict.evidence.find("Its host has answered before") != std::string::npos);
  check.fetched_at = start + 20h;
  CHECK(update_state(first, {}, "https://a.example/", check, {}, answered).snapshot.verdict.health == Health::dead);
}

TEST_CASE("strikes are counted and end with an answer") {
  struct Row {
    const char* what;
    std::vector<Check> checks;
    int strikes;
    std::optional<Duration> first_failed, last_alive;
    Health health;
  };
  const std::vector<Row> rows{
      {"alive", {{Health::alive, 0s}}, 0, {}, 0s, Health::alive},
      {"redirected is alive", {{Health::redirected, 0s}}, 0, {}, 0s, Health::redirected},
      {"one strike", {{Health::unreachable, 0s}}, 1, 0s, {}, Health::unreachable},
      {"two runs close together are one strike",
       {{Health::unreachable, 0s}, {Health::unreachable, 19h}},
       1,
       0s,
       {},
       Health::unreachable},
      {"the interval itself counts",
       {{Health::unreachable, 0s}, {Health::unreachable, 20h}},
       2,
       0s,
       {},
       Health::unreachable},
      {"many runs close together",
       {{Health::unreachable, 0s}, {Health::unreachable, 10h}, {Health::unreachable, 20h}, {Health::unreachable, 30h}},
       2,
       0s,
       {},
       Health::unreachable},
      {"three strikes",
       {{Health::unreachable, 0s}, {Health::unreachable, day}, {Health::unreachable, 2 * day}},
       3,
       0s,
       {},
       Health::dead},
      {"dead stays dead between counted runs",
       {{Health::unreachable, 0s},
        {Health::unreachable, day},
        {Health::unreachable, 2 * day},
        {Health::unreachable, 2 * day + 1h}},
       3,
       0s,
       {},
       Health::dead},
      {"life ends strikes",
       {{Health::unreachable, 0s}, {Health::unreachable, day}, {Health::alive, 2 * day}},
       0,
       {},
       2 * day,
       Health::alive},
      {"suspect is a failure and no strike",
       {{Health::alive, 0s}, {Health::suspect, day}, {Health::suspect, 2 * day}},
       0,
       day,
       0s,
       Health::suspect},
      {"strikes start anew",
       {{Health::unreachable, 0s},
        {Health::unreachable, day},
        {Health::alive, 2 * day},
        {Health::unreachable, 3 * day}},
       1,
       3 * day,
       2 * day,
       Health::unreachable},
      {"blocked neither counts nor ends",
       {{Health::unreachable, 0s}, {Health::blocked, day}, {Health::unreachable, 2 * day}},
       2,
       0s,
       {},
       Health::unreachable},
      {"blocked alone is no failure", {{Health::alive, 0s}, {Health::blocked, day}}, 0, {}, 0s, Health::blocked},
      {"insecure fails but ends strikes",
       {{Health::alive, 0s}, {Health::unreachable, day}, {Health::insecure, 2 * day}},
       0,
       day,
       0s,
       Health::insecure},
      {"dead is a failure and no strike",
       {{Health::alive, 0s}, {Health::dead, day}, {Health::dead, 2 * day}},
       0,
       day,
       0s,
       Health::dead},
      {"a clock that was set back",
       {{Health::unreachable, 10 * day}, {Health::unreachable, 0s}},
       1,
       0s,
       {},
       Health::unreachable},
      {"strikes go on after a clock was a year ahead",
       {{Health::unreachable, 365 * day},
        {Health::unreachable, 0s},
        {Health::unreachable, day},
        {Health::unreachable, 2 * day}},
       3,
       0s,
       {},
       Health::dead},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const LinkState state = history(row.checks);
    CHECK(state.strikes == row.strikes);
    CHECK(state.first_failed == (row.first_failed ? std::optional(start + *row.first_failed) : std::nullopt));
    CHECK(state.last_alive == (row.last_alive ? std::optional(start + *row.last_alive) : std::nullopt));
    CHECK(enum_name(storage::health_names, state.snapshot.verdict.health) ==
          enum_name(storage::health_names, row.health));
    CHECK(state.last_strike.has_value() == (row.strikes > 0));
    CHECK(state.first_seen == start + std::ranges::min(row.checks, {}, &Check::after).after);
  }
}

TEST_CASE("a link that dies by strikes keeps its reason and has the date of the first strike") {
  const LinkState state =
      history({{Health::unreachable, 0s}, {Health::unreachable, day}, {Health::unreachable, 2 * day}});
  CHECK(state.snapshot.verdict.rule == "strikes");
  CHECK(state.snapshot.verdict.reason == "timeout");
  CHECK(state.snapshot.verdict.evidence == "Unreachable in 3 runs since 2026-03-05T00:00:00Z: No answer in time.");
}

TEST_CASE("the number of strikes is configurable and none means never") {
  StrikePolicy policy;
  policy.strikes = 1;
  CHECK(history({{Health::unreachable, 0s}}, policy).snapshot.verdict.health == Health::dead);
  policy.strikes = 0;
  CHECK(history({{Health::unreachable, 0s}, {Health::unreachable, day}}, policy).snapshot.verdict.health ==
        Health::unreachable);
  policy = {.strikes = 2, .interval = 0s};
  CHECK(history({{Health::unreachable, 0s}, {Health::unreachable, 0s}}, policy).snapshot.verdict.health ==
        Health::dead);
}

TEST_CASE("the first reading is the first snapshot that has a title and a text") {
  storage::Snapshot page = seen(Health::alive, 2 * day);
  page.metadata.title = {"A title", "title", 0.9};
  page.main_text = {.digest = 1, .simhash = 1, .length = 1000, .minhash = {1, 2, 3, 4}};
  storage::Snapshot walled = page;
  walled.fetched_at = start + day;
  walled.verdict.health = Health::blocked;
  std::optional<LinkState> state;
  for (const storage::Snapshot& snapshot : {seen(Health::alive, 0s), walled}) {
    state = update_state(state, {}, "https://a.example/", snapshot, {});
    CHECK_FALSE(state->first_version_at.has_value());
  }
  for (const Duration after : {2 * day, 3 * day}) {
    page.fetched_at = start + after;
    state = update_state(state, {}, "https://a.example/", page, {});
    CHECK(state->first_version_at == start + 2 * day);
  }
}

TEST_CASE("a link state takes over the given identity and snapshot") {
  storage::LinkId id;
  id.bytes[0] = 7;
  const LinkState state = update_state(std::nullopt, id, "https://a.example/x", seen(Health::alive, 1s), {});
  CHECK(state.id == id);
  CHECK(state.url == "https://a.example/x");
  CHECK(state.snapshot == seen(Health::alive, 1s));
}

TEST_CASE("a host has its own strikes and its links die with the last one") {
  const StrikePolicy policy;
  storage::UnresponsivePeriod unresponsive{.since = start, .last = start};
  const auto run = [&](Duration after) {
    unresponsive.last = start + after;
    count_strike(unresponsive, policy);
    return unresponsive.strikes;
  };
  CHECK(run(0s) == 1);
  CHECK(run(19h) == 1);
  CHECK(run(day) == 2);
  CHECK_FALSE(is_struck_out(unresponsive, policy));
  const auto initial_window =
      update_state(std::nullopt, {}, "https://a.example/", seen(Health::unreachable, day), policy);
  CHECK(initial_window.snapshot.verdict.health == Health::unreachable);
  CHECK(run(2 * day) == 3);
  REQUIRE(is_struck_out(unresponsive, policy));
  CHECK_FALSE(is_struck_out(unresponsive, {.strikes = 0}));

  // This link is dead after its first check, because its host was unresponsive in earlier runs.
  const auto tried = update_state(std::nullopt, {}, "https://a.example/", seen(Health::unreachable, 2 * day), policy,
                                  {.struck_out = &unresponsive});
  CHECK(tried.strikes == 1);
  CHECK(tried.snapshot.verdict == dead_with_host(unresponsive));
  CHECK(tried.snapshot.verdict.health == Health::dead);
  CHECK(tried.snapshot.verdict.reason == "host_silent");
  CHECK(tried.snapshot.verdict.rule == "strikes");
  CHECK(tried.snapshot.verdict.evidence == "No answer from the host in 3 runs since 2026-03-05T00:00:00Z.");
  CHECK(update_state(std::nullopt, {}, "https://a.example/", seen(Health::alive, 0s), policy,
                     {.struck_out = &unresponsive})
            .snapshot.verdict.health == Health::alive);
}

TEST_CASE("a link is suspect until vantage points that disagree come to agree") {
  struct Row {
    const char* vantage;
    Health health;
    Duration after;
    Health evaluated;
  };
  std::optional<LinkState> state;
  for (const Row& row :
       {Row{"ci", Health::dead, 0s, Health::dead}, Row{"home", Health::alive, 1h, Health::suspect},
        Row{"ci", Health::dead, 2h, Health::suspect}, Row{"ci", Health::blocked, 3h, Health::blocked},
        Row{"ci", Health::dead, 4h, Health::suspect}, Row{"home", Health::dead, 5h, Health::dead},
        Row{"home", Health::insecure, 6h, Health::suspect}, Row{"ci", Health::alive, 7h, Health::alive},
        Row{"ci", Health::dead, 32 * day, Health::dead}}) {  // the check of the other vantage point is too old
    CAPTURE(row.after.count());
    storage::Snapshot check = seen(row.health, row.after);
    check.vantage = row.vantage;
    state = update_state(state, {}, "https://a.example/", check, {});
    CHECK(state->snapshot.verdict.health == row.evaluated);
    CHECK((state->snapshot.verdict.reason == storage::reason::vantage) ==
          (row.evaluated == Health::suspect && row.health != Health::suspect));
  }
  CHECK(state->vantages.size() == 2);
}

TEST_CASE("a known link that begins to redirect elsewhere has moved and a new one has not") {
  const auto leads_to = [](const char* url, Duration after, Health health = Health::redirected) {
    storage::Snapshot check = seen(health, after);
    check.final_url = url;
    return check;
  };
  std::optional<LinkState> state;
  const auto moved_after = [&state](storage::Snapshot check) -> std::optional<Duration> {
    state = update_state(state, {}, "https://a.example/", std::move(check), {});
    return state->moved_at ? std::optional(*state->moved_at - start) : std::nullopt;
  };
  CHECK_FALSE(moved_after(leads_to("https://a.example/1", 0s)));
  CHECK(moved_after(leads_to("https://a.example/2", day)) == day);
  CHECK(moved_after(leads_to("https://a.example/2", 2 * day)) == day);
  CHECK_FALSE(moved_after(leads_to("https://a.example/", 3 * day, Health::alive)));
}

TEST_CASE("a link recently found alive here is not rechecked and a newly moved one is rechecked sooner") {
  LinkState state;
  state.snapshot = seen(Health::alive, day);
  const Timestamp then = start + day;
  CHECK_FALSE(is_due(state, "", then + 19h, 20h));
  CHECK(is_due(state, "", then + 20h, 20h));
  CHECK(is_due(state, "", then - 1s, 20h));  // the clock was set back
  CHECK(is_due(state, "home", then + 1h, 20h));
  CHECK(is_due(state, "", then, 0s));
  for (const Health health : {Health::dead, Health::suspect, Health::insecure, Health::unreachable, Health::blocked,
                              Health::deferred, Health::skipped}) {
    state.snapshot.verdict.health = health;
    CHECK(is_due(state, "", then + 1s, 20h));
  }
  state.snapshot.verdict.health = Health::redirected;
  state.moved_at = then - 19h;
  CHECK_FALSE(is_due(state, "", then + 4h, 20h));
  CHECK(is_due(state, "", then + 5h, 20h));
  state.moved_at = then - 20h;  // it has not moved since
  CHECK_FALSE(is_due(state, "", then + 19h, 20h));
}
