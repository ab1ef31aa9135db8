// How a run behind a broker stands, for somebody who takes no part in it: what it says itself, and what its queues say.
// Messages are looked at and left where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crawler/broker/broker_connection.h"
#include "crawler/broker/messages.h"

namespace linkherd::crawler {

// A batch of requests that no worker could deal with.
struct DeadLetter {
  std::string queue;       // that it was in
  std::string why;         // in words
  std::string fault = {};  // what is wrong with it; empty: it can be put back
  std::size_t requests = 0;
  std::vector<std::string> urls;  // the first of these; passwords are masked
};

struct RunStatus {
  RunProgress progress;
  bool is_alive = false;    // else it was killed, or its connection is lost
  std::size_t held = 0;     // buckets that a worker has
  std::size_t batches = 0;  // of requests that no worker has taken
  std::uint32_t workers = 0;
  std::vector<DeadLetter> dead_letters;  // the first of them
  std::size_t all_dead_letters = 0;
};

// Nullopt where there is no run. Throws BrokerError.
std::optional<RunStatus> read_run_status(const BrokerAddress& address);

// Puts dead letters that can be read back into the queues that they were in, so that workers try again. Returns how
// many. Throws BrokerError.
std::size_t requeue_dead_letters(const BrokerAddress& address);

}  // namespace linkherd::crawler
