// Names of the queues of a run, and of a plan that waits for one. A virtual host serves one run and one plan at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "crawler/broker/broker_connection.h"

namespace linkherd::crawler {

// More than the usual number of workers, so that all of them get about the same share.
inline constexpr std::uint32_t default_buckets = 64;

namespace queues {

// Exclusive: the connection that declares it owns the virtual host until it ends.
inline constexpr const char* lock = "linkherd.lock";
// Leases of all buckets (BucketLease). The queue outlives runs; leases of an earlier run name queues that no longer
// exist.
inline constexpr const char* leases = "linkherd.leases";

// Requests of any run that no worker could process.
inline constexpr const char* dead_letters = "linkherd.dead";
// The latest progress of the run (RunProgress).
inline constexpr const char* progress = "linkherd.progress";

// The plan to collect, once it is complete (PlanHeader), and its links (PlanPiece). The writer must hold the exclusive
// queue `plan_lock`.
inline constexpr const char* plan = "linkherd.plan";
inline constexpr const char* plan_pieces = "linkherd.plan.pieces";
inline constexpr const char* plan_lock = "linkherd.plan.lock";

// Requests for the hosts of a bucket. A run deletes the requests of earlier runs.
inline constexpr std::string_view links_prefix = "linkherd.links.";
inline std::string links(std::uint32_t bucket) { return fmt::format("{}{}", links_prefix, bucket); }
// Results of the workers.
inline std::string pages(const std::string& run) { return fmt::format("linkherd.{}.pages", run); }

}  // namespace queues

// Returns true if the run exists and waits for results.
inline bool is_alive(BrokerPublisher& broker, const std::string& run) {
  const std::optional<BrokerPublisher::QueueState> pages = broker.state_of(queues::pages(run));
  return pages && pages->consumers > 0;
}

}  // namespace linkherd::crawler
