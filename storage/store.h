// An open store of linkherd: its RocksDB database, its folder, its state file and the list of its runs. Opening
// compares the state file with the database, and repairs damage as far as possible. One process writes at a time;
// readers use a checkpoint. Thread-safe.
//
// Other classes read and write its contents: RunResults the results of a run, LinkHistory links over time, and
// LinkWriter what a check found. Functions maintain it: prune(), forget(), merge() and verify().
//
// A write is acknowledged when the call returns, and then survives the end of the process. After sync(), it also
// survives a power failure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/backup.h"
#include "storage/host_state.h"
#include "storage/key_value_store.h"
#include "storage/retention.h"
#include "storage/run.h"
#include "storage/store_directory.h"
#include "storage/store_errors.h"

namespace linkherd::storage {

// The content of the state file.
struct StoreState {
  std::optional<Run> run;           // the latest run, as last written
  std::uint64_t sequence = 0;       // RocksDB's sequence number of the last durable change
  std::uint64_t published = 0;      // RocksDB's sequence number of the latest checkpoint
  std::uint64_t published_run = 0;  // number of the latest run in that checkpoint; 0: unknown

  bool operator==(const StoreState&) const = default;
};

class Store {
 public:
  // Opens `directory` for writing, and creates it if it does not exist. Drops damaged parts, and replaces an unusable
  // database by the latest checkpoint; see losses(). Throws StoreError if that fails, or if the folder is neither empty
  // nor a store.
  static std::unique_ptr<Store> open(const std::filesystem::path& directory);
  // Opens the latest checkpoint in `directory` for reading. Unless another process is writing, it creates a checkpoint
  // if there is none, or if a later run was killed. Throws StoreError if that fails or there is no store. Functions
  // that write throw.
  static std::unique_ptr<Store> open_for_reading(const std::filesystem::path& directory);
  // Opens the database itself, not a checkpoint, for reading. Returns nullptr if another process is writing. No process
  // can start writing while the returned object exists.
  static std::unique_ptr<Store> open_unwritten(const std::filesystem::path& directory);
  // Opens the latest checkpoint of a store that no process is writing, and writes nothing. Throws StoreError if that
  // fails, or if the last run was interrupted, because the checkpoint then lacks results of that run.
  static std::unique_ptr<Store> open_published(const std::filesystem::path& directory);
  // Restores the newest backup in `folder`, or the one with the number `backup`, as the store `directory`. Keeps an
  // existing database as `damaged-N`. Throws StoreError if the backup is damaged; nothing has changed then.
  static Restored restore(const std::filesystem::path& folder, const std::filesystem::path& directory,
                          std::optional<std::uint32_t> backup = {});
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  KeyValueStore& rows() const { return *rows_; }
  const std::filesystem::path& path() const { return directory_.path(); }
  std::uint64_t folder_bytes() const { return directory_.disk_use(); }

  // Returns data that was missing or damaged when the store was opened, one line each. Each line names the store.
  const std::vector<std::string>& losses() const { return losses_; }
  // Returns losses(), and those of earlier calls of open() that nobody has taken yet, for reporting them to the user.
  std::vector<std::string> take_losses() const;
  bool is_checkpoint() const { return lease_.has_value(); }
  // Returns true if all written data is visible, including that of a killed run. Returns false for an older checkpoint.
  bool is_current() const;
  bool is_being_written() const { return directory_.is_being_written(); }  // by another process

  // --- runs
  // Returns the open or interrupted run with this identity, to resume it. Otherwise returns a new run. Only the latest
  // run can be resumed.
  Run begin_run(std::string_view identity, const std::vector<std::string>& inputs, Timestamp now,
                bool is_partial = false);
  void put_run(const Run& run);
  // Stores a run that has ended, and publishes it. After a complete run, it also prunes the store for less than a
  // second, because the report waits for it. Then it compacts the store for at most one fiftieth of `run_duration`, the
  // duration of the run.
  PruneResult end_run(const Run& run, const Retention& retention, Timestamp now, Duration run_duration);
  std::vector<Run> runs() const;                // readable runs, newest first
  std::optional<Run> latest_run() const;        // latest readable run
  std::optional<Run> latest_whole_run() const;  // latest readable run that is not partial
  // Returns the latest run if it was started but not ended. Reads the state file, because a checkpoint may lack the
  // run.
  std::optional<Run> unfinished_run() const;
  // Returns the number of a finished run that damage has removed: it is newer than all existing runs.
  std::optional<std::uint64_t> lost_run() const;

  // --- hosts
  std::vector<HostState> hosts() const;
  void put_hosts(const std::vector<HostState>& hosts);

  // --- durability
  // Makes all acknowledged writes durable.
  void sync();
  // Syncs, and publishes the current state for readers as a checkpoint that atomically replaces the previous one.
  void publish();

 private:
  Store(StoreDirectory directory, std::optional<CheckpointLease> lease, std::unique_ptr<KeyValueStore> rows,
        StoreState state)
      : directory_(std::move(directory)), lease_(std::move(lease)), rows_(std::move(rows)), state_(std::move(state)) {}
  std::optional<Run> recorded_run() const;
  void sync_and_record(const std::function<void(StoreState& state)>& change);

  StoreDirectory directory_;
  std::optional<CheckpointLease> lease_;  // set for readers; must outlive the files that `rows_` has open
  std::optional<Folder> opening_;         // lock of open_unwritten()
  std::unique_ptr<KeyValueStore> rows_;
  std::vector<std::string> losses_;
  mutable std::mutex state_mutex_;
  StoreState state_;       // guarded by state_mutex_
  std::mutex publishing_;  // prevents two checkpoints from getting the same name
  std::mutex beginning_;   // prevents two runs from getting the same number
};

}  // namespace linkherd::storage
