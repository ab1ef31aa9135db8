// Finds the documents of a folder or a glob.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace linkherd::crawler {

struct FolderDocuments {
  // Paths, sorted by their parts, so that the files of a folder are adjacent. They are strings, because a
  // std::filesystem::path takes many times their memory.
  std::vector<std::string> files;
  std::vector<std::string> skipped;  // unreadable folders and files, each with the reason
  bool are_regular = false;          // true if all are known to be regular files, not symbolic links
  // real path of the repository that contains them, which no file may leave; empty if there is none
  std::filesystem::path repository;
  // prose lists that are left out because git does not track them; sorted like `files`
  std::vector<std::string> untracked = {};

  void sort();
};

// Returns the prose lists (Markdown, HTML, text, …) below `folder` that git tracks. Returns all of them, except in
// hidden folders and files that .gitignore excludes, in three cases:
// - the folder is not in a repository;
// - it has no tracked files;
// - `should_use_git` is false.
// Symbolic links are not followed. `untracked` receives the untracked lists that git does not ignore.
FolderDocuments find_documents(const std::filesystem::path& folder, bool should_use_git);

// Returns the regular files below `folder` for which `is_wanted` returns true. Hidden folders and files that .gitignore
// excludes are left out. Symbolic links are not followed.
FolderDocuments find_files(const std::filesystem::path& folder,
                           std::function<bool(const std::filesystem::path&)> is_wanted);

// Returns true if `text` has glob characters.
bool is_glob(const std::string& text);

// Returns the regular files that match `pattern`, whatever their extension:
// - "*", "?" and "[…]" match within a name;
// - "**" matches any number of folders;
// - "{a,b}" matches either text.
// Hidden names match only if the pattern has an explicit dot. In a repository, files that symbolic links lead out of it
// are skipped. Links in the part of the pattern before the first glob character may lead anywhere.
FolderDocuments expand_glob(const std::string& pattern);

}  // namespace linkherd::crawler
