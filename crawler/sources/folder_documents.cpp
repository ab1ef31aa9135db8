#include "crawler/sources/folder_documents.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/git_files.h"
#include "crawler/sources/git_repository.h"
#include "crawler/sources/repository_bounds.h"
#include "parser/lists/extract_links.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

bool is_prose_list(const fs::path& file) {
  return parser::prose_format_for_extension(file.filename().string()).has_value();
}

// The location of a folder in a working tree.
struct TreePath {
  fs::path root;    // real path of the root of the working tree
  fs::path inside;  // path of the folder relative to `root`; "." is the root
};

// Returns nullopt if there is no readable repository.
std::optional<TreePath> find_tree_path(const fs::path& folder) {
  const OpenRepository found = open_repository(folder);
  if (found.repository == nullptr) return std::nullopt;
  const fs::path root = find_work_folder(*found.repository);
  if (root.empty()) return std::nullopt;
  return TreePath{root, found.folder.lexically_relative(root)};
}

class Walk {
 public:
  Walk(const fs::path& folder, std::function<bool(const fs::path&)> is_wanted)
      : folder_(folder), is_wanted_(std::move(is_wanted)), rules_(folder), repository_(repository_around(folder)) {
    pending_.push_back({folder, rules_below(folder, of_user())});
  }
  // Applies all ignore rules of the working tree that contains the folder, and does not enter other repositories.
  Walk(const fs::path& folder, const TreePath& tree_path, std::function<bool(const fs::path&)> is_wanted)
      : folder_(folder),
        inside_(tree_path.inside),
        is_wanted_(std::move(is_wanted)),
        rules_(tree_path.root),
        repository_(tree_path.root) {
    is_within_repository_ = true;
    Rules rules = rules_.add_info_exclude(tree_path.root) ? Rules::some : of_user();
    fs::path above = tree_path.root;
    rules = rules_below(above, rules);
    for (const fs::path& part : tree_path.inside) {
      if (part == ".") break;
      above /= part;
      rules = rules_below(above, rules);
    }
    pending_.push_back({folder, rules});
  }

  // Uses a stack instead of recursion, because the depth is not bounded.
  FolderDocuments run() {
    while (!pending_.empty()) {
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      read(next.folder, next.rules);
    }
    found_.sort();
    found_.are_regular = true;
    found_.repository = std::move(repository_);
    return std::move(found_);
  }

 private:
  // The ignore rules of a folder. libgit2 is used only if there are any: it looks for the .gitignore files of all
  // folders above each file.
  enum class Rules : std::uint8_t { none, some, unreadable };
  struct Pending {
    fs::path folder;
    Rules rules = Rules::none;
  };

  static Rules of_user() { return IgnoreRules::has_user_rules() ? Rules::some : Rules::none; }

  // Returns the rules below a folder. libgit2 would block on a .gitignore that is a pipe, and read one of any size. So
  // it is not used below a folder with such a file.
  Rules rules_below(const fs::path& folder, Rules above) {
    if (above == Rules::unreadable) return above;
    constexpr std::size_t max_file_bytes = std::size_t{1} << 20;
    const fs::path file = folder / ".gitignore";
    std::error_code error;
    if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return above;
    const Result<std::string> rules = read_file_bytes(file, max_file_bytes, repository_);
    if (rules) return Rules::some;
    found_.skipped.push_back(fmt::format("{}: {}", file.string(), rules.error().message));
    return Rules::unreadable;
  }

  void read(const fs::path& folder, Rules rules) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    while (!error && entry != fs::directory_iterator()) {
      visit(*entry, rules);
      entry.increment(error);
    }
    if (error) found_.skipped.push_back(fmt::format("{}: {}", folder.string(), error.message()));
  }

  void visit(const fs::directory_entry& entry, Rules rules) {
    std::error_code error;
    // The entry knows its type. Only a symbolic link needs a call to the file system.
    const bool is_symlink = entry.is_symlink(error);
    const bool is_folder = !error && !is_symlink && entry.is_directory(error);
    if (error) {
      found_.skipped.push_back(fmt::format("{}: {}", entry.path().string(), error.message()));
      return;
    }
    const auto is_ignored = [&](std::string_view end) {
      if (rules != Rules::some) return false;
      const fs::path relative = (inside_ / entry.path().lexically_relative(folder_)).lexically_normal();
      return rules_.ignores(relative.string().append(end));
    };
    if (is_folder) {
      if (entry.path().filename().string().starts_with('.')) return;  // hidden folder
      if (is_within_repository_ && fs::exists(entry.path() / ".git", error)) return;
      rules = rules_below(entry.path(), rules);
      if (!is_ignored("/")) pending_.push_back({entry.path(), rules});
    } else if (!is_symlink && is_wanted_(entry.path()) && entry.is_regular_file(error)) {
      if (!is_ignored("")) found_.files.push_back(entry.path().native());
    } else if (is_symlink && is_wanted_(entry.path())) {
      // Symbolic links are not followed. Only a loop is reported.
      const fs::file_status target = entry.status(error);
      if (error == std::errc::too_many_symbolic_link_levels) {
        found_.skipped.push_back(fmt::format("{}: is a symbolic link that leads to itself", entry.path().string()));
      }
      static_cast<void>(target);
    }
  }

  fs::path folder_;
  fs::path inside_ = ".";  // path inside the folder that has the rules
  bool is_within_repository_ = false;
  std::function<bool(const fs::path&)> is_wanted_;
  IgnoreRules rules_;
  fs::path repository_;
  FolderDocuments found_;
  std::vector<Pending> pending_;
};

std::vector<std::string> find_untracked_documents(const fs::path& folder, const std::vector<std::string>& tracked) {
  const std::optional<TreePath> tree_path = find_tree_path(folder);
  if (!tree_path) return {};
  const std::unordered_set<std::string_view> known(tracked.begin(), tracked.end());
  const auto is_unknown = [&known](const fs::path& file) {
    return is_prose_list(file) && !known.contains(file.native());
  };
  return Walk(folder, *tree_path, is_unknown).run().files;
}

}  // namespace

void FolderDocuments::sort() {
  const auto rank = [](char c) { return c == '/' ? -1 : static_cast<int>(static_cast<unsigned char>(c)); };
  std::ranges::sort(files, [&](const std::string& one, const std::string& other) {
    const auto [at, other_at] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
    if (at == one.end() || other_at == other.end()) return at == one.end() && other_at != other.end();
    return rank(*at) < rank(*other_at);
  });
}

FolderDocuments find_documents(const fs::path& folder, bool should_use_git) {
  std::optional<std::vector<std::string>> tracked;
  if (should_use_git) tracked = tracked_files(folder);
  if (tracked && !tracked->empty()) {
    std::erase_if(*tracked, [](const std::string& file) { return !is_prose_list(file); });
    FolderDocuments documents{.files = std::move(*tracked), .skipped = {}, .repository = repository_around(folder)};
    documents.untracked = find_untracked_documents(folder, documents.files);
    documents.sort();
    return documents;
  }
  return find_files(folder, is_prose_list);
}

FolderDocuments find_files(const fs::path& folder, std::function<bool(const fs::path&)> is_wanted) {
  return Walk(folder, std::move(is_wanted)).run();
}

}  // namespace linkherd::crawler
