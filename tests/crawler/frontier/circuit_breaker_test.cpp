#include "crawler/frontier/circuit_breaker.h"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

const Timestamp t0{std::chrono::sys_days{std::chrono::year{2026} / 3 / 5}};
const BreakerPolicy policy{};

Reply reply_of(char contact) {
  switch (contact) {
    case 'r': return Reply::served;
    case 'e': return Reply::server_error;
    case 'c': return Reply::closed;
    case 's': return Reply::silent;
    case 'f': return Reply::unconnected;
    default: return Reply::undecided;
  }
}

// One contact a letter, each over at once, a second apart. The breaker after all.
Breaker after(std::string_view contacts) {
  Breaker breaker;
  Timestamp now = t0;
  for (const char contact : contacts) {
    now += 1s;
    breaker = after_contact(before_contact(breaker), reply_of(contact), now, now, policy);
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
      {"", false, false, {}},
      {"r", false, false, {}},
      {"ff", false, false, {}},
      {"ffr", false, false, {}},
      {"ffrff", false, false, {}},
      {"fff", true, false, 3s + 1s},
      {"fuuuf", false, false, {}},
      {"fuff", true, false, 4s + 1s},
      {"ffff", true, false, 4s + 2s},
      {"fffff", true, false, 5s + 4s},
      {"ffffff", true, true, 6s + 8s},
      {"fffr", false, false, {}},
      {"fffffr", false, false, {}},
      {"fffrff", false, false, {}},
      {"fffu", true, false, 3s + 1s},
      {"fffuf", true, false, 5s + 2s},
      {"fffrfff", true, false, 7s + 1s},
      {"ssss", false, false, {}},
      {"sssss", true, false, 5s + 1s},
      {"ssssrssss", false, false, {}},
      {"sssssss", true, false, 7s + 4s},
      {"ssssssss", true, true, 8s + 8s},
      {"sssssr", false, false, {}},
      {"sssussu", true, false, 6s + 1s},
      {"rsssssssss", false, false, {}},
      {"rssssssssss", true, false, 11s + 1s},
      {"ffs", false, false, {}},
      {"ffss", true, false, 4s + 1s},
      {"rffsss", false, false, {}},
      {"eeeeeeeeeeeeeeeeeee", false, false, {}},
      {"eeeeeeeeeeeeeeeeeeee", true, false, 20s + 1s},
      {"eeeeeeeeeeeeeeeeeeeeeee", true, true, 23s + 8s},
      {"cececececececececece", true, false, 20s + 1s},
      {"ccccccccccccccccccrcccccccccccccccccc", false, false, {}},
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
  const Breaker late = after_contact(breaker, Reply::unconnected, t0, t0 + 1h, policy);
  CHECK(late == breaker);
  breaker = before_contact(breaker);
  CHECK(breaker.probing);
  CHECK_FALSE(breaker.lets_in(policy));
  const Breaker closed = after_contact(breaker, Reply::served, t0 + 1s, t0 + 1h, policy);
  CHECK_FALSE(closed.is_open());
  CHECK(closed.failures == 0);
}

TEST_CASE("slow pages that were asked for before another was served say nothing about their host") {
  Breaker breaker = after_contact({}, Reply::served, t0, t0 + 5s, policy);
  for (int i = 0; i < 100; ++i) breaker = after_contact(breaker, Reply::silent, t0 + 4s, t0 + 24s, policy);
  CHECK(breaker.failures == 0);
  for (int i = 0; i < 10; ++i) breaker = after_contact(breaker, Reply::silent, t0 + 6s, t0 + 26s, policy);
  CHECK(breaker.is_open());
}
