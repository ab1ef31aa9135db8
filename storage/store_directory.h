// The store's folder: `db/` is RocksDB's, `reports/latest` names the checkpoint that readers open, `.gitignore` keeps
// all of it out of the repository it lies in, and `linkherd-store` marks the folder as ours. `damaged-N` were databases
// that a checkpoint has replaced. Nothing else in it is ever touched, and nothing is done through a symbolic link
// inside it. Old checkpoints go when nobody reads them any more.
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

// What the store says of itself beside the database: StoreState in store_database.h.
inline constexpr const char* state_note = "state";

// Leaves word in a store that something in it could not be read. Best effort: the error that led here is what counts.
inline constexpr const char* damage_note = "damaged";
void note_damage(const std::filesystem::path& store) noexcept;

// A shared lock on a checkpoint's folder: as long as it lives, no writer removes the checkpoint.
class CheckpointLease {
 public:
  explicit CheckpointLease(Folder folder) : folder_(std::move(folder)) {}
  const Folder& folder() const { return folder_; }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  Folder folder_;
};

// Calls throw std::filesystem::filesystem_error where the system says no, and StoreError where the folder is not as a
// store's must be.
class StoreDirectory {
 public:
  explicit StoreDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "db"; }

  bool has_database() const;
  // Creates what is missing. A folder that is not empty becomes a store only if it is marked, or holds nothing but a
  // store of the time before there were marks.
  void prepare() const;
  // One process at a time opens a store for writing, as long as it keeps what is returned. Throws StoreLocked.
  Folder lock_opening() const;
  bool is_being_written() const;  // by another process

  std::optional<CheckpointLease> latest_checkpoint() const;
  std::filesystem::path new_checkpoint() const;  // a path that does not exist, where publish() takes it from
  void publish(const std::filesystem::path& checkpoint) const;  // swapped in atomically, and safe from a power cut
  // All but the latest, and what a killed run left behind; not what is being read. Only for who holds the store's lock.
  void remove_old_checkpoints() const;
  // Makes the checkpoint's state the database's, whole or not at all; it stays a checkpoint as well. The database
  // before it is kept under the name that is returned; no name where there was none. Only while nobody has it open.
  std::string replace_database(const CheckpointLease& checkpoint) const;

  // Small files of the store's own, beside the database; written whole or not at all.
  std::optional<std::string> read_note(const std::string& name) const;
  void write_note(const std::string& name, std::string_view text) const;
  void remove_note(const std::string& name) const;

 private:
  std::optional<Folder> open() const;
  Folder opened() const;  // where it must be there
  Folder reports() const;
  std::optional<Folder> inner(const Folder& store, const std::string& name) const;
  void refuse_links(const Folder& folder) const;
  bool is_unmarked_store(const Folder& store) const;
  void adopt(const Folder& store) const;

  std::filesystem::path path_;
};

}  // namespace linkherd::storage
