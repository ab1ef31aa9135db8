// A folder held open by its descriptor. Calls act on its own entries, by name, and never follow a symbolic link. Every
// call throws std::filesystem::filesystem_error where the system call fails.
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
  // Follows symbolic links on the way to `path`. Nothing where it does not exist.
  static std::optional<Folder> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_.number(); }

  std::vector<FolderEntry> entries() const;
  std::optional<EntryKind> kind(const std::string& name) const;  // nothing where it does not exist
  // Nothing where it does not exist; an error where it is not a folder, or a symbolic link to one.
  std::optional<Folder> subfolder(const std::string& name) const;
  Folder make_subfolder(const std::string& name) const;  // for the owner alone; the existing one where there is one
  // A small regular file; nothing where it does not exist.
  std::optional<std::string> read(const std::string& name) const;
  // Replaces the file atomically; its content is on disk then. For the owner alone.
  void write(const std::string& name, std::string_view text) const;
  std::optional<std::string> link_target(const std::string& name) const;  // nothing where it is not a symbolic link
  // Puts the file into another folder, which has none of that name: as a hard link where `shared` and the file system
  // allows one, else as a copy that is synced to disk.
  void copy_file(const std::string& name, const Folder& to, bool shared) const;
  void rename(const std::string& from, const std::string& to) const;
  void remove_file(const std::string& name) const;
  void remove_empty_folder(const std::string& name) const;
  void sync() const;
  // Removes all others' permissions from the folder and from the regular files directly in it; a file of another user
  // keeps them.
  void keep_from_others() const;

 private:
  Folder(std::filesystem::path path, FileDescriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  [[noreturn]] void fail(const char* doing, const std::string& name, int problem) const;

  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

}  // namespace linkherd::storage
