#include "crawler/sources/generators/site_generators.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "crawler/sources/generators/site_roots.h"
#include "parser/ascii.h"
#include "parser/lists/document_format.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

// The endings of the sources of a page "guide".
constexpr std::array<const char*, 15> source_endings{
    ".md",        ".mdx",       ".markdown",  ".rst",       ".adoc",     ".qmd",     ".ipynb",  "/index.md",
    "/index.mdx", "/index.rst", "/README.md", "/_index.md", ".html.erb", ".html.md", ".html.in"};
// Further endings of the sources of "guide.html", because docutils and AsciiDoc have texts. Next to "guide" they are
// other files.
constexpr std::array<const char*, 4> text_endings{".txt", ".asc", ".asciidoc", ".org"};

}  // namespace

bool has_common_mark(std::string_view configuration) {
  constexpr std::string_view option = "format";
  for (std::size_t at = configuration.find(option); at != std::string_view::npos;
       at = configuration.find(option, at + option.size())) {
    std::string_view value = configuration.substr(at + option.size(), 40);
    if (value.starts_with('"') || value.starts_with('\'')) value.remove_prefix(1);
    value = parser::trim_ascii(value);
    if (!value.starts_with(':')) continue;
    value = parser::trim_ascii(value.substr(1));
    for (const std::string_view format : {"'detect'", "\"detect\"", "'md'", "\"md\""}) {
      if (value.starts_with(format)) return true;
    }
  }
  return false;
}

bool has_front_matter(std::string_view text) {
  return text.starts_with("---\n") || text.starts_with("---\r\n") || text.starts_with("+++\n");
}

bool is_source_file(std::string_view path) {
  const std::optional<parser::DocumentFormat> format = parser::prose_format_for_extension(parser::percent_decode(path));
  return format && *format != parser::DocumentFormat::html && *format != parser::DocumentFormat::css;
}

bool any_source_of_page(const std::string& page, const std::function<bool(const std::string& source)>& exists) {
  std::string name = page;
  while (name.ends_with('/')) name.pop_back();
  if (name.ends_with(".html")) {
    name.resize(name.size() - 5);
    if (exists(name)) return true;  // "guide.md.html"
  }
  const bool is_html = name != page && page.ends_with(".html");
  const std::string extension = fs::path(name).extension();  // "migrating-to-1.0.0" has none
  const bool is_page = name != page || extension.find_first_not_of(".0123456789") == std::string::npos;
  const auto has_source = [&](const char* ending) { return exists(name + ending); };
  return (is_page && std::ranges::any_of(source_endings, has_source)) ||
         (is_html && std::ranges::any_of(text_endings, has_source));
}

bool is_index_source(const fs::path& source) {
  const fs::path stem = source.stem();
  return stem == "index" || stem == "README";
}

fs::path folder_of_page(const fs::path& source) {
  const fs::path folder = source.parent_path();
  return is_index_source(source) ? folder.parent_path() : folder / source.stem();
}

bool is_page_of_sphinx(std::string_view name, std::string_view configuration) {
  constexpr std::array<std::string_view, 4> own{"genindex.html", "modindex.html", "py-modindex.html", "search.html"};
  return std::ranges::find(own, name) != own.end() || configuration.find(name) != std::string_view::npos;
}

std::vector<std::string> read_sphinx_extra_folders(std::string_view configuration) {
  constexpr std::string_view option = "\nhtml_extra_path";
  constexpr std::size_t max_folders = 8;  // each is searched for each link to a missing file
  std::vector<std::string> folders;
  const std::size_t at = configuration.find(option);
  if (at == std::string_view::npos) return folders;
  std::string_view value = configuration.substr(at + option.size());
  value = value.substr(0, value.find(']'));
  for (std::size_t open = value.find_first_of("'\""); open != std::string_view::npos && folders.size() < max_folders;) {
    const std::size_t close = value.find(value[open], open + 1);
    if (close == std::string_view::npos) break;
    folders.emplace_back(value.substr(open + 1, close - open - 1));
    open = value.find_first_of("'\"", close + 1);
  }
  return folders;
}

}  // namespace linkherd::crawler
