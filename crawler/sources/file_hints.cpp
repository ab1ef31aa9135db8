#include "crawler/sources/file_hints.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "crawler/sources/file_bytes.h"
#include "parser/lists/heading_slugs.h"
#include "parser/nearest_name.h"
#include "parser/url/mail_address.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/url.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;

namespace {

constexpr std::size_t max_files_of_folder = 1000;

// Returns the address that was meant by a path with a mail address, or with a web address in brackets. The brackets are
// not those of a link.
std::optional<std::string> meant_address(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.find('@') != std::string::npos) {
    const auto mail = Url::parse("mailto:" + name);
    if (mail && !is_picture(path) && !parser::find_mailto_problem(*mail)) return "mailto:" + to_valid_utf8(name);
  }
  for (const char* const scheme : {"https:", "http:"}) {
    const std::string opening = fmt::format("({}/", scheme);
    const std::size_t at = path.native().find(opening);
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(path.native()).substr(at + opening.size());
    if (rest.starts_with('/')) rest.remove_prefix(1);  // a normal path has only one slash
    if (rest.ends_with(')')) rest.remove_suffix(1);
    return fmt::format("{}//{}", scheme, to_valid_utf8(rest));
  }
  return std::nullopt;
}

}  // namespace

std::string shown_anchor(std::string_view fragment) {
  constexpr std::size_t max_shown_length = 200;
  const std::string decoded = to_valid_utf8(parser::percent_decode(fragment));
  return std::string(truncate_utf8(decoded, max_shown_length));
}

std::string FileHints::for_file(std::string_view path, const AllowedFolders& folders, std::string_view address) {
  if (const auto meant = meant_address(path)) return fmt::format("; did you mean {}?", *meant);
  std::string file = in_other_case(path, folders);
  if (file.empty()) file = nearest_file(path, folders);
  if (!file.empty() || address.empty()) return file;
  return fmt::format("; did you mean {}?", address);
}

// Suggests files that differ in their ending, case or Unicode form: about.html for "about", docs/guide.md for
// "Docs/guide.md", an NFD name for an NFC name. File systems and servers differ in which names they treat as equal.
std::string FileHints::in_other_case(std::string_view path, const AllowedFolders& folders) {
  constexpr std::size_t max_folders = 16;
  const fs::path written = path;
  const auto exists = [&folders](const fs::path& other) {
    return folders.inspect(other).type != fs::file_type::not_found;
  };
  if (!written.has_filename() && exists(written.parent_path())) {
    return fmt::format("; did you mean {}, without the slash at the end?",
                       to_valid_utf8(written.parent_path().filename().native()));
  }
  if (!written.has_extension() && written.has_filename() && exists(written.native() + ".html")) {
    return fmt::format("; did you mean {}.html (--fallback-extensions html)?",
                       to_valid_utf8(written.filename().native()));
  }
  std::vector<fs::path> names;  // names of the missing parts, the last one first
  fs::path folder = written;
  while (!exists(folder)) {
    if (names.size() == max_folders || !folder.has_relative_path()) return {};
    if (folder.has_filename()) names.push_back(folder.filename());
    folder = folder.parent_path();
  }
  if (comparisons_left_ == 0) return {};
  const fs::path top = folder;
  bool is_other_case = false;
  while (!names.empty()) {
    const std::string wanted = parser::normalise_file_name(names.back().native());
    std::error_code error;
    fs::path found;
    fs::directory_iterator entry(folder, error);
    for (std::size_t i = 0; !error && found.empty() && entry != fs::directory_iterator(); ++i) {
      if (i == max_files_of_folder || comparisons_left_ == 0) return {};
      --comparisons_left_;
      const fs::path name = entry->path().filename();
      const bool is_same = parser::normalise_file_name(name.native()) == wanted;
      if (is_same && exists(folder / name)) found = name;
      entry.increment(error);
    }
    if (found.empty()) return {};
    is_other_case =
        is_other_case || parser::to_lower_case(found.native()) == parser::to_lower_case(names.back().native());
    folder /= found;
    names.pop_back();
  }
  const std::string name = to_valid_utf8(folder.lexically_relative(top).native());
  return fmt::format("; did you mean {}{}?", name,
                     is_other_case ? "" : ", which looks the same but uses another Unicode normalization form");
}

std::string FileHints::nearest_file(std::string_view missing, const AllowedFolders& folders) {
  if (comparisons_left_ == 0) return {};
  const fs::path written = missing;
  const bool is_folder = !written.has_filename();  // as in "guide/"
  const fs::path path = is_folder ? written.parent_path() : written;
  const fs::path folder = path.parent_path();
  if (folders.inspect(folder).type != fs::file_type::directory) return {};
  const std::string name = path.filename().string();
  parser::NearestName nearest(is_folder ? name + '/' : name);
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (std::size_t i = 0; !error && entry != fs::directory_iterator(); ++i) {
    if (i == max_files_of_folder || comparisons_left_ == 0) return {};
    --comparisons_left_;
    const std::string other = entry->path().filename().string();
    const bool ends_with_slash = is_folder && entry->is_directory(error);
    // A symbolic link without a target has the same name.
    if (other != name) nearest.consider(to_valid_utf8(other) + (ends_with_slash ? "/" : ""));
    entry.increment(error);
  }
  return parser::did_you_mean(nearest);
}

std::string FileHints::for_anchor(std::string_view fragment, const std::vector<std::string>& anchors,
                                  std::size_t text_bytes) {
  constexpr std::size_t bytes_per_comparison = 1000;  // bytes of text that cost as much as one comparison
  const std::size_t comparisons = std::max(anchors.size(), text_bytes / bytes_per_comparison) + 1;
  comparisons_left_ -= std::min(comparisons_left_, comparisons);
  parser::NearestName nearest(shown_anchor(fragment));
  for (const std::string& name : anchors) nearest.consider(name);
  return parser::did_you_mean(nearest, "#");
}

}  // namespace linkherd::crawler
