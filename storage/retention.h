// Which runs a store gives up when it has many: pure rules. Never the latest run, which may be resumed, nor the newest
// complete run of the same inputs and settings, nor the newest one whose changes were told: the next ones are compared
// with it.
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

// Which bodies of pages are kept. Names are printed: DO NOT CHANGE them.
enum class KeptBodies : std::uint8_t {
  none,     // no new ones; those that there are stay
  changed,  // the newest of each page, and the last one before it died
  all
};
inline constexpr std::array<EnumName<KeptBodies>, 3> kept_bodies_names{
    {{KeptBodies::none, "none"}, {KeptBodies::changed, "changed"}, {KeptBodies::all, "all"}}};

struct Retention {
  std::size_t keep_runs = 50;                             // of the same inputs and settings
  int keep_days = 730;                                    // of runs, and of links that no run lists; 0: for ever
  std::optional<std::uint64_t> max_bytes = std::nullopt;  // of the store on disk
  KeptBodies bodies = KeptBodies::changed;
};

// What was removed.
struct PruneResult {
  std::uint64_t runs = 0;
  std::uint64_t bodies = 0;  // that no link needs, besides those of the links below
  std::uint64_t links = 0;
  bool is_complete = true;      // false: the time was over before all was done
  bool is_small_enough = true;  // false: more than Retention::max_bytes, although nothing else can be removed
};

// The numbers of the runs that may be given up, oldest first. `runs`: newest first.
std::vector<std::uint64_t> removable_runs(const std::vector<Run>& runs);

// Those of them that are too many or too old.
std::vector<std::uint64_t> expired_runs(const std::vector<Run>& runs, const Retention& retention, Timestamp now);

}  // namespace linkherd::storage
