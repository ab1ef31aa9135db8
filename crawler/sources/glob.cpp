#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fnmatch.h>

#include "crawler/sources/folder_documents.h"
#include "crawler/sources/repository_bounds.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_patterns = 1000;  // patterns that one pattern with alternatives expands to
// for a pattern with alternatives; braces in longer patterns are part of names
constexpr std::size_t max_pattern_bytes = 4096;

// The positions of the braces of "{a,b}" and of the commas between them.
using Alternatives = std::vector<std::size_t>;

// Returns the first alternatives of a pattern. Braces without a comma are part of a name.
std::optional<Alternatives> first_alternatives(const std::string& text) {
  if (text.size() > max_pattern_bytes) return std::nullopt;
  std::vector<Alternatives> open;
  std::optional<Alternatives> first;
  for (std::size_t at = text.find_first_of("{,}"); at != std::string::npos; at = text.find_first_of("{,}", at + 1)) {
    if (text[at] == '{') {
      open.push_back({at});
    } else if (!open.empty()) {
      open.back().push_back(at);
      if (text[at] == ',') continue;
      const Alternatives closed = std::move(open.back());
      open.pop_back();
      if (closed.size() > 2 && (!first || closed.front() < first->front())) first = closed;
    }
  }
  return first;
}

// Expands the alternatives of a pattern, like a shell.
std::vector<std::string> expand_alternatives(const std::string& pattern) {
  std::vector<std::string> expanded;
  std::vector<std::string> pending{pattern};
  while (!pending.empty() && expanded.size() < max_patterns) {
    const std::string text = std::move(pending.back());
    pending.pop_back();
    const std::optional<Alternatives> marks = first_alternatives(text);
    if (!marks) {
      expanded.push_back(text);
      continue;
    }
    for (std::size_t i = std::min(marks->size() - 1, max_patterns); i > 0; --i) {
      const std::size_t start = (*marks)[i - 1] + 1;
      pending.push_back(text.substr(0, marks->front()) + text.substr(start, (*marks)[i] - start) +
                        text.substr(marks->back() + 1));
    }
  }
  return expanded;
}

// A folder, and the index of the pattern part that its entries must match.
using Step = std::pair<fs::path, std::size_t>;

class Glob {
 public:
  explicit Glob(const std::string& pattern) {
    const fs::path path(pattern);
    for (const fs::path& part : path.relative_path()) {
      if (part.empty()) continue;
      // "**/**" equals "**"; otherwise both would visit the same folders.
      if (part != "**" || parts_.empty() || parts_.back() != "**") parts_.push_back(part.string());
    }
    fs::path start = path.root_path();
    while (named_ < parts_.size() && !is_glob(parts_[named_])) start /= parts_[named_++];
    found_.repository = bounds_of(start.empty() ? fs::path(".") : start);
    add(path.root_path(), 0);
  }

  FolderDocuments run() {
    while (!pending_.empty()) {
      const Step step = std::move(pending_.back());
      pending_.pop_back();
      match(step.first, step.second);
    }
    found_.sort();
    found_.files.erase(std::unique(found_.files.begin(), found_.files.end()), found_.files.end());
    return std::move(found_);
  }

 private:
  void add(fs::path folder, std::size_t part) {
    Step step{std::move(folder), part};
    if (seen_.insert(step).second) pending_.push_back(std::move(step));
  }

  void match(const fs::path& folder, std::size_t index) {
    if (index == parts_.size()) return;
    const std::string& part = parts_[index];
    if (part == "**") add(folder, index + 1);  // "**" matches zero folders
    if (!is_glob(part)) {
      take(folder / part, index);
      return;
    }
    std::error_code error;
    fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const fs::path name = entry->path().filename();
      if (part != "**") {
        if (fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) take(folder / name, index);
      } else if (entry->symlink_status().type() == fs::file_type::directory && !name.string().starts_with('.')) {
        add(folder / name, index);  // never through a symbolic link, which could form a loop
      } else if (index + 1 == parts_.size() && !name.string().starts_with('.')) {
        take(folder / name, index);
      }
    }
    if (error && error != std::errc::not_a_directory && error != std::errc::no_such_file_or_directory) {
      found_.skipped.push_back(fmt::format("{}: {}", folder.string(), error.message()));
    }
  }

  // Returns the repository that matches must not leave. A user who names a folder inside ".git" may read there.
  static fs::path bounds_of(const fs::path& start) {
    fs::path repository = repository_around(start);
    std::error_code error;
    if (is_inside(repository / ".git", fs::canonical(start, error))) repository.clear();
    return repository;
  }

  bool leaves_repository(const fs::path& path, std::size_t index) const {
    if (index < named_ || found_.repository.empty()) return false;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return !error && (!is_inside(found_.repository, real) || is_inside(found_.repository / ".git", real));
  }

  // `path` matches the parts of the pattern up to `index`, inclusive.
  void take(const fs::path& path, std::size_t index) {
    std::error_code error;
    if (leaves_repository(path, index)) {
      found_.skipped.push_back(fmt::format("{}: {}", path.string(), leads_out_message));
      return;
    }
    const fs::file_status status = fs::status(path, error);
    if (error) {
      // Missing files are not matches; other errors are reported.
      if (error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
        const bool circle = error == std::errc::too_many_symbolic_link_levels;
        found_.skipped.push_back(
            fmt::format("{}: {}", path.string(), circle ? "is a symbolic link that leads to itself" : error.message()));
      }
      return;
    }
    if (index + 1 < parts_.size()) {
      if (fs::is_directory(status)) add(path, index + 1);
    } else if (fs::is_regular_file(status)) {
      found_.files.push_back(path.native());
    }
  }

  std::vector<std::string> parts_;
  std::size_t named_ = 0;  // number of parts before the first part with glob characters
  std::vector<Step> pending_;
  std::set<Step> seen_;
  FolderDocuments found_;
};

}  // namespace

bool is_glob(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos || first_alternatives(text).has_value();
}

FolderDocuments expand_glob(const std::string& pattern) {
  std::vector<std::string> patterns = expand_alternatives(pattern);
  FolderDocuments found = Glob(patterns.front()).run();
  for (std::size_t i = 1; i < patterns.size(); ++i) {
    FolderDocuments more = Glob(patterns[i]).run();
    found.files.insert(found.files.end(), more.files.begin(), more.files.end());
    found.skipped.insert(found.skipped.end(), more.skipped.begin(), more.skipped.end());
    if (found.repository != more.repository) found.repository.clear();
  }
  if (patterns.size() == 1) return found;
  if (patterns.size() == max_patterns)
    found.skipped.push_back(
        fmt::format("{}: expands to more than {} patterns; only the first ones are used", pattern, max_patterns));
  found.sort();
  found.files.erase(std::unique(found.files.begin(), found.files.end()), found.files.end());
  return found;
}

}  // namespace linkherd::crawler
