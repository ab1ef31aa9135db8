// Looks up paths from untrusted lists without leaving the folders that may be accessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
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
  AllowedFolders() = default;
  ~AllowedFolders() = default;
  AllowedFolders(AllowedFolders&&) = default;
  AllowedFolders& operator=(AllowedFolders&&) = default;
  AllowedFolders(const AllowedFolders& other) : folders_(other.folders_) {}
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
  // A path relative to the real path of the innermost allowed folder that contains it.
  struct AllowedPath {
    std::filesystem::path folder;
    std::filesystem::path rest;
  };
  // A folder that look-ups have passed through.
  struct VisitedFolder {
    std::filesystem::path real;
    std::uint32_t missing_files = 0;  // missing files that were looked up in it
    // all names in it, in lower case and sorted; nullopt if it was not listed
    std::optional<std::vector<std::string>> names{};
  };
  struct FolderCache {
    std::mutex mutex;
    std::unordered_map<std::string, VisitedFolder> folders;
    std::size_t names = 0;  // total of all folders
  };
  // The cached facts about a file in a folder.
  struct KnownEntry {
    std::filesystem::path folder;  // real path of the folder
    bool is_missing = false;
  };
  std::optional<KnownEntry> known_entry(const std::string& folder, std::string_view name) const;
  bool is_known_missing(std::string_view folder) const;
  void remember_folder(const std::string& folder, const std::filesystem::path& real) const;
  void keep_missing(const std::string& folder) const;
  std::optional<AllowedPath> allowed_path_of(const std::filesystem::path& path) const;
  bool holds(const std::filesystem::path& real) const;

  std::vector<Folder> folders_;
  std::unique_ptr<FolderCache> cache_ = std::make_unique<FolderCache>();
};

}  // namespace linkherd::crawler
