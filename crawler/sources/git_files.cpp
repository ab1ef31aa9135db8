#include "crawler/sources/git_files.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include <git2.h>
#include <git2/sys/repository.h>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/git_repository.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// The index of the repository that contains a folder.
struct OpenIndex {
  GitPointer<git_repository> repository;
  GitPointer<git_index> index;  // null if unreadable
  bool is_from_head = false;    // see read_index()
  fs::path work_folder;
  fs::path inside;      // path of the folder in the repository
  bool absent = false;  // true if there is no repository
};

OpenIndex open_index(const fs::path& folder) {
  OpenRepository found = open_repository(folder);
  OpenIndex opened;
  opened.absent = found.absent;
  if (found.repository == nullptr) return opened;
  opened.repository = std::move(found.repository);
  opened.work_folder = find_work_folder(*opened.repository);
  if (opened.work_folder.empty()) return opened;
  GitPointer<git_index> index = read_index(*opened.repository);
  opened.is_from_head = index != nullptr && git_index_path(index.get()) == nullptr;
  opened.inside = found.folder.lexically_relative(opened.work_folder);
  if (!opened.inside.empty() && *opened.inside.begin() != "..") opened.index = std::move(index);
  return opened;
}

bool is_regular(const git_index_entry& entry) {
  return entry.mode == GIT_FILEMODE_BLOB || entry.mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

// Returns true if a sparse checkout may leave the file out.
bool may_be_absent(const OpenIndex& opened, const git_index_entry& entry) {
  return opened.is_from_head || (entry.flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
}

bool file_exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

std::optional<bool> is_tracked(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();  // as in "store/"
  // Opens the parent folder, because `path` may be a symbolic link, and git tracks the link itself.
  const OpenIndex opened = open_index(named.parent_path());
  if (opened.absent) return false;
  if (opened.index == nullptr) return std::nullopt;
  const std::string name = (opened.inside / named.filename()).lexically_normal().string();
  for (std::size_t i = 0; i < git_index_entrycount(opened.index.get()); ++i) {
    const std::string_view entry = git_index_get_byindex(opened.index.get(), i)->path;
    if (entry.starts_with(name) && (entry.size() == name.size() || entry[name.size()] == '/')) return true;
  }
  return false;
}

std::optional<std::vector<std::string>> tracked_files(const fs::path& folder) {
  const OpenIndex opened = open_index(folder);
  if (opened.index == nullptr) return std::nullopt;
  const git_index* index = opened.index.get();
  const std::string prefix = opened.inside == "." ? std::string() : opened.inside.string() + '/';

  std::vector<std::string> files;
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) {
    const git_index_entry* entry = git_index_get_byindex(opened.index.get(), i);
    const std::string_view path = entry->path;
    if (!is_regular(*entry) || !path.starts_with(prefix)) continue;
    const fs::path name(path.substr(prefix.size()));
    // The index is untrusted. Names outside of its folder are skipped.
    if (name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end()) continue;
    const fs::path file = folder / name;
    if (may_be_absent(opened, *entry) && !file_exists(file)) continue;
    // A name with a merge conflict has several consecutive entries, one per side.
    if (files.empty() || files.back() != file.native()) files.push_back(file.native());
  }
  return files;
}

FilesOnlyInGit::FilesOnlyInGit(const fs::path& root) : root_(root) {
  const OpenIndex opened = open_index(root);
  if (opened.index == nullptr || opened.inside != ".") return;
  for (std::size_t i = 0; i < git_index_entrycount(opened.index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(opened.index.get(), i);
    if (entry->mode == GIT_FILEMODE_COMMIT) {
      if (!file_exists(opened.work_folder / entry->path / ".git")) submodules_.emplace_back(entry->path);
    } else if (may_be_absent(opened, *entry)) {
      files_.emplace_back(entry->path);
    }
  }
  std::ranges::sort(files_);
  std::ranges::sort(submodules_);
}

FoundFile FilesOnlyInGit::at(const fs::path& path) const {
  const FoundFile file{.type = fs::file_type::regular, .absent = true};
  const FoundFile folder{.type = fs::file_type::directory, .absent = true};
  if (is_empty()) return {};
  std::string name = path.lexically_normal().lexically_relative(root_).string();
  while (name.ends_with('/')) name.pop_back();
  if (std::ranges::binary_search(submodules_, name)) return folder;
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    if (std::ranges::binary_search(submodules_, name.substr(0, end))) return {.absent = true};
  }
  if (std::ranges::binary_search(files_, name)) return path.has_filename() ? file : FoundFile();
  const auto below = std::ranges::lower_bound(files_, name + '/');
  return below != files_.end() && below->starts_with(name + '/') ? folder : FoundFile();
}

IgnoreRules::IgnoreRules(const fs::path& root) {
  start_libgit2();
  git_repository* made = nullptr;
  if (git_repository_new(&made) != 0) return;
  repository_.reset(made);
  std::error_code error;
  const fs::path real = fs::canonical(root, error);
  if (error || git_repository_set_workdir(made, real.c_str(), 0) != 0) repository_.reset();
}

bool IgnoreRules::add_info_exclude(const fs::path& root) {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  const OpenRepository found = open_repository(root);
  if (repository_ == nullptr || found.repository == nullptr) return false;
  const fs::path common = git_repository_commondir(found.repository.get());
  const Result<std::string> rules = read_file_bytes(common / "info" / "exclude", max_bytes);
  return rules && git_ignore_add_rule(repository_.get(), rules->c_str()) == 0;
}

bool IgnoreRules::has_user_rules() {
  start_libgit2();
  git_config* opened = nullptr;
  if (git_config_open_default(&opened) != 0) return true;  // unknown, so assume that there are rules
  git_buf text = GIT_BUF_INIT;
  bool any = git_config_get_path(&text, opened, "core.excludesfile") == 0;
  git_buf_dispose(&text);
  git_config_free(opened);
  if (any || git_libgit2_opts(GIT_OPT_GET_SEARCH_PATH, GIT_CONFIG_LEVEL_XDG, &text) != 0) return true;
  std::error_code error;
  std::string_view folders = text.ptr == nullptr ? std::string_view() : text.ptr;
  for (; !any && !folders.empty();
       folders.remove_prefix(std::min(folders.find(GIT_PATH_LIST_SEPARATOR), folders.size() - 1) + 1))
    any = fs::exists(fs::path(folders.substr(0, folders.find(GIT_PATH_LIST_SEPARATOR))) / "ignore", error);
  git_buf_dispose(&text);
  return any;
}

bool IgnoreRules::ignores(const std::string& relative) const {
  int ignored = 0;
  return repository_ != nullptr && git_ignore_path_is_ignored(&ignored, repository_.get(), relative.c_str()) == 0 &&
         ignored != 0;
}

}  // namespace linkherd::crawler
