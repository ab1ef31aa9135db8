#include "storage/store_errors.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <rocksdb/status.h>

#include "parser/ascii.h"
#include "storage/store_directory.h"

namespace linkherd::storage {
namespace {

constexpr std::string_view beyond_repair = "is damaged; move it elsewhere and run again to create a new one";
constexpr std::string_view damaged =
    "is damaged; run `linkherd check` again, which keeps everything that can still be read";
constexpr std::string_view full = "cannot be written because the disk is full; free some space and run again";
constexpr std::string_view file_limit =
    "cannot be written because one of its files has reached the maximum file size; raise that limit and run again";
constexpr std::string_view forbidden_folder = "is not writable; change its permissions or choose another one";
constexpr std::string_view forbidden = "is not writable; change its permissions or choose another store with --store";

// `subject` is "store DIRECTORY" or similar.
std::string one_line(const std::string& subject, std::string_view problem, std::string_view detail) {
  std::string text = fmt::format("{} {}", subject, problem);
  if (!detail.empty()) text += fmt::format(" ({})", detail);
  std::ranges::replace_if(text, parser::is_ascii_control, ' ');
  return text;
}

std::string line(const std::filesystem::path& directory, std::string_view problem, std::string_view detail) {
  return one_line("store " + directory.string(), problem, detail);
}

std::string backup_line(const std::filesystem::path& folder, std::string_view problem, std::string_view detail) {
  return one_line("backup folder " + folder.string(), problem, detail);
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool is_full(const rocksdb::Status& status) {
  return status.IsNoSpace() || contains_any(status.ToString(), {"No space left", "quota exceeded"});
}

bool is_forbidden(const rocksdb::Status& status) {
  return contains_any(status.ToString(), {"Permission denied", "Read-only file system", "Operation not permitted"});
}

bool is_full(const std::error_code& code) {
  return code == std::errc::no_space_on_device || code == std::error_code(EDQUOT, std::generic_category());
}

bool is_forbidden(const std::error_code& code) {
  return code == std::errc::permission_denied || code == std::errc::read_only_file_system ||
         code == std::errc::operation_not_permitted;
}

bool is_file_limit(const rocksdb::Status& status) { return contains_any(status.ToString(), {"File too large"}); }

// Returns "000012.sst" for "Corruption: block checksum mismatch: … in /path/db/000012.sst offset 0 size 20". Returns an
// empty text if no database file is named.
std::string file_named_in(std::string_view detail) {
  constexpr std::string_view ends_of_names = " /:,;()'\"";
  while (!detail.empty()) {
    const std::size_t end = detail.find_first_of(ends_of_names);
    const std::string_view word = detail.substr(0, end);
    const bool is_file = word == "CURRENT" || word.starts_with("MANIFEST-") || word.ends_with(".sst") ||
                         word.ends_with(".blob") || word.ends_with(".log");
    if (is_file) return std::string(word);
    if (end == std::string_view::npos) break;
    detail.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

StoreError store_error(const std::filesystem::path& directory, std::string_view problem, std::string_view detail) {
  StoreError error(line(directory, problem, detail));
  return error;
}

StoreLocked store_locked(const std::filesystem::path& directory, std::optional<int> writer) {
  const std::string who = writer.value_or(0) > 0 ? fmt::format(" (process {})", *writer) : std::string();
  StoreLocked error(line(directory,
                         fmt::format("is in use by another linkherd{}; wait until it ends (--wait-lock 10m "
                                     "does so), or choose another store with --store",
                                     who),
                         {}));
  return error;
}

StoreDamaged store_damaged(const std::filesystem::path& directory, std::string_view detail) {
  StoreDamaged error(line(directory, beyond_repair, file_named_in(detail)));
  return error;
}

StoreError other_version(const std::filesystem::path& directory) {
  return store_error(directory,
                     "was created by another version of linkherd; move it elsewhere and run again to create a new one, "
                     "or choose another store with --store");
}

StoreError backup_error(const std::filesystem::path& folder, std::string_view problem, std::string_view detail) {
  StoreError error(backup_line(folder, problem, detail));
  return error;
}

void throw_backup_status(const std::filesystem::path& folder, const rocksdb::Status& status) {
  if (is_full(status)) throw StoreFull(backup_line(folder, full, {}));
  if (is_file_limit(status)) throw StoreFull(backup_line(folder, file_limit, {}));
  if (is_forbidden(status)) throw backup_error(folder, forbidden_folder);
  throw backup_error(folder, "cannot be written", status.ToString());
}

void throw_backup_system(const std::filesystem::path& folder, const std::error_code& code) {
  if (is_full(code)) throw StoreFull(backup_line(folder, full, {}));
  if (is_forbidden(code)) throw backup_error(folder, forbidden_folder);
  throw backup_error(folder, "cannot be used; choose another folder", code.message());
}

bool is_damage(const rocksdb::Status& status) {
  if (is_full(status) || is_file_limit(status)) return false;  // RocksDB's tools report Corruption for every error
  if (status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound()) return true;
  return status.IsIOError() && contains_any(status.ToString(), {"No such file or directory"});
}

void throw_status(const std::filesystem::path& directory, std::string_view doing, const rocksdb::Status& status) {
  const std::string detail = status.ToString();
  // RocksDB has no status code for a held lock, nor for most values of errno. Therefore the message is checked.
  if (status.IsIOError() && contains_any(detail, {"lock file", "lock hold by current process"}) &&
      contains_any(detail, {"temporarily unavailable", "No locks available"})) {
    // A process that tests its own lock would lose it.
    const bool is_own = contains_any(detail, {"lock hold by current process"});
    throw store_locked(directory, is_own ? std::nullopt : StoreDirectory(directory).writer());
  }
  if (is_full(status)) throw StoreFull(line(directory, full, {}));
  if (is_file_limit(status)) throw StoreFull(line(directory, file_limit, {}));
  if (is_forbidden(status)) throw store_error(directory, forbidden);
  if (is_damage(status) || status.IsInvalidArgument()) {
    throw store_error(directory, damaged, file_named_in(detail));
  }
  throw store_error(directory, fmt::format("failed to {}", doing), detail);
}

void throw_system(const std::filesystem::path& directory, std::string_view doing, const std::error_code& code) {
  const std::string detail = code.message();
  if (is_full(code)) throw StoreFull(line(directory, full, {}));
  if (code == std::errc::file_too_large) throw StoreFull(line(directory, file_limit, {}));
  if (is_forbidden(code)) throw store_error(directory, forbidden);
  throw store_error(directory, fmt::format("failed to {}; choose another store with --store", doing), detail);
}

}  // namespace linkherd::storage
