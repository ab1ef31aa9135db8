// Converts file names between their stored and their displayed form. A store names files by their paths from the root
// of the repository. A stored name therefore means the same file in each clone and from every working folder. In
// memory, files are named relative to the current folder. Example: in the folder docs/ of a repository, "a.md" is
// stored as "docs/a.md".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace linkherd::storage {

class FileNames {
 public:
  FileNames() = default;  // leaves all names unchanged
  // Both paths must be absolute and normalised. `base` is the folder from which the store names its files.
  FileNames(std::filesystem::path base, std::filesystem::path current);
  // Returns the converter for a store, which need not exist, and the current folder. The base is the root of the
  // repository that contains the current folder. Without one, it is the root of the repository that contains the store.
  // Without both, it is the folder that contains the store.
  static FileNames of_store(const std::filesystem::path& directory);

  // Returns true if files have the same names in the store and in memory.
  bool are_same() const { return base_ == current_; }

  // Both convert one name. Files outside of both folders have absolute paths in a store. URLs and "-" stay unchanged.
  std::string to_stored(std::string_view name) const;
  std::string to_shown(std::string_view name) const;

 private:
  bool is_inside(const std::filesystem::path& path) const;
  std::string from_current(const std::filesystem::path& path) const;

  std::filesystem::path base_;  // empty: names stay unchanged
  std::filesystem::path current_;
  std::filesystem::path top_;     // the outer one of both folders; empty if neither contains the other
  std::string current_in_store_;  // prefix of the stored names of files in the current folder
};

}  // namespace linkherd::storage
