#include "crawler/awake_time.h"

#include <ctime>

namespace linkherd::crawler {

namespace {

// Unlike the steady clock it goes on while the machine is asleep.
Duration since_boot() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                              std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace

AwakeTime::AwakeTime() { last_.real = since_boot(); }

AwakeTime::Moment AwakeTime::look() { return look(since_boot()); }

AwakeTime::Moment AwakeTime::look(Duration real) {
  const Duration passed = real - last_.real;
  last_.awake += passed < longest_turn ? passed : look_interval;
  last_.real = real;
  return last_;
}

bool was_asleep(const AwakeTime::Moment& from, const AwakeTime::Moment& to) {
  const Duration passed = to.real - from.real;
  const Duration asleep = passed - (to.awake - from.awake);
  return asleep > Duration::zero() && asleep * 4 >= passed;
}

}  // namespace linkherd::crawler
