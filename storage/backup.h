// Backups of a store, made by RocksDB, in a folder of their own. RocksDB deletes whatever it does not know in the
// folder, so only one that is empty or has the mark of the same store is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "parser/timestamp.h"

namespace rocksdb {
class DB;
}

namespace linkherd::storage {

// What was restored.
struct Restored {
  std::uint32_t backup = 0;  // its number
  Timestamp made_at;
  std::string aside;  // the name under which the store keeps the database that was there; empty if there was none
};

// Makes the folder, or takes one that is empty or has the mark of this store; otherwise throws StoreError, which names
// the folder. `identity`: of the store, hexadecimal.
void prepare_backup_folder(const std::filesystem::path& folder, std::string_view identity);

// Adds a backup to a prepared folder, reads all of it again, and then removes all but the last `keep`. A backup that
// is not intact is removed. Throws StoreError, which names the folder.
void write_backup(rocksdb::DB& database, const std::filesystem::path& folder, std::uint32_t keep);

// Returns the backup of that number, or the newest, after all of it was read. Throws StoreError if there is none or it
// is damaged; the message names an older one that is intact. `store`: the directory that is named in messages.
Restored intact_backup(const std::filesystem::path& store, const std::filesystem::path& folder,
                       std::optional<std::uint32_t> number);

// Writes a backup into the empty folder `database`.
void restore_backup(const std::filesystem::path& store, const std::filesystem::path& folder, std::uint32_t number,
                    const std::filesystem::path& database);

}  // namespace linkherd::storage
