// Folders that may be looked into. Nothing outside of them is touched on the way to a path, whatever ".." and symbolic
// links it has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace linkherd::crawler {

// What is at a path.
struct FoundFile {
  bool outside = false;  // of all the folders: nobody has looked
  std::filesystem::file_type type = std::filesystem::file_type::not_found;
  std::string trouble{};  // why it cannot be looked at, where that is so
};

class OpenFolders {
 public:
  // Opens a folder (absolute) with all that is below it. The way to it may have symbolic links.
  void add(const std::filesystem::path& folder);

  // `path`: absolute. Symbolic links are followed as long as they stay inside.
  FoundFile look(const std::filesystem::path& path) const;

 private:
  struct Folder {
    std::filesystem::path named;
    std::filesystem::path real;
  };
  // The path in the folder that is nearest to it, seen from that folder's real place; nothing where it is in none.
  struct Place {
    std::filesystem::path folder;
    std::filesystem::path rest;
  };
  std::optional<Place> place_of(const std::filesystem::path& path) const;
  bool holds(const std::filesystem::path& real) const;

  std::vector<Folder> folders_;
};

}  // namespace linkherd::crawler
