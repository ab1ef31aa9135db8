// An open folder. All functions act on its direct entries by name and never follow symbolic links. They throw
// std::filesystem::filesystem_error if a system call fails.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/file_descriptor.h"

namespace linkherd::storage {

enum class EntryKind { file, folder, link, other };

struct FolderEntry {
  std::string name;
  EntryKind kind = EntryKind::other;
};

class Folder {
 public:
  // Opens `path` and follows symbolic links in it. Returns nullopt if it does not exist.
  static std::optional<Folder> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_.number(); }

  std::vector<FolderEntry> entries() const;
  std::optional<EntryKind> kind(const std::string& name) const;  // nullopt if it does not exist
  // Returns nullopt if the entry does not exist. Throws if it is not a folder or is a symbolic link.
  std::optional<Folder> subfolder(const std::string& name) const;
  Folder make_subfolder(const std::string& name) const;  // accessible by the owner only; opens an existing folder
  // Reads a small regular file. Returns nullopt if it does not exist.
  std::optional<std::string> read(const std::string& name) const;
  // Replaces the file atomically and syncs it to disk. Only the owner can access the file.
  void write(const std::string& name, std::string_view text) const;
  std::optional<std::string> link_target(const std::string& name) const;  // nullopt if it is not a symbolic link
  // Copies the file to another folder, which must not have a file of that name. Makes a hard link if `shared` is set
  // and the file system supports it. Otherwise makes a copy and syncs it to disk.
  void copy_file(const std::string& name, const Folder& to, bool shared) const;
  void rename(const std::string& from, const std::string& to) const;
  void remove_file(const std::string& name) const;
  void remove_empty_folder(const std::string& name) const;
  void sync() const;
  // Removes the permissions of group and others from the folder and from the regular files directly in it. Skips files
  // of other users.
  void restrict_to_owner() const;

 private:
  Folder(std::filesystem::path path, FileDescriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  [[noreturn]] void fail(const char* doing, const std::string& name, int problem) const;

  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

}  // namespace linkherd::storage
