// Makes the progress messages of a run: how many links are done, how fast, and which hosts wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "crawler/broker/messages.h"
#include "parser/timestamp.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

class ProgressTracker {
 public:
  explicit ProgressTracker(Timestamp started_at) : started_at_(started_at) {}

  // Records whether a host has requested a pause.
  void note_host(const storage::HostState& host, Timestamp now);
  // Sets the number of links, and how many of them are done.
  void set_links(std::size_t planned, std::size_t done) {
    planned_ = planned;
    done_ = done;
  }

  // Returns the progress if it is time to publish it: every two seconds, once set_links() was called. Its `run`,
  // `buckets` and `pending_requests` are left to the caller. `at` measures the rate, which needs a steady clock.
  std::optional<RunProgress> take_due(Timestamp now, std::chrono::steady_clock::time_point at);

 private:
  const Timestamp started_at_;
  std::unordered_map<std::string, Timestamp> waiting_;  // by origin: end of the pause that a host requested
  std::size_t planned_ = 0, done_ = 0;
  std::chrono::steady_clock::time_point next_{};
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::size_t>> done_at_;  // in the last minute
};

}  // namespace linkherd::crawler
