#include "crawler/sources/allowed_folders.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "parser/ascii.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr int max_followed_links = 40;  // per path, as in Linux

// Returns the path relative to `folder`, or nullopt if it is outside.
std::optional<fs::path> path_in(const fs::path& folder, const fs::path& path) {
  const fs::path relative = path.lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

// Returns the names in a folder, in lower case and sorted. Nullopt if it cannot be listed or has too many.
std::optional<std::vector<std::string>> names_in(const fs::path& folder, std::size_t max_names) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (names.size() == max_names) return std::nullopt;
    names.push_back(parser::to_ascii_lower(entry->path().filename().native()));
  }
  if (error) return std::nullopt;
  std::ranges::sort(names);
  return names;
}

bool says_absent(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
         error == std::errc::filename_too_long;
}

}  // namespace

// A path relative to the real path of the innermost allowed folder that contains it.
struct AllowedFolders::AllowedPath {
  fs::path folder;
  fs::path rest;
};

// The folders that look-ups have passed through. Thread-safe.
class AllowedFolders::Cache {
 public:
  // The cached facts about a file in a folder.
  struct Entry {
    fs::path folder;  // real path of the folder
    bool is_missing = false;
  };

  std::optional<Entry> find(const std::string& folder, std::string_view name) {
    const std::scoped_lock lock(mutex_);
    const auto known = folders_.find(folder);
    if (known == folders_.end()) return std::nullopt;
    const std::optional<std::vector<std::string>>& names = known->second.names;
    // File systems may ignore case, and differ in how they do it beyond ASCII. So only ASCII names count as missing.
    const bool is_missing =
        names && parser::is_ascii(name) && !std::ranges::binary_search(*names, parser::to_ascii_lower(name));
    return Entry{known->second.real, is_missing};
  }

  // Returns true if a listing shows that the folder is missing. `folder` ends with a slash.
  bool is_missing(std::string_view folder) {
    folder.remove_suffix(1);
    const std::size_t name = folder.rfind('/') + 1;
    const std::string_view last = folder.substr(name);
    if (last.empty() || last == "." || last == "..") return false;
    const std::optional<Entry> known = find(std::string(folder.substr(0, name)), last);
    return known && known->is_missing;
  }

  void add(const std::string& folder, const fs::path& real) {
    constexpr std::size_t max_folders = std::size_t{1} << 14U;
    const std::scoped_lock lock(mutex_);
    if (folders_.size() == max_folders) {
      folders_.clear();
      names_ = 0;
    }
    folders_.try_emplace(folder, Folder{real});
  }

  // Counts a failed look-up. Lists the folder after many of them: each missing page is looked up under twenty names.
  void count_missing(const std::string& folder) {
    constexpr std::uint32_t enough_to_list = 100;
    constexpr std::size_t max_names_of_folder = 10'000;
    constexpr std::size_t max_names = 200'000;
    const std::scoped_lock lock(mutex_);
    const auto known = folders_.find(folder);
    if (known == folders_.end() || ++known->second.missing_files != enough_to_list) return;
    const std::size_t room = std::min(max_names_of_folder, max_names - names_);
    std::optional<std::vector<std::string>> names = names_in(known->second.real, room);
    if (!names) return;
    names_ += names->size();
    known->second.names = std::move(names);
  }

 private:
  struct Folder {
    fs::path real;
    std::uint32_t missing_files = 0;  // missing files that were looked up in it
    // all names in it, in lower case and sorted; nullopt if it was not listed
    std::optional<std::vector<std::string>> names{};
  };

  std::mutex mutex_;
  std::unordered_map<std::string, Folder> folders_;
  std::size_t names_ = 0;  // total of all folders
};

AllowedFolders::AllowedFolders() : cache_(std::make_unique<Cache>()) {}
AllowedFolders::~AllowedFolders() = default;
AllowedFolders::AllowedFolders(AllowedFolders&&) noexcept = default;
AllowedFolders& AllowedFolders::operator=(AllowedFolders&&) noexcept = default;
AllowedFolders::AllowedFolders(const AllowedFolders& other)
    : folders_(other.folders_), cache_(std::make_unique<Cache>()) {}

void AllowedFolders::add(const fs::path& folder) {
  fs::path named = folder.lexically_normal();
  if (!named.has_filename() && named.has_relative_path()) named = named.parent_path();  // as in "/folder/"
  std::error_code error;
  fs::path real = fs::canonical(named, error);
  if (error) real = named;
  const bool is_known = std::ranges::any_of(folders_, [&](const Folder& known) {
    const std::optional<fs::path> rest = path_in(known.named, named);
    return rest && (*rest == "." ? known.real : known.real / *rest) == real;
  });
  if (!is_known) folders_.push_back({std::move(named), std::move(real)});
}

std::optional<AllowedFolders::AllowedPath> AllowedFolders::allowed_path_of(const fs::path& path) const {
  std::optional<AllowedPath> nearest;
  const auto take = [&](const fs::path& folder, const fs::path& real) {
    const std::optional<fs::path> rest = path_in(folder, path);
    if (rest && (!nearest || rest->native().size() < nearest->rest.native().size())) nearest = {real, *rest};
  };
  for (const Folder& folder : folders_) {
    take(folder.named, folder.real);
    take(folder.real, folder.real);
  }
  return nearest;
}

bool AllowedFolders::holds(const fs::path& real) const {
  return std::ranges::any_of(folders_,
                             [&real](const Folder& folder) { return path_in(folder.real, real).has_value(); });
}

FoundFile AllowedFolders::inspect(const fs::path& path) const {
  FoundFile outside{.outside = true};
  const std::string& text = path.native();
  const std::size_t name = text.rfind('/') + 1;
  const std::string folder = text.substr(0, name);
  const std::string_view last = std::string_view(text).substr(name);
  const auto is_path = [&text](const Folder& allowed) {
    return allowed.named.native() == text || allowed.real.native() == text;
  };
  // True if the last part is an entry of `folder`, as written.
  const bool is_entry = !last.empty() && last != "." && last != ".." && std::ranges::none_of(folders_, is_path);
  const std::optional<Cache::Entry> known = is_entry ? cache_->find(folder, last) : std::nullopt;
  if (is_entry && (known ? known->is_missing : cache_->is_missing(folder))) return {};
  std::optional<AllowedPath> allowed =
      known ? AllowedPath{known->folder, fs::path(last)} : allowed_path_of(path.lexically_normal());
  if (!allowed) return outside;
  std::deque<fs::path> parts(allowed->rest.begin(), allowed->rest.end());
  fs::path at = allowed->folder;
  FoundFile found{.type = fs::file_type::directory};
  for (int links = 0; !parts.empty();) {
    const bool is_in_folder = is_entry && !known && links == 0 && parts.size() == 1;
    if (is_in_folder && found.type == fs::file_type::directory) cache_->add(folder, at);
    if (found.type != fs::file_type::directory) return {};  // a file has no entries
    const fs::path part = std::move(parts.front());
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      if (!holds(at)) return outside;
      continue;
    }
    std::error_code error;
    const fs::file_type type = fs::symlink_status(at / part, error).type();
    if (type == fs::file_type::not_found || says_absent(error)) {
      if (known) cache_->count_missing(folder);
      return {};
    }
    if (error) return {.error = error};
    if (type != fs::file_type::symlink) {
      at /= part;
      found.type = type;
      continue;
    }
    const fs::path target = fs::read_symlink(at / part, error);
    if (error || ++links > max_followed_links) return {};
    if (target.is_absolute()) {
      allowed = allowed_path_of(target.lexically_normal());
      if (!allowed) return outside;
      at = allowed->folder;
    }
    const fs::path& next = target.is_absolute() ? allowed->rest : target;
    parts.insert(parts.begin(), next.begin(), next.end());
  }
  return found;
}

}  // namespace linkherd::crawler
