// Opens git repositories with libgit2. Runs no command, whatever the configuration of a repository contains, and
// refuses files of git that could block their reader.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

struct git_blob;
struct git_commit;
struct git_diff;
struct git_index;
struct git_object;
struct git_repository;
struct git_tree;
struct git_tree_entry;

namespace linkherd::crawler {

struct FreeGit {
  void operator()(git_blob* blob) const;
  void operator()(git_commit* commit) const;
  void operator()(git_diff* diff) const;
  void operator()(git_index* index) const;
  void operator()(git_object* object) const;
  void operator()(git_repository* repository) const;
  void operator()(git_tree* tree) const;
  void operator()(git_tree_entry* entry) const;
};
template <class T>
using GitPointer = std::unique_ptr<T, FreeGit>;

// Initialises libgit2. Call it before any other function of libgit2; further calls are harmless.
void start_libgit2();

// Returns the text of the latest error of libgit2 in this thread.
std::string last_git_error();

// The repository that contains a folder.
struct OpenRepository {
  GitPointer<git_repository> repository;  // null if there is no readable repository
  bool absent = false;                    // true if there is no repository
  std::filesystem::path folder;           // real path of the folder
};
OpenRepository open_repository(const std::filesystem::path& folder);

// Returns the real path of the working tree. Empty if the repository has none, or if it cannot be found.
std::filesystem::path find_work_folder(git_repository& repository);

// Returns the index of a repository, which has the files that it tracks. Null if it cannot be read. If a sparse
// checkout keeps its index in a format that libgit2 does not support, the index has the files of HEAD and no path.
GitPointer<git_index> read_index(git_repository& repository);

}  // namespace linkherd::crawler
