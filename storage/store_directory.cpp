#include "storage/store_directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <exception>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/key_value_store.h"
#include "storage/store_errors.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

constexpr const char* latest = "latest";
constexpr const char* next_latest = "latest.new";
constexpr const char* next_database = "db.new";
constexpr std::string_view checkpoint_prefix = "checkpoint-";
constexpr std::string_view damaged_prefix = "damaged-";
constexpr std::string_view unfinished_suffix = ".tmp";  // used by RocksDB for an incomplete checkpoint
constexpr std::string_view marker_begin = "linkherd store 1\n";
constexpr std::string_view any_marker_begin = "linkherd store ";
constexpr std::string_view marker_text =
    "linkherd store 1\n"
    "linkherd writes this folder and removes old files from it. Do not keep your own files here.\n";

// Returns the number in a name such as "checkpoint-12", or 0 for another name.
std::uint64_t number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return 0;
  const std::string_view digits = name.substr(prefix.size());
  constexpr std::size_t max_number_digits = 18;  // leaves room for the next number
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole =
      problem == std::errc() && end == digits.data() + digits.size() && digits.size() <= max_number_digits;
  return whole ? number : 0;
}

std::uint64_t checkpoint_number(std::string_view name) { return number_after(checkpoint_prefix, name); }

bool is_checkpoint_name(std::string_view name) {
  if (name.ends_with(unfinished_suffix)) name.remove_suffix(unfinished_suffix.size());
  return checkpoint_number(name) > 0;
}

// Returns true for file names that RocksDB uses.
bool is_database_file(std::string_view name) {
  static constexpr std::array<std::string_view, 5> whole = {"CURRENT", "IDENTITY", "LOCK", "LOG", "CURRENT.tmp"};
  static constexpr std::array<std::string_view, 3> begins = {"MANIFEST-", "OPTIONS-", "LOG.old."};
  static constexpr std::array<std::string_view, 4> ends = {".sst", ".blob", ".log", ".dbtmp"};
  return std::ranges::find(whole, name) != whole.end() ||
         std::ranges::any_of(begins, [name](std::string_view begin) { return name.starts_with(begin); }) ||
         std::ranges::any_of(ends, [name](std::string_view end) { return name.ends_with(end); });
}

bool holds_only_database_files(const Folder& folder) {
  return std::ranges::all_of(folder.entries(), [](const FolderEntry& entry) {
    return entry.kind == EntryKind::file && is_database_file(entry.name);
  });
}

// Returns true if publish() created the folder, according to its name and its files. The user may have a folder of the
// same name.
bool is_published_checkpoint(const Folder& reports, const FolderEntry& entry) {
  if (entry.kind != EntryKind::folder || !is_checkpoint_name(entry.name)) return false;
  const std::optional<Folder> folder = reports.subfolder(entry.name);
  return folder && holds_only_database_files(*folder);
}

// Returns the checkpoint that `latest` names, or nullopt.
std::optional<std::string> published_name(const Folder& reports) {
  std::optional<std::string> name = reports.link_target(latest);
  if (name && checkpoint_number(*name) == 0) name.reset();
  return name;
}

bool is_marked(const Folder& store) {
  if (store.kind(marker_name) != EntryKind::file) return false;
  const std::optional<std::string> text = store.read(marker_name);
  return text && text->starts_with(marker_begin);
}

// Returns true if another version marked the folder; that store must not be changed.
bool has_other_mark(const Folder& store) {
  if (store.kind(marker_name) != EntryKind::file) return false;
  const std::optional<std::string> text = store.read(marker_name);
  if (!text || !text->starts_with(any_marker_begin) || text->starts_with(marker_begin)) return false;
  const std::string_view version = std::string_view(*text).substr(any_marker_begin.size());
  return !version.empty() && version.front() >= '0' && version.front() <= '9';
}

// Checks only name and kind.
bool is_own_entry(const FolderEntry& entry) {
  static constexpr std::array<std::string_view, 5> files = {".gitignore", marker_name, state_file, losses_file,
                                                            damage_file};
  static constexpr std::array<std::string_view, 3> folders = {"db", "reports", next_database};
  std::string_view name = entry.name;
  if (entry.kind == EntryKind::folder) {
    return std::ranges::find(folders, name) != folders.end() || number_after(damaged_prefix, name) > 0;
  }
  if (name.ends_with(".new")) name.remove_suffix(std::string_view(".new").size());
  return entry.kind == EntryKind::file && std::ranges::find(files, name) != files.end();
}

// Removes a folder that contains only files of RocksDB. Keeps any other folder.
void remove_database(const Folder& parent, const std::string& name) {
  const std::optional<Folder> folder = parent.subfolder(name);
  if (!folder || !holds_only_database_files(*folder)) return;
  for (const FolderEntry& file : folder->entries()) folder->remove_file(file.name);
  parent.remove_empty_folder(name);
}

// Ignores the remains of an interrupted write of the marker.
bool is_empty(const Folder& store) {
  return std::ranges::all_of(store.entries(), [](const FolderEntry& entry) {
    return entry.kind == EntryKind::file && entry.name == std::string(marker_name) + ".new";
  });
}

}  // namespace

bool is_marked_store(const fs::path& folder) {
  try {
    const std::optional<Folder> opened = Folder::open(folder);
    return opened && is_marked(*opened);
  } catch (const fs::filesystem_error&) {
    return false;  // an unreadable folder is not a store
  }
}

void record_damage(const fs::path& store) noexcept {
  try {
    if (const std::optional<Folder> folder = Folder::open(store)) folder->write(damage_file, "");
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): see the header
  }
}

StoreDirectory::StoreDirectory(const fs::path& path) : path_(fs::absolute(path).lexically_normal()) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // handles "store/"
}

std::optional<Folder> StoreDirectory::open() const {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(path_, error)) && !fs::exists(path_, error)) {
    throw store_error(
        path_,
        "is a symbolic link to a folder that does not exist; create that folder, or choose another store with --store");
  }
  if (fs::exists(path_) && !fs::is_directory(path_)) {
    throw store_error(path_, "is a file, not a folder; remove it or choose another store with --store");
  }
  return Folder::open(path_);
}

Folder StoreDirectory::opened() const {
  std::optional<Folder> store = open();
  if (!store) throw store_error(path_, "disappeared while it was in use; run again");
  return std::move(*store);
}

std::optional<Folder> StoreDirectory::inner(const Folder& store, const std::string& name) const {
  const std::optional<EntryKind> kind = store.kind(name);
  if (!kind) return std::nullopt;
  if (*kind != EntryKind::folder) {
    throw store_error(
        path_,
        fmt::format("contains something else in place of its folder {}; remove it or choose another store with --store",
                    (store.path().lexically_relative(path_) / name).lexically_normal().string()));
  }
  return store.subfolder(name);
}

Folder StoreDirectory::reports() const {
  std::optional<Folder> reports = inner(opened(), "reports");
  if (!reports) throw store_error(path_, "is missing its `reports` folder; run again");
  return std::move(*reports);
}

// RocksDB opens files by name. It would follow a symbolic link out of the store, and block on a pipe.
void StoreDirectory::refuse_links(const Folder& folder) const {
  for (const FolderEntry& entry : folder.entries()) {
    if (entry.kind == EntryKind::file || entry.kind == EntryKind::folder) continue;
    throw store_error(
        path_,
        fmt::format(
            "contains something else in place of its own file {}; remove it or choose another store with --store",
            (folder.path().lexically_relative(path_) / entry.name).string()));
  }
}

bool StoreDirectory::exists() const { return open().has_value(); }

bool StoreDirectory::has_database() const {
  const std::optional<Folder> store = open();
  const std::optional<Folder> database = store ? inner(*store, "db") : std::nullopt;
  return database && !database->entries().empty();
}

// Recognises a store whose mark was lost: the folder has only entries of a store, db has the column families of
// linkherd, and reports has only checkpoints.
bool StoreDirectory::is_unmarked_store(const Folder& store) const {
  for (const FolderEntry& entry : store.entries()) {
    if (!is_own_entry(entry)) return false;
    if (entry.kind != EntryKind::folder || entry.name == "reports") continue;
    if (!holds_only_database_files(*store.subfolder(entry.name))) return false;
  }
  const std::optional<Folder> database = store.subfolder("db");
  if (!database) return false;
  if (const std::optional<Folder> reports = store.subfolder("reports")) {
    const bool ours = std::ranges::all_of(reports->entries(), [&reports](const FolderEntry& entry) {
      return is_published_checkpoint(*reports, entry) ||
             (entry.kind == EntryKind::link && (entry.name == latest || entry.name == next_latest));
    });
    if (!ours) return false;
  }
  return has_all_families(path_, this->database());
}

void StoreDirectory::refuse_other_mark() const {
  const std::optional<Folder> store = open();
  if (store && has_other_mark(*store)) throw other_version(path_);
}

void StoreDirectory::adopt(const Folder& store) const {
  if (is_marked(store)) return;
  refuse_other_mark();
  if (!is_empty(store) && !is_unmarked_store(store)) {
    throw store_error(path_, "would be in a folder that contains other files; use --store with a new folder");
  }
  store.write(marker_name, marker_text);
  store.restrict_to_owner();
  for (const char* name : {"db", "reports"}) {
    const std::optional<Folder> folder = store.subfolder(name);
    if (!folder) continue;
    folder->restrict_to_owner();
    for (const FolderEntry& entry : folder->entries()) {
      if (entry.kind == EntryKind::folder) folder->subfolder(entry.name)->restrict_to_owner();
    }
  }
}

void StoreDirectory::prepare() const {
  if (!open()) {
    fs::create_directories(path_.parent_path());
    // Accessible by the owner only, because bodies may come from authenticated requests.
    if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) {
      throw fs::filesystem_error("make", path_, std::error_code(errno, std::generic_category()));
    }
  }
  const Folder store = opened();
  adopt(store);
  refuse_links(store);
  for (const char* name : {"db", "reports"}) {
    static_cast<void>(inner(store, name));  // throws if something else has that name
    const Folder folder = store.make_subfolder(name);
    if (name == std::string_view("db")) refuse_links(folder);
  }
  if (!store.kind(".gitignore")) store.write(".gitignore", "*\n");
}

Folder StoreDirectory::lock_opening() const {
  Folder store = opened();
  // On a file system without locks, two processes may replace the database at the same time.
  if (::flock(store.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw store_locked(path_);
  }
  return store;
}

std::optional<int> StoreDirectory::writer() const {
  const std::optional<Folder> store = open();
  const std::optional<Folder> database = store ? inner(*store, "db") : std::nullopt;
  if (!database) return std::nullopt;
  const FileDescriptor file(::openat(database->descriptor(), "LOCK", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  const bool known = ::fcntl(file.number(), F_GETLK, &lock) == 0;
  if (!known || lock.l_type == F_UNLCK) return std::nullopt;
  return std::max(0, lock.l_pid);
}

std::optional<CheckpointLease> StoreDirectory::latest_checkpoint() const {
  const std::optional<Folder> store = open();
  const std::optional<Folder> reports = store ? inner(*store, "reports") : std::nullopt;
  if (!reports) return std::nullopt;
  // A writer may publish and remove checkpoints between reading the name and locking. Then this checkpoint is not the
  // latest, so try again.
  for (;;) {
    const std::optional<std::string> name = published_name(*reports);
    if (!name) return std::nullopt;
    std::optional<Folder> folder = inner(*reports, *name);
    if (!folder) {
      if (published_name(*reports) == name) return std::nullopt;  // it names a checkpoint that does not exist
      continue;
    }
    // On a file system without locks, readers are not protected.
    while (::flock(folder->descriptor(), LOCK_SH) != 0 && errno == EINTR) {
    }
    if (published_name(*reports) != name) continue;
    refuse_links(*folder);
    return CheckpointLease(std::move(*folder));
  }
}

fs::path StoreDirectory::new_checkpoint() const {
  std::uint64_t max_number = 0;
  const Folder folder = reports();
  for (const FolderEntry& entry : folder.entries()) {
    std::string_view name = entry.name;
    if (name.ends_with(unfinished_suffix)) name.remove_suffix(unfinished_suffix.size());
    max_number = std::max(max_number, checkpoint_number(name));
  }
  return folder.path() / fmt::format("{}{}", checkpoint_prefix, max_number + 1);
}

void StoreDirectory::publish(const fs::path& checkpoint) const {
  const Folder folder = reports();
  for (const char* name : {latest, next_latest}) {
    const std::optional<EntryKind> kind = folder.kind(name);
    if (!kind || *kind == EntryKind::link) continue;
    throw store_error(
        path_,
        fmt::format("contains a file at reports/{} that linkherd did not create; move it elsewhere and run again",
                    name));
  }
  folder.remove_file(next_latest);
  if (::symlinkat(checkpoint.filename().c_str(), folder.descriptor(), next_latest) != 0 ||
      ::renameat(folder.descriptor(), next_latest, folder.descriptor(), latest) != 0) {
    throw fs::filesystem_error("publish", folder.path() / latest, std::error_code(errno, std::generic_category()));
  }
  folder.sync();
}

void StoreDirectory::remove_checkpoints() const {
  const Folder folder = reports();
  if (folder.kind(latest) == EntryKind::link) folder.remove_file(latest);
  remove_old_checkpoints();
}

void StoreDirectory::remove_old_checkpoints() const {
  const Folder folder = reports();
  const std::optional<std::string> current = published_name(folder);
  for (const FolderEntry& entry : folder.entries()) {
    if (entry.name == current || !is_published_checkpoint(folder, entry)) continue;
    const std::optional<Folder> old = folder.subfolder(entry.name);
    if (!old) continue;
    if (::flock(old->descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;  // being read
    remove_database(folder, entry.name);
  }
  if (folder.kind(next_latest) == EntryKind::link) folder.remove_file(next_latest);
}

std::string StoreDirectory::replace_database(const CheckpointLease& checkpoint) const {
  return replace_with([&checkpoint](const Folder& next) {
    for (const FolderEntry& entry : checkpoint.folder().entries()) {
      const bool never_changed = entry.name.ends_with(".sst") || entry.name.ends_with(".blob");
      checkpoint.folder().copy_file(entry.name, next, never_changed);
    }
  });
}

std::string StoreDirectory::replace_database(const std::function<void(const fs::path& folder)>& make) const {
  return replace_with([&make](const Folder& next) { make(next.path()); });
}

std::string StoreDirectory::replace_with(const std::function<void(const Folder& next)>& make) const {
  const Folder store = opened();
  remove_database(store, next_database);  // left by a killed process
  if (store.kind(next_database)) {
    throw store_error(
        path_, fmt::format("contains a folder at {} that linkherd did not create; move it elsewhere and run again",
                           next_database));
  }
  const Folder next = store.make_subfolder(next_database);
  try {
    make(next);
    next.sync();
  } catch (...) {
    remove_database(store, next_database);
    throw;
  }
  // If the process is killed between the two renames, the store has no database. The next call then replaces it again.
  std::string replaced_database;
  if (has_database()) {
    for (int number = 1; replaced_database.empty() || store.kind(replaced_database); ++number) {
      replaced_database = fmt::format("{}{}", damaged_prefix, number);
    }
    store.rename("db", replaced_database);
  }
  store.rename(next_database, "db");  // replaces an empty folder as well
  store.sync();
  return replaced_database;
}

std::vector<std::string> StoreDirectory::damaged_databases() const {
  std::vector<std::string> names;
  for (const FolderEntry& entry : opened().entries()) {
    if (entry.kind == EntryKind::folder && number_after(damaged_prefix, entry.name) > 0) names.push_back(entry.name);
  }
  std::ranges::sort(names);
  return names;
}

void StoreDirectory::remove_damaged_databases() const {
  const Folder store = opened();
  for (const std::string& name : damaged_databases()) remove_database(store, name);
}

std::uint64_t StoreDirectory::disk_use() const {
  constexpr std::uint64_t block_bytes = 512;  // unit of st_blocks
  std::uint64_t bytes = 0;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::error_code error;  // a writer may remove files meanwhile
  for (fs::recursive_directory_iterator entry(path_, fs::directory_options::skip_permission_denied, error), end;
       !error && entry != end; entry.increment(error)) {
    struct stat data {};
    if (::lstat(entry->path().c_str(), &data) != 0 || !seen.emplace(data.st_dev, data.st_ino).second) continue;
    bytes += static_cast<std::uint64_t>(data.st_blocks) * block_bytes;
  }
  return bytes;
}

std::optional<std::string> StoreDirectory::read_file(const std::string& name) const {
  const std::optional<Folder> store = open();
  return store ? store->read(name) : std::nullopt;
}

void StoreDirectory::write_file(const std::string& name, std::string_view text) const { opened().write(name, text); }

void StoreDirectory::remove_file(const std::string& name) const { opened().remove_file(name); }

}  // namespace linkherd::storage
