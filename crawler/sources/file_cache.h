// Remembers what exists in repositories: files that only git has, ignored files, and folders without pages.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

#include "crawler/sources/allowed_folders.h"
#include "crawler/sources/git_files.h"

namespace linkherd::crawler {

// Returns true if the path is inside an allowed folder, but no file exists.
bool is_missing(const FoundFile& found);

// Not thread-safe. Existing files are cached by AllowedFolders, which may be shared by threads.
class FileCache {
 public:
  // Returns what exists at the path, including files that only git has. `repository` may be null.
  FoundFile inspect(const std::filesystem::path& path, const AllowedFolders& folders,
                    const std::filesystem::path* repository);

  // Returns true if git has no files that are absent from the working tree.
  bool is_tree_whole(const std::filesystem::path& repository) { return only_in_git(repository).is_empty(); }

  // Returns true if git ignores the missing file, which is therefore generated.
  bool is_ignored(const std::filesystem::path& repository, const std::filesystem::path& file);

  // Returns true if the folder has at most a thousand files and none of them is a page.
  bool has_no_pages(const std::filesystem::path& folder);

 private:
  const FilesOnlyInGit& only_in_git(const std::filesystem::path& repository);

  std::unordered_map<std::string, FilesOnlyInGit> only_in_git_;  // by repository, like `ignore_rules_`
  std::unordered_map<std::string, IgnoreRules> ignore_rules_;
  std::unordered_map<std::string, bool> has_no_pages_;  // by folder
};

}  // namespace linkherd::crawler
