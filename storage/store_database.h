// What is behind a Store, for the files that implement it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/key_value_store.h"
#include "storage/store.h"
#include "storage/store_directory.h"
#include "storage/store_state.h"

namespace linkherd::storage {

struct Store::Database {
  Database(StoreDirectory where, std::optional<CheckpointLease> held, std::unique_ptr<KeyValueStore> opened)
      : directory(std::move(where)), lease(std::move(held)), rocks(std::move(opened)) {}

  // Makes all that was acknowledged safe from a power cut, and notes beside the database that it was. `change` enters
  // more into the note.
  void sync_and_note(const std::function<void(StoreState& state)>& change = {});

  std::uint64_t noted_run_number() {
    const std::lock_guard lock(noting);
    return state.run ? state.run->number : 0;
  }

  StoreDirectory directory;
  std::optional<CheckpointLease> lease;  // of a reader; outlives the files that `rocks` holds open
  std::unique_ptr<KeyValueStore> rocks;
  std::vector<std::string> losses;
  std::mutex noting;  // guards the state
  StoreState state;
  std::mutex beginning;   // two runs must not get one number
  std::mutex publishing;  // nor two checkpoints one name
};

}  // namespace linkherd::storage
