// Error messages of the store, each as one line: which store, what happened, what to do. The message of RocksDB or of
// the system is appended in brackets only if that is unknown.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "storage/store.h"

namespace rocksdb {
class Status;
}

namespace linkherd::storage {

// Another linkherd is writing.
class StoreLocked : public StoreError {
 public:
  using StoreError::StoreError;
};

// The database cannot be opened, not even without its damaged parts.
class StoreDamaged : public StoreError {
 public:
  using StoreError::StoreError;
};

// Returns true for corrupt data or a missing file; false for a full disk.
bool is_damage(const rocksdb::Status& status);

// `writer`: the id of the process, if known.
StoreLocked store_locked(const std::filesystem::path& directory, std::optional<int> writer = {});
// `detail`: the damaged file, if known.
StoreDamaged store_damaged(const std::filesystem::path& directory, std::string_view detail);

// "store DIRECTORY PROBLEM (DETAIL)", always on one line.
StoreError store_error(const std::filesystem::path& directory, std::string_view problem, std::string_view detail = {});

// Likewise for a folder of backups: "backup folder DIRECTORY PROBLEM (DETAIL)".
StoreError backup_error(const std::filesystem::path& folder, std::string_view problem, std::string_view detail = {});
[[noreturn]] void throw_backup_status(const std::filesystem::path& folder, const rocksdb::Status& status);
[[noreturn]] void throw_backup_system(const std::filesystem::path& folder, const std::error_code& code);

// `doing`: "open", "read", "write".
[[noreturn]] void throw_status(const std::filesystem::path& directory, std::string_view doing,
                               const rocksdb::Status& status);
[[noreturn]] void throw_system(const std::filesystem::path& directory, std::string_view doing,
                               const std::error_code& code);

}  // namespace linkherd::storage
