// A folder held open by its descriptor. What is done through it is done inside it, to entries named one by one, and
// never through a symbolic link. Every call throws std::filesystem::filesystem_error where the system says no.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::storage {

enum class EntryKind { file, folder, link, other };

struct FolderEntry {
  std::string name;
  EntryKind kind = EntryKind::other;
};

class Folder {
 public:
  // Follows symbolic links on the way to `path`. Nothing where nothing is there.
  static std::optional<Folder> open(const std::filesystem::path& path);
  ~Folder();
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&&) = delete;
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  std::vector<FolderEntry> entries() const;
  std::optional<EntryKind> kind(const std::string& name) const;  // nothing where nothing is there
  // Nothing where nothing is there; an error where it is no folder or a symbolic link to one.
  std::optional<Folder> subfolder(const std::string& name) const;
  Folder make_subfolder(const std::string& name) const;  // for the owner alone; the one that is there already otherwise
  // A small regular file; nothing where nothing is there.
  std::optional<std::string> read(const std::string& name) const;
  // Replaces the file whole or not at all, and makes it safe from a power cut. For the owner alone.
  void write(const std::string& name, std::string_view text) const;
  std::optional<std::string> link_target(const std::string& name) const;  // nothing where it is no symbolic link
  // The same file in another folder, which has none of that name: a second name of it where `shared` and the file
  // system has such names, else a copy that is safe from a power cut.
  void copy_file(const std::string& name, const Folder& to, bool shared) const;
  void rename(const std::string& from, const std::string& to) const;
  void remove_file(const std::string& name) const;
  void remove_empty_folder(const std::string& name) const;
  void sync() const;
  // Takes the rights of all others away, from the folder and from the regular files directly in it. As far as they can
  // be taken: a file of another user's keeps them.
  void keep_from_others() const;

 private:
  Folder(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  [[noreturn]] void fail(const char* doing, const std::string& name, int problem) const;

  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace linkherd::storage
