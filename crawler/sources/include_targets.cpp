#include "crawler/sources/include_targets.h"

#include <algorithm>
#include <system_error>

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_folders_above = 16;

class IncludeTargetFinder {
 public:
  IncludeTargetFinder(const IncludeDirective& directive, const SiteConfiguration& configuration, std::string_view text,
                      const SiteRoots& roots)
      : directive_(directive),
        configuration_(configuration),
        text_(text),
        roots_(roots),
        beside_(directive.list.parent_path()),
        relative_(fs::path(directive.written).relative_path()),
        is_absolute_(directive.written.starts_with('/')) {}

  IncludeTargets run() {
    switch (configuration_.generator) {
      case SiteGenerator::mdbook: add(beside_); break;
      case SiteGenerator::sphinx: add(is_absolute_ ? configuration_.folder : beside_); break;
      case SiteGenerator::quarto:
        if (!is_absolute_) add(beside_);
        add(configuration_.folder);
        break;
      case SiteGenerator::vitepress: vitepress(); break;
      case SiteGenerator::mkdocs: directive_.name == "snippet" ? snippets() : mkdocs(); break;
      case SiteGenerator::jekyll: jekyll(); break;
      case SiteGenerator::hugo: hugo(); break;
      default: targets_.is_certain = false;
    }
    for (fs::path& file : targets_.files) file = file.lexically_normal();
    return std::move(targets_);
  }

 private:
  void add(const fs::path& folder) { targets_.files.push_back(folder / relative_); }

  // "@" is the folder of the sources, which a script configures. It may be any folder on the way from the configuration
  // to the list.
  void vitepress() {
    if (!directive_.written.starts_with('@')) {
      add(beside_);
      targets_.is_certain = !is_absolute_;
      return;
    }
    relative_ = fs::path(directive_.written.substr(1)).relative_path();
    std::size_t count = 0;
    for (fs::path folder = beside_; count < max_folders_above; folder = folder.parent_path(), ++count) {
      add(folder);
      if (folder == configuration_.folder || !folder.has_relative_path()) break;
    }
    std::ranges::reverse(targets_.files);
    targets_.is_certain = count < max_folders_above;
  }

  // Paths are relative to the folder where MkDocs runs, unless the configuration sets another folder.
  void snippets() {
    targets_.is_certain =
        text_.find("snippets") != std::string_view::npos && text_.find("INHERIT") == std::string_view::npos;
    for (const std::string& folder : configured_texts(text_, "base_path")) add(configuration_.folder / folder);
    add(configuration_.folder);
    for (const fs::path& folder : roots_.files) add(folder);
    add(beside_);
    if (directive_.repository != nullptr) add(*directive_.repository);
  }

  // Finds the files of the plugin include-markdown. Other plugins also have "include" but search their own folders.
  void mkdocs() {
    targets_.is_certain =
        text_.find("include-markdown") != std::string_view::npos && text_.find("INHERIT") == std::string_view::npos;
    add(is_absolute_ ? roots_.pages.front() : beside_);
  }

  // A theme may have further includes.
  void jekyll_include(const fs::path& source) {
    std::vector<std::string> folders = configured_texts(text_, "includes_dir");
    add(source / (folders.empty() ? "_includes" : folders.front()));
    targets_.is_certain = text_.find("theme") == std::string_view::npos;
  }

  void jekyll() {
    const fs::path& source = roots_.pages.front();
    if (directive_.name == "include" || directive_.name == "include_cached") {
      jekyll_include(source);
    } else if (directive_.name == "include_relative") {
      add(beside_);
    } else if (directive_.name == "post_url") {
      targets_.files.push_back(source / "_posts" / (relative_.native() + ".md"));
      targets_.folder = source;
      targets_.pages = {relative_.native(), (relative_.parent_path() / "_posts" / relative_.filename()).native(),
                        relative_.filename().native()};
    } else {
      add(source);
    }
  }

  // Finds a page by its path below the content folder, or by the end of this path.
  void hugo() {
    const std::size_t hash = std::min(directive_.written.find('#'), directive_.written.size());
    targets_.fragment = directive_.written.substr(std::min(hash + 1, directive_.written.size()));
    std::string name(directive_.written.substr(0, hash));
    while (name.ends_with('/')) name.pop_back();
    if (name.empty() || name == ".") {  // the page itself, or the home page
      targets_.files.push_back(hash == 0 || name == "." ? directive_.list : roots_.pages.front());
      return;
    }
    relative_ = fs::path(name).relative_path();
    for (const fs::path& root : roots_.pages) {
      for (const char* const end : {".md", "/index.md", "/_index.md", ""})
        targets_.files.push_back(root / (relative_.native() + end));
    }
    const std::string own_language = directive_.list.stem().extension().native();  // ".fr" of "a.fr.md"
    targets_.folder = roots_.pages.front();
    const std::string bare = relative_.has_extension() && relative_.extension() == ".md"
                                 ? fs::path(relative_).replace_extension().native()
                                 : relative_.native();
    targets_.pages = {
        name, bare, bare + "/index", bare + "/_index", bare + ".en", bare + "/_index.en", bare + "/index.en"};
    if (!own_language.empty())
      for (const char* const end : {"", "/index", "/_index"})
        targets_.pages.push_back(std::string(bare).append(end).append(own_language));
    targets_.is_certain = !has_modules();
  }

  // Returns true if the site may have modules or mounted folders, which also have content.
  bool has_modules() const {
    std::error_code error;
    return text_.find("mounts") != std::string_view::npos || text_.find("imports") != std::string_view::npos ||
           fs::exists(configuration_.folder / "go.mod", error);
  }

  const IncludeDirective& directive_;
  const SiteConfiguration& configuration_;
  std::string_view text_;
  const SiteRoots& roots_;
  fs::path beside_;
  fs::path relative_;
  bool is_absolute_;
  IncludeTargets targets_;
};

}  // namespace

IncludeTargets find_include_targets(const IncludeDirective& directive, const SiteConfiguration& configuration,
                                    std::string_view text, const SiteRoots& roots) {
  return IncludeTargetFinder(directive, configuration, text, roots).run();
}

}  // namespace linkherd::crawler
