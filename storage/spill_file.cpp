#include "storage/spill_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace linkherd::storage {
namespace {

std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named == nullptr || *named == '\0' ? "/tmp" : named;
}

[[noreturn]] void fail(std::string_view action) {
  throw std::runtime_error(
      fmt::format("cannot {} a temporary file in {}: {}; set TMPDIR to a folder with enough free space", action,
                  temporary_folder(), std::generic_category().message(errno)));
}

FileDescriptor open_nameless() {
  const std::string where = temporary_folder();
  FileDescriptor nameless(open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (nameless.is_open() || (errno != EOPNOTSUPP && errno != EISDIR)) return nameless;
  std::string name = where + "/linkherd-XXXXXX";  // not every file system supports files without names
  FileDescriptor named(mkostemp(name.data(), O_CLOEXEC));
  if (named.is_open()) unlink(name.c_str());
  return named;
}

}  // namespace

SpillFile::Extent SpillFile::add(std::string_view bytes) {
  if (bytes.size() > UINT32_MAX) throw std::length_error("a value above 4 GiB");
  if (tail_.size() + bytes.size() > max_in_memory_) flush();
  const Extent extent{in_file_ + tail_.size(), static_cast<std::uint32_t>(bytes.size())};
  tail_ += bytes;
  return extent;
}

std::string SpillFile::read(Extent extent) const {
  if (extent.offset >= in_file_) return tail_.substr(extent.offset - in_file_, extent.size);
  std::string bytes(std::min<std::uint64_t>(extent.size, in_file_ - extent.offset), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        pread(file_.number(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(extent.offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;  // another process truncated the file
    if (count <= 0) fail("read");
    done += static_cast<std::size_t>(count);
  }
  return bytes += std::string_view(tail_).substr(0, extent.size - bytes.size());
}

void SpillFile::flush() {
  if (!file_.is_open()) file_ = open_nameless();
  if (!file_.is_open()) fail("create");
  for (std::size_t done = 0; done < tail_.size();) {
    const ssize_t count =
        pwrite(file_.number(), tail_.data() + done, tail_.size() - done, static_cast<off_t>(in_file_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write");
    done += static_cast<std::size_t>(count);
  }
  in_file_ += tail_.size();
  tail_.clear();
}

}  // namespace linkherd::storage
