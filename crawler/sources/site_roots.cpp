#include "crawler/sources/site_roots.h"

#include <algorithm>
#include <initializer_list>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_configured_texts = 8;  // each is looked into for each link to a missing file

std::string_view without_comment(std::string_view value) {
  const std::size_t comment = value.find(" #");
  return parser::trim_ascii(value.substr(0, comment));
}

// Adds the text that the value begins with, quoted or not, and returns the rest; what is no plain text is skipped.
std::string_view take_text(std::string_view value, std::string_view ends, std::vector<std::string>& texts) {
  value = parser::trim_ascii(value);
  const bool is_quoted = !value.empty() && (value.front() == '"' || value.front() == '\'');
  const std::size_t from = is_quoted ? 1 : 0;
  const std::size_t end = std::min(is_quoted ? value.find(value.front(), 1) : value.find_first_of(ends), value.size());
  const std::string_view text = value.substr(from, end - std::min(from, end));
  const std::string_view bare = is_quoted ? text : without_comment(text);
  const bool is_plain = !bare.empty() && std::string_view("!&*{[|>").find(bare.front()) == std::string_view::npos;
  if (is_plain && texts.size() < max_configured_texts) texts.emplace_back(bare);
  return value.substr(std::min(end + from, value.size()));
}

// `value`: what follows the name and its "=" or ":", up to the end of the configuration.
void take_value(std::string_view value, std::vector<std::string>& texts) {
  const std::size_t line_end = parser::line_break(value, 0);
  const std::string_view line = parser::trim_ascii(value.substr(0, line_end));
  if (line.starts_with('[')) {
    std::string_view items = value.substr(value.find('[') + 1);
    items = items.substr(0, items.find(']'));
    while (!parser::trim_ascii(items).empty() && texts.size() < max_configured_texts) {
      items = take_text(items, ",\n", texts);
      items = items.substr(std::min(items.find_first_not_of(", \t\r\n"), items.size()));
    }
  } else if (!line.empty() && line.front() != '#') {
    take_text(line, "\n", texts);
  } else {
    for (std::size_t at = parser::after_line_break(value, line_end); at < value.size();) {
      const std::size_t end = parser::line_break(value, at);
      const std::string_view item = parser::trim_ascii(value.substr(at, end - at));
      if (!item.starts_with("- ") || texts.size() == max_configured_texts) return;
      take_text(item.substr(2), "\n", texts);
      at = parser::after_line_break(value, end);
    }
  }
}

}  // namespace

std::vector<std::string> configured_texts(std::string_view configuration, std::string_view name) {
  std::vector<std::string> texts;
  for (std::size_t at = configuration.find(name); at != std::string_view::npos && texts.size() < max_configured_texts;
       at = configuration.find(name, at + name.size())) {
    std::size_t before = at;
    while (before > 0 && (configuration[before - 1] == ' ' || configuration[before - 1] == '\t')) --before;
    if (before > 0 && configuration[before - 1] != '\n' && configuration[before - 1] != '\r') continue;
    std::string_view value = configuration.substr(at + name.size());
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    if (value.empty() || (value.front() != '=' && value.front() != ':')) continue;
    take_value(value.substr(1), texts);
  }
  return texts;
}

namespace {

class RootFinder {
 public:
  RootFinder(const SiteConfiguration& configuration, std::string_view text, const fs::path& list)
      : top_(configuration.folder), text_(text), list_(list) {}

  SiteRoots run(SiteGenerator generator) {
    switch (generator) {
      case SiteGenerator::hugo: return hugo();
      case SiteGenerator::docusaurus:
        roots_ = {.files = {top_ / "static"}, .pages = {top_, top_ / "src/pages"}};
        roots_.has_all_pictures =
            !text_.empty() && text_.find("staticDirectories") == std::string_view::npos && list_.stem() != "README";
        break;
      case SiteGenerator::vitepress:
        for (const fs::path& folder : {top_, part_of_list(top_)}) {
          roots_.files.push_back(folder / "public");
          roots_.pages.push_back(folder);
        }
        break;
      case SiteGenerator::vuepress: roots_ = {.files = {top_ / ".vuepress/public"}, .pages = {top_}}; break;
      case SiteGenerator::astro:
        roots_ = {.files = {top_ / "public"},
                  .pages = {top_ / "src/pages", top_ / "src/content/docs", top_ / "src/content"}};
        break;
      case SiteGenerator::gatsby:
        roots_ = {.files = {top_ / "static"}, .pages = {top_ / "src/pages", top_ / "content"}};
        break;
      case SiteGenerator::next:
        roots_ = {.files = {top_ / "public"}, .pages = {top_ / "pages", top_ / "src/pages", top_ / "content"}};
        break;
      case SiteGenerator::jekyll:
        configured("source", ".");
        roots_.has_collections = true;
        break;
      case SiteGenerator::mkdocs: configured("docs_dir", "docs"); break;
      case SiteGenerator::mdbook: configured("src", "src"); break;
      case SiteGenerator::pelican: configured("PATH", "content"); break;
      case SiteGenerator::sphinx:
        roots_ = {.files = {top_}, .pages = {top_}};
        for (const std::string& folder : configured_texts(text_, "html_static_path"))
          roots_.of_static.push_back((top_ / folder).lexically_normal());
        break;
      case SiteGenerator::quarto:
      case SiteGenerator::obsidian: roots_ = {.files = {top_}, .pages = {top_}}; break;
      case SiteGenerator::antora:  // all its paths are in modules
      case SiteGenerator::none: break;
    }
    return std::move(roots_);
  }

 private:
  // The folder of the list right below another one: of a language, or that of the sources.
  fs::path part_of_list(const fs::path& folder) const {
    const fs::path relative = list_.lexically_relative(folder);
    const bool is_below = relative.has_parent_path() && *relative.begin() != "..";
    return is_below ? folder / *relative.begin() : folder;
  }

  // The sources are in one folder, and their pages and files are below the root.
  void configured(std::string_view name, const char* usual) {
    std::vector<std::string> folders = configured_texts(text_, name);
    if (folders.empty()) folders.emplace_back(usual);
    for (const std::string& folder : folders) roots_.files.push_back((top_ / folder).lexically_normal());
    roots_.pages = roots_.files;
  }

  std::vector<fs::path> hugo_folders(std::string_view name, const char* usual) const {
    std::vector<fs::path> folders{top_ / usual};
    for (const std::string& folder : configured_texts(text_, name))
      folders.push_back((top_ / folder).lexically_normal());
    return folders;
  }

  // Beside its content a page may have files. Its render hooks may also take pictures from "assets".
  SiteRoots hugo() {
    roots_.files = hugo_folders("staticDir", "static");
    roots_.pages = hugo_folders("contentDir", "content");
    const std::size_t languages = roots_.pages.size();
    for (std::size_t i = 0; i < languages; ++i) {
      fs::path language = part_of_list(roots_.pages[i]);
      if (language != roots_.pages[i]) roots_.pages.push_back(std::move(language));
    }
    std::vector<fs::path> assets = hugo_folders("assetDir", "assets");
    roots_.files.insert(roots_.files.end(), assets.begin(), assets.end());
    return std::move(roots_);
  }

  const fs::path& top_;
  std::string_view text_;
  const fs::path& list_;
  SiteRoots roots_;
};

}  // namespace

SiteRoots site_roots_of(const SiteConfiguration& configuration, std::string_view text, const fs::path& list) {
  return RootFinder(configuration, text, list).run(configuration.generator);
}

}  // namespace linkherd::crawler
