// Takes over into a store what other stores have. The newest knowledge of a link wins, histories interleave, and runs
// get numbers of their own; runs of parts (`check --shard`) become one run when all parts are there. What is there
// already is left as it is, so that a merge that was killed can be repeated, and one that is repeated changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parser/timestamp.h"

namespace linkherd::storage {

class KeyValueStore;

struct Merged {
  std::uint64_t new_links = 0;
  std::uint64_t changed_links = 0;  // that the store had
  std::uint64_t looks = 0;          // rows of the history
  std::uint64_t bodies = 0;
  std::uint64_t runs = 0;          // those that were joined of parts as well
  std::vector<std::string> notes;  // what was left out or could not be joined yet, one line each

  // The earliest look that was added to a link that the store had: runs that ended later may count it otherwise.
  std::optional<Timestamp> earliest_change;
};

// Streams the rows of the sources in the order of their keys, and writes a link with all that belongs to it at once.
Merged merge(KeyValueStore& store, const std::vector<const KeyValueStore*>& sources);

}  // namespace linkherd::storage
