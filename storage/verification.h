// Verifies that a store is complete and consistent: files, values, references between rows, digests and counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linkherd::storage {

class Store;

struct Verification {
  std::vector<std::string> problems;  // descriptions of lost and wrong data, one per line; only the first 1,000
  std::uint64_t problem_count = 0;
  std::uint64_t links = 0;
  std::uint64_t history_rows = 0;
  std::uint64_t bodies = 0;
  std::uint64_t runs = 0;
  std::uint64_t entries = 0;
  bool has_read_database = false;  // the database itself was read, not only the checkpoint
};

// Reads the complete checkpoint. Reads the database as well if no process is writing; no process can start writing
// meanwhile.
Verification verify(const Store& store);

}  // namespace linkherd::storage
