#include "crawler/sources/git_changes.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <git2.h>
#include <sys/stat.h>

#include "crawler/sources/git_repository.h"
#include "parser/html/charset.h"
#include "parser/inflate.h"
#include "parser/utf8.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// The remedy for clones of CI services that lack the history.
constexpr std::string_view fetch_all =
    "fetch the full history (git fetch --unshallow; in GitHub Actions, `fetch-depth: 0` for actions/checkout; in "
    "GitLab, `GIT_DEPTH: 0`)";

using Object = GitPointer<git_object>;

Error git_failure(std::string_view action) {
  return Error{fmt::format("{}: {}", action, to_valid_utf8(last_git_error()))};
}

bool is_shallow(git_repository& repository) { return git_repository_is_shallow(&repository) == 1; }

Object find_object(git_repository& repository, const std::string& revision) {
  git_object* found = nullptr;
  if (git_revparse_single(&found, &repository, revision.c_str()) != 0) return nullptr;
  return Object(found);
}

Error no_such_revision(git_repository& repository, const std::string& revision) {
  const std::string name = to_valid_utf8(revision);
  if (revision.ends_with('/')) {
    return Error{fmt::format("{} is not a revision: the variable it comes from seems to be empty", name)};
  }
  if (revision.find("..") != std::string::npos) {
    return Error{fmt::format("{} is a range: name one revision; linkherd uses its merge base with HEAD", name)};
  }
  git_oid remote;
  if (git_reference_name_to_id(&remote, &repository, ("refs/remotes/origin/" + revision).c_str()) == 0) {
    return Error{fmt::format("there is no revision {} in this clone, but there is origin/{}: use that", name, name)};
  }
  if (is_shallow(repository)) {
    return Error{fmt::format("there is no revision {} in this clone, which is shallow: {}", name, fetch_all)};
  }
  return Error{fmt::format("there is no revision {} in this repository: fetch it, or give another one", name)};
}

Result<git_oid> commit_of(git_repository& repository, const std::string& revision) {
  const Object named = find_object(repository, revision);
  if (named == nullptr) return no_such_revision(repository, revision);
  git_object* commit = nullptr;
  if (git_object_peel(&commit, named.get(), GIT_OBJECT_COMMIT) != 0) {
    return Error{fmt::format("{} is not a commit: name a branch, a tag or a commit", to_valid_utf8(revision))};
  }
  const Object peeled(commit);
  return *git_object_id(peeled.get());
}

bool is_parent(git_repository& repository, const git_oid& base, const git_oid& head) {
  git_commit* commit = nullptr;
  if (git_commit_lookup(&commit, &repository, &head) != 0) return false;
  const GitPointer<git_commit> read(commit);
  for (unsigned i = 0; i < git_commit_parentcount(commit); ++i) {
    if (git_oid_equal(git_commit_parent_id(commit, i), &base) != 0) return true;
  }
  return false;
}

Result<git_oid> find_merge_base(git_repository& repository, const git_oid& base, const std::string& revision) {
  git_oid head;
  if (git_reference_name_to_id(&head, &repository, "HEAD") != 0) return git_failure("HEAD cannot be read");
  // This also works if the older history is missing, as for the merge commit of a pull request and `HEAD^1`.
  if (git_oid_equal(&base, &head) != 0 || is_parent(repository, base, head)) return base;
  git_oid found;
  const int result = git_merge_base(&found, &repository, &base, &head);
  if (result == 0) return found;
  const std::string name = to_valid_utf8(revision);
  if (is_shallow(repository)) {
    return Error{fmt::format("the clone is shallow, and the commit that {} and HEAD have in common is not in it: {}",
                             name, fetch_all)};
  }
  if (result == GIT_ENOTFOUND) return Error{fmt::format("{} and HEAD have no commit in common", name)};
  return git_failure(fmt::format("the merge base of {} and HEAD cannot be found", name));
}

GitPointer<git_tree> tree_of(git_repository& repository, const git_oid& id) {
  git_commit* commit = nullptr;
  if (git_commit_lookup(&commit, &repository, &id) != 0) return nullptr;
  const GitPointer<git_commit> read(commit);
  git_tree* tree = nullptr;
  if (git_commit_tree(&tree, commit) != 0) return nullptr;
  return GitPointer<git_tree>(tree);
}

struct Renames {
  std::map<std::string, std::string> old_names;  // by new name
  std::map<std::string, std::string> new_names;  // by old name
};

// Returns a key of the name and content of a file.
std::string file_key(const git_diff_file& file) {
  return fs::path(file.path).filename().string() + '/' +
         std::string(reinterpret_cast<const char*>(file.id.id), GIT_OID_RAWSZ);
}

// Finds files that are only moved to another folder. libgit2 compares a limited number of files, and a moved folder may
// have thousands.
void find_moved(const git_diff& diff, Renames& renames) {
  std::unordered_multimap<std::string, std::string> deleted;
  for (std::size_t i = 0; i < git_diff_num_deltas(&diff); ++i) {
    const git_diff_delta* const delta = git_diff_get_delta(&diff, i);
    if (delta->status == GIT_DELTA_DELETED) deleted.emplace(file_key(delta->old_file), delta->old_file.path);
  }
  for (std::size_t i = 0; i < git_diff_num_deltas(&diff) && !deleted.empty(); ++i) {
    const git_diff_delta* const delta = git_diff_get_delta(&diff, i);
    if (delta->status != GIT_DELTA_ADDED) continue;
    const auto source = deleted.find(file_key(delta->new_file));
    if (source == deleted.end()) continue;
    renames.old_names.emplace(delta->new_file.path, source->second);
    renames.new_names.emplace(source->second, delta->new_file.path);
    deleted.erase(source);
  }
}

// Returns false if libgit2 cannot compare the trees; see last_git_error().
bool find_renames(git_repository& repository, git_tree& base, git_index& index, Renames& renames) {
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
  git_diff* made = nullptr;
  if (git_diff_tree_to_index(&made, &repository, &base, &index, &options) != 0) return false;
  const GitPointer<git_diff> diff(made);
  find_moved(*diff, renames);
  git_diff_find_options find = GIT_DIFF_FIND_OPTIONS_INIT;
  find.flags = GIT_DIFF_FIND_RENAMES;
  // Files that a partial clone lacks cannot be compared. They do not count as renamed.
  if (git_diff_find_similar(made, &find) != 0) return true;
  for (std::size_t i = 0; i < git_diff_num_deltas(made); ++i) {
    const git_diff_delta* const delta = git_diff_get_delta(made, i);
    if (delta->status != GIT_DELTA_RENAMED || renames.new_names.contains(delta->old_file.path)) continue;
    if (renames.old_names.emplace(delta->new_file.path, delta->old_file.path).second)
      renames.new_names.emplace(delta->old_file.path, delta->new_file.path);
  }
  return true;
}

bool is_file(const git_tree_entry& entry) {
  const git_filemode_t mode = git_tree_entry_filemode(&entry);
  return mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

// Decodes the bytes of a list like SourceReader.
std::string list_text(std::string bytes) {
  if (parser::is_gzip(bytes)) bytes = parser::gunzip(bytes, SourceOptions().max_unpacked_bytes).text;
  return parser::decode_text(bytes).text;
}

// Returns the byte offsets of the lines of a text.
std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    starts.push_back(at + 1);
  return starts;
}

ListChange whole(std::string_view text) { return {{{0, text.size()}}}; }

// Returns the changed lines. Line ends are ignored, because git may write other ones into the working tree.
ListChange changed_lines(std::string_view before, std::string_view now) {
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_IGNORE_WHITESPACE_EOL;
  options.context_lines = 0;
  struct Lines {
    std::vector<std::size_t> starts;
    ListChange change;
    std::size_t size;
  } lines{line_starts(now), {}, now.size()};
  const auto take = [](const git_diff_delta*, const git_diff_hunk* hunk, void* payload) {
    auto& into = *static_cast<Lines*>(payload);
    if (hunk->new_lines <= 0 || hunk->new_start <= 0) return 0;  // the hunk only removes lines
    const auto start_of = [&into](std::size_t line) {
      return line < into.starts.size() ? into.starts[line] : into.size;
    };
    const auto first = static_cast<std::size_t>(hunk->new_start) - 1;
    const std::size_t begin = start_of(first);
    into.change.added.push_back({begin, start_of(first + static_cast<std::size_t>(hunk->new_lines)) - begin});
    return 0;
  };
  const int result = git_diff_buffers(before.data(), before.size(), nullptr, now.data(), now.size(), nullptr, &options,
                                      nullptr, nullptr, take, nullptr, &lines);
  return result == 0 ? std::move(lines.change) : whole(now);
}

}  // namespace

bool ListChange::touches(std::uint64_t offset, std::uint64_t length) const {
  // the first range that ends after the offset
  const auto end_of = [](const parser::TextRange& range) { return range.offset + range.length; };
  const auto next = std::ranges::upper_bound(added, offset, {}, end_of);
  return next != added.end() && next->offset < offset + std::max<std::uint64_t>(length, 1);
}

struct GitChanges::State {
  GitPointer<git_repository> repository;
  fs::path root;
  git_oid base;
  GitPointer<git_tree> tree;  // of the merge base
  GitPointer<git_index> index;
  std::timespec index_time{};  // time when the index was written
  Renames renames;

  // Returns the name in the repository of a path that may have symbolic links. Nullopt if the path is outside.
  std::optional<std::string> name_of(const fs::path& path) const {
    std::error_code error;
    const fs::path full = fs::absolute(path, error).lexically_normal();
    if (error) return std::nullopt;
    const auto below_root = [this](const fs::path& file) -> std::optional<std::string> {
      const fs::path name = file.lexically_relative(root);
      if (name.empty() || *name.begin() == ".." || name == ".") return std::nullopt;
      return name.string();
    };
    std::optional<std::string> written = below_root(full);
    if (written && (git_index_get_bypath(index.get(), written->c_str(), 0) != nullptr || entry(*written)))
      return written;
    const fs::path real = fs::canonical(full, error);
    return error ? written : below_root(real);
  }

  std::optional<fs::path> renamed(const fs::path& file, const std::map<std::string, std::string>& names) const {
    const std::optional<std::string> name = name_of(file);
    const auto other = name ? names.find(*name) : names.end();
    if (other == names.end()) return std::nullopt;
    return root / other->second;
  }

  GitPointer<git_tree_entry> entry(const std::string& name) const {
    git_tree_entry* found = nullptr;
    if (git_tree_entry_bypath(&found, tree.get(), name.c_str()) != 0) return nullptr;
    return GitPointer<git_tree_entry>(found);
  }

  // Returns nullopt if the file is larger than `max_bytes`.
  std::optional<std::string> bytes(const git_tree_entry& entry, std::size_t max_bytes) const {
    const auto missing = [&entry] {
      return InputError(
          fmt::format("this clone lacks the earlier version of {}: to use --changed-since, clone without --filter ({})",
                      to_valid_utf8(git_tree_entry_name(&entry)), to_valid_utf8(last_git_error())));
    };
    git_odb* database = nullptr;
    std::size_t size = 0;
    git_object_t type{};
    if (git_repository_odb(&database, repository.get()) != 0) throw missing();
    const int header = git_odb_read_header(&size, &type, database, git_tree_entry_id(&entry));
    git_odb_free(database);
    if (header != 0) throw missing();
    if (size > max_bytes) return std::nullopt;
    git_blob* found = nullptr;
    if (git_blob_lookup(&found, repository.get(), git_tree_entry_id(&entry)) != 0) throw missing();
    const GitPointer<git_blob> blob(found);
    return std::string(static_cast<const char*>(git_blob_rawcontent(found)),
                       static_cast<std::size_t>(git_blob_rawsize(found)));
  }

  // Returns true if the file in the working tree is known to equal that of the merge base, without reading it.
  bool is_same(const std::string& name, const git_tree_entry& before) const {
    const git_index_entry* const known = git_index_get_bypath(index.get(), name.c_str(), 0);
    if (known == nullptr || git_oid_equal(&known->id, git_tree_entry_id(&before)) == 0) return false;
    struct stat file {};
    if (::lstat((root / name).c_str(), &file) != 0) return false;
    const bool is_at_time =
        known->mtime.seconds == static_cast<std::int32_t>(file.st_mtim.tv_sec) &&
        (known->mtime.nanoseconds == 0 || known->mtime.nanoseconds == static_cast<std::uint32_t>(file.st_mtim.tv_nsec));
    // A file that is not older than the index may have changed within the resolution of the clock.
    const bool is_older = file.st_mtim.tv_sec < index_time.tv_sec ||
                          (file.st_mtim.tv_sec == index_time.tv_sec && file.st_mtim.tv_nsec < index_time.tv_nsec);
    return is_at_time && is_older && known->file_size == static_cast<std::uint32_t>(file.st_size);
  }
};

GitChanges::GitChanges(std::unique_ptr<const State> state) : state_(std::move(state)) {}
GitChanges::GitChanges(GitChanges&&) noexcept = default;
GitChanges& GitChanges::operator=(GitChanges&&) noexcept = default;
GitChanges::~GitChanges() = default;

Result<GitChanges> GitChanges::since(const fs::path& folder, const std::string& revision) {
  OpenRepository opened = open_repository(folder);
  if (opened.absent) return Error{"the current folder is not in a git repository: run linkherd inside one"};
  if (opened.repository == nullptr) return git_failure("the git repository here cannot be read");
  auto state = std::make_unique<State>();
  state->repository = std::move(opened.repository);
  git_repository& repository = *state->repository;
  state->root = find_work_folder(repository);
  const fs::path inside = opened.folder.lexically_relative(state->root);
  if (state->root.empty() || inside.empty() || *inside.begin() == "..") {
    return Error{"the git repository here is bare, without a working tree: run linkherd in a clone"};
  }
  if (git_repository_head_unborn(&repository) == 1) {
    return Error{"there is no commit on the current branch yet, so there is nothing to compare"};
  }
  const Result<git_oid> named = commit_of(repository, revision);
  if (named.has_error()) return named.error();
  const Result<git_oid> base = find_merge_base(repository, *named, revision);
  if (base.has_error()) return base.error();
  state->base = *base;
  state->tree = tree_of(repository, *base);
  if (state->tree == nullptr) return git_failure("the files of the merge base cannot be read");
  state->index = read_index(repository);
  if (state->index == nullptr) return git_failure("git's index cannot be read");
  struct stat written {};
  const char* const file = git_index_path(state->index.get());  // null if HEAD is used instead of the index
  if (file != nullptr && ::stat(file, &written) == 0) state->index_time = written.st_mtim;
  if (!find_renames(repository, *state->tree, *state->index, state->renames)) {
    return git_failure("the working tree cannot be compared with the merge base");
  }
  return GitChanges(std::move(state));
}

std::optional<ListChange> GitChanges::of(const InputDocument& list) const {
  if (list.path.empty()) return std::nullopt;
  const std::optional<std::string> name = state_->name_of(list.path);
  if (!name) return std::nullopt;
  GitPointer<git_tree_entry> before = state_->entry(*name);
  if (before == nullptr) {
    const auto old = state_->renames.old_names.find(*name);
    if (old != state_->renames.old_names.end()) before = state_->entry(old->second);
  }
  if (before == nullptr || !is_file(*before)) return whole(list.text);
  if (state_->is_same(*name, *before)) return ListChange{};
  std::optional<std::string> bytes = state_->bytes(*before, SourceOptions().max_file_bytes);
  if (!bytes) return whole(list.text);
  const std::string text = list_text(std::move(*bytes));
  return text == list.text ? ListChange{} : changed_lines(text, list.text);
}

bool GitChanges::existed_at_base(const fs::path& path) const {
  const std::optional<std::string> name = state_->name_of(path);
  return name && state_->entry(*name) != nullptr;
}

std::optional<std::string> GitChanges::bytes_of(const fs::path& file, std::size_t max_bytes) const {
  const std::optional<std::string> name = state_->name_of(file);
  if (!name) return std::nullopt;
  const GitPointer<git_tree_entry> entry = state_->entry(*name);
  if (entry == nullptr || !is_file(*entry)) return std::nullopt;
  return state_->bytes(*entry, max_bytes);
}

std::optional<fs::path> GitChanges::former_path(const fs::path& file) const {
  return state_->renamed(file, state_->renames.old_names);
}

std::optional<fs::path> GitChanges::later_path(const fs::path& file) const {
  return state_->renamed(file, state_->renames.new_names);
}

std::string GitChanges::merge_base() const {
  constexpr std::size_t digits = 7;
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &state_->base);
  return text.substr(0, digits);
}

}  // namespace linkherd::crawler
