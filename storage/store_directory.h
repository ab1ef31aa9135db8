// The store's folder: `db/` is RocksDB's, `reports/latest` points to the checkpoint that readers open, `.gitignore`
// keeps all of it out of the repository it lies in. Old checkpoints go when nobody reads them any more.
#pragma once

#include <filesystem>
#include <optional>

namespace linkherd::storage {

// A shared lock on a checkpoint's folder: as long as it lives, no writer removes the checkpoint.
class CheckpointLease {
 public:
  CheckpointLease(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~CheckpointLease();
  CheckpointLease(CheckpointLease&& other) noexcept;
  CheckpointLease& operator=(CheckpointLease&&) = delete;
  CheckpointLease(const CheckpointLease&) = delete;
  CheckpointLease& operator=(const CheckpointLease&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_;
};

// Every call throws std::filesystem::filesystem_error where the system says no.
class StoreDirectory {
 public:
  explicit StoreDirectory(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "db"; }

  void refuse_file() const;  // throws StoreError
  bool has_database() const;
  // Creates what is missing. Throws StoreError for a file, or a folder that holds something else than a store.
  void prepare() const;

  std::optional<CheckpointLease> latest_checkpoint() const;
  std::filesystem::path new_checkpoint() const;  // a path that does not exist, where publish() takes it from
  void publish(const std::filesystem::path& checkpoint) const;  // swapped in atomically, and safe from a power cut
  // All but the latest, and what a killed run left behind; not what is being read. Only for who holds the store's lock.
  void remove_old_checkpoints() const;

 private:
  std::filesystem::path reports() const { return path_ / "reports"; }
  std::filesystem::path latest() const { return reports() / "latest"; }

  std::filesystem::path path_;
};

}  // namespace linkherd::storage
