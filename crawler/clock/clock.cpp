#include "crawler/clock/clock.h"

#include <ctime>

namespace linkherd::crawler {

namespace {

Timestamp wall_time() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

Duration read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                              std::chrono::nanoseconds(time.tv_nsec));
}

// Unlike the steady clock it goes on while the machine is asleep.
Duration since_boot() { return read_clock(CLOCK_BOOTTIME); }
Duration cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace

Clock::Clock(std::optional<Timestamp> start)
    : start_(start.value_or(wall_time())), origin_(std::chrono::steady_clock::now()) {}

Timestamp Clock::now() const {
  return start_ + std::chrono::floor<Duration>(std::chrono::steady_clock::now() - origin_);
}

AwakeTime::AwakeTime() { last_.real = since_boot(); }

AwakeTime::Moment AwakeTime::look() { return look(since_boot(), cpu_time()); }

AwakeTime::Moment AwakeTime::look(Duration real, Duration worked) {
  const Duration passed = real - last_.real;
  const bool was_at_work = (worked - worked_) * 4 >= passed;
  last_.awake += passed < longest_turn || was_at_work ? passed : look_interval;
  last_.real = real;
  worked_ = worked;
  return last_;
}

bool was_asleep(const AwakeTime::Moment& from, const AwakeTime::Moment& to) {
  const Duration passed = to.real - from.real;
  const Duration asleep = passed - (to.awake - from.awake);
  return asleep > Duration::zero() && asleep * 4 >= passed;
}

}  // namespace linkherd::crawler
