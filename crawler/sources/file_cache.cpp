#include "crawler/sources/file_cache.h"

#include <cstddef>
#include <cstdint>
#include <system_error>

#include "crawler/sources/file_bytes.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_folders_without_pages = std::size_t{1} << 16;
constexpr std::size_t max_ignore_rules = 64;

// Returns false if the rules that git applies to a file may be in a pipe, on which libgit2 would block, or are large.
bool has_readable_ignore_rules(const fs::path& repository, const fs::path& file) {
  constexpr std::size_t max_depth = 64;
  constexpr std::uintmax_t max_rules_bytes = std::uintmax_t{1} << 20;
  fs::path folder = file.parent_path();
  for (std::size_t i = 0; i < max_depth; ++i, folder = folder.parent_path()) {
    std::error_code error;
    const fs::path rules = folder / ".gitignore";
    const fs::file_type type = fs::symlink_status(rules, error).type();
    const bool is_absent = type == fs::file_type::not_found;
    if (!is_absent && (type != fs::file_type::regular || fs::file_size(rules, error) > max_rules_bytes)) return false;
    if (folder == repository) return true;
    if (!folder.has_relative_path()) break;
  }
  return false;
}

bool contains_no_pages(const fs::path& folder) {
  constexpr std::size_t max_files_per_folder = 1000;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (std::size_t i = 0; !error && entry != fs::directory_iterator(); ++i) {
    const fs::path name = entry->path().filename();  // Asciidoctor's "docinfo.html" is a part of pages
    const bool is_page = name.extension() == ".html" && name.native().find("docinfo") == std::string::npos;
    if (i == max_files_per_folder || is_page) return false;
    entry.increment(error);
  }
  return !error;
}

}  // namespace

bool is_missing(const FoundFile& found) {
  return found.type == fs::file_type::not_found && !found.outside && !found.error && !found.absent;
}

const FilesOnlyInGit& FileCache::only_in_git(const fs::path& repository) {
  return only_in_git_.try_emplace(repository.string(), repository).first->second;
}

FoundFile FileCache::inspect(const fs::path& path, const AllowedFolders& folders, const fs::path* repository) {
  const FoundFile found = folders.inspect(path);
  return is_missing(found) && repository != nullptr ? only_in_git(*repository).at(path) : found;
}

bool FileCache::is_ignored(const fs::path& repository, const fs::path& file) {
  if (!is_below(repository, file) || !has_readable_ignore_rules(repository, file)) return false;
  if (ignore_rules_.size() >= max_ignore_rules) ignore_rules_.clear();
  const auto [rules, is_new] = ignore_rules_.try_emplace(repository.string(), repository);
  if (is_new) rules->second.add_info_exclude(repository);
  return rules->second.ignores(file.lexically_relative(repository).string());
}

bool FileCache::has_no_pages(const fs::path& folder) {
  if (has_no_pages_.size() >= max_folders_without_pages) has_no_pages_.clear();
  const auto [known, is_new] = has_no_pages_.try_emplace(folder.string());
  if (is_new) known->second = contains_no_pages(folder);
  return known->second;
}

}  // namespace linkherd::crawler
