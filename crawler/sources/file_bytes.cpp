#include "crawler/sources/file_bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crawler/sources/repository_bounds.h"
#include "parser/ascii.h"
#include "parser/utf8.h"
#include "storage/file_descriptor.h"

namespace linkherd::crawler {

namespace {

bool is_byte_escape(std::string_view text) {
  return text.size() >= 4 && text.starts_with("\\x") && parser::hex_value(text[2]) >= 0 &&
         parser::hex_value(text[3]) >= 0;
}

// Escapes bytes that are not UTF-8 as "\xFF". In a name with such bytes the backslash is escaped too, so that different
// names stay different.
std::string in_utf8(std::string_view name) {
  if (is_valid_utf8(name) && name.find("\\x") == std::string_view::npos) return std::string(name);
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const CodePoint point = decode_utf8(name, at);
    for (const char byte : name.substr(at, point.length)) {
      const bool is_kept = point.valid && !is_byte_escape(name.substr(at));
      out += is_kept ? std::string(1, byte)
                     : fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
    at += point.length;
  }
  return out;
}

// Returns true if lexically_normal() would not change the path, which is nearly always the case.
bool is_normal(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  while (true) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == path.size()) return true;
    path.remove_prefix(part.size() + 1);
  }
}

// Removes the "./" at the beginning of a path if the rest is normal. Returns other paths unchanged.
std::string_view without_dot(const std::filesystem::path& path) {
  const std::string_view name = path.native();
  if (!name.starts_with("./") || name.starts_with(".//")) return name;
  const std::string_view rest = name.substr(2);
  return is_normal(rest) ? rest : name;
}

Error system_error(int code) {
  switch (code) {
    case ENOENT: return {"does not exist"};
    case EACCES:
    case EPERM: return {"cannot be read (permission denied): change its permissions"};
    case ELOOP: return {"is a symbolic link that leads to itself"};
    default: return {fmt::format("cannot be read: {}", std::system_category().message(code))};
  }
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "pipe";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

// A regular file that is open.
struct OpenFile {
  storage::FileDescriptor descriptor;
  std::size_t size = 0;
};

bool is_open_inside(const std::filesystem::path& path, const storage::FileDescriptor& file,
                    const std::filesystem::path& folder) {
  std::error_code error;
  auto real = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file.number()), error);
  if (error) real = std::filesystem::canonical(path, error);  // if /proc is not mounted
  return !error && is_inside(folder, real) && !is_inside(folder / ".git", real);
}

Result<OpenFile> open_regular_file(const std::filesystem::path& path, const std::filesystem::path& inside) {
  // O_NONBLOCK, because opening a pipe without a writer would block. It has no effect on regular files.
  storage::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return system_error(errno);
  if (!inside.empty() && !is_open_inside(path, file, inside))
    return Error{fmt::format("{}: replace it with a copy", leads_out_message)};
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return system_error(errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{fmt::format("is a {}, not a regular file", kind_of(status.st_mode))};
  }
  return OpenFile{std::move(file), static_cast<std::size_t>(status.st_size)};
}

// Returns at most `max_bytes` of the file.
Result<std::string> first_bytes(const OpenFile& file, std::size_t max_bytes) {
  std::string bytes;
  bytes.reserve(std::min(file.size, max_bytes));
  std::array<char, 65536> buffer;
  while (bytes.size() < max_bytes) {
    const ssize_t count =
        ::read(file.descriptor.number(), buffer.data(), std::min(buffer.size(), max_bytes - bytes.size()));
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(errno);
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (bytes.size() == file.size) break;  // does not wait for bytes that are appended meanwhile
  }
  return {boost::system::in_place_value, std::move(bytes)};
}

}  // namespace

Result<std::string> read_file_bytes(const std::filesystem::path& path, std::size_t max_bytes,
                                    const std::filesystem::path& inside) {
  const Result<OpenFile> file = open_regular_file(path, inside);
  if (file.has_error()) return file.error();
  const Error too_large{fmt::format("is larger than {} MB: split it", max_bytes >> 20U)};
  if (file->size > max_bytes) return too_large;
  Result<std::string> bytes = first_bytes(*file, max_bytes + 1);
  if (bytes.has_value() && bytes->size() > max_bytes) return too_large;  // the file grew while it was read
  return bytes;
}

Result<std::string> read_file_start(const std::filesystem::path& path, std::size_t max_bytes,
                                    const std::filesystem::path& inside) {
  const Result<OpenFile> file = open_regular_file(path, inside);
  if (file.has_error()) return file.error();
  return first_bytes(*file, max_bytes);
}

std::filesystem::path current_folder() {
  std::error_code error;
  return std::filesystem::current_path(error);
}

std::filesystem::path full_path(const std::filesystem::path& path) {
  const std::filesystem::path full = path.is_relative() ? current_folder() / without_dot(path) : path;
  return is_normal(full.native()) ? full : full.lexically_normal();
}

bool is_below(const std::filesystem::path& folder, const std::filesystem::path& path) {
  const std::filesystem::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::string reported_name(const std::filesystem::path& path) { return reported_name(path, current_folder()); }

std::string reported_name(const std::filesystem::path& path, const std::filesystem::path& here) {
  const std::string_view name = without_dot(path);
  if (path.is_relative() && is_normal(name)) return in_utf8(name);
  const std::filesystem::path absolute = full_path(path);
  const std::string_view full = absolute.native();
  if (!here.empty() && is_normal(full) && full.starts_with(here.native()) &&
      full.substr(here.native().size()).starts_with('/'))
    return in_utf8(full.substr(here.native().size() + 1));
  // not below the current folder
  if (here.has_relative_path() && path.is_absolute() && is_normal(name)) return in_utf8(full);
  const std::filesystem::path relative = absolute.lexically_relative(here);
  const bool below = !here.empty() && !relative.empty() && *relative.begin() != "..";
  return in_utf8((below ? relative : path.lexically_normal()).string());
}

bool is_picture(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 9> endings{".avif", ".bmp", ".gif", ".heic", ".jpeg",
                                                    ".jpg",  ".png", ".svg", ".webp"};
  return parser::is_one_of(endings, parser::to_ascii_lower(file.extension().native()));
}

}  // namespace linkherd::crawler
