// The store's folder: `db/` is RocksDB's, `reports/latest` names the checkpoint that readers open, `.gitignore` keeps
// the folder out of the surrounding repository, and `linkherd-store` marks it as a store. `damaged-N` are databases
// that a checkpoint has replaced. Nothing else in the folder is changed, and symbolic links inside it are not followed.
// Old checkpoints are removed when nobody reads them any more.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "storage/folder.h"

namespace linkherd::storage {

// The file that says that a folder is a store.
inline constexpr const char* marker_name = "linkherd-store";

// Whether this folder itself is a store that is marked as one.
bool is_marked_store(const std::filesystem::path& folder);

// What is recorded about the database outside of it: StoreState in store_database.h.
inline constexpr const char* state_file = "state";

// The lines on what was lost that no user has been told yet.
inline constexpr const char* losses_file = "losses";

// Records in the store's folder that something could not be read. Best effort: errors are ignored.
inline constexpr const char* damage_file = "damaged";
void record_damage(const std::filesystem::path& store) noexcept;

// A shared lock on a checkpoint's folder: as long as it lives, no writer removes the checkpoint.
class CheckpointLease {
 public:
  explicit CheckpointLease(Folder folder) : folder_(std::move(folder)) {}
  const Folder& folder() const { return folder_; }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  Folder folder_;
};

// Calls throw std::filesystem::filesystem_error where a system call fails, and StoreError where the folder is not a
// valid store.
class StoreDirectory {
 public:
  explicit StoreDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "db"; }

  bool exists() const;
  bool has_database() const;
  void refuse_other_mark() const;  // throws StoreError where another version marked the folder
  // Creates what is missing. A folder that is not empty is accepted only if it is marked, or holds nothing but a store
  // without its marker, as older versions made them.
  void prepare() const;
  // Locks the folder while one process opens the store for writing; the lock is held as long as the returned folder
  // lives. Throws StoreLocked.
  Folder lock_opening() const;
  bool is_being_written() const;  // by another process

  std::optional<CheckpointLease> latest_checkpoint() const;
  std::filesystem::path new_checkpoint() const;                 // a path that does not exist; for publish()
  void publish(const std::filesystem::path& checkpoint) const;  // atomically, and safe from a power cut
  // Removes all but the latest, and what a killed run left behind; not what is being read. The caller holds the lock of
  // the database.
  void remove_old_checkpoints() const;
  // Replaces the database by a copy of the checkpoint, whole or not at all. The old database is kept under the returned
  // name, which is empty where there was none. Nobody may have it open.
  std::string replace_database(const CheckpointLease& checkpoint) const;

  // Small files beside the database; written whole or not at all.
  std::optional<std::string> read_file(const std::string& name) const;
  void write_file(const std::string& name, std::string_view text) const;
  void remove_file(const std::string& name) const;

 private:
  std::optional<Folder> open() const;
  Folder opened() const;  // throws where it does not exist
  Folder reports() const;
  std::optional<Folder> inner(const Folder& store, const std::string& name) const;
  void refuse_links(const Folder& folder) const;
  bool is_unmarked_store(const Folder& store) const;
  void adopt(const Folder& store) const;

  std::filesystem::path path_;
};

}  // namespace linkherd::storage
