// Provides the time of a run: wall time that never goes backwards. `--now` sets the start; from there it advances in
// real time.
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

// Measures how long a thread has been running. The time for which its process was stopped (SIGSTOP) or its machine was
// asleep does not count. An operation that was pending during that time has not failed by itself. Not thread-safe.
class AwakeTime {
 public:
  // How often sample() must be called. A gap of at least `max_turn` between two samples counts as sleep. The exception
  // is a gap during a quarter of which the thread worked or waited for a CPU. A busy machine can explain shorter gaps.
  static constexpr Duration sample_interval = std::chrono::milliseconds(250);
  static constexpr Duration max_turn = std::chrono::seconds(2);

  struct Moment {
    Duration real{};   // also counts while the machine is asleep
    Duration awake{};  // the part of `real` in which the thread ran
  };

  AwakeTime();
  Moment sample();
  // Samples at a given time, which must be later than the previous one. `worked`: total time for which the thread had a
  // CPU or waited for one.
  Moment sample(Duration real, Duration worked);

 private:
  Moment last_;
  Duration worked_{};
  Duration waited_{};  // for a CPU; read at most once a second, and after every longer gap
  Duration waited_read_{};
};

// Returns true if at least a quarter of the time between the two moments was sleep. A failure in it is no evidence.
bool was_asleep(const AwakeTime::Moment& from, const AwakeTime::Moment& to);

}  // namespace linkherd::crawler
