// The folder of the store. `db/` belongs to RocksDB, `reports/latest` is the name of the checkpoint that readers open,
// `.gitignore` excludes the folder from a surrounding repository, and `linkherd-store` marks it as a store.
// `damaged-N` are databases that were replaced by a checkpoint. Nothing else in the folder is changed, and symbolic
// links inside it are not followed. Old checkpoints are removed when nobody reads them.
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

// Returns true if this folder itself is marked as a store.
bool is_marked_store(const std::filesystem::path& folder);

// Data about the database that is kept outside of it: StoreState in store_database.h.
inline constexpr const char* state_file = "state";

// Losses that were not yet reported to the user, one per line.
inline constexpr const char* losses_file = "losses";

// Records that something in the store could not be read. Best effort: errors are ignored.
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

// Functions throw std::filesystem::filesystem_error if a system call fails, and StoreError if the folder is not a
// valid store.
class StoreDirectory {
 public:
  explicit StoreDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "db"; }

  bool exists() const;
  bool has_database() const;
  void refuse_other_mark() const;  // throws StoreError if another version marked the folder
  // Creates what is missing. A folder that is not empty is accepted only if it is marked, or has nothing but a store
  // without the mark, as created by older versions.
  void prepare() const;
  // Locks the folder while a process opens the store for writing. The lock is held as long as the returned folder
  // exists. Throws StoreLocked.
  Folder lock_opening() const;
  bool is_being_written() const { return writer().has_value(); }  // by another process
  std::optional<int> writer() const;  // the process; 0 where the system does not tell its id

  std::optional<CheckpointLease> latest_checkpoint() const;
  std::filesystem::path new_checkpoint() const;                 // a path that does not exist; for publish()
  void publish(const std::filesystem::path& checkpoint) const;  // atomic and durable
  // Removes all checkpoints except the latest, and files left by killed runs; not those that are being read. The
  // caller must hold the lock of the database.
  void remove_old_checkpoints() const;
  void remove_checkpoints() const;  // the latest as well
  // Replaces the database by a copy of the checkpoint, atomically. Keeps the old database under the returned name,
  // which is empty if there was none. The database must not be open.
  std::string replace_database(const CheckpointLease& checkpoint) const;
  // Likewise, by a database that `make` writes into an empty folder.
  std::string replace_database(const std::function<void(const std::filesystem::path& folder)>& make) const;

  // The names of databases that were replaced, and their removal.
  std::vector<std::string> damaged_databases() const;
  void remove_damaged_databases() const;

  std::uint64_t disk_use() const;  // in bytes; files that it has under several names are counted once

  // Small files next to the database; written atomically.
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
