// The errors of the store, and their messages. Each is one line that says which store, what happened and what to do.
// Only an unknown error appends the message of RocksDB or of the system, in parentheses.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace rocksdb {
class Status;
}

namespace linkherd::storage {

// A failure of the store: it is locked by another process, unreadable or corrupt, or the disk is full. The message is
// one line that says what to do.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The disk is full, or a file has reached its size limit.
class StoreFull : public StoreError {
 public:
  using StoreError::StoreError;
};

// Another linkherd process is writing to the store.
class StoreLocked : public StoreError {
 public:
  using StoreError::StoreError;
};

// The database cannot be opened, even without its damaged parts.
class StoreDamaged : public StoreError {
 public:
  using StoreError::StoreError;
};

// Returns true for corrupt data or a missing file; false for a full disk.
bool is_damage(const rocksdb::Status& status);

// `writer` is the id of the writing process, if known.
StoreLocked store_locked(const std::filesystem::path& directory, std::optional<int> writer = {});
// `detail` names the damaged file, if known.
StoreDamaged store_damaged(const std::filesystem::path& directory, std::string_view detail);

// The store has another schema.
StoreError other_version(const std::filesystem::path& directory);

// Returns the message "store DIRECTORY PROBLEM (DETAIL)", always on one line.
StoreError store_error(const std::filesystem::path& directory, std::string_view problem, std::string_view detail = {});

// The same for a backup folder: "backup folder DIRECTORY PROBLEM (DETAIL)".
StoreError backup_error(const std::filesystem::path& folder, std::string_view problem, std::string_view detail = {});
[[noreturn]] void throw_backup_status(const std::filesystem::path& folder, const rocksdb::Status& status);
[[noreturn]] void throw_backup_system(const std::filesystem::path& folder, const std::error_code& code);

// `doing` is "open", "read" or "write".
[[noreturn]] void throw_status(const std::filesystem::path& directory, std::string_view doing,
                               const rocksdb::Status& status);
[[noreturn]] void throw_system(const std::filesystem::path& directory, std::string_view doing,
                               const std::error_code& code);

}  // namespace linkherd::storage
