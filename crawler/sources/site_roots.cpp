#include "crawler/sources/site_roots.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_configured_texts = 8;  // each is searched for each link to a missing file

std::string_view without_comment(std::string_view value) {
  const std::size_t comment = value.find(" #");
  return parser::trim_ascii(value.substr(0, comment));
}

// Adds the text at the beginning of the value, quoted or not, and returns the rest. Skips everything that is not plain
// text.
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

// Adds the texts of a value. `value` is everything after the name and its "=" or ":", up to the end of the
// configuration.
void take_value(std::string_view value, std::vector<std::string>& texts) {
  const std::size_t line_end = parser::find_line_break(value, 0);
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
      const std::size_t end = parser::find_line_break(value, at);
      const std::string_view item = parser::trim_ascii(value.substr(at, end - at));
      if (!item.starts_with("- ") || texts.size() == max_configured_texts) return;
      take_text(item.substr(2), "\n", texts);
      at = parser::after_line_break(value, end);
    }
  }
}

// A quoted text at the beginning of a value, and the part after it.
struct QuotedText {
  std::string_view text;
  std::string_view rest;
};
std::optional<QuotedText> quoted_text(std::string_view value) {
  value = parser::trim_ascii(value);
  if (value.empty() || std::string_view("\"'`").find(value.front()) == std::string_view::npos) return std::nullopt;
  const std::size_t end = value.find(value.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = value.substr(1, end - 1);
  if (value.front() == '`' && text.find("${") != std::string_view::npos) return std::nullopt;
  return QuotedText{text, value.substr(end + 1)};
}

// Returns the texts that a script assigns to a property: `base: '/x/'`, `"base": "/x/"`.
std::vector<std::string> script_texts(std::string_view script, std::string_view name) {
  const auto is_of_name = [](char c) { return parser::is_ascii_alphanumeric(c) || c == '_' || c == '$' || c == '.'; };
  std::vector<std::string> texts;
  for (std::size_t at = script.find(name); at != std::string_view::npos && texts.size() < max_configured_texts;
       at = script.find(name, at + name.size())) {
    if (at > 0 && is_of_name(script[at - 1])) continue;
    std::string_view value = script.substr(at + name.size());
    if (value.starts_with('"') || value.starts_with('\'')) value.remove_prefix(1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    if (!value.starts_with(':')) continue;
    if (const std::optional<QuotedText> quoted = quoted_text(value.substr(1))) texts.emplace_back(quoted->text);
  }
  return texts;
}

fs::path relative_path(std::string_view written) {
  fs::path path = fs::path(written).relative_path().lexically_normal();
  if (path == ".") return {};
  return path.has_filename() ? path : path.parent_path();
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
        for (const fs::path& folder : vitepress_folders()) {
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
          roots_.mounts.push_back({"_static", (top_ / folder).lexically_normal()});
        break;
      case SiteGenerator::eleventy: eleventy(); break;
      case SiteGenerator::quarto:
      case SiteGenerator::obsidian: roots_ = {.files = {top_}, .pages = {top_}}; break;
      case SiteGenerator::antora:  // all paths are in modules
      case SiteGenerator::none: break;
    }
    mount_at_base(generator);
    return std::move(roots_);
  }

 private:
  // Adds mounts for targets that contain the base path of the site: "/project/x" with `baseUrl: '/project/'`.
  void mount_at_base(SiteGenerator generator) {
    constexpr std::array<std::pair<SiteGenerator, std::string_view>, 7> options{{{SiteGenerator::docusaurus, "baseUrl"},
                                                                                 {SiteGenerator::vitepress, "base"},
                                                                                 {SiteGenerator::vuepress, "base"},
                                                                                 {SiteGenerator::astro, "base"},
                                                                                 {SiteGenerator::gatsby, "pathPrefix"},
                                                                                 {SiteGenerator::next, "basePath"},
                                                                                 {SiteGenerator::jekyll, "baseurl"}}};
    const auto option = std::ranges::find(options, generator, &std::pair<SiteGenerator, std::string_view>::first);
    if (option == options.end()) return;
    const bool is_script = generator != SiteGenerator::jekyll;
    for (const std::string& base :
         is_script ? script_texts(text_, option->second) : configured_texts(text_, option->second)) {
      const fs::path at = relative_path(base);
      if (!base.starts_with('/') || at.empty()) continue;
      for (const std::vector<fs::path>* const folders : {&roots_.files, &roots_.pages})
        for (const fs::path& folder : *folders) roots_.mounts.push_back({at, folder});
    }
  }

  // Returns the folders that the configuration names. If it computes them, returns all folders on the way to the list.
  std::vector<fs::path> vitepress_folders() const {
    constexpr std::string_view option = "srcDir";
    constexpr std::size_t max_depth = 16;
    std::vector<fs::path> folders;
    for (const std::string& folder : script_texts(text_, option)) folders.push_back((top_ / folder).lexically_normal());
    if (!folders.empty()) return folders;
    if (text_.find(option) == std::string_view::npos) return {top_, borrowed(top_)};
    folders.push_back(top_);
    const fs::path relative = list_.parent_path().lexically_relative(top_);
    for (const fs::path& part : relative) {
      if (part == ".." || part == "." || folders.size() == max_depth) break;
      folders.push_back(folders.back() / part);
    }
    return folders;
  }

  // Copied files keep their path without the input folder, unless an object maps them to another path.
  void eleventy() {
    const std::vector<std::string> inputs = script_texts(text_, "input");
    const fs::path input = inputs.empty() ? top_ : (top_ / inputs.front()).lexically_normal();
    roots_ = {.files = {input, top_}, .pages = {input}};
    constexpr std::string_view call = "addPassthroughCopy(";
    for (std::size_t at = text_.find(call); at != std::string_view::npos; at = text_.find(call, at + 1)) {
      std::string_view entries = parser::trim_ascii(text_.substr(at + call.size()));
      if (!entries.starts_with('{')) continue;
      entries.remove_prefix(1);
      while (roots_.mounts.size() < max_configured_texts) {
        const std::optional<QuotedText> from = quoted_text(entries);
        const std::string_view after = from ? parser::trim_ascii(from->rest) : std::string_view();
        const std::optional<QuotedText> to = after.starts_with(':') ? quoted_text(after.substr(1)) : std::nullopt;
        if (!to) break;
        if (from->text.find('*') == std::string_view::npos)
          roots_.mounts.push_back({relative_path(to->text), (top_ / relative_path(from->text)).lexically_normal()});
        entries = parser::trim_ascii(to->rest);
        if (entries.starts_with(',')) entries.remove_prefix(1);
      }
    }
  }

  // Returns the folder right below `folder` that contains the list: the folder of a language, or of the sources.
  fs::path borrowed(const fs::path& folder) const {
    const fs::path relative = list_.lexically_relative(folder);
    const bool is_below = relative.has_parent_path() && *relative.begin() != "..";
    return is_below ? folder / *relative.begin() : folder;
  }

  // Handles generators whose sources are in one folder. Their pages and files are below the root.
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

  // A page may have files next to its content. Render hooks may also take pictures from "assets".
  SiteRoots hugo() {
    roots_.files = hugo_folders("staticDir", "static");
    roots_.pages = hugo_folders("contentDir", "content");
    const std::size_t languages = roots_.pages.size();
    for (std::size_t i = 0; i < languages; ++i) {
      fs::path language = borrowed(roots_.pages[i]);
      if (language != roots_.pages[i]) roots_.pages.push_back(std::move(language));
    }
    std::vector<fs::path> assets = hugo_folders("assetDir", "assets");
    roots_.files.insert(roots_.files.end(), assets.begin(), assets.end());
    read_hugo_mounts();
    return std::move(roots_);
  }

  // Reads `[[module.mounts]]` in TOML, or the items of "mounts:" in YAML. Each has a source and a target.
  void read_hugo_mounts() {
    std::string_view source;
    std::string_view target;
    for (std::size_t at = std::min(text_.find("mounts"), text_.size()); at < text_.size();) {
      const std::size_t end = parser::find_line_break(text_, at);
      std::string_view line = parser::trim_ascii(text_.substr(at, end - at));
      at = parser::after_line_break(text_, end);
      if (line.starts_with('[') || line.starts_with("- ")) source = target = {};
      if (line.starts_with("- ")) line = parser::trim_ascii(line.substr(2));
      for (const auto& [name, value] : {std::pair(std::string_view("source"), &source), {"target", &target}}) {
        if (!line.starts_with(name)) continue;
        const std::string_view written = parser::trim_ascii(line.substr(name.size()));
        if (!written.starts_with('=') && !written.starts_with(':')) continue;
        const std::optional<QuotedText> quoted = quoted_text(written.substr(1));
        *value = quoted ? quoted->text : without_comment(written.substr(1));
      }
      if (source.empty() || target.empty()) continue;
      mount_hugo(source, relative_path(target));
      source = target = {};
    }
  }

  // Adds a mount. A target is in one of Hugo's folders: "content/docs" has the pages of "/docs".
  void mount_hugo(std::string_view source, const fs::path& target) {
    constexpr std::array<std::string_view, 3> folders{"content", "static", "assets"};
    if (target.empty() || roots_.mounts.size() == max_configured_texts) return;
    if (std::ranges::find(folders, target.begin()->native()) == folders.end()) return;
    const fs::path below = target.lexically_relative(*target.begin());
    roots_.mounts.push_back({below == "." ? fs::path() : below, (top_ / fs::path(source)).lexically_normal()});
  }

  const fs::path& top_;
  std::string_view text_;
  const fs::path& list_;
  SiteRoots roots_;
};

}  // namespace

SiteRoots find_site_roots(const SiteConfiguration& configuration, std::string_view text, const fs::path& list) {
  return RootFinder(configuration, text, list).run(configuration.generator);
}

}  // namespace linkherd::crawler
