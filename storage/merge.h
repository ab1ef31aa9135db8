// Copies the contents of other stores into a store. The newest state of a link wins, histories are interleaved, and
// runs get new numbers. The runs of parts (`check --shard`) become one run as soon as all parts exist.
//
// A merge leaves existing data unchanged. A killed merge can therefore be repeated, and repeating a complete merge
// changes nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace linkherd::storage {

class Store;

struct Merged {
  std::uint64_t new_links = 0;
  std::uint64_t changed_links = 0;  // links that the store already had
  std::uint64_t history_rows = 0;   // history rows
  std::uint64_t bodies = 0;
  std::uint64_t runs = 0;          // includes runs that were joined from parts
  std::vector<std::string> notes;  // what was left out or could not be joined yet, one entry per line
};

// Copies the contents of the checkpoints of other stores. Streams their rows in key order, and writes a link together
// with everything that belongs to it. Throws StoreError before any write if a source is the store itself, is listed
// twice, is damaged, has another schema, or is being written.
Merged merge(Store& store, const std::vector<std::filesystem::path>& sources);

}  // namespace linkherd::storage
