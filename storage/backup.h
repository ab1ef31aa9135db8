// Creates, verifies and restores backups of a store with RocksDB's backup engine. All backups of a store share one
// folder. RocksDB deletes every unknown file in that folder. Therefore only a folder that is empty or marked as a
// backup folder of the same store is written to.
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

struct Restored {
  std::uint32_t backup = 0;  // number of the backup
  Timestamp made_at;
  std::string replaced_database;  // name under which the store keeps its previous database; empty if it had none
};

// Prepares `folder` for backups: creates it, or accepts it if it is empty or has the mark of this store. Throws
// StoreError, which names the folder, in all other cases. `identity` is the identity of the store in hexadecimal.
void prepare_backup_folder(const std::filesystem::path& folder, std::string_view identity);

// Adds a backup to a prepared folder, reads the whole backup again, and then removes all except the last `keep`
// backups. Removes the new backup if it is not intact. Throws StoreError, which names the folder.
void write_backup(rocksdb::DB& database, const std::filesystem::path& folder, std::uint32_t keep);

// Reads a backup completely and describes it: the backup with this number, or the newest one if `number` is empty.
// Throws StoreError if the backup does not exist or is damaged. The message then names an older intact backup. `store`
// is the directory that messages name.
Restored intact_backup(const std::filesystem::path& store, const std::filesystem::path& folder,
                       std::optional<std::uint32_t> number);

// Restores a backup into the empty folder `database`.
void restore_backup(const std::filesystem::path& store, const std::filesystem::path& folder, std::uint32_t number,
                    const std::filesystem::path& database);

}  // namespace linkherd::storage
