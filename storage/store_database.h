// The database of a store, opened: RocksDB, the store's folder, and the state file that is compared with the database
// when the store is opened again. Opening repairs what is damaged, as far as it can. Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "storage/key_value_store.h"
#include "storage/run.h"
#include "storage/store_directory.h"

namespace linkherd::storage {

// What the state file says of the database.
struct StoreState {
  std::optional<Run> run;           // the latest, as it was last written
  std::uint64_t sequence = 0;       // RocksDB's number of the last change that was safe from a power cut
  std::uint64_t published = 0;      // the same in the latest checkpoint
  std::uint64_t published_run = 0;  // the number of the run that was the latest then; 0: not known

  bool operator==(const StoreState&) const = default;
};

class StoreDatabase {
 public:
  // As Store::open and Store::open_for_reading describe.
  static std::unique_ptr<StoreDatabase> open_for_writing(const std::filesystem::path& path);
  static std::unique_ptr<StoreDatabase> open_for_reading(const std::filesystem::path& path);
  StoreDatabase(const StoreDatabase&) = delete;
  StoreDatabase& operator=(const StoreDatabase&) = delete;

  KeyValueStore& rocks() const { return *rocks_; }
  // As Store::losses and Store::take_losses describe.
  const std::vector<std::string>& losses() const { return losses_; }
  std::vector<std::string> take_losses() const;
  bool is_current() const;                                                 // as Store::is_current describes
  bool is_being_written() const { return directory_.is_being_written(); }  // by another process

  std::optional<Run> recorded_run() const;  // from the state file
  // Makes all that was acknowledged safe from a power cut, and records that, and the run, in the state file.
  void sync_with(const Run& run);
  void sync();
  void publish();  // a checkpoint of the present state, for readers

 private:
  StoreDatabase(StoreDirectory directory, std::optional<CheckpointLease> lease, std::unique_ptr<KeyValueStore> rocks,
                StoreState state)
      : directory_(std::move(directory)),
        lease_(std::move(lease)),
        rocks_(std::move(rocks)),
        state_(std::move(state)) {}
  void sync_and_record(const std::function<void(StoreState& state)>& change);

  StoreDirectory directory_;
  std::optional<CheckpointLease> lease_;  // of a reader; outlives the files that `rocks_` holds open
  std::unique_ptr<KeyValueStore> rocks_;
  std::vector<std::string> losses_;
  mutable std::mutex state_mutex_;
  StoreState state_;       // guarded by state_mutex_
  std::mutex publishing_;  // two checkpoints must not get one name
};

}  // namespace linkherd::storage
