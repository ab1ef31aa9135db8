// Removes data that the retention rules no longer keep, in this order: runs, with the results and occurrences that only
// they need; bodies that nothing refers to; and links that no run lists any more.
//
// A process that prunes can be killed at any moment. A run disappears from view in one atomic write, which marks its
// row as pruned. Only then are its results erased. The next call continues with the remaining rows.
//
// Example: --keep-runs 2 with runs 1 to 4, all complete and with the same inputs.
//   1. One write marks the rows of runs 1 and 2 as pruned. Reports now show runs 3 and 4.
//   2. The results of run 1 are erased, with the occurrences of links that no other run of these inputs lists. Its row
//      is erased last.
//   3. The same for run 2.
//   4. Bodies of pages are erased, except the newest of each page and the last one before it died (KeptBodies).
//   5. Links are erased that no run lists and that were not checked for Retention::keep_days.
// If the store is still larger than Retention::max_bytes, more of the removable runs follow, oldest first.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "parser/timestamp.h"
#include "storage/key_value_store.h"
#include "storage/link_id.h"
#include "storage/retention.h"

namespace linkherd::storage {

// Prunes until the time `until`, or completely if it is nullopt. No scan of the store may be open, because an open scan
// prevents RocksDB from reclaiming space.
PruneResult prune(KeyValueStore& store, const Retention& retention, Timestamp now,
                  std::optional<std::chrono::steady_clock::time_point> until = {});

// Compacts what runs have written, at the latest until `until`. Does so only if there are at least `min_bytes` to
// compact and the disk has room. A large store then takes a third less space and is read faster. Returns false if there
// was nothing to do.
bool compact_new_tables(KeyValueStore& store, std::chrono::steady_clock::time_point until,
                        std::uint64_t min_bytes = std::uint64_t{64} << 20);

// Removes links everywhere: their states, history and occurrences, their results in runs, and bodies that no other link
// has had. Returns how many of the links the store had.
std::size_t forget(KeyValueStore& store, const std::vector<LinkId>& ids);

}  // namespace linkherd::storage
