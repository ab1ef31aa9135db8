// Finds tables of a RocksDB database that cannot be read, and leaves them out so that all others can be used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <rocksdb/db.h>

namespace linkherd::storage {

struct DamagedTable {
  std::string name;  // "000039.sst"
  std::string family;
  std::uint64_t rows = 0;
};

// Reads every block of every table, and names those that are missing or damaged.
std::vector<DamagedTable> damaged_tables(rocksdb::DB& database, const std::filesystem::path& folder);

// The same for a database that cannot be opened as it is. Empty where even its list of tables cannot be read.
std::vector<DamagedTable> damaged_tables(const std::filesystem::path& folder,
                                         const std::vector<rocksdb::ColumnFamilyDescriptor>& families);

// Removes these tables from the list of a closed database. Older values of the same keys become visible again.
rocksdb::Status leave_out(const std::filesystem::path& folder,
                          const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                          const std::vector<DamagedTable>& tables);

}  // namespace linkherd::storage
