#include "crawler/frontier/circuit_breaker.h"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/frontier/politeness.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

const Timestamp t0{std::chrono::sys_days{std::chrono::year{2026} / 3 / 5}};
const BreakerPolicy policy{};

// One contact a letter, a second apart: f fails, r reaches the host, u was not tried after all. The breaker after all.
Breaker after(std::string_view contacts) {
  Breaker breaker;
  Timestamp now = t0;
  for (const char contact : contacts) {
    now += 1s;
    breaker = before_contact(breaker);
    const ConnectOutcome outcome = contact == 'f'   ? ConnectOutcome::failed
                                   : contact == 'r' ? ConnectOutcome::reached
                                                    : ConnectOutcome::undecided;
    breaker = after_contact(breaker, outcome, now, policy);
  }
  return breaker;
}

}  // namespace

TEST_CASE("the breaker opens and probes and gives up by what contacts find") {
  struct Row {
    const char* contacts;
    bool open;
    bool given_up;
    std::optional<Duration> next_probe;  // after t0
  };
  const std::vector<Row> rows{
      {"", false, false, {}},          {"r", false, false, {}},           {"ff", false, false, {}},
      {"ffr", false, false, {}},       {"ffrff", false, false, {}},       {"fff", true, false, 3s + 1s},
      {"fuuuf", false, false, {}},     {"fuff", true, false, 4s + 1s},    {"ffff", true, false, 4s + 2s},
      {"fffff", true, false, 5s + 4s}, {"ffffff", true, true, 6s + 8s},   {"fffr", false, false, {}},
      {"fffffr", false, false, {}},    {"fffrff", false, false, {}},      {"fffu", true, false, 3s + 1s},
      {"fffuf", true, false, 5s + 2s}, {"fffrfff", true, false, 7s + 1s},
  };
  for (const Row& row : rows) {
    CAPTURE(row.contacts);
    const Breaker breaker = after(row.contacts);
    CHECK(breaker.is_open() == row.open);
    CHECK(breaker.has_given_up(policy) == row.given_up);
    CHECK(breaker.lets_in(policy) != row.given_up);
    CHECK(breaker.next_probe.has_value() == row.next_probe.has_value());
    if (row.next_probe) CHECK(*breaker.next_probe == t0 + *row.next_probe);
  }
}

TEST_CASE("one probe at a time and contacts from before the opening say nothing new") {
  Breaker breaker = after("fff");
  const Breaker late = after_contact(breaker, ConnectOutcome::failed, t0 + 1h, policy);
  CHECK(late == breaker);
  breaker = before_contact(breaker);
  CHECK(breaker.probing);
  CHECK_FALSE(breaker.lets_in(policy));
  CHECK(after_contact(breaker, ConnectOutcome::reached, t0 + 1h, policy) == Breaker{});
}

TEST_CASE("only failed connections count for the breaker") {
  CHECK(connect_outcome(ContactOutcome::failed) == ConnectOutcome::failed);
  CHECK(connect_outcome(ContactOutcome::clean) == ConnectOutcome::reached);
  CHECK(connect_outcome(ContactOutcome::overloaded) == ConnectOutcome::reached);
  CHECK(connect_outcome(ContactOutcome::not_contacted) == ConnectOutcome::undecided);
}
