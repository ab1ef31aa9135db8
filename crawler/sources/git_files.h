// What git knows about the files of a folder, read by libgit2: no git process runs, so nothing that a foreign
// repository configures can either.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct git_repository;

namespace linkherd::crawler {

// The regular files below `folder` that git tracks, by name; nothing where `folder` is in no repository that can be
// read.
std::optional<std::vector<std::filesystem::path>> tracked_files(const std::filesystem::path& folder);

// Whether git tracks `path` itself, of whatever kind, or anything below it. unknown: a repository that cannot be read.
enum class GitTracking { untracked, tracked, unknown };
GitTracking git_tracking(const std::filesystem::path& path);

// The .gitignore files of a folder tree, asked path by path.
class IgnoreRules {
 public:
  // `root` itself need not be in a repository.
  explicit IgnoreRules(const std::filesystem::path& root);

  // `relative` to the root; a folder's with a "/" behind it.
  bool ignores(const std::string& relative) const;

 private:
  struct Free {
    void operator()(git_repository* repository) const;
  };
  std::unique_ptr<git_repository, Free> repository_;  // in memory only; empty: no rules
};

}  // namespace linkherd::crawler
