// The open database of a store: RocksDB, the store folder and the state file. Opening compares the state file with the
// database, and repairs damage as far as possible. Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "storage/backup.h"
#include "storage/key_value_store.h"
#include "storage/run.h"
#include "storage/store_directory.h"

namespace linkherd::storage {

// The content of the state file.
struct StoreState {
  std::optional<Run> run;           // the latest run, as last written
  std::uint64_t sequence = 0;       // RocksDB's sequence number of the last durable change
  std::uint64_t published = 0;      // RocksDB's sequence number of the latest checkpoint
  std::uint64_t published_run = 0;  // number of the latest run in that checkpoint; 0: unknown

  bool operator==(const StoreState&) const = default;
};

class StoreDatabase {
 public:
  // See Store::open() and Store::open_for_reading().
  static std::unique_ptr<StoreDatabase> open_for_writing(const std::filesystem::path& path);
  static std::unique_ptr<StoreDatabase> open_for_reading(const std::filesystem::path& path);
  // Opens the database itself, not a checkpoint, for reading. Returns nullptr if another process is writing. No process
  // can start writing while the returned object exists.
  static std::unique_ptr<StoreDatabase> open_unwritten(const std::filesystem::path& path);
  // Opens the latest checkpoint of a store that no process is writing, and writes nothing. Throws StoreError if that
  // fails, or if the last run was interrupted, because the checkpoint then lacks results of that run.
  static std::unique_ptr<StoreDatabase> open_published(const std::filesystem::path& path);
  static Restored restore(const std::filesystem::path& folder, const std::filesystem::path& path,
                          std::optional<std::uint32_t> backup);  // see Store::restore()
  StoreDatabase(const StoreDatabase&) = delete;
  StoreDatabase& operator=(const StoreDatabase&) = delete;

  KeyValueStore& rocks() const { return *rocks_; }
  // See Store::losses() and Store::take_losses().
  const std::vector<std::string>& losses() const { return losses_; }
  std::vector<std::string> take_losses() const;
  bool is_checkpoint() const { return lease_.has_value(); }
  const std::filesystem::path& path() const { return directory_.path(); }
  bool is_current() const;                                                 // see Store::is_current()
  bool is_being_written() const { return directory_.is_being_written(); }  // by another process

  std::optional<Run> recorded_run() const;  // read from the state file
  // Makes all acknowledged writes durable. Records that, and the run, in the state file.
  void sync_with(const Run& run);
  void sync();
  void publish();  // creates a checkpoint of the current state for readers
  std::uint64_t folder_bytes() const { return directory_.disk_use(); }

 private:
  StoreDatabase(StoreDirectory directory, std::optional<CheckpointLease> lease, std::unique_ptr<KeyValueStore> rocks,
                StoreState state)
      : directory_(std::move(directory)),
        lease_(std::move(lease)),
        rocks_(std::move(rocks)),
        state_(std::move(state)) {}
  void sync_and_record(const std::function<void(StoreState& state)>& change);

  StoreDirectory directory_;
  std::optional<CheckpointLease> lease_;  // set for readers; must outlive the files that `rocks_` has open
  std::optional<Folder> opening_;         // lock of open_unwritten()
  std::unique_ptr<KeyValueStore> rocks_;
  std::vector<std::string> losses_;
  mutable std::mutex state_mutex_;
  StoreState state_;       // guarded by state_mutex_
  std::mutex publishing_;  // prevents two checkpoints from getting the same name
};

}  // namespace linkherd::storage
