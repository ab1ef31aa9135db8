// Removes from a store what its retention gives up: runs with what only they need, and bodies that nothing refers to.
// Can be killed at any moment: a run disappears at once, and the next call goes on with what is left of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "parser/timestamp.h"
#include "storage/key_value_store.h"
#include "storage/retention.h"

namespace linkherd::storage {

struct CleanedUp {
  std::uint64_t runs = 0;
  std::uint64_t bodies = 0;
  bool is_complete = true;       // false: the time was over before all was done
  bool is_small_enough = true;   // false: more than Retention::most_bytes, although nothing else can be removed
};

// `until`: when to stop; nullopt: when all is done. No view of the store may be open, or nothing is reclaimed.
CleanedUp clean_up(KeyValueStore& store, const Retention& retention, Timestamp now,
                   std::optional<std::chrono::steady_clock::time_point> until);

}  // namespace linkherd::storage
