#include "crawler/frontier/circuit_breaker.h"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/frontier/fetch_states.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

const Timestamp t0{std::chrono::sys_days{std::chrono::year{2026} / 3 / 5}};
const BreakerPolicy policy{};

ContactResult reply_of(char contact) {
  switch (contact) {
    case 'r': return ContactResult::served;
    case 'e': return ContactResult::server_error;
    case 'c': return ContactResult::closed;
    case 's': return ContactResult::unresponsive;
    case 'f': return ContactResult::unconnected;
    default: return ContactResult::no_evidence;
  }
}

// Returns the breaker after the contacts. Each letter is a contact that ends at once; they are a second apart.
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

TEST_CASE("contacts open and probe and close the circuit breaker and make it give up") {
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
      {"ss", false, false, {}},
      {"sss", true, true, 3s + 8s},
      {"ssrss", false, false, {}},
      {"ssess", false, false, {}},
      {"scscs", true, true, 5s + 8s},  // closing the connection is not an answer
      {"suus", false, false, {}},
      {"susus", true, true, 5s + 8s},
      {"sssr", false, false, {}},
      {"rss", false, false, {}},
      {"rsss", true, true, 4s + 8s},
      {"ffs", false, false, {}},
      {"ffss", true, false, 4s + 1s},
      {"ffsss", true, true, 5s + 8s},  // a probe without an answer
      {"fffss", true, false, 5s + 4s},
      {"rffss", false, false, {}},
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
    CHECK(breaker.is_abandoned(policy) == row.given_up);
    CHECK(breaker.lets_in(policy) != row.given_up);
    CHECK(breaker.next_probe.has_value() == row.next_probe.has_value());
    if (row.next_probe) CHECK(*breaker.next_probe == t0 + *row.next_probe);
  }
}

TEST_CASE("only one probe runs at a time and contacts before the opening change nothing") {
  Breaker breaker = after("fff");
  const Breaker late = after_contact(breaker, ContactResult::unconnected, t0, t0 + 1h, policy);
  CHECK(late == breaker);
  breaker = before_contact(breaker);
  CHECK(breaker.is_probing);
  CHECK_FALSE(breaker.lets_in(policy));
  const Breaker closed = after_contact(breaker, ContactResult::served, t0 + 1s, t0 + 1h, policy);
  CHECK_FALSE(closed.is_open());
  CHECK(closed.failures == 0);
}

TEST_CASE("slow pages requested before another one was served do not count against their host") {
  Breaker breaker = after_contact({}, ContactResult::served, t0, t0 + 5s, policy);
  for (int i = 0; i < 100; ++i)
    breaker = after_contact(breaker, ContactResult::unresponsive, t0 + 4s, t0 + 24s, policy);
  CHECK(breaker.failures == 0);
  for (int i = 0; i < 9; ++i) breaker = after_contact(breaker, ContactResult::unresponsive, t0 + 6s, t0 + 26s, policy);
  CHECK_FALSE(breaker.is_open());
  breaker = after_contact(breaker, ContactResult::unresponsive, t0 + 6s, t0 + 26s, policy);
  CHECK(breaker.is_open());
}

TEST_CASE("requests that time out at the same time count as one failure") {
  Breaker breaker;
  for (int i = 0; i < 4; ++i)
    breaker = after_contact(breaker, ContactResult::unresponsive, t0, t0 + 20s + i * 1ms, policy);
  CHECK_FALSE(breaker.is_open());
  breaker = after_contact(breaker, ContactResult::unresponsive, t0 + 21s, t0 + 41s, policy);
  CHECK(breaker.is_open());
  CHECK_FALSE(breaker.is_abandoned(policy));
  breaker = after_contact(before_contact(breaker), ContactResult::unresponsive, t0 + 42s, t0 + 62s, policy);
  CHECK(breaker.is_abandoned(policy));
}

TEST_CASE("a shared address is not given up for the silence of one host") {
  const BreakerPolicy shared{.failures_to_open = 5, .max_unanswered = 0};
  Breaker breaker;
  for (int i = 0; i < 8; ++i)
    breaker = after_contact(breaker, ContactResult::unresponsive, t0 + i * 20s, t0 + (i + 1) * 20s, shared);
  CHECK_FALSE(breaker.is_open());
}

TEST_CASE("every reply reaches the circuit breakers of the host and of its address") {
  const auto failed = [](FailureKind failure) {
    AttemptResult response = failed_attempt(failure, "");
    response.connection = ConnectionUse::opened;
    return response;
  };
  struct Row {
    AttemptResult response;
    ContactResult host;
    ContactResult server;
  };
  const Row rows[] = {
      {answered(200), ContactResult::served, ContactResult::served},
      {answered(404), ContactResult::served, ContactResult::served},
      {answered(429), ContactResult::served, ContactResult::served},
      {answered(500), ContactResult::server_error, ContactResult::served},
      {answered(503), ContactResult::server_error, ContactResult::served},
      {answered(501), ContactResult::served, ContactResult::served},  // a permanent response, but a response
      {failed(FailureKind::timeout), ContactResult::unresponsive, ContactResult::unresponsive},
      {failed(FailureKind::connection_reset), ContactResult::closed, ContactResult::served},
      {failed(FailureKind::bad_response), ContactResult::closed, ContactResult::served},
      {failed(FailureKind::odd_status_line), ContactResult::served, ContactResult::served},
      {failed(FailureKind::headers_too_large), ContactResult::served, ContactResult::served},
      {failed(FailureKind::connection_refused), ContactResult::unconnected, ContactResult::unconnected},
      {failed(FailureKind::connect_timeout), ContactResult::unconnected, ContactResult::unconnected},
      {failed(FailureKind::proxy_failed), ContactResult::unconnected, ContactResult::served},
      {failed(FailureKind::proxy_silent), ContactResult::unresponsive, ContactResult::served},
      {failed(FailureKind::proxy_refused), ContactResult::no_evidence, ContactResult::served},
      {failed(FailureKind::proxy_login), ContactResult::no_evidence, ContactResult::served},
      {failed(FailureKind::proxy_unreachable), ContactResult::no_evidence, ContactResult::served},
      {failed(FailureKind::tls_handshake), ContactResult::unconnected, ContactResult::served},
      {failed(FailureKind::interrupted), ContactResult::no_evidence, ContactResult::no_evidence},
      {failed_attempt(FailureKind::dns_not_found, ""), ContactResult::no_evidence, ContactResult::no_evidence},
      {failed_attempt(FailureKind::dns_timeout, ""), ContactResult::unconnected, ContactResult::no_evidence},
      {failed_attempt(FailureKind::dns_failed, ""), ContactResult::unconnected, ContactResult::no_evidence},
      {failed_attempt(FailureKind::host_unavailable, ""), ContactResult::address_down, ContactResult::no_evidence}};
  for (const Row& row : rows) {
    CAPTURE(row.response.status);
    CAPTURE(enum_name(failure_names, row.response.failure));
    CHECK(host_result(row.response) == row.host);
    CHECK(server_result(row.response) == row.server);
  }
  AttemptResult reused = failed(FailureKind::connection_reset);
  reused.connection = ConnectionUse::reused;  // the server may have closed it before the request was sent
  CHECK(host_result(reused) == ContactResult::no_evidence);
}
