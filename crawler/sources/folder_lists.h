// Finds the list files of a folder or a glob.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace linkherd::crawler {

struct FolderLists {
  // Paths, sorted by their parts: the files of a folder are together. Texts, because a path of the standard library
  // takes many times their memory.
  std::vector<std::string> files;
  std::vector<std::string> skipped;         // unreadable folders and files, each with the reason
  bool are_regular = false;                 // all are known to be regular files, and no symbolic links
  std::filesystem::path repository;         // real path of the one they are in, which no file may leave; empty: in none
  std::vector<std::string> untracked = {};  // lists that are left out because git does not track them; sorted likewise

  void sort();
};

// Returns the prose lists (Markdown, HTML, text, …) below `folder`: the files that git tracks; outside of a
// repository, in a folder without tracked files, or without `should_use_git`, all files except hidden folders and those
// ignored by .gitignore. Symbolic links are not followed. Names the untracked lists that git does not ignore.
FolderLists lists_in_folder(const std::filesystem::path& folder, bool should_use_git);

// Returns the regular files below `folder` whose name `is_wanted`, but for hidden folders and what .gitignore names.
// Symbolic links are not followed.
FolderLists files_in_folder(const std::filesystem::path& folder,
                            std::function<bool(const std::filesystem::path&)> is_wanted);

// Returns true if `text` has glob characters.
bool is_glob(const std::string& text);

// Returns the regular files that match `pattern`, whatever their extension: "*", "?" and "[…]" match within a name,
// "**" matches any number of folders, and "{a,b}" either text. Hidden names need a pattern with an explicit dot. Of a
// repository, what symbolic links lead out of it is skipped; those in the part of the pattern without such characters
// may lead anywhere.
FolderLists files_of_glob(const std::string& pattern);

}  // namespace linkherd::crawler
