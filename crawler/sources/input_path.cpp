#include "crawler/sources/input_path.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "crawler/sources/repository_bounds.h"
#include "crawler/sources/source.h"

namespace linkherd::crawler {
namespace {

namespace fs = std::filesystem;

// Removes "." and "..". The parent of a symbolic link is the parent of the folder that it leads to.
fs::path without_dots(const fs::path& absolute) {
  fs::path path = absolute.root_path();
  for (const fs::path& part : absolute.relative_path()) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      path /= part;
      continue;
    }
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error))) {
      fs::path real = fs::canonical(path, error);
      if (!error) path = std::move(real);
    }
    path = path.parent_path();
  }
  return path;
}

// Returns the same folder by the name of the current folder if the path reaches that through symbolic links.
fs::path by_current_folder(const fs::path& folder, const fs::path& here) {
  fs::path at = folder.root_path();
  for (const fs::path& part : folder.relative_path()) {
    at /= part;
    std::error_code error;
    if (fs::equivalent(at, here, error) && !error) return (here / folder.lexically_relative(at)).lexically_normal();
  }
  return folder;
}

fs::path plain_folder(const fs::path& folder, const fs::path& here) {
  std::error_code error;
  const fs::path repository = own_repository();
  if (!repository.empty()) {
    fs::path real = fs::weakly_canonical(folder, error);
    if (!error && is_inside(repository, real)) return real;
  }
  return is_inside(here, folder) ? folder : by_current_folder(folder, here);
}

// Divides a path into the folder, whose links are resolved, and the rest, which stays unchanged.
std::pair<fs::path, fs::path> divided(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return {path, {}};
  const bool is_pattern = is_glob(path.native()) && !fs::exists(fs::symlink_status(path, error));
  if (!is_pattern) return {path.parent_path(), path.filename()};
  fs::path folder = path.root_path();
  fs::path rest;
  for (const fs::path& part : path.relative_path()) {
    const bool is_of_folder = rest.empty() && !is_glob(part.native());
    (is_of_folder ? folder : rest) /= part;
  }
  return {std::move(folder), std::move(rest)};
}

}  // namespace

std::string input_path(const std::string& input) {
  std::error_code error;
  const fs::path here = current_folder();
  if (input.empty() || input == "-" || here.empty()) return input;
  if (is_web_address(input) && !fs::exists(input, error)) return input;
  const fs::path written(input);
  const auto [folder, rest] = divided(without_dots(here / written));
  fs::path path = plain_folder(folder, here);
  if (!rest.empty()) path /= rest;
  if (written.is_relative() || is_inside(here, path)) path = path.lexically_relative(here);
  std::string name = path.string();
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return name;
}

}  // namespace linkherd::crawler
