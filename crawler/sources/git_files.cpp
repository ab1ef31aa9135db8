#include "crawler/sources/git_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include <git2.h>
#include <git2/sys/repository.h>

#include "crawler/sources/file_bytes.h"
#include "parser/ascii.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// Sparse and partial clones: irrelevant for reading the index.
bool accept_harmless_extensions() {
  std::array<const char*, 3> names = {"worktreeconfig", "partialclone", "preciousobjects"};
  return git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, names.data(), names.size()) == 0;
}

void start_libgit2() {
  // Never shut down: libgit2 counts its users, and the process ends anyway. The owner of the repository is not
  // checked, because nothing is run or written; in containers it is often another user.
  static const bool started =
      git_libgit2_init() > 0 && git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0) == 0 && accept_harmless_extensions();
  static_cast<void>(started);
}

struct FreeIndex {
  void operator()(git_index* index) const { git_index_free(index); }
};
struct FreeRepository {
  void operator()(git_repository* repository) const { git_repository_free(repository); }
};

// libgit2 blocks if one of its files is a pipe.
bool can_be_read(const fs::path& git_folder) {
  constexpr std::size_t longest_path = 4096;
  const Result<std::string> common = read_file_bytes(git_folder / "commondir", longest_path);  // of a worktree
  const fs::path settings = common ? git_folder / parser::trim_ascii(*common) : git_folder;
  const std::array<fs::path, 3> files = {git_folder / "index", git_folder / "config.worktree", settings / "config"};
  return std::ranges::all_of(files, [](const fs::path& file) {
    std::error_code error;
    const fs::file_type type = fs::status(file, error).type();
    return type == fs::file_type::regular || type == fs::file_type::not_found;
  });
}

std::optional<fs::path> git_folder_of(const fs::path& folder) {
  git_buf found = GIT_BUF_INIT;
  if (git_repository_discover(&found, folder.c_str(), 0, nullptr) != 0) return std::nullopt;
  fs::path path(found.ptr);
  git_buf_dispose(&found);
  return path;
}

// The index of the repository that contains a folder.
struct OpenIndex {
  std::unique_ptr<git_repository, FreeRepository> repository;
  std::unique_ptr<git_index, FreeIndex> index;  // null: unreadable
  fs::path inside;                              // path of the folder in the repository
  bool absent = false;                          // there is no repository
};

OpenIndex open_index(const fs::path& folder) {
  start_libgit2();
  OpenIndex opened;
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) return opened;
  const std::optional<fs::path> git_folder = git_folder_of(real);
  if (git_folder && !can_be_read(*git_folder)) return opened;
  git_repository* repository = nullptr;
  const int found = git_repository_open_ext(&repository, real.c_str(), 0, nullptr);
  opened.absent = found == GIT_ENOTFOUND;
  if (found != 0) return opened;
  opened.repository.reset(repository);
  const char* work_folder = git_repository_workdir(repository);
  git_index* index = nullptr;
  if (work_folder == nullptr || git_repository_index(&index, repository) != 0) return opened;
  std::unique_ptr<git_index, FreeIndex> read(index);
  opened.inside = real.lexically_relative(fs::canonical(work_folder, error));
  if (!error && !opened.inside.empty() && *opened.inside.begin() != "..") opened.index = std::move(read);
  return opened;
}

}  // namespace

GitTracking git_tracking(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();  // "store/"
  // Opens the parent folder: `path` may be a symbolic link, and git tracks the link.
  const OpenIndex opened = open_index(named.parent_path());
  if (opened.absent) return GitTracking::untracked;
  if (opened.index == nullptr) return GitTracking::unknown;
  const std::string name = (opened.inside / named.filename()).lexically_normal().string();
  for (std::size_t i = 0; i < git_index_entrycount(opened.index.get()); ++i) {
    const std::string_view entry = git_index_get_byindex(opened.index.get(), i)->path;
    if (entry.starts_with(name) && (entry.size() == name.size() || entry[name.size()] == '/')) {
      return GitTracking::tracked;
    }
  }
  return GitTracking::untracked;
}

std::optional<std::vector<fs::path>> tracked_files(const fs::path& folder) {
  const OpenIndex opened = open_index(folder);
  if (opened.index == nullptr) return std::nullopt;
  const git_index* index = opened.index.get();
  const std::string prefix = opened.inside == "." ? std::string() : opened.inside.string() + '/';

  std::vector<fs::path> files;
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) {
    const git_index_entry* entry = git_index_get_byindex(opened.index.get(), i);
    const std::string_view path = entry->path;
    const bool regular = entry->mode == GIT_FILEMODE_BLOB || entry->mode == GIT_FILEMODE_BLOB_EXECUTABLE;
    if (!regular || !path.starts_with(prefix)) continue;
    const fs::path name(path.substr(prefix.size()));
    // The index is untrusted: skip names outside of its folder.
    if (name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end()) continue;
    // A name with a conflict has consecutive entries, one per side.
    if (files.empty() || files.back() != folder / name) files.push_back(folder / name);
  }
  return files;
}

void IgnoreRules::Free::operator()(git_repository* repository) const { git_repository_free(repository); }

IgnoreRules::IgnoreRules(const fs::path& root) {
  start_libgit2();
  git_repository* made = nullptr;
  if (git_repository_new(&made) != 0) return;
  repository_.reset(made);
  std::error_code error;
  const fs::path real = fs::canonical(root, error);
  if (error || git_repository_set_workdir(made, real.c_str(), 0) != 0) repository_.reset();
}

bool IgnoreRules::ignores(const std::string& relative) const {
  int ignored = 0;
  return repository_ != nullptr && git_ignore_path_is_ignored(&ignored, repository_.get(), relative.c_str()) == 0 &&
         ignored != 0;
}

}  // namespace linkherd::crawler
