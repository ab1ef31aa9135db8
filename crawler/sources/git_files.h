// Reads git's information about files with libgit2. Starts no git process, so an untrusted repository cannot make it
// run configured commands.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "crawler/sources/allowed_folders.h"
#include "crawler/sources/git_repository.h"

namespace linkherd::crawler {

// Returns the paths of the tracked regular files below `folder`, sorted by name, except those that a sparse checkout
// leaves out. Returns nullopt if there is no readable repository.
std::optional<std::vector<std::string>> tracked_files(const std::filesystem::path& folder);

// Returns true if git tracks `path` (of any file type) or anything below it. Nullopt if the repository cannot be read.
std::optional<bool> is_tracked(const std::filesystem::path& path);

// Files that git tracks although they are not in the working tree. A sparse checkout leaves them out, or they are in a
// submodule that is not checked out.
class FilesOnlyInGit {
 public:
  // `root` is the root of the working tree.
  explicit FilesOnlyInGit(const std::filesystem::path& root);

  // Returns what git has at a path that does not exist in the working tree. The path is absolute and begins like
  // `root`. What a submodule has is unknown, so everything in it is absent and not_found.
  FoundFile at(const std::filesystem::path& path) const;

  bool is_empty() const { return files_.empty() && submodules_.empty(); }

 private:
  std::filesystem::path root_;
  std::vector<std::string> files_;  // sorted, like `submodules_`
  std::vector<std::string> submodules_;
};

// Evaluates the .gitignore files of a folder tree, path by path.
class IgnoreRules {
 public:
  // `root` need not be in a repository.
  explicit IgnoreRules(const std::filesystem::path& root);

  // Adds the rules of .git/info/exclude in the repository of `root`. Returns true if the file has been read.
  bool add_info_exclude(const std::filesystem::path& root);

  // `relative` is relative to the root. The path of a folder ends in "/".
  bool ignores(const std::string& relative) const;

  // Returns true if the user has rules of their own (core.excludesFile), which also apply without a .gitignore.
  static bool has_user_rules();

 private:
  GitPointer<git_repository> repository_;  // exists only in memory; null if there are no rules
};

}  // namespace linkherd::crawler
