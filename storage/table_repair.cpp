#include "storage/table_repair.h"

#include <memory>
#include <optional>
#include <system_error>

#include <rocksdb/env.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/ldb_cmd.h>

#include "storage/folder.h"
#include "storage/rocks_options.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

rocksdb::Status check_table(const std::string& file) {
  // Bypasses the block cache, because reading everything would evict its contents.
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

bool is_whole(const fs::path& folder, const DamagedFile& file) {
  const fs::path path = folder / file.name;
  std::error_code problem;
  if (fs::file_size(path, problem) != file.bytes || problem) return false;
  return !file.is_table() || check_table(path.string()).ok();
}

// Locks a closed database while it is changed.
class DatabaseLock {
 public:
  explicit DatabaseLock(const fs::path& folder)
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

std::vector<DamagedFile> damaged_files(rocksdb::DB& database, const fs::path& folder) {
  // Without this, a compaction that opening may start could delete tables while they are being checked.
  const bool kept = database.DisableFileDeletions().ok();
  std::vector<rocksdb::ColumnFamilyMetaData> families;
  database.GetAllColumnFamilyMetaData(&families);
  std::vector<DamagedFile> damaged;
  for (const rocksdb::ColumnFamilyMetaData& family : families) {
    for (const rocksdb::LevelMetaData& level : family.levels) {
      for (const rocksdb::SstFileMetaData& table : level.files) {
        const DamagedFile file{table.relative_filename, family.name, table.size};
        if (!is_whole(folder, file)) damaged.push_back(file);
      }
    }
    for (const rocksdb::BlobMetaData& blobs : family.blob_files) {
      const DamagedFile file{fs::path(blobs.blob_file_name).filename(), family.name, blobs.blob_file_size};
      if (!is_whole(folder, file)) damaged.push_back(file);
    }
  }
  if (kept) database.EnableFileDeletions().PermitUncheckedError();
  return damaged;
}

std::vector<DamagedFile> damaged_files(const fs::path& folder,
                                       const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
  rocksdb::DBOptions options = database_options();
  options.paranoid_checks = false;  // otherwise a damaged database would not open
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  if (!rocksdb::DB::OpenForReadOnly(options, folder.string(), families, &handles, &raw).ok()) return {};
  const std::unique_ptr<rocksdb::DB> database(raw);
  std::vector<DamagedFile> damaged = damaged_files(*database, folder);
  for (rocksdb::ColumnFamilyHandle* handle : handles)
    database->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  return damaged;
}

std::vector<DamagedFile> restore_from(const fs::path& spare, const fs::path& folder,
                                      const std::vector<DamagedFile>& files) {
  const DatabaseLock lock(folder);
  const std::optional<Folder> from = Folder::open(spare);
  const std::optional<Folder> to = Folder::open(folder);
  if (!lock.status().ok() || !from || !to) return files;
  std::vector<DamagedFile> lost;
  for (const DamagedFile& file : files) {
    if (is_whole(spare, file)) {
      to->remove_file(file.name);
      from->copy_file(file.name, *to, true);
    } else {
      lost.push_back(file);
    }
  }
  to->sync();
  return lost;
}

// RocksDB offers this function only in its tool `ldb`.
rocksdb::Status drop_tables(const fs::path& folder, const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                            const std::vector<DamagedFile>& tables) {
  const DatabaseLock lock(folder);
  if (!lock.status().ok()) return lock.status();
  const rocksdb::Options options(database_options(), rocksdb::ColumnFamilyOptions());
  for (const DamagedFile& table : tables) {
    const std::vector<std::string> words = {"--db=" + folder.string(), "unsafe_remove_sst_file",
                                            std::to_string(std::stoull(table.name))};
    const std::unique_ptr<rocksdb::LDBCommand> command(
        rocksdb::LDBCommand::InitFromCmdLineArgs(words, options, rocksdb::LDBOptions(), &families));
    if (command == nullptr) return rocksdb::Status::NotSupported("unsafe_remove_sst_file");
    command->Run();
    const std::string outcome = command->GetExecuteState().ToString();
    const bool is_removed = outcome.find("not present in any level") != std::string::npos;  // removed by a compaction
    if (command->GetExecuteState().IsFailed() && !is_removed) return rocksdb::Status::Corruption(outcome);
  }
  return rocksdb::Status::OK();
}

}  // namespace linkherd::storage
