#include "crawler/clock/clock.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using linkherd::crawler::Clock;
using namespace std::chrono_literals;

TEST_CASE("a clock starts at the given time and follows real time") {
  const Timestamp start = parse_timestamp("2001-02-03T04:05:06Z").value();
  const Clock clock(start);
  const Timestamp first = clock.now();
  CHECK(first >= start);
  CHECK(first < start + 1h);
  std::this_thread::sleep_for(20ms);
  CHECK(clock.now() >= first + 20ms);
}

TEST_CASE("a clock without a start shows wall time") {
  const auto before = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const Timestamp now = Clock().now();
  CHECK(now > before - 1h);
  CHECK(now < before + 1h);
}

TEST_CASE("no thread sees the clock go backwards") {
  const Clock clock(Timestamp{});
  std::atomic<bool> backwards = false;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&clock, &backwards] {
      Timestamp last = clock.now();
      for (int i = 0; i < 10'000; ++i) {
        const Timestamp now = clock.now();
        if (now < last) backwards = true;
        last = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(backwards);
}

TEST_CASE("suspended time is distinguished from time on a busy machine") {
  using linkherd::crawler::AwakeTime;
  AwakeTime time;
  const AwakeTime::Moment start = time.sample();
  Duration now = start.real;
  const auto run_for = [&](Duration length, Duration turn) {
    for (Duration passed{}; passed < length; passed += turn) time.sample(now += turn, {});
    return time.sample(now, {});
  };
  const AwakeTime::Moment smooth = run_for(20s, 250ms);
  CHECK(smooth.awake - start.awake == 20s);
  CHECK_FALSE(was_asleep(start, smooth));
  const AwakeTime::Moment busy = run_for(20s, 1s);
  CHECK(busy.awake - smooth.awake == 20s);
  CHECK_FALSE(was_asleep(smooth, busy));
  time.sample(now += 25s, {});  // stopped
  const AwakeTime::Moment after = run_for(1s, 250ms);
  CHECK(after.awake - busy.awake < 2s);
  CHECK(was_asleep(busy, after));
  CHECK(was_asleep(busy, run_for(20s, 250ms)));
  CHECK_FALSE(was_asleep(busy, run_for(200s, 250ms)));  // the process had enough CPU time
  CHECK_FALSE(was_asleep(after, run_for(1s, 250ms)));
  const AwakeTime::Moment before = run_for(1s, 250ms);
  const AwakeTime::Moment at_work = time.sample(now += 10s, 4s);  // one long task on a busy machine
  CHECK(at_work.awake - before.awake == 10s);
  CHECK_FALSE(was_asleep(before, at_work));
}
