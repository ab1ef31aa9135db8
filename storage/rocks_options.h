// RocksDB options of this store. The implementation explains each of them.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include "storage/key_layout.h"

namespace linkherd::storage {

// A RocksDB environment that creates files and folders accessible by the owner only, because bodies may come from
// authenticated requests.
rocksdb::Env* owner_only_env();

rocksdb::DBOptions database_options();
rocksdb::ColumnFamilyOptions family_options(Family family);

// For column families of a newer version of linkherd: they are kept but never read.
rocksdb::ColumnFamilyOptions unknown_family_options();

}  // namespace linkherd::storage
