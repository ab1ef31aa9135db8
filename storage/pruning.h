// Removes from a store what its retention gives up: runs with what only they need, bodies that nothing refers to, and
// links that no run lists any more.
// Can be killed at any moment: a run disappears at once, and the next call goes on with what is left of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "parser/timestamp.h"
#include "storage/key_value_store.h"
#include "storage/link_id.h"
#include "storage/retention.h"

namespace linkherd::storage {

// `until`: when to stop; nullopt: when all is done. No scan of the store may be open, or nothing is reclaimed.
PruneResult prune(KeyValueStore& store, const Retention& retention, Timestamp now,
                  std::optional<std::chrono::steady_clock::time_point> until);

// Compacts what runs have written, until then, if that is `min_bytes` or more and the disk has room. A large store
// takes a third less space afterwards, and is read faster. Returns false where nothing was to be done.
bool compact_new_tables(KeyValueStore& store, std::chrono::steady_clock::time_point until,
                        std::uint64_t min_bytes = std::uint64_t{64} << 20);

// The keys of the bodies that only these links have had, each under the last of the links that has had it: where the
// links are erased in their order, no link is left without its body at any time. Nullopt where `until` came before the
// end.
std::optional<std::multimap<LinkId, std::string>> bodies_only_of(
    const KeyValueStore& store, const std::set<LinkId>& links,
    std::optional<std::chrono::steady_clock::time_point> until = {});

// Erases the record of a link, its history, and its part of `bodies`.
void erase_link(KeyValueStore::Batch& batch, const KeyValueStore& store, const LinkId& id,
                const std::multimap<LinkId, std::string>& bodies);

}  // namespace linkherd::storage
