// Finds damage in the properties of a RocksDB table. RocksDB parses them before it compares their checksum, and builds
// of RocksDB with assertions then abort on some damage. All other parts of a table are read after their checksum.
#pragma once

#include <cstdint>

#include <rocksdb/file_system.h>
#include <rocksdb/table.h>

namespace linkherd::storage {

// The checksum and version of the tables that linkherd writes. RocksDB 7 and later read and write them.
inline constexpr rocksdb::ChecksumType table_checksum = rocksdb::kCRC32c;
inline constexpr std::uint32_t table_format_version = 5;

// Returns a Corruption if the checksum of the properties, or of the index that has their position, is wrong. `bytes` is
// the size of the file. Returns OK for tables of another checksum or version, and for files that are no tables: RocksDB
// refuses these itself. Reads three parts of the file, together a few KiB.
rocksdb::IOStatus check_table_properties(rocksdb::FSRandomAccessFile& table, std::uint64_t bytes);

}  // namespace linkherd::storage
