#include "crawler/frontier/requested_pauses.h"

#include <chrono>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

TEST_CASE("a later deadline wins, and the silence counts from the first pause") {
  const Timestamp time = *parse_timestamp("2026-03-05T10:00:00Z");
  RequestedPauses pauses;
  CHECK_FALSE(pauses.wait(time));
  pauses.pause(time + 5s, time, {.status = 503, .is_host_time = true});
  CHECK(pauses.silence(time + 5s, time) == 5s);
  pauses.pause(time + 2s, time + 1s, {.status = 429, .is_host_time = false});
  CHECK(pauses.until() == time + 5s);
  CHECK(pauses.wait(time + 1s) == HostWait{.reason = WaitReason::host_pause, .status = 503, .time = 5s});
  pauses.pause(time + 8s, time + 4s, {.status = 429, .is_host_time = false});
  CHECK(pauses.silence(time + 8s, time + 4s) == 8s);
  CHECK(pauses.wait(time + 4s) == HostWait{.reason = WaitReason::own_pause, .status = 429, .time = 4s});
  CHECK_FALSE(pauses.wait(time + 8s));
  CHECK(pauses.count_refusal() == 1);
  CHECK(pauses.count_refusal() == 2);
  pauses.note_clean_response();
  CHECK(pauses.count_refusal() == 1);
  CHECK(pauses.silence(time + 20s, time + 10s) == 10s);
}

TEST_CASE("pauses count as waited for once a request follows them") {
  const Timestamp time = *parse_timestamp("2026-03-05T10:00:00Z");
  RequestedPauses pauses;
  pauses.restore(time + 3s);
  CHECK(pauses.wait(time) == HostWait{.reason = WaitReason::host_pause, .time = 3s});
  pauses.note_request();
  CHECK_FALSE(pauses.waited_for());
  pauses.pause(time + 5s, time + 1s, {.status = 429, .is_host_time = true});
  CHECK_FALSE(pauses.waited_for());
  pauses.note_request();
  CHECK(pauses.waited_for() == storage::HostPauses{.waited = 2s, .status = 429, .is_host_time = true});
}

TEST_CASE("a host is abandoned until its time") {
  const Timestamp time = *parse_timestamp("2026-03-05T10:00:00Z");
  RequestedPauses pauses;
  CHECK_FALSE(pauses.abandoned_until(time));
  pauses.abandon_until(time + 1h);
  CHECK(pauses.abandoned_until(time) == time + 1h);
  CHECK_FALSE(pauses.abandoned_until(time + 1h));
}
