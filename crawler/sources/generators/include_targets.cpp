#include "crawler/sources/generators/include_targets.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/repository_bounds.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_folders_above = 16;

// Beginnings of the names of Sphinx extensions that make no documents, or that are searched for separately.
constexpr auto known_extensions = std::to_array<std::string_view>({"sphinx.",
                                                                   "sphinx_",
                                                                   "sphinx-",
                                                                   "sphinxcontrib.",
                                                                   "sphinxcontrib_",
                                                                   "sphinxext.",
                                                                   "sphinxemoji",
                                                                   "sphinxarg",
                                                                   "myst_",
                                                                   "nbsphinx",
                                                                   "numpydoc",
                                                                   "IPython.",
                                                                   "matplotlib.",
                                                                   "jupyter_",
                                                                   "jupyterlite_sphinx",
                                                                   "recommonmark",
                                                                   "m2r",
                                                                   "commonmark",
                                                                   "breathe",
                                                                   "hoverxref",
                                                                   "notfound",
                                                                   "releases",
                                                                   "furo",
                                                                   "alabaster",
                                                                   "pallets_sphinx_themes",
                                                                   "pydata_sphinx_theme",
                                                                   "guzzle_sphinx_theme",
                                                                   "openstackdocstheme",
                                                                   "oslosphinx",
                                                                   "reno.",
                                                                   "rst2pdf",
                                                                   "rinoh",
                                                                   "linuxdoc",
                                                                   "autodocsumm",
                                                                   "enum_tools",
                                                                   "versionwarning",
                                                                   "readthedocs_ext",
                                                                   "click_sphinx",
                                                                   "toctree_plus",
                                                                   "texext",
                                                                   "scanpydoc",
                                                                   "dask_sphinx_theme"});

// Returns the quoted texts of Python code up to the first of the characters `ends`. Skips comments.
std::vector<std::string_view> quoted_texts(std::string_view code, std::string_view ends) {
  constexpr std::size_t max_texts = 200;
  std::vector<std::string_view> texts;
  const std::string marks = std::string("'\"#").append(ends);
  std::size_t at = code.find_first_of(marks);
  while (at != std::string_view::npos && ends.find(code[at]) == std::string_view::npos && texts.size() < max_texts) {
    const std::size_t end = code.find(code[at] == '#' ? '\n' : code[at], at + 1);
    if (end == std::string_view::npos) break;
    if (code[at] != '#') texts.push_back(code.substr(at + 1, end - at - 1));
    at = code.find_first_of(marks, end + 1);
  }
  return texts;
}

// Shows which documents of Sphinx may be in no file: those that an extension or a script makes, anywhere or only in
// folders of its own, and those of other projects.
struct SphinxScript {
  bool makes_documents = false;
  bool makes_folders = false;
  bool has_other_projects = false;  // ":doc:" also searches the inventories of intersphinx
};

class IncludeTargetFinder {
 public:
  IncludeTargetFinder(const DocumentContext& list, const parser::LinkOccurrence& directive, std::string_view text,
                      const SiteRoots& roots)
      : list_(list),
        configuration_(list.configuration),
        name_(directive.text),
        written_(directive.url),
        text_(text),
        roots_(roots),
        beside_(list.full.parent_path()),
        relative_(fs::path(written_).relative_path()),
        is_absolute_(written_.starts_with('/')) {}

  IncludeTargets run() {
    switch (configuration_.generator) {
      case SiteGenerator::mdbook: add(beside_); break;
      case SiteGenerator::sphinx: sphinx(); break;
      case SiteGenerator::quarto:
        if (!is_absolute_) add(beside_);
        add(configuration_.folder);
        break;
      case SiteGenerator::vitepress: vitepress(); break;
      case SiteGenerator::mkdocs: name_ == "snippet" ? snippets() : mkdocs(); break;
      case SiteGenerator::jekyll: jekyll(); break;
      case SiteGenerator::hugo: hugo(); break;
      default: targets_.is_certain = false;
    }
    for (fs::path& file : targets_.files) file = file.lexically_normal();
    return std::move(targets_);
  }

 private:
  void add(const fs::path& folder) { targets_.files.push_back(folder / relative_); }

  // Documents are named without an extension, which the configuration may change.
  void sphinx() {
    const fs::path& folder = is_absolute_ ? configuration_.folder : beside_;
    if (name_ != "doc" && name_ != "toctree") {
      add(folder);
      targets_.is_certain = is_absolute_ || !exists_above();
      return;
    }
    fs::path named = (folder / relative_).lexically_normal();
    if (!named.has_filename()) named = named.parent_path();
    for (const char* const end : {".rst", ".md", ".ipynb", ".txt", ".myst", ".markdown", ".py"})
      targets_.files.emplace_back(named.native() + end);
    for (const char* const option : {"source_suffix", "nbsphinx_custom_formats"})
      for (const std::string& end : sphinx_suffixes(option)) targets_.files.emplace_back(named.native() + end);
    if (named.has_extension()) targets_.files.push_back(named);
    std::error_code error;
    if (std::ranges::any_of(targets_.files, [&](const fs::path& file) { return fs::exists(file, error); })) return;
    const SphinxScript& script = sphinx_script();
    const bool may_be_made = script.makes_documents || relative_.filename() == "modules" ||
                             (script.makes_folders && !fs::is_directory(named.parent_path(), error));
    targets_.is_certain = !may_be_made && (name_ != "doc" || !script.has_other_projects);
  }

  // Returns true if a folder above the document, up to that of the configuration, has the file. A document that
  // includes this one may be there, and Sphinx resolves the path against that document.
  bool exists_above() const {
    std::error_code error;
    fs::path folder = beside_;
    for (std::size_t i = 0; i < max_folders_above && folder != configuration_.folder && folder.has_relative_path();
         ++i) {
      folder = folder.parent_path();
      const fs::path file = (folder / relative_).lexically_normal();
      const fs::path below = file.lexically_relative(configuration_.folder);
      if (!below.empty() && *below.begin() != ".." && fs::exists(file, error)) return true;
    }
    return false;
  }

  // Returns the texts in quotes that begin with "." in the value of an option, which is a text, a list or a dictionary.
  std::vector<std::string> sphinx_suffixes(std::string_view option) const {
    constexpr std::size_t max_value_bytes = 500;
    constexpr std::size_t max_suffixes = 8;
    std::vector<std::string> suffixes;
    const std::size_t at = text_.find(option);
    if (at == std::string_view::npos || (at > 0 && text_[at - 1] != '\n')) return suffixes;
    for (const std::string_view suffix : quoted_texts(text_.substr(at, max_value_bytes), ""))
      if (suffix.starts_with('.') && suffixes.size() < max_suffixes) suffixes.emplace_back(suffix);
    return suffixes;
  }

  // Searches the script of the configuration. A repository may name many missing documents, so the script of the last
  // configuration is not searched again.
  const SphinxScript& sphinx_script() const {
    thread_local SphinxScript script;
    thread_local std::pair<fs::path, std::size_t> searched;
    if (searched.first == configuration_.file && searched.second == text_.size()) return script;
    searched = {configuration_.file, text_.size()};
    constexpr auto makers = std::to_array<std::string_view>(
        {"apidoc", "autoapi", "autodoc2", "exhale", "builder-inited", "shutil", ".write", "subprocess", "os.system",
         "check_call", "sphinx_collections", "sphinxcontrib.collections", "multiproject", "doxysummary",
         "autodoc_doxygen", "sphinx_rust"});
    constexpr std::array<std::string_view, 4> makers_of_folders{"autosummary", "gallery", "automod", "breathe"};
    const auto is_used = [this](std::string_view maker) { return text_.find(maker) != std::string_view::npos; };
    script.makes_documents = std::ranges::any_of(makers, is_used) || has_own_extension() || is_built_with_maker();
    script.makes_folders = std::ranges::any_of(makers_of_folders, is_used);
    script.has_other_projects = is_used("intersphinx_disabled_reftypes");
    return script;
  }

  // Returns true if the configuration names an extension of the repository, or an unknown one, which may be of the
  // repository.
  bool has_own_extension() const {
    const std::vector<fs::path> folders = python_folders();
    return std::ranges::any_of(sphinx_extensions(), [&](std::string_view name) {
      const bool is_known =
          std::ranges::any_of(known_extensions, [name](std::string_view known) { return name.starts_with(known); });
      return !is_known || (!name.starts_with("sphinx.") && is_module_in(folders, name));
    });
  }

  // Returns the texts of all lists that the configuration assigns or adds to its extensions.
  std::vector<std::string_view> sphinx_extensions() const {
    constexpr std::size_t max_lists = 50;
    constexpr std::size_t max_list_bytes = 8000;
    constexpr std::size_t max_names = 500;
    std::vector<std::string_view> names;
    std::size_t lists = 0;
    for (std::size_t at = 0; at < text_.size() && lists < max_lists && names.size() < max_names;) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, end - at);
      at = end + 1;
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      const std::size_t open = line.starts_with("extensions") ? line.find_first_of("[(") : std::string_view::npos;
      if (open == std::string_view::npos) continue;
      ++lists;
      for (const std::string_view name : quoted_texts(text_.substr(end - line.size() + open + 1, max_list_bytes), "])"))
        if (!name.empty()) names.push_back(name);
    }
    return names;
  }

  // Returns the folder of the configuration and the folders that it adds to the path of Python.
  std::vector<fs::path> python_folders() const {
    constexpr std::size_t max_folders = 16;
    constexpr std::string_view path_of_python = "sys.path.";
    std::vector<fs::path> folders{configuration_.folder};
    for (std::size_t at = text_.find(path_of_python); at != std::string_view::npos && folders.size() < max_folders;
         at = text_.find(path_of_python, at + 1)) {
      for (const std::string_view folder : quoted_texts(text_.substr(at, text_.find('\n', at) - at), ""))
        if (folders.size() < max_folders) folders.push_back(configuration_.folder / folder);
    }
    return folders;
  }

  static bool is_module_in(const std::vector<fs::path>& folders, std::string_view name) {
    std::string module(name);
    std::ranges::replace(module, '.', '/');
    return std::ranges::any_of(folders, [&](const fs::path& folder) {
      std::error_code error;
      return fs::exists(folder / (module + ".py"), error) || fs::exists(folder / module / "__init__.py", error);
    });
  }

  // Returns true if a file that builds the documents names a program that makes documents of code. Such a file is in
  // the folder of the configuration, in the one above it, or at the root of the repository.
  bool is_built_with_maker() const {
    constexpr std::array<const char*, 12> build_files{"Makefile", "makefile",          "make.bat",         "noxfile.py",
                                                      "tox.ini",  ".readthedocs.yaml", ".readthedocs.yml", "tasks.py",
                                                      "justfile", "pyproject.toml",    "setup.py",         "setup.cfg"};
    constexpr std::array<std::string_view, 3> makers{"apidoc", "sphinx-autogen", "sphinx_autogen"};
    constexpr std::size_t max_file_bytes = std::size_t{1} << 16;
    const fs::path repository = repository_around(configuration_.folder);
    std::vector<fs::path> folders{configuration_.folder};
    if (list_.repository != nullptr && *list_.repository != configuration_.folder) {
      folders.push_back(configuration_.folder.parent_path());
      folders.push_back(*list_.repository);
    }
    for (const fs::path& folder : folders) {
      for (const char* const name : build_files) {
        const Result<std::string> text = read_file_start(folder / name, max_file_bytes, repository);
        const auto is_used = [&](std::string_view maker) { return text->find(maker) != std::string::npos; };
        if (text && std::ranges::any_of(makers, is_used)) return true;
      }
    }
    return false;
  }

  // "@" is the folder of the sources, which a script configures. It may be any folder on the way from the configuration
  // to the list.
  void vitepress() {
    if (!written_.starts_with('@')) {
      add(beside_);
      targets_.is_certain = !is_absolute_;
      return;
    }
    relative_ = fs::path(written_.substr(1)).relative_path();
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
    if (list_.repository != nullptr) add(*list_.repository);
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
    if (name_ == "include" || name_ == "include_cached") {
      jekyll_include(source);
    } else if (name_ == "include_relative") {
      add(beside_);
    } else if (name_ == "post_url") {
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
    const std::size_t hash = std::min(written_.find('#'), written_.size());
    targets_.fragment = written_.substr(std::min(hash + 1, written_.size()));
    std::string name(written_.substr(0, hash));
    while (name.ends_with('/')) name.pop_back();
    if (name.empty() || name == ".") {  // the page itself, or the home page
      targets_.files.push_back(hash == 0 || name == "." ? list_.full : roots_.pages.front());
      return;
    }
    relative_ = fs::path(name).relative_path();
    for (const fs::path& root : roots_.pages) {
      for (const char* const end : {".md", "/index.md", "/_index.md", ""})
        targets_.files.push_back(root / (relative_.native() + end));
    }
    const std::string own_language = list_.full.stem().extension().native();  // ".fr" of "a.fr.md"
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

  const DocumentContext& list_;
  const SiteConfiguration& configuration_;
  std::string_view name_;
  std::string_view written_;
  std::string_view text_;
  const SiteRoots& roots_;
  fs::path beside_;
  fs::path relative_;
  bool is_absolute_;
  IncludeTargets targets_;
};

}  // namespace

IncludeTargets find_include_targets(const DocumentContext& list, const parser::LinkOccurrence& directive,
                                    std::string_view text, const SiteRoots& roots) {
  return IncludeTargetFinder(list, directive, text, roots).run();
}

}  // namespace linkherd::crawler
