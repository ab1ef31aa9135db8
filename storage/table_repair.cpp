#include "storage/table_repair.h"

#include <memory>

#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/ldb_cmd.h>

#include "storage/rocks_options.h"

namespace linkherd::storage {
namespace {

rocksdb::Status check_table(const std::string& file) {
  // Without the block cache, which reading everything would evict.
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  rocksdb::Options options;
  options.env = owner_only_env();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileReader reader(options);
  if (rocksdb::Status opened = reader.Open(file); !opened.ok()) return opened;
  rocksdb::ReadOptions read;
  read.readahead_size = std::size_t{1} << 20;
  return reader.VerifyChecksum(read);
}

// The lock of a database, held while it is closed and changed.
class DatabaseLock {
 public:
  explicit DatabaseLock(const std::filesystem::path& folder)
      : status_(owner_only_env()->LockFile((folder / "LOCK").string(), &lock_)) {}
  ~DatabaseLock() {
    if (lock_ != nullptr) owner_only_env()->UnlockFile(lock_).PermitUncheckedError();
  }
  DatabaseLock(const DatabaseLock&) = delete;
  DatabaseLock& operator=(const DatabaseLock&) = delete;
  const rocksdb::Status& status() const { return status_; }

 private:
  rocksdb::FileLock* lock_ = nullptr;
  rocksdb::Status status_;
};

}  // namespace

std::vector<DamagedTable> damaged_tables(rocksdb::DB& database, const std::filesystem::path& folder) {
  // Otherwise a compaction, which opening may start, could delete tables while they are checked.
  const bool kept = database.DisableFileDeletions().ok();
  std::vector<rocksdb::LiveFileMetaData> tables;
  database.GetLiveFilesMetaData(&tables);
  std::vector<DamagedTable> damaged;
  for (const rocksdb::LiveFileMetaData& table : tables) {
    const rocksdb::Status status = check_table((folder / table.relative_filename).string());
    if (status.ok()) continue;
    damaged.push_back({table.relative_filename, table.column_family_name, table.num_entries});
  }
  if (kept) database.EnableFileDeletions(false).PermitUncheckedError();
  return damaged;
}

std::vector<DamagedTable> damaged_tables(const std::filesystem::path& folder,
                                         const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
  rocksdb::DBOptions options = database_options();
  options.paranoid_checks = false;  // otherwise it would not open
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  if (!rocksdb::DB::OpenForReadOnly(options, folder.string(), families, &handles, &raw).ok()) return {};
  const std::unique_ptr<rocksdb::DB> database(raw);
  std::vector<DamagedTable> damaged = damaged_tables(*database, folder);
  for (rocksdb::ColumnFamilyHandle* handle : handles)
    database->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  return damaged;
}

// RocksDB has this as a command of its tool `ldb` only.
rocksdb::Status leave_out(const std::filesystem::path& folder,
                          const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                          const std::vector<DamagedTable>& tables) {
  const DatabaseLock lock(folder);
  if (!lock.status().ok()) return lock.status();
  const rocksdb::Options options(database_options(), rocksdb::ColumnFamilyOptions());
  for (const DamagedTable& table : tables) {
    const std::vector<std::string> words = {"--db=" + folder.string(), "unsafe_remove_sst_file",
                                            std::to_string(std::stoull(table.name))};
    const std::unique_ptr<rocksdb::LDBCommand> command(
        rocksdb::LDBCommand::InitFromCmdLineArgs(words, options, rocksdb::LDBOptions(), &families));
    if (command == nullptr) return rocksdb::Status::NotSupported("unsafe_remove_sst_file");
    command->Run();
    const std::string outcome = command->GetExecuteState().ToString();
    const bool is_gone = outcome.find("not present in any level") != std::string::npos;  // a compaction has removed it
    if (command->GetExecuteState().IsFailed() && !is_gone) return rocksdb::Status::Corruption(outcome);
  }
  return rocksdb::Status::OK();
}

}  // namespace linkherd::storage
