// Finds missing and damaged files of a RocksDB database, and restores them from a checkpoint if possible. Drops lost
// tables so that all others remain usable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <rocksdb/db.h>

namespace linkherd::storage {

struct DamagedFile {
  std::string name;  // "000039.sst" for a table, "000040.blob" for a file of large values
  std::string family;
  std::uint64_t bytes = 0;  // expected size

  bool is_table() const { return name.ends_with(".sst"); }
};

// Reads every block of every table. Returns the missing and damaged tables, and the blob files that are missing or have
// the wrong size.
std::vector<DamagedFile> damaged_files(rocksdb::DB& database, const std::filesystem::path& folder);

// Does the same for a database that cannot be opened. Returns an empty list if even its list of files is unreadable.
std::vector<DamagedFile> damaged_files(const std::filesystem::path& folder,
                                       const std::vector<rocksdb::ColumnFamilyDescriptor>& families);

// Replaces files of a closed database by intact files of the same names in `spare`, an older state of the database.
// Returns the files that could not be restored. Throws std::filesystem::filesystem_error if a system call fails.
std::vector<DamagedFile> restore_from(const std::filesystem::path& spare, const std::filesystem::path& folder,
                                      const std::vector<DamagedFile>& files);

// Removes tables from the manifest of a closed database. Older values of the same keys become visible again.
rocksdb::Status drop_tables(const std::filesystem::path& folder,
                            const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                            const std::vector<DamagedFile>& tables);

}  // namespace linkherd::storage
