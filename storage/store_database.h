// What is behind a Store, for the files that implement it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "storage/key_value_store.h"
#include "storage/store.h"
#include "storage/store_directory.h"

namespace linkherd::storage {

struct Store::Database {
  Database(StoreDirectory where, std::optional<CheckpointLease> held, std::unique_ptr<KeyValueStore> opened)
      : directory(std::move(where)), lease(std::move(held)), rocks(std::move(opened)) {}

  StoreDirectory directory;
  std::optional<CheckpointLease> lease;  // of a reader; outlives the files that `rocks` holds open
  std::unique_ptr<KeyValueStore> rocks;
  std::mutex beginning;   // two runs must not get one number
  std::mutex publishing;  // nor two checkpoints one name
};

}  // namespace linkherd::storage
