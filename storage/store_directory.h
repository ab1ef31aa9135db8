// The folder of a store. No other entry is changed, and symbolic links inside it are not followed.
//
//   db/              RocksDB's database
//   reports/latest   names the checkpoint that readers open; old checkpoints are removed when nobody reads them
//   linkherd-store   marks the folder as a store
//   .gitignore       excludes the folder from a surrounding repository
//   damaged-N        databases that were replaced by a checkpoint or a backup
//   state, losses, damaged   small files, see below
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/folder.h"

namespace linkherd::storage {

// The file that marks a folder as a store.
inline constexpr const char* marker_name = "linkherd-store";

// Returns true if this folder itself, not a parent, is marked as a store.
bool is_marked_store(const std::filesystem::path& folder);

// Holds data about the database outside of it: StoreState in store.h.
inline constexpr const char* state_file = "state";

// Lists losses that were not reported to the user yet, one per line.
inline constexpr const char* losses_file = "losses";

// Records that some data of the store could not be read. record_damage() ignores errors.
inline constexpr const char* damage_file = "damaged";
void record_damage(const std::filesystem::path& store) noexcept;

// A shared lock on a checkpoint. While it exists, no writer removes the checkpoint.
class CheckpointLease {
 public:
  explicit CheckpointLease(Folder folder) : folder_(std::move(folder)) {}
  const Folder& folder() const { return folder_; }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  Folder folder_;
};

// Manages the store folder. Functions throw std::filesystem::filesystem_error if a system call fails, and StoreError if
// the folder is not a valid store.
class StoreDirectory {
 public:
  explicit StoreDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "db"; }

  bool exists() const;
  bool has_database() const;
  void refuse_other_mark() const;  // throws StoreError if another version marked the folder
  // Creates missing files. Accepts a non-empty folder only if it is marked, or contains only a store whose mark was
  // lost.
  void prepare() const;
  // Locks the folder while a process opens the store for writing. The lock lasts as long as the returned folder exists.
  // Throws StoreLocked if another process holds it.
  Folder lock_opening() const;
  bool is_being_written() const { return writer().has_value(); }  // by another process
  // Id of the writing process; 0 if the system does not reveal it; nullopt if there is none.
  std::optional<int> writer() const;

  std::optional<CheckpointLease> latest_checkpoint() const;
  std::filesystem::path new_checkpoint() const;                 // a path that does not exist; for publish()
  void publish(const std::filesystem::path& checkpoint) const;  // atomic and durable
  // Removes all checkpoints except the latest and those that are being read, and files left by killed runs. The caller
  // must hold the lock of the database.
  void remove_old_checkpoints() const;
  void remove_checkpoints() const;  // including the latest
  // Replaces the database atomically by a copy of the checkpoint. Keeps the old database under the returned name, which
  // is empty if there was none. The database must not be open.
  std::string replace_database(const CheckpointLease& checkpoint) const;
  // Replaces the database in the same way by one that `make` writes into an empty folder.
  std::string replace_database(const std::function<void(const std::filesystem::path& folder)>& make) const;

  // damaged_databases() returns the names of databases that were replaced; the other function removes them.
  std::vector<std::string> damaged_databases() const;
  void remove_damaged_databases() const;

  std::uint64_t disk_use() const;  // bytes; counts a file with several hard links once

  // These read, write and remove small files next to the database. Writes are atomic.
  std::optional<std::string> read_file(const std::string& name) const;
  void write_file(const std::string& name, std::string_view text) const;
  void remove_file(const std::string& name) const;

 private:
  std::string replace_with(const std::function<void(const Folder& next)>& make) const;
  std::optional<Folder> open() const;
  Folder opened() const;  // throws if it does not exist
  Folder reports() const;
  std::optional<Folder> inner(const Folder& store, const std::string& name) const;
  void refuse_links(const Folder& folder) const;
  bool is_unmarked_store(const Folder& store) const;
  void adopt(const Folder& store) const;

  std::filesystem::path path_;
};

}  // namespace linkherd::storage
