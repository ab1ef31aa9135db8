// Checks that a store is whole: files, values, what refers to what, digests and counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linkherd::storage {

class KeyValueStore;
class Store;

struct Verification {
  std::vector<std::string> problems;  // what is lost or wrong, a line each: the first 1,000
  std::uint64_t problem_count = 0;
  std::uint64_t links = 0;
  std::uint64_t looks = 0;
  std::uint64_t bodies = 0;
  std::uint64_t runs = 0;
  std::uint64_t entries = 0;
  bool has_read_database = false;  // the database itself as well, not only the checkpoint
};

// Reads everything. `rows`: those of the store.
Verification verify(const Store& store, const KeyValueStore& rows);

}  // namespace linkherd::storage
