#include "storage/store_directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "storage/store_errors.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view checkpoint_prefix = "checkpoint-";

int open_folder(const fs::path& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

// The number of "checkpoint-12" and of what RocksDB leaves of it ("checkpoint-12.tmp"); 0 where it is none.
std::uint64_t checkpoint_number(const std::string& name) {
  std::uint64_t number = 0;
  if (name.starts_with(checkpoint_prefix)) {
    std::from_chars(name.data() + checkpoint_prefix.size(), name.data() + name.size(), number);
  }
  return number;
}

// Whether everything in this folder was made by a store: so that a typing error never fills a folder of the user's.
bool holds_only_a_store(const fs::path& folder) {
  static constexpr std::array<std::string_view, 3> ours = {".gitignore", "db", "reports"};
  return std::ranges::all_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    return std::ranges::find(ours, entry.path().filename().string()) != ours.end();
  });
}

bool looks_like_rocksdb(const fs::path& folder) {
  return fs::is_directory(folder) &&
         (fs::is_empty(folder) || fs::exists(folder / "CURRENT") || fs::exists(folder / "LOCK"));
}

void write_gitignore(const fs::path& path) {
  std::ofstream file(path);
  file << "*\n";
  file.close();
  if (!file) throw fs::filesystem_error("write", path, std::error_code(errno, std::generic_category()));
}

}  // namespace

CheckpointLease::CheckpointLease(CheckpointLease&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

CheckpointLease::~CheckpointLease() {
  if (descriptor_ >= 0) ::close(descriptor_);  // and with it goes the lock
}

StoreDirectory::StoreDirectory(const fs::path& path) : path_(fs::absolute(path).lexically_normal()) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "store/"
}

bool StoreDirectory::has_database() const { return fs::is_directory(database()) && !fs::is_empty(database()); }

void StoreDirectory::refuse_file() const {
  if (fs::exists(path_) && !fs::is_directory(path_)) {
    throw store_error(path_, "is a file, not a folder; remove it or use --store");
  }
}

void StoreDirectory::prepare() const {
  refuse_file();
  if (fs::exists(path_) && !looks_like_rocksdb(database()) && (fs::exists(database()) || !holds_only_a_store(path_))) {
    throw store_error(path_, "would lie in a folder that holds other things; use --store with a new folder");
  }
  fs::create_directories(database());
  fs::create_directories(reports());
  if (!fs::exists(path_ / ".gitignore")) write_gitignore(path_ / ".gitignore");
}

std::optional<CheckpointLease> StoreDirectory::latest_checkpoint() const {
  // A writer may swap and remove between our look and our lock: then what we hold is no longer the latest, and we look
  // again.
  for (;;) {
    if (!fs::is_symlink(latest())) return std::nullopt;
    const fs::path name = fs::read_symlink(latest());
    const int descriptor = open_folder(reports() / name);
    if (descriptor < 0) {
      const int problem = errno;
      if (problem == ENOENT && fs::is_symlink(latest()) && fs::read_symlink(latest()) == name)
        return std::nullopt;  // dangling
      if (problem == ENOENT) continue;
      throw fs::filesystem_error("open", reports() / name, std::error_code(problem, std::generic_category()));
    }
    CheckpointLease lease(reports() / name, descriptor);
    // File systems without locks give no protection, and none can be had: reading goes on all the same.
    while (::flock(descriptor, LOCK_SH) != 0 && errno == EINTR) {
    }
    if (fs::is_symlink(latest()) && fs::read_symlink(latest()) == name) return lease;
  }
}

fs::path StoreDirectory::new_checkpoint() const {
  std::uint64_t highest = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(reports())) {
    highest = std::max(highest, checkpoint_number(entry.path().filename().string()));
  }
  return reports() / fmt::format("{}{}", checkpoint_prefix, highest + 1);
}

void StoreDirectory::publish(const fs::path& checkpoint) const {
  const fs::path next = reports() / "latest.new";
  fs::remove(next);
  fs::create_directory_symlink(checkpoint.filename(), next);
  fs::rename(next, latest());
  const int folder = open_folder(reports());
  const bool synced = folder >= 0 && ::fsync(folder) == 0;
  const int problem = errno;
  if (folder >= 0) ::close(folder);
  if (!synced) throw fs::filesystem_error("sync", reports(), std::error_code(problem, std::generic_category()));
}

void StoreDirectory::remove_old_checkpoints() const {
  const fs::path current = fs::is_symlink(latest()) ? fs::read_symlink(latest()) : fs::path();
  for (const fs::directory_entry& entry : fs::directory_iterator(reports())) {
    const fs::path name = entry.path().filename();
    if (name == current || name == "latest") continue;
    const int descriptor = open_folder(entry.path());
    const bool being_read = descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    const CheckpointLease lease(entry.path(), descriptor);
    if (!being_read) fs::remove_all(entry.path());
  }
}

}  // namespace linkherd::storage
