#include "crawler/fetch/exhaustion_pause.h"

#include <chrono>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace linkherd::crawler {

namespace {

constexpr Duration exhaustion_pause = std::chrono::milliseconds(500);
constexpr Duration max_exhaustion = std::chrono::seconds(30);

}  // namespace

bool ExhaustionPause::extend(Timestamp now, const std::string& detail) {
  if (!exhausted_since_) spdlog::warn(fmt::format("this machine lacks resources, so requests pause: {}", detail));
  const Duration awake = awake_.sample().awake;
  exhausted_since_ = exhausted_since_.value_or(awake);
  if (awake - *exhausted_since_ > max_exhaustion) return false;
  until_ = now + exhaustion_pause;
  return true;
}

}  // namespace linkherd::crawler
