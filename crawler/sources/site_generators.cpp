#include "crawler/sources/site_generators.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "parser/ascii.h"
#include "parser/lists/list_format.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

// What generators of sites are configured by.
constexpr std::array<const char*, 3> sphinx_files{"conf.py", ".sphinx/conf.py", "myst.yml"};
constexpr std::array<const char*, 18> generator_files{"mkdocs.yml",
                                                      "mkdocs.yaml",
                                                      "docusaurus.config.js",
                                                      "docusaurus.config.ts",
                                                      "_config.yml",
                                                      "_config.yaml",
                                                      "_config.toml",
                                                      "hugo.toml",
                                                      "hugo.yaml",
                                                      "config.toml",
                                                      "book.toml",
                                                      "_quarto.yml",
                                                      "antora.yml",
                                                      "astro.config.mjs",
                                                      ".vitepress",
                                                      ".vuepress",
                                                      "astro.config.ts",
                                                      "pelicanconf.py"};

// What the sources of the page "guide" end with.
constexpr std::array<const char*, 15> source_endings{
    ".md",        ".mdx",       ".markdown",  ".rst",       ".adoc",     ".qmd",     ".ipynb",  "/index.md",
    "/index.mdx", "/index.rst", "/README.md", "/_index.md", ".html.erb", ".html.md", ".html.in"};

}  // namespace

SiteGenerator site_generator_of(fs::path folder, const std::optional<fs::path>& top) {
  std::error_code error;
  while (true) {
    const auto is_here = [&](const char* name) { return fs::exists(folder / name, error); };
    if (std::ranges::any_of(sphinx_files, is_here)) return SiteGenerator::sphinx;
    if (std::ranges::any_of(generator_files, is_here)) return SiteGenerator::other;
    if (!top || folder == *top || !folder.has_relative_path()) return SiteGenerator::none;
    folder = folder.parent_path();
  }
}

bool has_front_matter(std::string_view text) {
  return text.starts_with("---\n") || text.starts_with("---\r\n") || text.starts_with("+++\n");
}

bool is_source_file(std::string_view path) {
  const std::optional<parser::ListFormat> format = parser::list_format_of_extension(parser::percent_decode(path));
  return format && *format != parser::ListFormat::html && *format != parser::ListFormat::css;
}

bool any_source_of_page(const std::string& page, const std::function<bool(const std::string& source)>& is_there) {
  std::string name = page;
  while (name.ends_with('/')) name.pop_back();
  if (name.ends_with(".html")) {
    name.resize(name.size() - 5);
    if (is_there(name)) return true;  // "guide.md.html"
  }
  const std::string extension = fs::path(name).extension();  // "migrating-to-1.0.0" has none
  const bool is_page = name != page || extension.find_first_not_of(".0123456789") == std::string::npos;
  return is_page && std::ranges::any_of(source_endings, [&](const char* ending) { return is_there(name + ending); });
}

bool is_index_source(const fs::path& source) {
  const fs::path stem = source.stem();
  return stem == "index" || stem == "README";
}

fs::path folder_of_page(const fs::path& source) {
  const fs::path folder = source.parent_path();
  return is_index_source(source) ? folder.parent_path() : folder / source.stem();
}

bool is_sphinx_reference(std::string_view name) {
  const auto is_of_name = [](char c) { return parser::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  if (name.empty() || name.front() == '.' || !std::ranges::all_of(name, is_of_name)) return false;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return true;
  constexpr std::size_t longest_extension = 5;
  const std::string_view last = name.substr(dot + 1);
  const auto is_lower = [](char c) { return parser::is_ascii_alphanumeric(c) && !(c >= 'A' && c <= 'Z'); };
  return last.size() > longest_extension || !std::ranges::all_of(last, is_lower);
}

bool is_page_of_sphinx(std::string_view name, std::string_view configuration) {
  constexpr std::array<std::string_view, 4> own{"genindex.html", "modindex.html", "py-modindex.html", "search.html"};
  return std::ranges::find(own, name) != own.end() || configuration.find(name) != std::string_view::npos;
}

bool has_no_pages(const fs::path& folder) {
  constexpr std::size_t most_files_of_folder = 1000;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (std::size_t i = 0; !error && entry != fs::directory_iterator(); ++i) {
    const fs::path name = entry->path().filename();  // "docinfo.html", of Asciidoctor, is a part of pages
    const bool is_page = name.extension() == ".html" && name.native().find("docinfo") == std::string::npos;
    if (i == most_files_of_folder || is_page) return false;
    entry.increment(error);
  }
  return !error;
}

}  // namespace linkherd::crawler
