// Removes from a store what its retention gives up: runs with what only they need, and bodies that nothing refers to.
// Can be killed at any moment: a run disappears at once, and the next call goes on with what is left of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include "parser/timestamp.h"
#include "storage/key_value_store.h"
#include "storage/link_id.h"
#include "storage/retention.h"

namespace linkherd::storage {

// `until`: when to stop; nullopt: when all is done. No view of the store may be open, or nothing is reclaimed.
CleanedUp clean_up(KeyValueStore& store, const Retention& retention, Timestamp now,
                   std::optional<std::chrono::steady_clock::time_point> until);

// Erases the bodies that only these links have had.
void erase_bodies_of(KeyValueStore& store, const std::set<LinkId>& links);

}  // namespace linkherd::storage
