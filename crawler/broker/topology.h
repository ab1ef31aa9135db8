// The queues of a run at a broker. One run at a time has a virtual host.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace linkherd::crawler {

// More than there are workers, so that each has about the same share.
inline constexpr std::uint32_t default_buckets = 64;

namespace queues {

// Exclusive: whoever declares it has the virtual host until its connection ends.
inline constexpr const char* lock = "linkherd.lock";
// The leases of all buckets (BucketLease). Outlives runs: those of an earlier run name queues that are gone.
inline constexpr const char* leases = "linkherd.leases";

// Requests of the hosts of a bucket.
inline std::string links(const std::string& run, std::uint32_t bucket) {
  return fmt::format("linkherd.{}.links.{}", run, bucket);
}
// What workers found.
inline std::string pages(const std::string& run) { return fmt::format("linkherd.{}.pages", run); }
// Requests that no worker could deal with.
inline std::string dead_letters(const std::string& run) { return fmt::format("linkherd.{}.dead", run); }

}  // namespace queues
}  // namespace linkherd::crawler
