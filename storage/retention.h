// Rules that decide which runs a store removes when it has many. The functions are pure. Three kinds of runs are never
// removed:
//
// - the latest run, because it may be resumed
// - the newest complete run with the same inputs and settings, because the next run is compared with it
// - for each set of subscribers, the newest run whose changes were sent to them, for the same reason
//
// Example: keep_runs is 2. Runs 1 to 4 are complete and have the same inputs, and run 5 has other inputs.
// Runs 1 and 2 expire. With keep_runs 1, run 3 expires as well.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "parser/enum_names.h"
#include "parser/timestamp.h"
#include "storage/run.h"

namespace linkherd::storage {

// Which page bodies are kept. Names are printed: DO NOT CHANGE them.
enum class KeptBodies : std::uint8_t {
  none,     // stores no new bodies; existing ones stay
  changed,  // keeps the newest of each page, and the last one before the page died
  all
};
inline constexpr std::array<EnumName<KeptBodies>, 3> kept_bodies_names{
    {{KeptBodies::none, "none"}, {KeptBodies::changed, "changed"}, {KeptBodies::all, "all"}}};

struct Retention {
  std::size_t keep_runs = 50;                             // for the same inputs and settings
  int keep_days = 730;                                    // for runs, and for links that no run lists; 0: forever
  std::optional<std::uint64_t> max_bytes = std::nullopt;  // size of the store on disk; nullopt: no limit
  KeptBodies bodies = KeptBodies::changed;
};

// The result of pruning.
struct PruneResult {
  std::uint64_t runs = 0;
  std::uint64_t bodies = 0;  // bodies that no link needs; excludes those of the removed links
  std::uint64_t links = 0;
  bool is_complete = true;      // false: the time ran out
  bool is_small_enough = true;  // false: larger than Retention::max_bytes, although nothing else can be removed
};

// Returns the numbers of the runs that may be removed, oldest first. `runs` must be sorted newest first.
std::vector<std::uint64_t> removable_runs(const std::vector<Run>& runs);

// Returns the removable runs that exceed keep_runs or keep_days, oldest first. `runs` must be sorted newest first.
std::vector<std::uint64_t> expired_runs(const std::vector<Run>& runs, const Retention& retention, Timestamp now);

}  // namespace linkherd::storage
