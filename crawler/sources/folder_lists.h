// Which files of a folder, or of a glob, are lists.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace linkherd::crawler {

struct FolderLists {
  std::vector<std::filesystem::path> files;  // by name
  std::vector<std::string> passed_over;      // folders and files that cannot be read, each with the reason
};

// The prose lists (Markdown, HTML, text, …) below `folder`: those that git tracks, else, outside of a repository or in
// a folder of which git tracks no file, what a walk finds that skips hidden folders and honours .gitignore. Symbolic
// links are not followed. Without `use_git` it is always the walk.
FolderLists lists_in_folder(const std::filesystem::path& folder, bool use_git);

// Whether `text` has a glob's characters.
bool is_glob(const std::string& text);

// The regular files that `pattern` matches, whatever their endings: "*", "?" and "[…]" within a name, "**" for any
// number of folders. Hidden names are matched only by a pattern that says the dot.
FolderLists files_of_glob(const std::string& pattern);

}  // namespace linkherd::crawler
