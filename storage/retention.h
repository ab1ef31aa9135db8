// Which runs a store gives up when it has many: pure rules. Never the latest run, which may be resumed, nor the newest
// complete run of the same inputs and settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "parser/timestamp.h"
#include "storage/run.h"

namespace linkherd::storage {

struct Retention {
  std::size_t keep_runs = 50;                // of the same inputs and settings
  int keep_days = 730;                       // 0: for ever
  std::optional<std::uint64_t> most_bytes;   // of the store on disk
  bool keep_all_bodies = false;              // otherwise the newest of each page, and the last one of a page that died
};

// The numbers of the runs that may be given up, oldest first. `runs`: newest first.
std::vector<std::uint64_t> removable_runs(const std::vector<Run>& runs);

// Those of them that are too many or too old.
std::vector<std::uint64_t> expired_runs(const std::vector<Run>& runs, const Retention& retention, Timestamp now);

}  // namespace linkherd::storage
