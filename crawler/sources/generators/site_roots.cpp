#include "crawler/sources/generators/site_roots.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_configured_texts = 8;  // each is searched for each link to a missing file
constexpr std::size_t max_path_length = 4096;
constexpr std::size_t max_mounts = 32;       // the same applies here
constexpr std::size_t max_assignments = 64;  // of one name; bounds the time for a line with many of them

std::string_view without_comment(std::string_view value) {
  const std::size_t comment = value.find(" #");
  return parser::trim_ascii(value.substr(0, comment));
}

// Only the beginning is trimmed: the value may be the rest of the configuration, whose end would be read each time.
std::string_view skip_blanks(std::string_view value, std::string_view blanks = " \t\r\n\f") {
  return value.substr(std::min(value.find_first_not_of(blanks), value.size()));
}

// Adds the text at the beginning of the value, quoted or not, and returns the rest. Skips everything that is not plain
// text.
std::string_view take_text(std::string_view value, std::string_view ends, std::vector<std::string>& texts) {
  value = skip_blanks(value);
  const bool is_quoted = !value.empty() && (value.front() == '"' || value.front() == '\'');
  const std::size_t from = is_quoted ? 1 : 0;
  const std::size_t end = std::min(is_quoted ? value.find(value.front(), 1) : value.find_first_of(ends), value.size());
  const std::string_view text = value.substr(from, end - std::min(from, end));
  const std::string_view bare = is_quoted ? text : without_comment(text);
  const bool is_plain = !bare.empty() && std::string_view("!&*{[|>").find(bare.front()) == std::string_view::npos;
  if (is_plain && bare.size() <= max_path_length && texts.size() < max_configured_texts) texts.emplace_back(bare);
  return value.substr(std::min(end + from, value.size()));
}

// Adds the texts of a list: everything after its "[".
void take_items(std::string_view items, std::string_view comment, std::vector<std::string>& texts) {
  constexpr std::string_view between = ", \t\r\n\f";
  items = skip_blanks(items.substr(0, items.find(']')), between);
  while (!items.empty() && texts.size() < max_configured_texts) {
    if (items.starts_with(comment))
      items = items.substr(parser::find_line_break(items, 0));
    else
      items = take_text(items, ",\n", texts);
    items = skip_blanks(items, between);
  }
}

// Adds the texts of a value. `value` is everything after the name and its "=" or ":", up to the end of the
// configuration.
void take_value(std::string_view value, std::vector<std::string>& texts) {
  const std::size_t line_end = parser::find_line_break(value, 0);
  const std::string_view line = parser::trim_ascii(value.substr(0, line_end));
  if (line.starts_with('[')) {
    take_items(value.substr(value.find('[') + 1), "#", texts);
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
  value = skip_blanks(value);
  if (value.empty() || std::string_view("\"'`").find(value.front()) == std::string_view::npos) return std::nullopt;
  const std::size_t end = value.find(value.front(), 1);
  if (end > max_path_length) return std::nullopt;  // also if there is no closing quote
  const std::string_view text = value.substr(1, end - 1);
  if (value.front() == '`' && text.find("${") != std::string_view::npos) return std::nullopt;
  return QuotedText{text, value.substr(end + 1)};
}

// Returns the texts that a script assigns to a property: `base: '/x/'`, `"base": "/x/"`, `paths: ['a', 'b']`.
std::vector<std::string> script_texts(std::string_view script, std::string_view name) {
  const auto is_of_name = [](char c) { return parser::is_ascii_alphanumeric(c) || c == '_' || c == '$' || c == '.'; };
  std::vector<std::string> texts;
  std::size_t assignments = 0;
  for (std::size_t at = script.find(name); at != std::string_view::npos && texts.size() < max_configured_texts;
       at = script.find(name, at + name.size())) {
    if (at > 0 && is_of_name(script[at - 1])) continue;
    std::string_view value = script.substr(at + name.size());
    if (value.starts_with('"') || value.starts_with('\'')) value.remove_prefix(1);
    value = skip_blanks(value, " \t");
    if (!value.starts_with(':')) continue;
    if (++assignments > max_assignments) break;
    value = skip_blanks(value.substr(1));
    if (value.starts_with('['))
      take_items(value.substr(1), "//", texts);
    else if (const std::optional<QuotedText> quoted = quoted_text(value))
      texts.emplace_back(quoted->text);
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
  std::size_t assignments = 0;
  for (std::size_t at = configuration.find(name); at != std::string_view::npos && texts.size() < max_configured_texts;
       at = configuration.find(name, at + name.size())) {
    std::size_t before = at;
    std::string_view value = configuration.substr(at + name.size());
    const bool is_quoted = before > 0 && configuration[before - 1] == '"' && value.starts_with('"');  // as in JSON
    if (is_quoted) {
      --before;
      value.remove_prefix(1);
    }
    while (before > 0 && (configuration[before - 1] == ' ' || configuration[before - 1] == '\t')) --before;
    const char previous = before > 0 ? configuration[before - 1] : '\n';
    if (previous != '\n' && previous != '\r' && !(is_quoted && (previous == '{' || previous == ','))) continue;
    value = skip_blanks(value, " \t");
    if (value.empty() || (value.front() != '=' && value.front() != ':')) continue;
    if (++assignments > max_assignments) break;
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
      case SiteGenerator::docusaurus: docusaurus(); break;
      case SiteGenerator::vitepress: vitepress(); break;
      case SiteGenerator::vuepress:
        roots_ = {.files = {top_ / ".vuepress/public"}, .pages = {top_, subfolder_with_document(top_)}};
        add_files(script_texts(text_, "public"));
        break;
      case SiteGenerator::astro:
        roots_ = {.files = {top_ / "public"},
                  .pages = {top_ / "src/pages", top_ / "src/content/docs", top_ / "src/content"}};
        add_files(script_texts(text_, "publicDir"));
        break;
      case SiteGenerator::gatsby:
        roots_ = {.files = {top_ / "static"}, .pages = {top_ / "src/pages", top_ / "content"}};
        break;
      case SiteGenerator::next:
        roots_ = {.files = {top_ / "public"}, .pages = {top_ / "pages", top_ / "src/pages", top_ / "content"}};
        break;
      case SiteGenerator::jekyll: jekyll(); break;
      case SiteGenerator::mkdocs: mkdocs(); break;
      case SiteGenerator::mdbook: configured("src", "src"); break;
      case SiteGenerator::pelican: configured("PATH", "content"); break;
      case SiteGenerator::sphinx:
        roots_ = {.files = {top_}, .pages = {top_}};
        for (const std::string& folder : configured_texts(text_, "html_static_path"))
          add_mount({"_static", (top_ / folder).lexically_normal()});
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
    const bool is_jekyll = generator == SiteGenerator::jekyll;
    std::vector<std::string> bases =
        is_jekyll ? configured_texts(text_, option->second) : script_texts(text_, option->second);
    if (generator == SiteGenerator::vuepress)  // its configuration may also be YAML or TOML
      std::ranges::move(configured_texts(text_, option->second), std::back_inserter(bases));
    for (const std::string& base : bases) {
      const fs::path at = relative_path(base);
      if (!base.starts_with('/') || at.empty()) continue;
      for (const std::vector<fs::path>* const folders : {&roots_.files, &roots_.pages})
        for (const fs::path& folder : *folders) add_mount({at, folder});
    }
  }

  void add_mount(SiteMount mount) {
    if (roots_.mounts.size() < max_mounts && std::ranges::find(roots_.mounts, mount) == roots_.mounts.end())
      roots_.mounts.push_back(std::move(mount));
  }

  void add_files(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) roots_.files.push_back((top_ / folder).lexically_normal());
  }

  // The documents may be in another folder than "docs" (`path`), and have another address (`routeBasePath`).
  void docusaurus() {
    roots_ = {.files = {top_ / "static"}, .pages = {top_, top_ / "src/pages"}};
    const std::vector<std::string> folders = script_texts(text_, "staticDirectories");
    add_files(folders);
    roots_.has_all_pictures =
        !text_.empty() && text_.find("staticDirectories") == std::string_view::npos && list_.stem() != "README";
    std::vector<std::string> addresses = script_texts(text_, "routeBasePath");
    std::vector<std::string> sources = script_texts(text_, "path");
    for (const std::string& source : sources) {
      const fs::path folder = (top_ / source).lexically_normal();
      add_mount({relative_path(folder.filename().native()), folder});
      for (const std::string& address : addresses) add_mount({relative_path(address), folder});
    }
    sources.emplace_back("docs");
    find_originals_of_docusaurus(sources);
  }

  // A translation in "i18n/fr/docusaurus-plugin-content-docs/current" links to documents that need not be translated.
  void find_originals_of_docusaurus(const std::vector<std::string>& sources) {
    constexpr std::size_t depth = 4;  // "i18n", the language, the plugin, and the version
    constexpr std::string_view plugin = "docusaurus-plugin-content-";
    const fs::path relative = list_.lexically_relative(top_);
    std::vector<fs::path> parts;
    for (const fs::path& part : relative) {
      if (parts.size() == depth) break;
      parts.push_back(part);
    }
    if (parts.size() < depth || parts[0] != "i18n" || !parts[2].native().starts_with(plugin)) return;
    const std::string kind = parts[2].native().substr(plugin.size());
    const fs::path translated = top_ / parts[0] / parts[1] / parts[2];
    const std::string& version = parts[3].native();
    if (kind.starts_with("blog")) {
      roots_.originals.push_back({translated, top_ / "blog"});
    } else if (kind.starts_with("pages")) {
      roots_.originals.push_back({translated, top_ / "src/pages"});
    } else if (!kind.starts_with("docs")) {
      return;
    } else if (version == "current") {
      for (const std::string& source : sources)
        roots_.originals.push_back({translated / version, (top_ / source).lexically_normal()});
    } else {
      const std::string id = kind.starts_with("docs-") ? kind.substr(5) + "_" : std::string();
      roots_.originals.push_back({translated / version, top_ / (id + "versioned_docs") / version});
    }
  }

  // The folder of the configuration is searched too, because only some of its files may name another source.
  void jekyll() {
    configured("source", ".");
    roots_.files.push_back(top_);
    roots_.has_collections = true;
    for (const std::string& folder : configured_texts(text_, "collections_dir"))
      roots_.pages.push_back((roots_.pages.front() / folder).lexically_normal());
    roots_.pages.push_back(top_);
  }

  void vitepress() {
    const std::vector<std::string> files = script_texts(text_, "publicDir");
    for (const fs::path& folder : vitepress_folders()) {
      roots_.files.push_back(folder / "public");
      for (const std::string& other : files) roots_.files.push_back((folder / other).lexically_normal());
      roots_.pages.push_back(folder);
    }
  }

  // With the plugin for translations, a page that lacks a translation is one of another language.
  void mkdocs() {
    configured("docs_dir", "docs");
    if (text_.find("docs_structure: folder") == std::string_view::npos) return;
    const std::vector<fs::path> sources = roots_.pages;
    for (const fs::path& source : sources) {
      const fs::path translated = subfolder_with_document(source);
      if (translated == source) continue;
      roots_.pages.push_back(translated);
      for (const std::string& language : configured_texts(text_, "- locale"))
        if (source / language != translated) roots_.originals.push_back({translated, source / language});
    }
  }

  // Returns the folders that the configuration names. If it computes them, returns all folders on the way to the list.
  std::vector<fs::path> vitepress_folders() const {
    constexpr std::string_view option = "srcDir";
    constexpr std::size_t max_depth = 16;
    std::vector<fs::path> folders;
    for (const std::string& folder : script_texts(text_, option)) folders.push_back((top_ / folder).lexically_normal());
    if (!folders.empty()) return folders;
    if (text_.find(option) == std::string_view::npos) return {top_, subfolder_with_document(top_)};
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
    std::string_view rest = text_;
    while (roots_.mounts.size() < max_mounts) {
      const std::size_t at = rest.find(call);
      if (at == std::string_view::npos) return;
      rest = skip_blanks(rest.substr(at + call.size()));
      if (!rest.starts_with('{')) continue;
      rest = read_copies(rest.substr(1));
    }
  }

  // Reads the entries of an object and returns the part after them, which is not read twice.
  std::string_view read_copies(std::string_view entries) {
    while (roots_.mounts.size() < max_mounts) {
      const std::optional<QuotedText> from = quoted_text(entries);
      const std::string_view after = from ? skip_blanks(from->rest) : std::string_view();
      const std::optional<QuotedText> to = after.starts_with(':') ? quoted_text(after.substr(1)) : std::nullopt;
      if (!to) break;
      if (from->text.find('*') == std::string_view::npos)
        add_mount({relative_path(to->text), (top_ / relative_path(from->text)).lexically_normal()});
      entries = skip_blanks(to->rest);
      if (entries.starts_with(',')) entries.remove_prefix(1);
    }
    return entries;
  }

  // Returns the folder right below `folder` that contains the document: the folder of a language, or of the sources.
  fs::path subfolder_with_document(const fs::path& folder) const {
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

  // Hugo ignores the case of names. `staticDir` may be followed by a digit.
  std::vector<fs::path> hugo_folders(std::string_view name, const char* usual) const {
    constexpr std::size_t max_folders = 16;
    std::vector<fs::path> folders{top_ / usual};
    std::vector<std::string> names{std::string(name), parser::to_ascii_lower(name)};
    if (name == "staticDir")
      for (int i = 0; i <= 10; ++i) names.push_back(std::string(name) + std::to_string(i));
    for (const std::string& spelling : names) {
      for (const std::string& folder : configured_texts(text_, spelling))
        if (folders.size() < max_folders) folders.push_back((top_ / folder).lexically_normal());
    }
    return folders;
  }

  // A page may have files next to its content. Render hooks may also take pictures from "assets".
  SiteRoots hugo() {
    roots_.files = hugo_folders("staticDir", "static");
    roots_.pages = hugo_folders("contentDir", "content");
    const std::size_t languages = roots_.pages.size();
    for (std::size_t i = 0; i < languages; ++i) {
      fs::path language = subfolder_with_document(roots_.pages[i]);
      if (language != roots_.pages[i]) roots_.pages.push_back(std::move(language));
    }
    std::vector<fs::path> assets = hugo_folders("assetDir", "assets");
    roots_.files.insert(roots_.files.end(), assets.begin(), assets.end());
    read_hugo_mounts();
    return std::move(roots_);
  }

  // Reads `[[module.mounts]]` in TOML, the items of "mounts:" in YAML, and the objects of "mounts" in JSON and in
  // inline tables. Each has a source and a target.
  void read_hugo_mounts() {
    constexpr std::string_view ends = "\r\n{},";
    std::string_view source;
    std::string_view target;
    for (std::size_t at = std::min(text_.find("mounts"), text_.size()); at < text_.size();) {
      const std::size_t end = std::min(text_.find_first_of(ends, at), text_.size());
      std::string_view part = parser::trim_ascii(text_.substr(at, end - at));
      const bool is_item = part.starts_with("- ");
      if (part.starts_with('[') || is_item || (at > 0 && text_[at - 1] == '{')) source = target = {};
      if (is_item) part = parser::trim_ascii(part.substr(2));
      at = end + 1;
      read_mount_value(part, "source", source);
      read_mount_value(part, "target", target);
      if (source.empty() || target.empty()) continue;
      mount_hugo(source, relative_path(target));
      source = target = {};
    }
  }

  // Sets `value` if the text is an assignment to `name`, which may be quoted.
  static void read_mount_value(std::string_view assignment, std::string_view name, std::string_view& value) {
    const bool is_quoted = assignment.starts_with('"');
    if (is_quoted) assignment.remove_prefix(1);
    if (!assignment.starts_with(name) || assignment.size() > max_path_length) return;
    assignment.remove_prefix(name.size());
    if (is_quoted && !assignment.starts_with('"')) return;
    if (is_quoted) assignment.remove_prefix(1);
    const std::string_view written = parser::trim_ascii(assignment);
    if (!written.starts_with('=') && !written.starts_with(':')) return;
    const std::optional<QuotedText> quoted = quoted_text(written.substr(1));
    value = quoted ? quoted->text : without_comment(written.substr(1));
  }

  // Adds a mount. A target is in one of Hugo's folders: "content/docs" has the pages of "/docs".
  void mount_hugo(std::string_view source, const fs::path& target) {
    constexpr std::array<std::string_view, 3> folders{"content", "static", "assets"};
    if (target.empty() || std::ranges::find(folders, target.begin()->native()) == folders.end()) return;
    const fs::path below = target.lexically_relative(*target.begin());
    add_mount({below == "." ? fs::path() : below, (top_ / fs::path(source)).lexically_normal()});
  }

  const fs::path& top_;
  std::string_view text_;
  const fs::path& list_;
  SiteRoots roots_;
};

}  // namespace

std::vector<SiteCandidate> candidates_in(const SiteRoots& roots, const fs::path& relative) {
  std::vector<SiteCandidate> candidates;
  const auto add = [&](const fs::path& path, bool is_page) {
    candidates.push_back({path.lexically_normal(), is_page});
  };
  const auto add_mounted = [&](bool is_page) {
    for (const SiteMount& mount : roots.mounts) {
      const fs::path below = mount.at.empty() ? relative : relative.lexically_relative(mount.at);
      if (!below.empty() && *below.begin() != "..") add(below == "." ? mount.source : mount.source / below, is_page);
    }
  };
  for (const std::vector<fs::path>* const folders : {&roots.files, &roots.pages})
    for (const fs::path& folder : *folders) add(folder / relative, false);
  add_mounted(false);
  for (const fs::path& folder : roots.pages) add(folder / relative, true);
  if (roots.has_collections)
    for (const fs::path& folder : roots.pages) add(folder / ("_" + relative.native()), true);
  add_mounted(true);
  return candidates;
}

std::vector<SiteCandidate> originals_of(const SiteRoots& roots, const fs::path& translated) {
  std::vector<SiteCandidate> candidates;
  for (const SiteTranslation& translation : roots.originals) {
    const fs::path below = translated.lexically_relative(translation.translated);
    if (below.empty() || *below.begin() == "..") continue;
    for (const bool is_page : {false, true})
      candidates.push_back({(translation.original / below).lexically_normal(), is_page});
  }
  return candidates;
}

SiteRoots find_site_roots(const SiteConfiguration& configuration, std::string_view text, const fs::path& list) {
  return RootFinder(configuration, text, list).run(configuration.generator);
}

}  // namespace linkherd::crawler
