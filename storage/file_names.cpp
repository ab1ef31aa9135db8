#include "storage/file_names.h"

#include <system_error>
#include <utility>

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

// Returns true if normalising the path changes nothing.
bool is_plain(std::string_view name) {
  if (name.starts_with('/')) return false;
  while (true) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == name.size()) return true;
    name.remove_prefix(part.size() + 1);
  }
}

// Returns true for a URL, standard input, or a form in which files are never named.
bool is_no_file(std::string_view name) {
  if (name.empty() || name == "-" || name.find("://") != std::string_view::npos) return true;
  return !is_plain(name) && fs::path(name).lexically_normal().native() != name;
}

bool contains(const fs::path& folder, const fs::path& path) {
  const fs::path below = path.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

// Returns "." for the folder itself.
std::string text_of(const fs::path& path) {
  std::string text = path.string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// Returns the root of the repository that contains the folder, or an empty path.
fs::path repository_of(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) return at;
  }
  return {};
}

}  // namespace

FileNames::FileNames(fs::path base, fs::path current) : base_(std::move(base)), current_(std::move(current)) {
  if (contains(base_, current_)) top_ = base_;
  if (top_.empty() && contains(current_, base_)) top_ = current_;
  current_in_store_ = text_of(top_.empty() ? current_ : current_.lexically_relative(base_)) + '/';
  if (current_in_store_ == "./") current_in_store_.clear();
}

FileNames FileNames::of_store(const fs::path& directory) {
  std::error_code error;
  const fs::path current = fs::current_path(error);
  if (error) return {};
  const fs::path whole = (current / directory).lexically_normal();
  const fs::path parent = (whole.has_filename() ? whole : whole.parent_path()).parent_path();
  fs::path real = fs::weakly_canonical(parent, error);
  if (error) return {};
  fs::path root = repository_of(current);
  if (root.empty()) root = repository_of(real);
  return {root.empty() ? std::move(real) : std::move(root), current};
}

bool FileNames::is_inside(const fs::path& path) const { return !top_.empty() && contains(top_, path); }

std::string FileNames::to_stored(std::string_view name) const {
  if (base_.empty() || is_no_file(name)) return std::string(name);
  // A file in a subfolder here may lie in the base folder.
  const bool may_be_in_base = base_ != current_ && top_ == current_;
  if (is_plain(name) && !may_be_in_base) return current_in_store_ + std::string(name);
  const fs::path path = (current_ / name).lexically_normal();
  return text_of(is_inside(path) ? path.lexically_relative(base_) : path);
}

std::string FileNames::to_shown(std::string_view name) const {
  if (base_.empty() || is_no_file(name)) return std::string(name);
  if (name.starts_with(current_in_store_) && is_plain(name.substr(current_in_store_.size())))
    return std::string(name.substr(current_in_store_.size()));
  return from_current((base_ / name).lexically_normal());
}

std::string FileNames::from_current(const fs::path& path) const {
  return text_of(is_inside(path) || contains(current_, path) ? path.lexically_relative(current_) : path);
}

}  // namespace linkherd::storage
