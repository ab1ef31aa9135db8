#include "crawler/sources/git_files.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include <git2.h>
#include <git2/sys/repository.h>

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

void start_libgit2() {
  // Never shut down: it counts its users, and the process ends with it. Whose repository it is does not matter to us,
  // because we run nothing and write nothing; in containers it often is another user's.
  static const bool started = git_libgit2_init() > 0 && git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0) == 0;
  static_cast<void>(started);
}

struct FreeIndex {
  void operator()(git_index* index) const { git_index_free(index); }
};
struct FreeRepository {
  void operator()(git_repository* repository) const { git_repository_free(repository); }
};

}  // namespace

std::optional<std::vector<fs::path>> tracked_files(const fs::path& folder) {
  start_libgit2();
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) return std::nullopt;
  git_repository* opened = nullptr;
  if (git_repository_open_ext(&opened, real.c_str(), 0, nullptr) != 0) return std::nullopt;
  const std::unique_ptr<git_repository, FreeRepository> repository(opened);
  const char* work_folder = git_repository_workdir(repository.get());
  git_index* read = nullptr;
  if (work_folder == nullptr || git_repository_index(&read, repository.get()) != 0) return std::nullopt;
  const std::unique_ptr<git_index, FreeIndex> index(read);
  const fs::path inside = real.lexically_relative(fs::canonical(work_folder, error));
  if (error || inside.empty() || *inside.begin() == "..") return std::nullopt;
  const std::string prefix = inside == "." ? std::string() : inside.string() + '/';

  std::vector<fs::path> files;
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index.get(), i);
    const std::string_view path = entry->path;
    const bool regular = entry->mode == GIT_FILEMODE_BLOB || entry->mode == GIT_FILEMODE_BLOB_EXECUTABLE;
    if (!regular || !path.starts_with(prefix)) continue;
    const fs::path name(path.substr(prefix.size()));
    // An index can be made to say anything; a file outside of its folder is not in it.
    if (name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end()) continue;
    // One name that is in conflict has an entry for each side, one after the other.
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
