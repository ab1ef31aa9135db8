// Pauses the requests of a fetch thread while this machine lacks descriptors, ports or memory.
#pragma once

#include <optional>
#include <string>

#include "crawler/clock/clock.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

class ExhaustionPause {
 public:
  explicit ExhaustionPause(AwakeTime& awake) : awake_(awake) {}

  // Records that an attempt could use the resources.
  void end() { exhausted_since_.reset(); }
  // Records that an attempt lacked a resource, as `detail` says. Returns false if that lasts for so long that the run
  // cannot go on.
  bool extend(Timestamp now, const std::string& detail);
  Timestamp until() const { return until_; }  // before this time, no hop should start

 private:
  AwakeTime& awake_;
  std::optional<Duration> exhausted_since_;  // in awake time; empty: the resources suffice
  Timestamp until_{};
};

}  // namespace linkherd::crawler
