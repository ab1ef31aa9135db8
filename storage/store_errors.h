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

// Another linkherd writes: the one failure that a reader may have an answer to.
class StoreLocked : public StoreError {
 public:
  using StoreError::StoreError;
};

// Where nothing can be kept of it.
inline constexpr std::string_view beyond_repair = "is damaged; move it away and run again: a new one is made";

// Bytes that are not what was written, or files that are gone.
bool is_damage(const rocksdb::Status& status);

// "store DIRECTORY PROBLEM (DETAIL)", on one line whatever the texts hold.
StoreError store_error(const std::filesystem::path& directory, std::string_view problem, std::string_view detail = {});

// `doing`: "open", "read", "write".
[[noreturn]] void throw_status(const std::filesystem::path& directory, std::string_view doing,
                               const rocksdb::Status& status);
[[noreturn]] void throw_system(const std::filesystem::path& directory, std::string_view doing,
                               const std::error_code& code);

}  // namespace linkherd::storage
