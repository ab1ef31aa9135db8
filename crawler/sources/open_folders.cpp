#include "crawler/sources/open_folders.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string_view>
#include <system_error>
#include <utility>

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr int most_symbolic_links = 40;  // per path, as in Linux

// Returns the path relative to `folder`, or nullopt if it is outside.
std::optional<fs::path> path_in(const fs::path& folder, const fs::path& path) {
  const fs::path relative = path.lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

bool says_absent(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
         error == std::errc::filename_too_long;
}

}  // namespace

void OpenFolders::add(const fs::path& folder) {
  fs::path named = folder.lexically_normal();
  if (!named.has_filename() && named.has_relative_path()) named = named.parent_path();  // "/folder/"
  std::error_code error;
  fs::path real = fs::canonical(named, error);
  if (error) real = named;
  const bool is_known = std::ranges::any_of(folders_, [&](const Folder& known) {
    const std::optional<fs::path> rest = path_in(known.named, named);
    return rest && (*rest == "." ? known.real : known.real / *rest) == real;
  });
  if (!is_known) folders_.push_back({std::move(named), std::move(real)});
}

std::optional<OpenFolders::Place> OpenFolders::place_of(const fs::path& path) const {
  std::optional<Place> nearest;
  const auto take = [&](const fs::path& folder, const fs::path& real) {
    const std::optional<fs::path> rest = path_in(folder, path);
    if (rest && (!nearest || rest->native().size() < nearest->rest.native().size())) nearest = {real, *rest};
  };
  for (const Folder& folder : folders_) {
    take(folder.named, folder.real);
    take(folder.real, folder.real);
  }
  return nearest;
}

bool OpenFolders::holds(const fs::path& real) const {
  return std::ranges::any_of(folders_,
                             [&real](const Folder& folder) { return path_in(folder.real, real).has_value(); });
}

std::optional<fs::path> OpenFolders::passed(const std::string& folder) const {
  const std::scoped_lock lock(passed_->mutex);
  const auto known = passed_->folders.find(folder);
  return known != passed_->folders.end() ? std::optional(known->second) : std::nullopt;
}

void OpenFolders::keep_passed(const std::string& folder, const fs::path& real) const {
  constexpr std::size_t most = std::size_t{1} << 14U;
  const std::scoped_lock lock(passed_->mutex);
  if (passed_->folders.size() == most) passed_->folders.clear();
  passed_->folders.emplace(folder, real);
}

FoundFile OpenFolders::look(const fs::path& path) const {
  FoundFile outside{.outside = true};
  const std::string& text = path.native();
  const std::size_t name = text.rfind('/') + 1;
  const std::string folder = text.substr(0, name);
  const std::string_view last = std::string_view(text).substr(name);
  const auto is_path = [&text](const Folder& allowed) {
    return allowed.named.native() == text || allowed.real.native() == text;
  };
  // Of `folder`, as it is written.
  const bool is_entry = !last.empty() && last != "." && last != ".." && std::ranges::none_of(folders_, is_path);
  const std::optional<fs::path> known = is_entry ? passed(folder) : std::nullopt;
  std::optional<Place> place = known ? Place{*known, fs::path(last)} : place_of(path.lexically_normal());
  if (!place) return outside;
  std::deque<fs::path> parts(place->rest.begin(), place->rest.end());
  fs::path at = place->folder;
  FoundFile found{.type = fs::file_type::directory};
  for (int links = 0; !parts.empty();) {
    const bool is_in_folder = is_entry && !known && links == 0 && parts.size() == 1;
    if (is_in_folder && found.type == fs::file_type::directory) keep_passed(folder, at);
    if (found.type != fs::file_type::directory) return {};  // a file has no entries
    const fs::path part = std::move(parts.front());
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      if (!holds(at)) return outside;
      continue;
    }
    std::error_code error;
    const fs::file_type type = fs::symlink_status(at / part, error).type();
    if (type == fs::file_type::not_found || says_absent(error)) return {};
    if (error) return {.error = error.message()};
    if (type != fs::file_type::symlink) {
      at /= part;
      found.type = type;
      continue;
    }
    const fs::path target = fs::read_symlink(at / part, error);
    if (error || ++links > most_symbolic_links) return {};
    if (target.is_absolute()) {
      place = place_of(target.lexically_normal());
      if (!place) return outside;
      at = place->folder;
    }
    const fs::path& way = target.is_absolute() ? place->rest : target;
    parts.insert(parts.begin(), way.begin(), way.end());
  }
  return found;
}

}  // namespace linkherd::crawler
