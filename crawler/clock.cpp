#include "crawler/clock.h"

namespace linkherd::crawler {

namespace {

Timestamp wall_time() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

}  // namespace

Clock::Clock(std::optional<Timestamp> start)
    : start_(start.value_or(wall_time())), origin_(std::chrono::steady_clock::now()) {}

Timestamp Clock::now() const {
  return start_ + std::chrono::floor<Duration>(std::chrono::steady_clock::now() - origin_);
}

}  // namespace linkherd::crawler
