#include "crawler/sources/file_search.h"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/generators/generator_rules.h"
#include "crawler/sources/generators/site_generators.h"
#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;

namespace {

// Returns true for a label or the name of an object, such as "instance-config" or "numpy.ndarray". MyST has them in
// Markdown for Sphinx.
bool is_sphinx_reference(std::string_view name) {
  const auto is_of_name = [](char c) { return parser::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  if (name.empty() || name.front() == '.' || !std::ranges::all_of(name, is_of_name)) return false;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return true;
  constexpr std::size_t max_extension_bytes = 5;
  const std::string_view last = name.substr(dot + 1);
  const auto is_lower = [](char c) { return parser::is_ascii_alphanumeric(c) && !(c >= 'A' && c <= 'Z'); };
  return last.size() > max_extension_bytes || !std::ranges::all_of(last, is_lower);
}

// Returns true if a configuration contains the path of a folder, such as "auto_examples" for the pages that an
// extension makes.
bool names_folder(std::string_view configuration, std::string_view folder) {
  const auto is_of_name = [](char c) { return parser::is_ascii_alphanumeric(c) || c == '_' || c == '-'; };
  for (std::size_t at = configuration.find(folder); at != std::string_view::npos;
       at = configuration.find(folder, at + 1)) {
    const std::size_t end = at + folder.size();
    const bool begins = at == 0 || !is_of_name(configuration[at - 1]);
    if (begins && (end == configuration.size() || !is_of_name(configuration[end]))) return true;
  }
  return false;
}

// One search, in the order of search_alternatives().
class FileSearch {
 public:
  // The arguments must outlive this object.
  FileSearch(FileKnowledge& known, const DocumentContext& context, const TargetRoot& root, std::string_view target);

  std::shared_ptr<LinkedFile> run();

 private:
  void search_alternatives();
  void search_root();
  void search_parents_in_repository();
  void search_site();
  void search_sources();
  void search_parents();
  FileDoubt doubt_of_document() const;
  bool may_be_reference() const;
  bool may_be_built() const;
  bool has_index_beside() const;

  bool take(const std::filesystem::path& path);
  bool take_any(const std::vector<std::filesystem::path>& paths);
  bool take_page(const std::filesystem::path& page);
  bool take_candidates(const std::vector<SiteCandidate>& candidates);
  void take_as_only_source(const std::filesystem::path& page);
  void note_removed(const FoundFile& found, const std::filesystem::path& path);
  FoundFile inspect(const std::filesystem::path& path) const;
  bool is_missing() const { return crawler::is_missing(file_->found); }
  MissingFile missing_file() const;

  FileKnowledge& known_;
  const DocumentContext& context_;
  const TargetRoot& root_;
  const GeneratorRules& rules_;
  std::string_view target_;
  std::shared_ptr<LinkedFile> file_;
  bool is_root_known_;
  bool is_source_ = false;  // see FileDoubt::is_source
};

FileSearch::FileSearch(FileKnowledge& known, const DocumentContext& context, const TargetRoot& root,
                       std::string_view target)
    : known_(known),
      context_(context),
      root_(root),
      rules_(rules_of(context.configuration.generator)),
      target_(target),
      file_(std::make_shared<LinkedFile>()),
      is_root_known_(root.is_known) {}

std::shared_ptr<LinkedFile> FileSearch::run() {
  std::string path = parser::percent_decode(target_);
  if (root_.folder) path = *root_.folder / fs::path(path).relative_path();
  file_->path = known_.files.intern(path);
  file_->folders = context_.folders;
  file_->repository = context_.repository;
  if (!root_.address.empty()) file_->set(&RarePaths::address, known_.files.intern(root_.address));
  if (root_.exists && file_->path.find('\0') == std::string::npos) {
    file_->found = file_->folders->inspect(file_->path);
    if (file_->found.type != fs::file_type::regular) {
      const std::scoped_lock lock(known_.mutex);
      search_alternatives();
    }
  }
  if (file_->doubt == FileDoubt::none) file_->doubt = doubt_of_document();
  const std::string name = reported_name(file_->path, known_.here);
  const bool is_end = file_->path.ends_with(name);
  file_->name = is_end ? file_->path.substr(file_->path.size() - name.size()) : known_.files.intern(name);
  return std::move(file_);
}

void FileSearch::search_alternatives() {
  const SiteConfiguration& configuration = context_.configuration;
  search_root();
  if (root_.in_repository) search_parents_in_repository();
  if (root_.is_of_generator) search_site();
  if (rules_.generator != SiteGenerator::none && !root_.folder && is_missing())
    take_candidates(originals_of(known_.sites.roots_of(configuration, context_.full), file_->path));
  if (rules_.other_paths != nullptr && is_missing()) take_any(rules_.other_paths(missing_file()));
  if (root_.is_known && !root_.is_of_pages) search_sources();
  if (context_.may_be_included && !root_.folder && is_missing()) search_parents();
  const bool may_have_template = context_.is_page_source != IsPageSource::no && !root_.is_of_pages &&
                                 file_->found.type == fs::file_type::not_found && !file_->found.outside;
  // The build makes run.1.md of "run.1.md.in".
  if (may_have_template && take(std::string(file_->path) + ".in")) is_source_ = true;
  const bool is_folder_of_site = file_->found.type == fs::file_type::directory && !file_->found.absent &&
                                 file_->rare_paths().index.empty() && context_.is_page_source == IsPageSource::no &&
                                 !context_.site.empty();
  if (is_folder_of_site && known_.options.index_files.empty() && has_index_beside())
    file_->doubt = FileDoubt::no_index_page;
  const bool is_unexplained = file_->doubt == FileDoubt::none && doubt_of_document() == FileDoubt::none &&
                              is_missing() && file_->rare_paths().removed.empty();
  if (!is_unexplained) return;
  if (may_be_reference())
    file_->doubt = FileDoubt::maybe_reference;
  else if (may_be_built())
    file_->doubt = FileDoubt::maybe_built;
}

// Fills in what exists at the path, or at the paths of fallback extensions and index files.
void FileSearch::search_root() {
  const LocalLinkOptions& options = known_.options;
  const auto take_anything = [&](const fs::path& path) {
    file_->found = inspect(path);
    note_removed(file_->found, path);
    const bool exists = file_->found.type != fs::file_type::not_found;
    if (exists) file_->path = known_.files.intern(path.native());
    return exists;
  };
  if (!take_anything(file_->path)) {
    const fs::path bare = file_->path;
    const FoundFile first = file_->found;
    const bool any = std::ranges::any_of(options.fallback_extensions, [&](const std::string& extension) {
      return take_anything(bare.string() + "." + extension);
    });
    if (!any) file_->found = first;
  }
  const fs::path folder = file_->path;
  if (file_->found.type == fs::file_type::directory && options.index_files.empty()) {
    // Any folder is accepted; servers and code hosts show one of these files.
    for (const char* const name : {"index.html", "index.htm", "index.md", "index.mdx", "README.md"}) {
      if (inspect(folder / name).type != fs::file_type::regular) continue;
      file_->set(&RarePaths::index, known_.files.intern((folder / name).native()));
      break;
    }
  } else if (file_->found.type == fs::file_type::directory) {
    const bool has_index = std::ranges::any_of(
        options.index_files, [&](const std::string& name) { return name != "." && take_anything(folder / name); });
    if (!has_index && std::ranges::find(options.index_files, ".") != options.index_files.end()) {
      file_->found = {.type = fs::file_type::directory};
    } else if (!has_index) {
      file_->path = known_.files.intern((folder / options.index_files.front()).native());
      file_->found = {};
    }
  }
  if (root_.is_of_pages) take_page(file_->path);
}

// Searches the folders between the repository and the document. The meaning of "/x.md" depends on the program that
// reads it. It is below the root of the repository, or below the root of the documentation, which is one of these
// folders.
void FileSearch::search_parents_in_repository() {
  const fs::path& top = *context_.repository;
  const std::string_view path = file_->path;
  const fs::path relative = fs::path(path).lexically_relative(top);
  for (fs::path folder = context_.full.parent_path(); folder != top && folder.has_relative_path();
       folder = folder.parent_path()) {
    const FoundFile found = file_->found;
    if (found.type != fs::file_type::not_found) return;
    const std::string other = folder / relative;
    file_->path = other;  // a view of a local text; search_root() replaces it if it finds a file
    search_root();
    if (file_->found.type != fs::file_type::not_found) return;
    file_->path = path;
    file_->found = found;
  }
}

// Searches for a file that the generator copies to the path or that it makes the page of. A missing file may still be
// made of anything, so the root stays unknown.
void FileSearch::search_site() {
  const fs::path relative = fs::path(parser::percent_decode(target_)).relative_path();
  if (!is_missing() || relative.empty()) return;
  const SiteRoots& roots = known_.sites.roots_of(context_.configuration, context_.full);
  const std::string_view removed = file_->rare_paths().removed;
  file_->set(&RarePaths::removed, {});
  if (take_candidates(candidates_in(roots, relative)) || !file_->rare_paths().removed.empty()) {
    is_root_known_ = true;
    return;
  }
  file_->set(&RarePaths::removed, removed);
  if (!roots.has_all_pictures || !is_picture(relative) || !relative.has_parent_path()) return;
  const fs::path picture = roots.files.front() / relative;
  if (inspect(picture.parent_path()).type != fs::file_type::directory) return;
  file_->path = known_.files.intern(picture.native());
  is_root_known_ = true;
}

// Searches for the source of a missing page. A link to "guide.html" next to a guide.md is meant for a generator. A link
// to "guide" may be meant for one, or be a mistake.
void FileSearch::search_sources() {
  const fs::path written = file_->path;
  const bool is_page = written.extension() == ".html";
  switch (context_.is_page_source) {
    case IsPageSource::no: {  // package.html is of Javadoc; "hello.jsp.html" shows hello.jsp
      if (!is_missing() || !is_page) return;
      const fs::path bare = fs::path(written).replace_extension();
      const bool is_found = (bare.has_extension() && take(bare)) || take(bare.native() + ".java");
      if (!is_found) take_as_only_source(written);
      return;
    }
    case IsPageSource::maybe:
      if (is_page)
        is_source_ = take_page(written) || is_source_;
      else
        take_as_only_source(written);
      return;
    case IsPageSource::yes: break;
  }
  if (file_->found.type != fs::file_type::not_found || file_->found.outside || take_page(written)) return;
  if (rules_.copied_paths != nullptr && take_any(rules_.copied_paths(missing_file()))) return;
  const fs::path relative = written.lexically_relative(context_.full.parent_path());
  const fs::path shown = (folder_of_page(context_.full) / relative).lexically_normal();
  if (take_page(shown)) return;
  if (!is_index_source(context_.full)) {
    take(shown);
  } else if (inspect(shown).type == fs::file_type::directory) {
    file_->path = known_.files.intern(shown.native());
    search_root();
  }
}

// Searches the folders above the document, and those of the documents that include it. Relative images of an included
// file are relative to the including document or to its folder of images.
void FileSearch::search_parents() {
  const fs::path own = context_.full.parent_path();
  const fs::path relative = fs::path(file_->path).lexically_relative(own);
  const std::optional<fs::path> top = folder_around(own, context_.repository);
  if (top && is_below(own, file_->path)) {
    for (fs::path folder = own; folder != *top && folder.has_relative_path();) {
      folder = folder.parent_path();
      if (take(folder / relative)) return;
    }
  }
  const fs::path top_document = top_of_documents(context_.full, context_.repository);
  for (const fs::path& folder : known_.documents.image_folders(context_.full, top_document, *context_.folders)) {
    if (take((folder / relative).lexically_normal())) return;
  }
}

// Returns the doubt that does not depend on what the alternatives are.
FileDoubt FileSearch::doubt_of_document() const {
  if (!is_root_known_) return FileDoubt::unknown_root;
  if (context_.is_template) return FileDoubt::of_template;
  if (is_source_) return FileDoubt::is_source;
  return context_.is_stylesheet ? FileDoubt::of_stylesheet : FileDoubt::none;
}

// Returns true for a name in the folder of the document: "label", or "labels/first" if there is no folder "labels".
bool FileSearch::may_be_reference() const {
  const fs::path linked = file_->path;
  if (!context_.has_references || root_.folder || !is_sphinx_reference(linked.filename().native())) return false;
  const fs::path beside = context_.full.parent_path();
  const fs::path name = linked.lexically_relative(beside);
  if (name.empty() || *name.begin() == "..") return false;
  return !name.has_parent_path() || crawler::is_missing(inspect(beside / *name.begin()));
}

// Returns true if the root of the site and a folder next to the linked one have an index page.
bool FileSearch::has_index_beside() const {
  constexpr std::size_t max_folders = 200;
  const auto has_page = [&](const fs::path& folder) {
    return inspect(folder / "index.html").type == fs::file_type::regular;
  };
  fs::path linked = file_->path;
  if (!linked.has_filename()) linked = linked.parent_path();
  if (!is_below(context_.site, linked) || !has_page(context_.site)) return false;
  std::error_code error;
  fs::directory_iterator entry(linked.parent_path(), error);
  for (std::size_t i = 0; !error && i < max_folders && entry != fs::directory_iterator(); ++i) {
    if (entry->path() != linked && has_page(entry->path())) return true;
    entry.increment(error);
  }
  return false;
}

// Returns true if the generator may create the file without a source, for example from code. Extensions of generators
// fill folders that the configuration names. A page is not created in a folder that has other pages, because this one
// would be there too. A known generator creates none in a folder that exists, because it makes pages only of the
// sources in it.
bool FileSearch::may_be_built() const {
  const SiteConfiguration& configuration = context_.configuration;
  const fs::path linked = file_->path;
  const bool has_site = context_.is_page_source == IsPageSource::yes && !root_.is_of_pages;
  if (root_.in_repository && has_site && target_.ends_with(".txt")) return true;
  if (rules_.may_build != nullptr && rules_.may_build(missing_file())) return true;
  if (parser::makes_pages(rules_.generator) && is_below(configuration.folder, linked)) {
    fs::path folder;  // the first missing folder
    for (const fs::path& part : linked.lexically_relative(configuration.folder).parent_path()) {
      folder /= part;
      if (!crawler::is_missing(inspect(configuration.folder / folder))) continue;
      if (names_folder(known_.sites.text_of(configuration), folder.native())) return true;
      break;
    }
  }
  if (!target_.ends_with(".html") || context_.is_page_source == IsPageSource::no) return false;
  const FoundFile found = context_.folders->inspect(linked.parent_path());
  if (found.type != fs::file_type::directory) return crawler::is_missing(found);
  return context_.is_page_source == IsPageSource::maybe && known_.cache.has_no_pages(linked.parent_path());
}

// Makes `path` the linked file if it exists.
bool FileSearch::take(const fs::path& path) {
  const FoundFile found = inspect(path);
  note_removed(found, path);
  if (found.type != fs::file_type::regular) return false;
  file_->path = known_.files.intern(path.native());
  file_->found = found;
  return true;
}

bool FileSearch::take_any(const std::vector<fs::path>& paths) {
  return std::ranges::any_of(paths, [this](const fs::path& path) { return take(path); });
}

// Makes a source of the page the linked file.
bool FileSearch::take_page(const fs::path& page) {
  if (file_->found.type != fs::file_type::not_found || file_->found.outside) return false;
  return any_source_of_page(page.native(), [this](const std::string& source) { return take(source); });
}

bool FileSearch::take_candidates(const std::vector<SiteCandidate>& candidates) {
  const auto taken = std::ranges::find_if(candidates, [this](const SiteCandidate& candidate) {
    return candidate.is_page ? take_page(candidate.path) : take(candidate.path);
  });
  if (taken == candidates.end()) return false;
  is_source_ = taken->is_page;
  return true;
}

// If the page has a source, the page stays the linked file, although only the source exists.
void FileSearch::take_as_only_source(const fs::path& page) {
  if (!take_page(page)) return;
  file_->set(&RarePaths::detail, file_->path);
  file_->path = known_.files.intern(page.native());
  file_->doubt = FileDoubt::only_source;
}

void FileSearch::note_removed(const FoundFile& found, const fs::path& path) {
  if (known_.changes == nullptr || !crawler::is_missing(found) || !file_->rare_paths().removed.empty()) return;
  if (known_.changes->existed_at_base(path)) file_->set(&RarePaths::removed, known_.files.intern(path.native()));
}

FoundFile FileSearch::inspect(const fs::path& path) const {
  return known_.cache.inspect(path, *context_.folders, context_.repository);
}

MissingFile FileSearch::missing_file() const {
  return known_.missing_file(context_, target_, file_->path, root_.folder.has_value());
}

}  // namespace

std::shared_ptr<LinkedFile> find_linked_file(FileKnowledge& known, const DocumentContext& context,
                                             const TargetRoot& root, std::string_view target) {
  return FileSearch(known, context, root, target).run();
}

MissingFile FileKnowledge::missing_file(const DocumentContext& context, std::string_view target, fs::path path,
                                        bool is_root_relative) {
  const bool is_tree_whole =
      changes == nullptr && (context.repository == nullptr || cache.is_tree_whole(*context.repository));
  return {
      context,
      target,
      std::move(path),
      is_root_relative,
      is_tree_whole,
      sites,
      wiki,
      [this, &context](const fs::path& other) { return cache.inspect(other, *context.folders, context.repository); }};
}

}  // namespace linkherd::crawler
