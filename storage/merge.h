// Copies the contents of other stores into a store. The newest state of a link wins, histories are interleaved, and
// runs get new numbers. The runs of parts (`check --shard`) become one run as soon as all parts exist.
//
// A merge leaves existing data unchanged. A killed merge can therefore be repeated, and repeating a complete merge
// changes nothing.
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
  std::uint64_t changed_links = 0;  // links that the store already had
  std::uint64_t history_rows = 0;   // history rows
  std::uint64_t bodies = 0;
  std::uint64_t runs = 0;          // includes runs that were joined from parts
  std::vector<std::string> notes;  // what was left out or could not be joined yet, one entry per line
};

// Streams the rows of the sources in key order. Writes a link together with everything that belongs to it.
Merged merge(KeyValueStore& store, const std::vector<const KeyValueStore*>& sources);

}  // namespace linkherd::storage
