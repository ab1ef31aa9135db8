// The one clock of a run: wall time that never runs backwards. `--now` sets where it starts; from there it follows real
// time.
#pragma once

#include <chrono>
#include <optional>

#include "parser/timestamp.h"

namespace linkherd::crawler {

class Clock {
 public:
  explicit Clock(std::optional<Timestamp> start = std::nullopt);
  Timestamp now() const;  // thread-safe

 private:
  Timestamp start_;
  std::chrono::steady_clock::time_point origin_;
};

}  // namespace linkherd::crawler
