#include "crawler/sources/folder_lists.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "crawler/sources/git_files.h"
#include "parser/lists/extract_links.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

bool is_prose_list(const fs::path& file) {
  return parser::list_format_of_extension(file.filename().string()).has_value();
}

class Walk {
 public:
  explicit Walk(const fs::path& root) : root_(root), rules_(root) { pending_.push_back(root); }

  // A stack of folders instead of recursion: how deep they lie is not ours to say.
  FolderLists run() {
    while (!pending_.empty()) {
      const fs::path folder = std::move(pending_.back());
      pending_.pop_back();
      read(folder);
    }
    std::ranges::sort(found_.files);
    return std::move(found_);
  }

 private:
  void read(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    while (!error && entry != fs::directory_iterator()) {
      look_at(*entry);
      entry.increment(error);
    }
    if (error) found_.passed_over.push_back(fmt::format("{}: {}", folder.string(), error.message()));
  }

  void look_at(const fs::directory_entry& entry) {
    std::error_code error;
    const fs::file_status status = entry.symlink_status(error);
    if (error) {
      found_.passed_over.push_back(fmt::format("{}: {}", entry.path().string(), error.message()));
      return;
    }
    const std::string relative = entry.path().lexically_relative(root_).string();
    if (fs::is_directory(status)) {
      const bool hidden = entry.path().filename().string().starts_with('.');
      if (!hidden && !rules_.ignores(relative + '/')) pending_.push_back(entry.path());
    } else if (fs::is_regular_file(status) && is_prose_list(entry.path()) && !rules_.ignores(relative)) {
      found_.files.push_back(entry.path());
    } else if (fs::is_symlink(status) && is_prose_list(entry.path())) {
      // Not followed; said only where it leads nowhere but to itself.
      const fs::file_status target = entry.status(error);
      if (error == std::errc::too_many_symbolic_link_levels) {
        found_.passed_over.push_back(fmt::format("{}: is a symbolic link that leads to itself", entry.path().string()));
      }
      static_cast<void>(target);
    }
  }

  fs::path root_;
  IgnoreRules rules_;
  std::vector<fs::path> pending_;
  FolderLists found_;
};

}  // namespace

FolderLists lists_in_folder(const fs::path& folder, bool use_git) {
  std::optional<std::vector<fs::path>> tracked;
  if (use_git) tracked = tracked_files(folder);
  if (tracked && !tracked->empty()) {
    std::erase_if(*tracked, [](const fs::path& file) { return !is_prose_list(file); });
    std::ranges::sort(*tracked);
    return {std::move(*tracked), {}};
  }
  return Walk(folder).run();
}

}  // namespace linkherd::crawler
