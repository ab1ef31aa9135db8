// Opens git repositories with libgit2. Nothing is run, whatever a repository's configuration says, and files of git
// that could block their reader are refused.
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

// Before any other call of libgit2; again is harmless.
void start_libgit2();

// The latest error of libgit2 in this thread, in its own words.
std::string last_git_error();

// The repository that contains a folder.
struct OpenRepository {
  GitPointer<git_repository> repository;  // null: there is none that can be read
  bool absent = false;                    // there is none
  std::filesystem::path folder;           // the real path of the folder
};
OpenRepository open_repository(const std::filesystem::path& folder);

// The real path of the folder with the files of a repository; empty where it has none, or it cannot be found.
std::filesystem::path work_folder_of(git_repository& repository);

// What a repository tracks.
struct ReadIndex {
  GitPointer<git_index> index;  // null: it cannot be read
  bool is_of_head = false;  // the files of HEAD, where a sparse checkout keeps its index in a format unknown to libgit2
};
ReadIndex read_index(git_repository& repository);

}  // namespace linkherd::crawler
