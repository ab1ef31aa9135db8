// Names files in a store by their paths from the root of the repository, so that they mean the same in each of its
// clones and wherever a command is called. In memory, files are named from the current folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace linkherd::storage {

class FileNames {
 public:
  FileNames() = default;  // leaves all names as they are
  // Both are absolute and normal. `base`: the folder from which a store names files.
  FileNames(std::filesystem::path base, std::filesystem::path current);
  // Those of a store, which need not exist, in the current folder. Files are named from the root of the repository of
  // the current folder; without one, from that of the store's; without both, from the folder that the store lies in.
  static FileNames of_store(const std::filesystem::path& directory);

  // Whether files have the same names in the store and in memory.
  bool are_same() const { return base_ == current_; }

  // Files outside of both folders have their absolute paths in a store. URLs and "-" stay as they are.
  std::string stored(std::string_view name) const;
  std::string shown(std::string_view name) const;

 private:
  bool is_inside(const std::filesystem::path& path) const;
  std::string from_current(const std::filesystem::path& path) const;

  std::filesystem::path base_;  // empty: names stay as they are
  std::filesystem::path current_;
  std::filesystem::path top_;     // the upper one of both; empty if neither contains the other
  std::string current_in_store_;  // what the stored name of a file in the current folder begins with
};

}  // namespace linkherd::storage
