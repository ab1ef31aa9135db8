#include "crawler/sources/generators/wiki_pages.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "crawler/sources/document_context.h"
#include "crawler/sources/file_bytes.h"
#include "crawler/sources/folder_documents.h"
#include "parser/ascii.h"
#include "parser/lists/document_format.h"
#include "parser/lists/heading_slugs.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_pages = std::size_t{1} << 16;

std::string normalised(std::string_view name) {
  std::string key = parser::to_lower_case(parser::trim_ascii(name));
  std::ranges::replace(key, ' ', '-');
  return key;
}

// Returns the key of a name in a link.
std::string key_of(std::string_view name, const fs::path& list, const fs::path& root) {
  if (name.starts_with("./") || name.starts_with("../"))
    return normalised((list.parent_path() / std::string(name)).lexically_normal().lexically_relative(root).string());
  if (name.starts_with('/')) name.remove_prefix(1);
  return normalised(name);
}

// Calls `add` for the ends of a path: "c.md" and "b/c.md" of "a/b/c.md".
template <class Add>
void for_each_end(const std::string& path, const Add& add) {
  constexpr int max_ends = 8;
  std::size_t slash = path.rfind('/');
  for (int i = 0; i < max_ends && slash != std::string::npos && slash > 0; ++i) {
    add(std::string_view(path).substr(slash + 1));
    slash = path.rfind('/', slash - 1);
  }
  if (slash == std::string::npos) add(path);
}

// Calls `add` for the names of a file. Files are named with their extension ("picture.png"), pages also without.
template <class Add>
void for_each_name(const fs::path& path, const Add& add) {
  add(path);
  if (parser::prose_format_for_extension(path.filename().string())) add(fs::path(path).replace_extension());
}

}  // namespace

const WikiPages::Pages& WikiPages::pages_below(const fs::path& root) {
  const std::scoped_lock lock(mutex_);
  const auto [known, is_new] = pages_.try_emplace(root.string());
  if (!is_new) return known->second;
  Pages& pages = known->second;
  FolderDocuments files = find_files(root, [](const fs::path&) { return true; });
  if (files.files.size() > max_pages) files.files.resize(max_pages);
  for (const std::string& path : files.files) {
    const fs::path file = path;
    for_each_name(file.lexically_relative(root), [&](const fs::path& name) {
      pages.insert_or_assign(normalised(name.string()), file);
      for_each_end(name.string(), [&](std::string_view end) { pages.try_emplace(normalised(end), file); });
    });
  }
  return pages;
}

std::optional<fs::path> WikiPages::find(const fs::path& root, const fs::path& list, std::string_view name) {
  const Pages& pages = pages_below(root);
  const auto found = pages.find(key_of(name, list, root));
  return found == pages.end() ? std::nullopt : std::optional(found->second);
}

void WikiPages::resolve(const fs::path& list, const fs::path& root, bool is_vault, parser::LinkOccurrence& occurrence) {
  const std::string_view written = occurrence.url;
  if (written.find("://") != std::string_view::npos) return;
  const std::size_t caret = std::min(written.find('^'), written.size());
  const std::string_view target = written.substr(0, caret);
  const std::string_view block = is_vault ? written.substr(caret) : std::string_view();
  const std::size_t hash = std::min(target.rfind('#'), target.size());
  const std::string_view name = target.substr(0, std::min(target.find('#'), target.size()));
  const std::string_view heading = hash < target.size() ? target.substr(hash + 1) : std::string_view();
  const Pages& pages = pages_below(root);
  fs::path page = name.empty() ? list : list.parent_path() / std::string(name);
  for (const std::string_view candidate : {name, std::string_view(occurrence.text)}) {
    const auto found = name.empty() ? pages.end() : pages.find(key_of(candidate, list, root));
    if (found == pages.end()) continue;
    page = found->second;
    break;
  }
  const std::optional<parser::Url> url = url_of_file(full_path(page));
  if (!url) return;
  occurrence.href = url->href_without_fragment();
  if (block.size() > 1) {
    occurrence.href.append(1, '#').append(block);
  } else if (!heading.empty()) {
    occurrence.href += "#" + parser::github_slug(heading);
  }
  std::erase_if(occurrence.notes, [](parser::LinkNote note) {  // these notes apply to the name, which was read as a URL
    return note == parser::LinkNote::missing_scheme || note == parser::LinkNote::relative ||
           note == parser::LinkNote::invalid_url;
  });
}

}  // namespace linkherd::crawler
