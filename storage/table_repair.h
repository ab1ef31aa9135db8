// Finds the files of a RocksDB database that are missing or damaged, replaces them by whole ones where there are such,
// and leaves out the tables that are lost so that all others can be used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <rocksdb/db.h>

namespace linkherd::storage {

struct DamagedFile {
  std::string name;  // "000039.sst", or "000040.blob" with large values
  std::string family;
  std::uint64_t bytes = 0;  // that it should have

  bool is_table() const { return name.ends_with(".sst"); }
};

// Reads every block of every table, and names those that are missing or damaged, and the files of large values that are
// missing or have another size.
std::vector<DamagedFile> damaged_files(rocksdb::DB& database, const std::filesystem::path& folder);

// The same for a database that cannot be opened as it is. Empty where even its list of files cannot be read.
std::vector<DamagedFile> damaged_files(const std::filesystem::path& folder,
                                       const std::vector<rocksdb::ColumnFamilyDescriptor>& families);

// Replaces files of a closed database by those of the same names in `spare`, an older state of it, where these are
// whole. Returns the files for which there was none. Throws std::filesystem::filesystem_error.
std::vector<DamagedFile> restore_from(const std::filesystem::path& spare, const std::filesystem::path& folder,
                                      const std::vector<DamagedFile>& files);

// Removes these tables from the list of a closed database. Older values of the same keys become visible again.
rocksdb::Status leave_out(const std::filesystem::path& folder,
                          const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                          const std::vector<DamagedFile>& tables);

}  // namespace linkherd::storage
