// Looks up paths from untrusted lists without leaving the folders that may be accessed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

namespace linkherd::crawler {

// The file or folder that exists at a path.
struct FoundFile {
  bool outside = false;  // true if outside of all allowed folders; such a path is not accessed
  std::filesystem::file_type type = std::filesystem::file_type::not_found;
  std::error_code error{};  // the reason if it cannot be read
  // true if only git has it: left out of a sparse checkout, or in a submodule that is not checked out
  bool absent = false;
};

// The folders that may be accessed. No path outside of them is accessed, whatever ".." and symbolic links a path has.
// Caches the folders and the missing names that it has seen.
class AllowedFolders {
 public:
  AllowedFolders();
  ~AllowedFolders();
  AllowedFolders(AllowedFolders&&) noexcept;
  AllowedFolders& operator=(AllowedFolders&&) noexcept;
  AllowedFolders(const AllowedFolders& other);  // the copy has a cache of its own
  AllowedFolders& operator=(const AllowedFolders&) = delete;

  // Allows access to a folder (absolute path) and everything below it. The path may contain symbolic links.
  void add(const std::filesystem::path& folder);

  // Returns what exists at an absolute path. Symbolic links are followed as long as they stay inside. Thread-safe.
  FoundFile inspect(const std::filesystem::path& path) const;

  bool operator==(const AllowedFolders& other) const { return folders_ == other.folders_; }

 private:
  struct Folder {
    std::filesystem::path named;
    std::filesystem::path real;
    bool operator==(const Folder&) const = default;
  };
  struct AllowedPath;
  class Cache;
  std::optional<AllowedPath> allowed_path_of(const std::filesystem::path& path) const;
  bool holds(const std::filesystem::path& real) const;

  std::vector<Folder> folders_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace linkherd::crawler
