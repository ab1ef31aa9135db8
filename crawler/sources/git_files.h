// Reads git's information about files with libgit2. No git process is started, so an untrusted repository cannot
// configure commands.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "crawler/sources/git_repository.h"

namespace linkherd::crawler {

// Returns the paths of the tracked regular files below `folder`, sorted by name, but for those that a sparse checkout
// leaves out. Returns nullopt if there is no readable repository.
std::optional<std::vector<std::string>> tracked_files(const std::filesystem::path& folder);

// Returns whether git tracks `path` (of any file type) or anything below it. unknown: the repository cannot be read.
enum class GitTracking { untracked, tracked, unknown };
GitTracking git_tracking(const std::filesystem::path& path);

// What git tracks in a repository without having it in the working tree: what a sparse checkout leaves out, and the
// content of submodules that are not checked out.
class AbsentFiles {
 public:
  // `root`: of the working tree.
  explicit AbsentFiles(const std::filesystem::path& root);

  enum class Kind { none, file, folder, in_submodule };
  // `path`: absolute, spelled as `root` is; there is nothing in the working tree.
  Kind at(const std::filesystem::path& path) const;

 private:
  std::filesystem::path root_;
  std::vector<std::string> files_;  // sorted, as are the next
  std::vector<std::string> submodules_;
};

// Where a folder is in a working tree.
struct TreePath {
  std::filesystem::path root;    // of the working tree: its real path
  std::filesystem::path inside;  // the path of the folder from there; "." is the root
};
// Nullopt if there is no repository that can be read.
std::optional<TreePath> find_tree_path(const std::filesystem::path& folder);

// Evaluates the .gitignore files of a folder tree, path by path.
class IgnoreRules {
 public:
  // `root` does not have to be in a repository.
  explicit IgnoreRules(const std::filesystem::path& root);

  // Adds the rules that the repository of `root` has besides its files (.git/info/exclude). Returns whether there are
  // any.
  bool add_own_of_repository(const std::filesystem::path& root);

  // `relative`: relative to the root; folders end in "/".
  bool ignores(const std::string& relative) const;

  // Whether the user has rules of their own (core.excludesFile), which hold where no .gitignore is.
  static bool are_any_of_user();

 private:
  GitPointer<git_repository> repository_;  // in memory only; null: no rules
};

}  // namespace linkherd::crawler
