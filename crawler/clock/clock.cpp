#include "crawler/clock/clock.h"

#include <cstdint>
#include <ctime>
#include <fstream>

namespace linkherd::crawler {

namespace {

Timestamp wall_time() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

Duration read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                              std::chrono::nanoseconds(time.tv_nsec));
}

// Unlike the steady clock, it also advances while the machine is asleep.
Duration since_boot() { return read_clock(CLOCK_BOOTTIME); }
Duration cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

// Returns how long the calling thread was runnable without a CPU. On an overloaded machine that is most of the time.
// Returns zero if the kernel does not provide it.
Duration time_without_cpu() {
  std::ifstream statistics("/proc/thread-self/schedstat");
  std::int64_t on_cpu = 0;
  std::int64_t waiting = 0;  // like `on_cpu` in nanoseconds
  if (!(statistics >> on_cpu >> waiting)) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(waiting));
}

}  // namespace

Clock::Clock(std::optional<Timestamp> start)
    : start_(start.value_or(wall_time())), origin_(std::chrono::steady_clock::now()) {}

Timestamp Clock::now() const {
  return start_ + std::chrono::floor<Duration>(std::chrono::steady_clock::now() - origin_);
}

AwakeTime::AwakeTime() { last_.real = since_boot(); }

AwakeTime::Moment AwakeTime::sample() {
  const Duration now = since_boot();
  if (now - waited_read_ >= std::chrono::seconds(1)) {
    waited_ = time_without_cpu();
    waited_read_ = now;
  }
  return sample(now, cpu_time() + waited_);
}

AwakeTime::Moment AwakeTime::sample(Duration real, Duration worked) {
  const Duration passed = real - last_.real;
  const bool was_at_work = (worked - worked_) * 4 >= passed;
  last_.awake += passed < max_turn || was_at_work ? passed : sample_interval;
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
