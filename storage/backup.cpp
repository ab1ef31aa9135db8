#include "storage/backup.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/backup_engine.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/folder.h"
#include "storage/rocks_options.h"
#include "storage/store_errors.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

constexpr const char* backup_mark = "linkherd-backup";
constexpr std::string_view backup_mark_begin = "linkherd backup 1\nstore ";

std::string backup_mark_text(std::string_view identity) {
  return fmt::format(
      "{}{}\nlinkherd writes this folder and removes old files from it. Do not keep your own files here.\n",
      backup_mark_begin, identity);
}

rocksdb::BackupEngineOptions backup_options(const fs::path& folder) {
  rocksdb::BackupEngineOptions options(folder.string());
  options.backup_env = owner_only_env();
  return options;
}

// Removes trailing slashes ("copies/", "copies/."). With a trailing slash, the system would follow a symbolic link.
fs::path without_slash(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// RocksDB opens files by name, and would write and delete through a symbolic link.
void refuse_foreign_parts(const Folder& folder) {
  struct stat status {};
  if (::fstat(folder.descriptor(), &status) != 0 || status.st_uid != ::geteuid())
    throw backup_error(folder.path(), "belongs to another user; choose another folder");
  for (const FolderEntry& entry : folder.entries()) {
    if (entry.kind == EntryKind::folder) {
      if (const std::optional<Folder> inner = folder.subfolder(entry.name)) refuse_foreign_parts(*inner);
    } else if (entry.kind != EntryKind::file) {
      throw backup_error(folder.path() / entry.name, "is neither a file nor a folder; choose another folder");
    }
  }
}

void take_backup_folder(const fs::path& path, std::string_view identity) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);  // on failure, mkdir() fails as well and gives the reason
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw fs::filesystem_error("make", path, std::error_code(errno, std::generic_category()));
  if (fs::symlink_status(path).type() != fs::file_type::directory)
    throw backup_error(path, "is not a folder, or is a symbolic link; choose another folder");
  const Folder folder = Folder::open(path).value();
  refuse_foreign_parts(folder);
  const std::string mark = backup_mark_text(identity);
  const std::vector<FolderEntry> entries = folder.entries();
  const bool is_empty = std::ranges::all_of(entries, [](const FolderEntry& entry) {
    // Left by a killed process.
    return entry.kind == EntryKind::file && entry.name == std::string(backup_mark) + ".new";
  });
  if (is_empty) {
    folder.write(backup_mark, mark);
    folder.sync();
  }
  const std::optional<std::string> found = folder.kind(backup_mark) ? folder.read(backup_mark) : std::nullopt;
  if (!found || !found->starts_with(backup_mark_begin))
    throw backup_error(path, "contains other files and was not created by linkherd; choose a new folder");
  if (*found != mark) throw backup_error(path, "contains backups of another store; choose a new folder");
  folder.restrict_to_owner();
}

Restored described(const rocksdb::BackupInfo& info) {
  return {info.backup_id, Timestamp(std::chrono::seconds(info.timestamp)), {}};
}

std::unique_ptr<rocksdb::BackupEngineReadOnly> backups_in(const fs::path& store, const fs::path& folder) {
  rocksdb::BackupEngineReadOnly* raw = nullptr;
  const rocksdb::Status status = rocksdb::BackupEngineReadOnly::Open(owner_only_env(), backup_options(folder), &raw);
  std::unique_ptr<rocksdb::BackupEngineReadOnly> engine(raw);
  if (status.ok()) return engine;
  if (status.IsNotFound())
    throw store_error(store, fmt::format("cannot be restored: there is no backup in {}", folder.string()));
  throw store_error(store, fmt::format("cannot be restored from {}", folder.string()), status.ToString());
}

}  // namespace

void prepare_backup_folder(const fs::path& folder, std::string_view identity) {
  const fs::path path = without_slash(folder);
  try {
    take_backup_folder(path, identity);
  } catch (const fs::filesystem_error& error) {
    throw_backup_system(path, error.code());
  }
}

void write_backup(rocksdb::DB& database, const fs::path& folder, std::uint32_t keep) {
  const fs::path path = without_slash(folder);
  rocksdb::BackupEngine* raw = nullptr;
  rocksdb::Status status = rocksdb::BackupEngine::Open(owner_only_env(), backup_options(path), &raw);
  const std::unique_ptr<rocksdb::BackupEngine> engine(raw);
  rocksdb::BackupID number = 0;
  rocksdb::CreateBackupOptions options;
  options.flush_before_backup = true;
  if (status.ok()) status = engine->CreateNewBackup(options, &database, &number);
  if (!status.ok()) throw_backup_status(path, status);
  // The new backup shares files with earlier backups, which may have been damaged since.
  if (const rocksdb::Status read = engine->VerifyBackup(number, true); !read.ok()) {
    engine->DeleteBackup(number).PermitUncheckedError();
    throw backup_error(path, "is damaged, so no new backup was made: choose a new folder", read.ToString());
  }
  status = engine->PurgeOldBackups(keep);
  if (!status.ok()) throw_backup_status(path, status);
}

Restored intact_backup(const fs::path& store, const fs::path& folder, std::optional<std::uint32_t> number) {
  const std::unique_ptr<rocksdb::BackupEngineReadOnly> engine = backups_in(store, folder);
  std::vector<rocksdb::BackupInfo> readable;
  engine->GetBackupInfo(&readable);
  std::vector<rocksdb::BackupID> all;  // includes the backups that RocksDB knows to be damaged
  engine->GetCorruptedBackups(&all);
  for (const rocksdb::BackupInfo& info : readable) all.push_back(info.backup_id);
  if (all.empty())
    throw store_error(store, fmt::format("cannot be restored: there is no backup in {}", folder.string()));
  const rocksdb::BackupID wanted = number.value_or(*std::ranges::max_element(all));
  if (std::ranges::find(all, wanted) == all.end())
    throw store_error(store, fmt::format("cannot be restored: there is no backup {} in {}", wanted, folder.string()));
  const rocksdb::Status status = engine->VerifyBackup(wanted, true);
  std::ranges::sort(readable, std::greater<>(), &rocksdb::BackupInfo::backup_id);
  std::string advice = "no older backup is intact";
  for (const rocksdb::BackupInfo& info : readable) {
    if (info.backup_id == wanted && status.ok()) return described(info);
    if (info.backup_id >= wanted || !engine->VerifyBackup(info.backup_id, true).ok()) continue;
    advice = fmt::format("use --backup {} to restore the one from {}", info.backup_id,
                         format_timestamp(described(info).made_at));
    break;
  }
  throw store_error(store,
                    fmt::format("cannot be restored: the {}backup {} in {} is damaged; {}", number ? "" : "newest ",
                                wanted, folder.string(), advice),
                    status.ToString());
}

void restore_backup(const fs::path& store, const fs::path& folder, std::uint32_t number, const fs::path& database) {
  const rocksdb::Status status =
      backups_in(store, folder)->RestoreDBFromBackup(number, database.string(), database.string());
  if (status.ok()) return;
  throw store_error(store, fmt::format("cannot be restored from {}", folder.string()), status.ToString());
}

}  // namespace linkherd::storage
