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

// How long a thread has been running, without the time for which its process was stopped (SIGSTOP) or its machine was
// asleep. What was under way then has not failed by itself. Not thread-safe.
class AwakeTime {
 public:
  // Somebody must look this often: a longer time between two looks was sleep, from `max_turn` on, unless the thread
  // worked or waited for a CPU for a quarter of it. Less than that a busy machine explains.
  static constexpr Duration sample_interval = std::chrono::milliseconds(250);
  static constexpr Duration max_turn = std::chrono::seconds(2);

  struct Moment {
    Duration real{};   // also counts while the machine is asleep
    Duration awake{};  // the part of it in which the thread ran
  };

  AwakeTime();
  Moment sample();
  // At a time that the caller names, later than at the look before; `worked` is the time until then for which the
  // thread had a CPU or waited for one.
  Moment sample(Duration real, Duration worked);

 private:
  Moment last_;
  Duration worked_{};
  Duration waited_{};  // for a CPU; read once a second, and after every long time between two looks
  Duration waited_read_{};
};

// Whether so much of the time between the two was sleep that a failure says nothing.
bool was_asleep(const AwakeTime::Moment& from, const AwakeTime::Moment& to);

}  // namespace linkherd::crawler
