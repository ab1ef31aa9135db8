// RocksDB's options for this store, each for a reason that is written next to it in the implementation.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include "storage/key_layout.h"

namespace linkherd::storage {

// RocksDB's way to files, with files and folders for their owner alone: bodies may come from behind logins.
rocksdb::Env* owner_only_env();

rocksdb::DBOptions database_options();
rocksdb::ColumnFamilyOptions family_options(Family family);

// For families that a later linkherd has made: opened and kept, never read.
rocksdb::ColumnFamilyOptions unknown_family_options();

}  // namespace linkherd::storage
