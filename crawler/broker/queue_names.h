// The queues of a run at a broker, and of a plan that waits for one. One run and one plan at a time have a virtual
// host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "crawler/broker/broker_connection.h"

namespace linkherd::crawler {

// More than there are workers, so that each has about the same share.
inline constexpr std::uint32_t default_buckets = 64;

namespace queues {

// Exclusive: whoever declares it has the virtual host until its connection ends.
inline constexpr const char* lock = "linkherd.lock";
// The leases of all buckets (BucketLease). Outlives runs: those of an earlier run name queues that are gone.
inline constexpr const char* leases = "linkherd.leases";

// Requests that no worker could deal with, of whatever run.
inline constexpr const char* dead_letters = "linkherd.dead";
// How far the run is (RunProgress): the latest message.
inline constexpr const char* progress = "linkherd.progress";

// The plan that waits to be collected, once it is complete (PlanHeader), and its links (PlanPiece). Whoever writes
// there holds the lock, an exclusive queue.
inline constexpr const char* plan = "linkherd.plan";
inline constexpr const char* plan_pieces = "linkherd.plan.pieces";
inline constexpr const char* plan_lock = "linkherd.plan.lock";

// Requests of the hosts of a bucket, of whatever run: those of an earlier one are deleted by the next.
inline constexpr std::string_view links_prefix = "linkherd.links.";
inline std::string links(std::uint32_t bucket) { return fmt::format("{}{}", links_prefix, bucket); }
// What workers found.
inline std::string pages(const std::string& run) { return fmt::format("linkherd.{}.pages", run); }

}  // namespace queues

// Whether the run is there, and waits for what is found.
inline bool is_alive(BrokerPublisher& broker, const std::string& run) {
  const std::optional<BrokerPublisher::QueueState> pages = broker.state_of(queues::pages(run));
  return pages && pages->consumers > 0;
}

}  // namespace linkherd::crawler
