// RocksDB's options for this store. The implementation gives the reason of each.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include "storage/key_layout.h"

namespace linkherd::storage {

// RocksDB's environment, which makes files and folders for their owner alone: bodies may come from behind a login.
rocksdb::Env* owner_only_env();

rocksdb::DBOptions database_options();
rocksdb::ColumnFamilyOptions family_options(Family family);

// For column families of a newer linkherd: opened and kept, never read.
rocksdb::ColumnFamilyOptions unknown_family_options();

}  // namespace linkherd::storage
