#include "crawler/sources/git_repository.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <git2.h>
#if __has_include(<git2/sys/errors.h>)  // since libgit2 1.9, it declares git_error_set_str
#include <git2/sys/errors.h>
#endif

#include "crawler/sources/file_bytes.h"
#include "parser/ascii.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// Accepts the extensions of sparse and partial clones, which do not matter for reading.
bool accept_harmless_extensions() {
  std::array<const char*, 3> names = {"worktreeconfig", "partialclone", "preciousobjects"};
  return git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, names.data(), names.size()) == 0;
}

bool cannot_block(const fs::path& file) {
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  return type == fs::file_type::regular || type == fs::file_type::directory || type == fs::file_type::not_found;
}

bool none_below_blocks(const fs::path& folder) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    if (!cannot_block(entry->path())) return false;
    entry.increment(error);
  }
  return true;
}

// Returns false if a file that libgit2 would read is not a regular file. libgit2 blocks on a pipe.
bool can_be_read(const fs::path& git_folder) {
  constexpr std::size_t max_path_bytes = 4096;
  // exists in a linked worktree
  const Result<std::string> common = read_file_bytes(git_folder / "commondir", max_path_bytes);
  const fs::path shared = common ? git_folder / parser::trim_ascii(*common) : git_folder;
  const std::array<fs::path, 6> files = {git_folder / "HEAD", git_folder / "index", git_folder / "config.worktree",
                                         shared / "HEAD",     shared / "config",    shared / "packed-refs"};
  return std::ranges::all_of(files, cannot_block) && none_below_blocks(shared / "refs") &&
         none_below_blocks(shared / "objects" / "pack") && none_below_blocks(shared / "objects" / "info");
}

std::optional<fs::path> find_git_folder(const fs::path& folder) {
  git_buf found = GIT_BUF_INIT;
  if (git_repository_discover(&found, folder.c_str(), 0, nullptr) != 0) return std::nullopt;
  fs::path path(found.ptr);
  git_buf_dispose(&found);
  return path;
}

}  // namespace

void FreeGit::operator()(git_blob* blob) const { git_blob_free(blob); }
void FreeGit::operator()(git_commit* commit) const { git_commit_free(commit); }
void FreeGit::operator()(git_diff* diff) const { git_diff_free(diff); }
void FreeGit::operator()(git_index* index) const { git_index_free(index); }
void FreeGit::operator()(git_object* object) const { git_object_free(object); }
void FreeGit::operator()(git_repository* repository) const { git_repository_free(repository); }
void FreeGit::operator()(git_tree* tree) const { git_tree_free(tree); }
void FreeGit::operator()(git_tree_entry* entry) const { git_tree_entry_free(entry); }

void start_libgit2() {
  // libgit2 is never shut down: it counts its users, and the process ends anyway. The owner of the repository is not
  // checked, because nothing is run or written. In containers the owner is often another user.
  static const bool started =
      git_libgit2_init() > 0 && git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0) == 0 && accept_harmless_extensions();
  static_cast<void>(started);
}

std::string last_git_error() {
  const git_error* const error = git_error_last();
  return error != nullptr && error->message != nullptr ? error->message : "unknown error";
}

OpenRepository open_repository(const fs::path& folder) {
  start_libgit2();
  OpenRepository opened;
  std::error_code error;
  opened.folder = fs::canonical(folder, error);
  if (error) return opened;
  const std::optional<fs::path> git_folder = find_git_folder(opened.folder);
  if (git_folder && !can_be_read(*git_folder)) {
    git_error_set_str(GIT_ERROR_FILESYSTEM, "a file in git is a pipe or a device");
    return opened;
  }
  git_repository* repository = nullptr;
  const int found = git_repository_open_ext(&repository, opened.folder.c_str(), 0, nullptr);
  opened.absent = found == GIT_ENOTFOUND;
  if (found == 0) opened.repository.reset(repository);
  return opened;
}

GitPointer<git_index> read_index(git_repository& repository) {
  git_index* index = nullptr;
  if (git_repository_index(&index, &repository) == 0) return GitPointer<git_index>(index);
  const std::string problem = last_git_error();
  git_object* head = nullptr;
  if (problem.find("'sdir'") == std::string::npos || git_revparse_single(&head, &repository, "HEAD^{tree}") != 0 ||
      git_index_new(&index) != 0) {
    git_object_free(head);
    git_error_set_str(GIT_ERROR_INDEX, problem.c_str());
    return nullptr;
  }
  const GitPointer<git_object> tree(head);
  GitPointer<git_index> of_head(index);
  if (git_index_read_tree(index, reinterpret_cast<const git_tree*>(head)) != 0) return nullptr;
  return of_head;
}

fs::path find_work_folder(git_repository& repository) {
  const char* const folder = git_repository_workdir(&repository);
  if (folder == nullptr) return {};
  std::error_code error;
  fs::path real = fs::canonical(folder, error);
  return error ? fs::path() : real;
}

}  // namespace linkherd::crawler
