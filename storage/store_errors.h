// Errors of the store, each as one line: which store, what happened, what to do. Only where that is not known does the
// message of RocksDB or of the system come last, in brackets.
#pragma once

#include <filesystem>
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

// Whether data is corrupt or a file is missing; false for a full disk.
bool is_damage(const rocksdb::Status& status);

StoreLocked store_locked(const std::filesystem::path& directory);
// `detail`: names the damaged file, where it is known.
StoreDamaged store_damaged(const std::filesystem::path& directory, std::string_view detail);

// "store DIRECTORY PROBLEM (DETAIL)", on one line whatever the texts hold.
StoreError store_error(const std::filesystem::path& directory, std::string_view problem, std::string_view detail = {});

// `doing`: "open", "read", "write".
[[noreturn]] void throw_status(const std::filesystem::path& directory, std::string_view doing,
                               const rocksdb::Status& status);
[[noreturn]] void throw_system(const std::filesystem::path& directory, std::string_view doing,
                               const std::error_code& code);

}  // namespace linkherd::storage
