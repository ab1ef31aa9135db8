#include "storage/folder.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

constexpr int open_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t owner_file = 0600;
constexpr mode_t owner_folder = 0700;
constexpr std::size_t max_file_bytes = std::size_t{1} << 20;

struct CloseStream {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

EntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::file;
  if (S_ISDIR(mode)) return EntryKind::folder;
  return S_ISLNK(mode) ? EntryKind::link : EntryKind::other;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<Folder> Folder::open(const fs::path& path) {
  FileDescriptor opened(::open(path.c_str(), open_folder));
  if (opened.is_open()) return Folder(path, std::move(opened));
  if (errno == ENOENT) return std::nullopt;
  throw fs::filesystem_error("open", path, std::error_code(errno, std::generic_category()));
}

void Folder::fail(const char* doing, const std::string& name, int problem) const {
  throw fs::filesystem_error(doing, path_ / name, std::error_code(problem, std::generic_category()));
}

std::vector<FolderEntry> Folder::entries() const {
  // Opens the folder a second time, because a stream and its descriptor share one position.
  FileDescriptor again(::openat(descriptor(), ".", open_folder));
  if (!again.is_open()) fail("read", "", errno);
  const std::unique_ptr<DIR, CloseStream> stream(::fdopendir(again.number()));
  if (stream == nullptr) fail("read", "", errno);
  static_cast<void>(again.release());  // closedir() closes it
  std::vector<FolderEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());  // NOLINT(concurrency-mt-unsafe): the stream is this call's own
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    // An entry without a kind was removed meanwhile.
    if (const auto found = kind(name)) entries.push_back({name, *found});
  }
  if (errno != 0) fail("read", "", errno);
  return entries;
}

std::optional<EntryKind> Folder::kind(const std::string& name) const {
  struct stat status {};
  if (::fstatat(descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return kind_of(status.st_mode);
  if (errno == ENOENT) return std::nullopt;
  fail("look at", name, errno);
}

std::optional<Folder> Folder::subfolder(const std::string& name) const {
  FileDescriptor opened(::openat(descriptor(), name.c_str(), open_folder | O_NOFOLLOW));
  if (opened.is_open()) return Folder(path_ / name, std::move(opened));
  if (errno == ENOENT) return std::nullopt;
  fail("open", name, errno);
}

Folder Folder::make_subfolder(const std::string& name) const {
  if (::mkdirat(descriptor(), name.c_str(), owner_folder) != 0 && errno != EEXIST) fail("make", name, errno);
  std::optional<Folder> made = subfolder(name);
  if (!made) fail("open", name, ENOENT);
  return std::move(*made);
}

std::optional<std::string> Folder::read(const std::string& name) const {
  // O_NONBLOCK is needed because opening a pipe would block.
  const FileDescriptor file(::openat(descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) fail("read", name, errno);
  if (!S_ISREG(status.st_mode)) fail("read", name, EINVAL);
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() < max_file_bytes) {
    const ssize_t got = ::read(file.number(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", name, errno);
    if (got == 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

void Folder::write(const std::string& name, std::string_view text) const {
  const std::string beside = name + ".new";
  if (::unlinkat(descriptor(), beside.c_str(), 0) != 0 && errno != ENOENT) fail("replace", beside, errno);
  {
    const FileDescriptor file(
        ::openat(descriptor(), beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_file));
    if (!file.is_open() || !write_all(file.number(), text) || ::fsync(file.number()) != 0) {
      fail("write", beside, errno);
    }
  }
  rename(beside, name);
}

std::optional<std::string> Folder::link_target(const std::string& name) const {
  std::array<char, 256> target{};
  const ssize_t length = ::readlinkat(descriptor(), name.c_str(), target.data(), target.size());
  if (length >= 0) return std::string(target.data(), static_cast<std::size_t>(length));
  if (errno == ENOENT || errno == EINVAL) return std::nullopt;
  fail("read", name, errno);
}

void Folder::copy_file(const std::string& name, const Folder& to, bool shared) const {
  if (shared && ::linkat(descriptor(), name.c_str(), to.descriptor(), name.c_str(), 0) == 0) return;
  const FileDescriptor from(::openat(descriptor(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!from.is_open()) fail("read", name, errno);
  const FileDescriptor copy(
      ::openat(to.descriptor(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_file));
  if (!copy.is_open()) to.fail("write", name, errno);
  std::vector<char> part(std::size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::read(from.number(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", name, errno);
    if (got == 0) break;
    if (!write_all(copy.number(), {part.data(), static_cast<std::size_t>(got)})) to.fail("write", name, errno);
  }
  if (::fsync(copy.number()) != 0) to.fail("write", name, errno);
}

void Folder::rename(const std::string& from, const std::string& to) const {
  if (::renameat(descriptor(), from.c_str(), descriptor(), to.c_str()) != 0) fail("rename", from, errno);
}

void Folder::remove_file(const std::string& name) const {
  if (::unlinkat(descriptor(), name.c_str(), 0) != 0 && errno != ENOENT) fail("remove", name, errno);
}

void Folder::remove_empty_folder(const std::string& name) const {
  if (::unlinkat(descriptor(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) fail("remove", name, errno);
}

void Folder::sync() const {
  if (::fsync(descriptor()) != 0) fail("sync", "", errno);
}

void Folder::restrict_to_owner() const {
  static_cast<void>(::fchmod(descriptor(), owner_folder));
  for (const FolderEntry& entry : entries()) {
    if (entry.kind != EntryKind::file) continue;
    const FileDescriptor file(
        ::openat(descriptor(), entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.is_open()) static_cast<void>(::fchmod(file.number(), owner_file));
  }
}

}  // namespace linkherd::storage
