// One line for people out of what went wrong with the store: which store, what happened, what to do. The machine's own
// words (RocksDB's, the system's) come last, in brackets.
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

#include "storage/store.h"

namespace rocksdb {
class Status;
}

namespace linkherd::storage {

// Another linkherd writes: a reader may have an answer to that.
class StoreLocked : public StoreError {
 public:
  using StoreError::StoreError;
};

// The database as it lies there cannot be opened, not even without what is damaged.
class StoreDamaged : public StoreError {
 public:
  using StoreError::StoreError;
};

// Bytes that are not what was written, or files that are gone; not a disk that is full.
bool is_damage(const rocksdb::Status& status);

StoreLocked store_locked(const std::filesystem::path& directory, std::string_view detail);
StoreDamaged store_damaged(const std::filesystem::path& directory, std::string_view detail);

// "store DIRECTORY PROBLEM (DETAIL)", on one line whatever the texts hold.
StoreError store_error(const std::filesystem::path& directory, std::string_view problem, std::string_view detail = {});

// `doing`: "open", "read", "write".
[[noreturn]] void throw_status(const std::filesystem::path& directory, std::string_view doing,
                               const rocksdb::Status& status);
[[noreturn]] void throw_system(const std::filesystem::path& directory, std::string_view doing,
                               const std::error_code& code);

}  // namespace linkherd::storage
