// Reads the status of a run that uses a broker, without taking part in it: its own progress messages and its queues.
// The messages stay in their queues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crawler/broker/broker_connection.h"
#include "crawler/broker/messages.h"

namespace linkherd::crawler {

// A batch of requests that no worker could process.
struct DeadLetter {
  std::string queue;       // queue that it was in
  std::string why;         // reason as a phrase
  std::string fault = {};  // what is wrong with it; empty if it can be requeued
  std::size_t requests = 0;
  std::vector<std::string> urls;  // of the first requests; passwords are masked
};

struct RunStatus {
  RunProgress progress;
  bool is_alive = false;    // false if the run was killed or its connection is lost
  std::size_t held = 0;     // buckets held by workers
  std::size_t batches = 0;  // batches of requests that no worker has taken
  std::uint32_t workers = 0;
  std::vector<DeadLetter> dead_letters;  // the first ones
  std::size_t all_dead_letters = 0;
};

// Returns nullopt if there is no run. Throws BrokerError.
std::optional<RunStatus> read_run_status(const BrokerAddress& address);

// Requeues all readable dead letters to their original queues, so that workers try again. Returns their number. Throws
// BrokerError.
std::size_t requeue_dead_letters(const BrokerAddress& address);

}  // namespace linkherd::crawler
