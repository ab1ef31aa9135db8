#include "crawler/sources/local_links.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "crawler/sources/file_bytes.h"
#include "crawler/sources/file_hints.h"
#include "crawler/sources/git_files.h"
#include "crawler/sources/include_targets.h"
#include "crawler/sources/repository_bounds.h"
#include "crawler/sources/site_configuration_text.h"
#include "crawler/sources/site_generators.h"
#include "parser/ascii.h"
#include "parser/html/charset.h"
#include "parser/lists/anchors.h"
#include "parser/lists/host_names.h"
#include "parser/text_table.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::crawler {

namespace fs = std::filesystem;
using parser::Url;
using storage::Health;
using storage::without_request;

namespace {

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;  // size limit for reading anchors
constexpr std::size_t max_files = std::size_t{1} << 16;        // in the cache
constexpr std::size_t max_anchors = std::size_t{1} << 22;      // of all files in the cache, 8 bytes each
// Bytes that are read of a generator's configuration, which is searched often.
constexpr std::size_t max_configuration_bytes = std::size_t{1} << 17;
constexpr std::size_t max_configurations = 64;  // in the cache

bool is_below(const fs::path& folder, const fs::path& path) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Returns true for "/x", which is relative to the root of a site. The root is unknown.
bool is_root_relative(std::string_view written) {
  written = parser::trim_ascii(written);
  return written.starts_with('/') && !written.starts_with("//");
}

// Returns the root of the innermost repository that contains the file.
std::optional<fs::path> repository_of(const fs::path& file) {
  std::error_code error;
  fs::path folder = file.parent_path();
  while (true) {
    if (fs::exists(folder / ".git", error)) return folder;
    if (!folder.has_relative_path()) return std::nullopt;
    folder = folder.parent_path();
  }
}

// Returns the repository of a list, or else the current folder. Nullopt if the list is in neither.
std::optional<fs::path> folder_around(const fs::path& own, const fs::path* repository) {
  if (repository != nullptr) return *repository;
  const fs::path here = current_folder();
  const bool is_below_here = here.has_relative_path() && is_below(here, own);
  return is_below_here ? std::optional(here) : std::nullopt;
}

// Returns the verdict for a missing file or anchor that the generated pages may have.
storage::Verdict unsure(std::string_view reason, std::string_view rule, std::string evidence) {
  storage::Verdict verdict = without_request(Health::suspect, reason, rule, std::move(evidence));
  verdict.confidence = 0.6;
  return verdict;
}

// Returns false if the rules that git applies to a file may be in a pipe, on which libgit2 would block, or are large.
bool has_readable_ignore_rules(const fs::path& repository, const fs::path& file) {
  constexpr std::size_t max_depth = 64;
  constexpr std::uintmax_t max_rules_bytes = std::uintmax_t{1} << 20;
  fs::path folder = file.parent_path();
  for (std::size_t i = 0; i < max_depth; ++i, folder = folder.parent_path()) {
    std::error_code error;
    const fs::path rules = folder / ".gitignore";
    const fs::file_type type = fs::symlink_status(rules, error).type();
    const bool is_absent = type == fs::file_type::not_found;
    if (!is_absent && (type != fs::file_type::regular || fs::file_size(rules, error) > max_rules_bytes)) return false;
    if (folder == repository) return true;
    if (!folder.has_relative_path()) break;
  }
  return false;
}

// Returns true if a missing file with this name may be the document that a directive of Sphinx names without an
// extension. Rules that ignore all files of other types say nothing about documents.
bool is_document_of_sphinx(const fs::path& file, std::string_view configuration) {
  const fs::path extension = file.extension();
  return extension == ".rst" || extension == ".md" ||
         (extension == ".ipynb" && configuration.find("nb") != std::string_view::npos);
}

bool is_page(const fs::path& file) { return file.extension() == ".html" || file.extension() == ".htm"; }

// Returns the source of a path of the site; nullopt if the path is not below the mount.
std::optional<fs::path> path_in_mount(const SiteMount& mount, const fs::path& relative) {
  if (mount.at.empty()) return (mount.source / relative).lexically_normal();
  const fs::path below = relative.lexically_relative(mount.at);
  if (below.empty() || *below.begin() == "..") return std::nullopt;
  return below == "." ? mount.source : (mount.source / below).lexically_normal();
}

// Returns true if the path is inside an allowed folder, but no file exists.
bool is_missing(const FoundFile& found) {
  return found.type == fs::file_type::not_found && !found.outside && !found.error && !found.absent;
}

}  // namespace

// Properties that few linked files have. They are stored separately, because a hostile document may have a million
// links to different files.
struct RarePaths {
  std::string_view index{};    // for a folder: the file that a link with a fragment refers to
  std::string_view removed{};  // the path that would be valid if the checked change had not removed it
  std::string_view source{};   // the source of a page that exists only on the generated site
  std::string_view machine{};  // the host, if the link leads to another machine
  std::string_view foreign{};  // why a file of another Antora component is not checked
  std::string_view address{};  // web address that was meant if the file does not exist
};

// The file of a link. A large site has many, so each path is stored once in a table. Paths are empty if absent.
struct LinkedFile {
  std::string_view path{};
  FoundFile found{};
  bool is_root_known = true;  // false: the folder of "/x" targets is unknown
  bool is_of_template = false;
  bool is_of_stylesheet = false;       // the link is in a stylesheet whose folder in the site is unknown
  bool may_be_reference = false;       // the target may be a cross-reference of Sphinx
  bool may_be_built = false;           // a generator may create the file from an unknown source: a page, "/llms.txt"
  bool is_missing_index_page = false;  // a folder without an index page in a built site whose other folders have one
  bool is_source = false;  // the file is the source of the linked page; how the page's anchors are generated is unknown
  // Indexes in the table of paths.
  std::uint32_t path_index = 0;
  std::uint32_t page_index = 0;
  std::string_view name{};  // name of the path in reports
  const AllowedFolders* folders = nullptr;
  const fs::path* repository = nullptr;  // repository of the list; null if it is in none

  std::string_view page() const { return rare_paths().index.empty() ? path : rare_paths().index; }
  const RarePaths& rare_paths() const {
    static const RarePaths none;
    return rare_paths_ ? *rare_paths_ : none;
  }
  void set(std::string_view RarePaths::*member, std::string_view value) {
    if (rare_paths().*member == value) return;
    RarePaths changed = rare_paths();
    changed.*member = value;
    rare_paths_ = std::make_shared<const RarePaths>(changed);
  }

 private:
  std::shared_ptr<const RarePaths> rare_paths_{};
};

std::string_view LocalLink::file_name() const { return file->name; }

std::string LocalLink::name() const {
  std::string name(file->name);
  return fragment.empty() ? name : name.append("#").append(fragment);
}

struct LocalLinks::Known {
  struct Folder {
    std::optional<fs::path> repository{};
    fs::path site{};
    const AllowedFolders* open = nullptr;
    std::optional<SiteConfiguration> configuration{};  // nullopt if not yet read

    const fs::path* repository_or_null() const { return repository ? &*repository : nullptr; }
  };
  std::mutex found_mutex;      // guards the next three members
  parser::TextTable contexts;  // everything that the meaning of a path depends on; see find()
  parser::TextTable paths;
  std::unordered_map<std::uint64_t, std::shared_ptr<const LinkedFile>> found;  // by the indexes of context and path
  std::mutex mutex;                                                            // guards the next nine members
  std::deque<AllowedFolders> folders;
  std::unordered_map<std::string, AllowedFolders> shared_folders;         // by repository and site; see folders_of()
  std::unordered_map<std::string, FilesOnlyInGit> absent;                 // by repository
  std::unordered_map<std::string, bool> has_no_pages;                     // by folder
  std::unordered_map<std::string, Folder> folders_of_lists;               // by the folder and the site of the list
  std::unordered_map<std::string, std::string> configurations;            // texts of configurations, by path
  std::unordered_map<std::string, SiteRoots> roots;                       // by configuration and list
  std::unordered_map<std::string, std::vector<AntoraFolder>> components;  // of Antora; by folder
  std::unordered_map<std::string, IgnoreRules> ignore_rules;              // by repository
  // By the index of the file's path; nullopt if unknown. Only one thread uses this and the next members.
  std::unordered_map<std::uint32_t, std::optional<parser::AnchorSet>> anchors;
  std::size_t anchor_count = 0;
  struct MissingAnchor {
    bool has_generated = false;  // true if it has anchors that are not in its text
    fs::path refresh{};          // the file to which it sends its readers; empty if none
  };
  std::unordered_map<std::string, MissingAnchor> missing_anchors;                    // by file that lacks an anchor
  std::unordered_map<std::string, std::optional<parser::AnchorSet>> former_anchors;  // before the change; also by file

  // Returns true if git ignores the missing file, which is therefore generated. Requires `mutex`.
  bool is_ignored(const fs::path& repository, const fs::path& file) {
    if (!is_below(repository, file) || !has_readable_ignore_rules(repository, file)) return false;
    if (ignore_rules.size() >= max_configurations) ignore_rules.clear();
    const auto [rules, is_new] = ignore_rules.try_emplace(repository.string(), repository);
    if (is_new) rules->second.add_info_exclude(repository);
    return rules->second.ignores(file.lexically_relative(repository).string());
  }

  static std::uint64_t key_of(std::uint32_t context, std::uint32_t path) {
    return std::uint64_t{context} << 32U | path;
  }
  std::shared_ptr<const LinkedFile> find(std::string_view context, std::string_view path) {
    const std::scoped_lock lock(found_mutex);
    const std::optional<std::uint32_t> context_index = contexts.find(context);
    const std::optional<std::uint32_t> path_index = context_index ? paths.find(path) : std::nullopt;
    if (!path_index) return nullptr;
    const auto known = found.find(key_of(*context_index, *path_index));
    return known == found.end() ? nullptr : known->second;
  }
  // Keeps the file. Returns the file of another thread if that has kept one for this path meanwhile.
  std::shared_ptr<const LinkedFile> keep(std::string_view context, std::string_view path,
                                         const std::shared_ptr<LinkedFile>& file) {
    const std::scoped_lock lock(found_mutex);
    if (found.size() >= max_files) found.clear();
    file->path_index = paths.intern(file->path);
    file->page_index = paths.intern(file->page());
    return found.try_emplace(key_of(contexts.intern(context), paths.intern(path)), file).first->second;
  }
  std::uint32_t intern(std::string_view path) {
    const std::scoped_lock lock(found_mutex);
    return paths.intern(path);
  }
};

namespace {

std::optional<Url> url_of_file(const fs::path& full) {
  constexpr parser::ByteSet escaped = parser::path_encode_set.with("%\\|:");
  std::string text = "file://";
  parser::append_percent_encoded(text, full.string(), escaped);
  const auto url = Url::parse(text);
  return url ? std::optional<Url>(*url) : std::nullopt;
}

// Returns the component that the target of an AsciiDoc document names, or nullopt.
std::optional<AntoraComponent> antora_component(const ListPlace& list, std::string_view written) {
  return list.may_be_included ? component_of_resource(written) : std::nullopt;
}

// Returns the path of a target below a folder, or an empty path if it is not below it.
fs::path path_below(const fs::path& folder, const Url& target) {
  const fs::path relative = fs::path(parser::percent_decode(target.path())).lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
}

// Returns the address of the file at the same path in another component.
std::optional<Url> in_component(const ListPlace& list, const Url& target, const fs::path& component) {
  const fs::path relative = path_below(list.configuration.folder, target);
  if (relative.empty()) return std::nullopt;
  std::optional<Url> file = url_of_file(component / relative);
  if (!file || target.fragment().empty()) return file;
  const Result<Url> url = Url::parse(std::string("#").append(target.fragment()), *file);
  return url ? std::optional<Url>(*url) : std::nullopt;
}

bool is_asciidoc(const fs::path& file) {
  return parser::prose_format_for_extension(file.filename().string()) == parser::DocumentFormat::asciidoc;
}

bool needs_no_anchor(std::string_view fragment) {
  return fragment.empty() || parser::is_line_reference(fragment) || parser::is_route(fragment);
}

// The text of a linked file and its format.
struct LinkedText {
  std::string text;
  parser::DocumentFormat format;
};
std::optional<LinkedText> linked_text(const std::string& bytes, const fs::path& file) {
  if (parser::is_binary(bytes)) return std::nullopt;
  LinkedText read{parser::decode_text(bytes).text, {}};
  read.format = parser::detect_document_format(file.filename().string(), read.text);
  if (!parser::has_known_anchors(read.format)) return std::nullopt;
  return read;
}
std::optional<LinkedText> read_linked_text(const fs::path& file) {
  const Result<std::string> bytes = read_file_bytes(file, max_file_bytes);
  return bytes.has_value() ? linked_text(*bytes, file) : std::nullopt;
}

// Returns the file to which a page sends its readers by <meta http-equiv=refresh>. Empty if none.
fs::path refresh_in(const LinkedText& page, const fs::path& file) {
  if (page.format != parser::DocumentFormat::html) return {};
  fs::path target;
  parser::ExtractOptions options;
  options.base_url = url_of_file(file);
  parser::for_each_link({file.string(), page.text, page.format}, options, [&target](parser::LinkOccurrence& link) {
    const auto url = Url::parse(link.href);
    if (target.empty() && link.element == parser::LinkElement::refresh && url && url->scheme() == "file")
      target = fs::path(parser::percent_decode(url->path())).lexically_normal();
  });
  return target;
}

}  // namespace

std::optional<std::string_view> path_in_site(const SiteMapping& site, const Url& page) {
  const Url& own = site.url;
  if (!page.is_http() || page.host() != own.host() || page.port() != own.port()) return std::nullopt;
  std::string_view above = own.path();
  while (above.ends_with('/')) above.remove_suffix(1);
  if (!page.path().starts_with(above)) return std::nullopt;
  const std::string_view below = page.path().substr(above.size());
  return below.empty() || below.front() == '/' ? std::optional(below) : std::nullopt;
}

LocalLinks::LocalLinks(LocalLinkOptions options, const GitChanges* changes)
    : options_(std::move(options)), changes_(changes), here_(current_folder()), known_(std::make_unique<Known>()) {}
LocalLinks::~LocalLinks() = default;

std::optional<Url> LocalLinks::base_of(const Seed& list) {
  return list.path.empty() ? std::nullopt : url_of_file(full_path(list.path));
}

// Returns true if the <base> of an HTML page points elsewhere. Its targets are then on a site, not in the folder.
bool LocalLinks::leaves_by_base(const ListPlace& document, const Url& target, std::string_view written) {
  if (!document.base || !document.has_base_element) return false;
  const Result<Url> plain = Url::parse(written, *document.base);
  if (!plain || plain->path() == target.path()) return false;
  const std::string_view folder = document.base->path().substr(0, document.base->path().rfind('/') + 1);
  return !target.path().starts_with(folder);
}

ListPlace LocalLinks::document_of(const Seed& list) {
  ListPlace document;
  document.path = list.path;
  document.full = full_path(list.path);
  if (!list.path.empty()) document.base = url_of_file(document.full);
  const fs::path own = document.full.parent_path();
  const std::scoped_lock lock(known_->mutex);
  Known::Folder& folder = known_->folders_of_lists[own.native() + '\0' + list.site.native()];
  if (folder.open == nullptr) {
    if (!list.site.empty()) folder.site = full_path(list.site);
    folder.repository = repository_of(document.full);
    folder.open = &folders_of(own, folder.repository_or_null(), folder.site);
  }
  document.site = folder.site;
  if (!list.base_url) document.repository = folder.repository_or_null();  // otherwise the list is on the web
  if (list.format != parser::DocumentFormat::html && list.format != parser::DocumentFormat::css) {
    if (!folder.configuration)
      folder.configuration = find_site_configuration(own, folder_around(own, folder.repository_or_null()));
    document.configuration = *folder.configuration;
    const bool has_dialect = !parser::is_application(document.configuration.generator);
    if (has_dialect) document.dialect = document.configuration.generator;
    const bool wants_plugin = document.dialect == SiteGenerator::docusaurus || document.dialect == SiteGenerator::astro;
    if (wants_plugin) document.has_math = has_math_plugin(text_of(document.configuration));
    if (document.dialect == SiteGenerator::docusaurus && list.format == parser::DocumentFormat::markdown &&
        has_common_mark(text_of(document.configuration)))
      document.dialect = SiteGenerator::none;
    document.parses_block_html =
        document.dialect == SiteGenerator::jekyll && has_markdown_in_html(text_of(document.configuration));
    const bool is_certain = parser::makes_pages(document.configuration.generator) || has_front_matter(list.text);
    document.has_references =
        document.configuration.generator == SiteGenerator::sphinx && parser::is_markdown(list.format);
    document.is_page_source = is_certain ? IsPageSource::yes : IsPageSource::maybe;
    document.may_be_included = list.format == parser::DocumentFormat::asciidoc;
  }
  document.folders = folder.open;
  document.is_stylesheet = list.format == parser::DocumentFormat::css && document.site.empty();
  return document;
}

// Returns the folders that a list may access. Lists with the same folders share one object and what it has found.
const AllowedFolders& LocalLinks::folders_of(const fs::path& own, const fs::path* repository, const fs::path& site) {
  const std::optional<fs::path> around = folder_around(own, repository);
  const auto [shared, is_new] =
      known_->shared_folders.try_emplace((around ? around->string() : std::string()) + '\0' + site.string());
  if (is_new) {
    if (around) shared->second.add(*around);
    if (!site.empty()) shared->second.add(site);
    if (!options_.root_dir.empty()) shared->second.add(full_path(options_.root_dir));
    for (const SiteMapping& mine : options_.sites) {
      if (!mine.folder.empty()) shared->second.add(full_path(mine.folder));
    }
  }
  // The folder of the list comes last. If it is inside another one, adding it changes nothing, and all lists in that
  // folder share one object.
  AllowedFolders folders = shared->second;
  folders.add(own);
  const auto same = std::ranges::find(known_->folders, folders);
  return same != known_->folders.end() ? *same : known_->folders.emplace_back(std::move(folders));
}

LocalLinks::Root LocalLinks::root_of(const ListPlace& list, std::string_view path) const {
  const bool is_site = !options_.root_dir.empty() || !list.site.empty();
  Root root;
  root.in_repository = !is_site && list.repository != nullptr && is_source_file(path);
  root.is_known = is_site || root.in_repository;
  if (list.repository != nullptr) root.folder = *list.repository;
  if (!list.site.empty()) root.folder = list.site;
  if (!options_.root_dir.empty()) root.folder = full_path(options_.root_dir);
  root.is_of_generator = !is_site && list.configuration.generator != SiteGenerator::none;
  if (root.is_of_generator && !root.folder) root.folder = list.configuration.folder;
  root.exists = root.folder.has_value();  // the root of a site is not the root of this file system
  return root;
}

std::shared_ptr<const LinkedFile> LocalLinks::find(const ListPlace& list, std::string_view path, const Root& root) {
  const auto folders = reinterpret_cast<std::uintptr_t>(list.folders);
  thread_local std::string context;  // reused, because nearly every call finds its file in the cache
  context.assign(reinterpret_cast<const char*>(&folders), sizeof folders);
  context += root.exists ? 'r' : ' ';
  context += root.is_known ? 'k' : ' ';
  context += root.is_of_pages ? 'p' : ' ';
  context += list.is_template ? 't' : ' ';
  context += list.is_page_source == IsPageSource::maybe ? 'm' : ' ';
  if (root.folder) context.append(root.folder->native()).append(1, '\0');
  const bool is_of_generator = list.is_page_source == IsPageSource::yes && !root.is_of_pages;
  if (root.in_repository || is_of_generator) context.append(list.full.native()).append(1, '\0');
  if (root.is_of_pages || root.is_of_generator) context.append(list.configuration.file.native()).append(1, '\0');
  context += list.is_stylesheet ? 's' : ' ';
  context += list.has_references ? 'x' : ' ';
  const bool is_in_vault = list.configuration.generator == SiteGenerator::obsidian;
  if (list.may_be_included || is_in_vault) context.append(list.full.native()).append(1, '\0');
  if (!list.site.empty()) context += 'i';
  if (!root.address.empty()) context.append(1, 'a').append(root.address);
  if (std::shared_ptr<const LinkedFile> known = known_->find(context, path)) return known;
  auto file = std::make_shared<LinkedFile>();
  std::string decoded = parser::percent_decode(path);
  if (root.folder) decoded = *root.folder / fs::path(decoded).relative_path();
  file->path = intern_path(decoded);
  file->is_root_known = root.is_known;
  file->is_of_template = list.is_template;
  file->is_of_stylesheet = list.is_stylesheet;
  file->folders = list.folders;
  file->repository = list.repository;
  if (!root.address.empty()) file->set(&RarePaths::address, intern_path(root.address));
  if (root.exists && file->path.find('\0') == std::string::npos) {
    file->found = file->folders->inspect(file->path);
    if (file->found.type != fs::file_type::regular) search_alternatives(list, path, root, *file);
  }
  const std::string name = reported_name(file->path, here_);
  file->name = file->path.ends_with(name) ? file->path.substr(file->path.size() - name.size()) : intern_path(name);
  return known_->keep(context, path, file);
}

// Returns the path as a text of the table, which lives as long as this object.
std::string_view LocalLinks::intern_path(std::string_view path) const {
  const std::scoped_lock lock(known_->found_mutex);
  return known_->paths.text(known_->paths.intern(path));
}

// Searches for the file that a path without a regular file may mean.
void LocalLinks::search_alternatives(const ListPlace& list, std::string_view path, const Root& root,
                                     LinkedFile& file) const {
  const std::scoped_lock lock(known_->mutex);
  find_in_root(root, file);
  if (root.in_repository) search_folders_of(list, root, file);
  if (root.is_of_generator) search_site_of(list, path, file);
  if (list.configuration.generator != SiteGenerator::none && !root.folder) search_originals(list, file);
  if (list.configuration.generator == SiteGenerator::obsidian) search_vault(list, file);
  if (list.may_be_included && !root.folder) search_antora(list, file);
  if (root.is_known && !root.is_of_pages) find_source(list, file);
  if (list.may_be_included && !root.folder) search_parent_folders(list, file);
  if (list.may_be_included && !root.folder) search_including_documents(list, file);
  const bool is_folder_of_site = file.found.type == fs::file_type::directory && !file.found.absent &&
                                 file.rare_paths().index.empty() && list.is_page_source == IsPageSource::no &&
                                 !list.site.empty();
  file.is_missing_index_page = is_folder_of_site && options_.index_files.empty() && has_index_beside(list, file);
  if (list.is_page_source != IsPageSource::no && !root.is_of_pages) find_template(file);
  file.may_be_reference = list.has_references && !root.folder && is_missing(file.found) &&
                          file.rare_paths().removed.empty() &&
                          is_sphinx_reference(fs::path(file.path).filename().native()) && names_no_folder(list, file);
  const bool is_of_generator = list.is_page_source == IsPageSource::yes && !root.is_of_pages;
  const bool is_text_of_site = root.in_repository && is_of_generator && path.ends_with(".txt");
  file.may_be_built = is_missing(file.found) && file.rare_paths().removed.empty() &&
                      (is_text_of_site || may_be_built(list, path, file));
}

// Returns true if the root of the site and a folder next to the linked one have an index page.
bool LocalLinks::has_index_beside(const ListPlace& list, const LinkedFile& file) const {
  constexpr std::size_t max_folders = 200;
  const auto has_page = [&](const fs::path& folder) {
    return inspect(file, folder / "index.html").type == fs::file_type::regular;
  };
  fs::path linked = file.path;
  if (!linked.has_filename()) linked = linked.parent_path();
  if (!is_below(list.site, linked) || !has_page(list.site)) return false;
  std::error_code error;
  fs::directory_iterator entry(linked.parent_path(), error);
  for (std::size_t i = 0; !error && i < max_folders && entry != fs::directory_iterator(); ++i) {
    if (entry->path() != linked && has_page(entry->path())) return true;
    entry.increment(error);
  }
  return false;
}

// Returns true for a name in the folder of the list: "label", or "labels/first" if there is no folder "labels".
bool LocalLinks::names_no_folder(const ListPlace& list, const LinkedFile& file) const {
  const fs::path beside = list.full.parent_path();
  const fs::path name = fs::path(file.path).lexically_relative(beside);
  if (name.empty() || *name.begin() == "..") return false;
  return !name.has_parent_path() || is_missing(inspect(file, beside / *name.begin()));
}

void LocalLinks::find_in_root(const Root& root, LinkedFile& file) const {
  resolve_path(file);
  const std::string_view page = file.path;  // a source that is found replaces it in `file`
  if (root.is_of_pages) find_source(page, file);
}

// Searches the folders between the repository and the list. The meaning of "/x.md" depends on the program that reads
// it. It is below the root of the repository, or below the root of the documentation, which is one of these folders.
void LocalLinks::search_folders_of(const ListPlace& list, const Root& root, LinkedFile& file) const {
  const fs::path relative = fs::path(file.path).lexically_relative(*list.repository);
  for (fs::path folder = list.full.parent_path(); folder != *list.repository && folder.has_relative_path();
       folder = folder.parent_path()) {
    if (file.found.type != fs::file_type::not_found) return;
    LinkedFile below = file;
    const std::string path = folder / relative;
    below.path = path;  // a view of a local text; find_in_root() replaces it if it finds a file
    find_in_root(root, below);
    if (below.found.type != fs::file_type::not_found) {
      file = std::move(below);
    } else if (file.rare_paths().removed.empty()) {
      file.set(&RarePaths::removed, below.rare_paths().removed);
    }
  }
}

// Searches for a file that the generator copies to the path or that it makes the page of. A missing file may still be
// made of anything, so the root stays unknown.
void LocalLinks::search_site_of(const ListPlace& list, std::string_view path, LinkedFile& file) const {
  const fs::path relative = fs::path(parser::percent_decode(path)).relative_path();
  if (!is_missing(file.found) || relative.empty()) return;
  const SiteRoots& roots = roots_of(list);
  const auto take = [&](const fs::path& below, const fs::path& folder) {
    return take_source((folder / below).lexically_normal(), file);
  };
  const auto take_page = [&](const fs::path& page) {
    return any_source_of_page(page.lexically_normal(),
                              [&](const std::string& source) { return take_source(source, file); });
  };
  const std::string_view removed = file.rare_paths().removed;
  file.set(&RarePaths::removed, {});
  bool is_found = std::ranges::any_of(roots.files, [&](const fs::path& folder) { return take(relative, folder); }) ||
                  std::ranges::any_of(roots.pages, [&](const fs::path& folder) { return take(relative, folder); });
  const auto mounted = [&](const SiteMount& mount) { return path_in_mount(mount, relative); };
  const auto has_file = [&](const SiteMount& mount) {
    const std::optional<fs::path> source = mounted(mount);
    return source && take_source(*source, file);
  };
  const auto has_page = [&](const SiteMount& mount) {
    const std::optional<fs::path> source = mounted(mount);
    return source && take_page(*source);
  };
  is_found = is_found || std::ranges::any_of(roots.mounts, has_file);
  if (!is_found) {
    is_found = std::ranges::any_of(roots.pages, [&](const fs::path& folder) { return take_page(folder / relative); }) ||
               (roots.has_collections && std::ranges::any_of(roots.pages,
                                                             [&](const fs::path& folder) {
                                                               return take_page(folder / ("_" + relative.native()));
                                                             })) ||
               std::ranges::any_of(roots.mounts, has_page);
    file.is_source = is_found;
  }
  if (is_found || !file.rare_paths().removed.empty()) {
    file.is_root_known = true;
    return;
  }
  file.set(&RarePaths::removed, removed);
  if (!roots.has_all_pictures || !is_picture(relative) || !relative.has_parent_path()) return;
  const fs::path picture = roots.files.front() / relative;
  if (inspect(file, picture.parent_path()).type != fs::file_type::directory) return;
  file.path = intern_path(picture.native());
  file.is_root_known = true;
}

// Searches for a note or attachment by its name, or by its path below the vault. Obsidian writes such links in Markdown
// too, unless its setting for new links is "relative".
void LocalLinks::search_vault(const ListPlace& list, LinkedFile& file) const {
  if (!is_missing(file.found)) return;
  const fs::path relative = fs::path(file.path).lexically_relative(list.full.parent_path());
  if (relative.empty() || *relative.begin() == "..") return;
  if (const std::optional<fs::path> note = wiki_.find(list.configuration.folder, list.full, relative.native()))
    take_source(*note, file);
}

// Searches for the original of a document that is not translated.
void LocalLinks::search_originals(const ListPlace& list, LinkedFile& file) const {
  if (!is_missing(file.found)) return;
  const fs::path linked = file.path;
  for (const SiteTranslation& translation : roots_of(list).originals) {
    if (!is_below(translation.translated, linked)) continue;
    const fs::path original =
        (translation.original / linked.lexically_relative(translation.translated)).lexically_normal();
    if (take_source(original, file)) return;
    if (any_source_of_page(original, [&](const std::string& source) { return take_source(source, file); })) {
      file.is_source = true;
      return;
    }
  }
}

const SiteRoots& LocalLinks::roots_of(const ListPlace& list) const {
  if (known_->roots.size() >= max_configurations) known_->roots.clear();
  const auto [known, is_new] = known_->roots.try_emplace(list.configuration.file.native() + '\0' + list.full.native());
  if (is_new) known->second = find_site_roots(list.configuration, text_of(list.configuration), list.full);
  return known->second;
}

void LocalLinks::search_parent_folders(const ListPlace& list, LinkedFile& file) const {
  const fs::path own = list.full.parent_path();
  const std::optional<fs::path> top = folder_around(own, list.repository);
  if (!top || !is_below(own, file.path)) return;
  const fs::path relative = fs::path(file.path).lexically_relative(own);
  for (fs::path folder = own; is_missing(file.found) && folder != *top && folder.has_relative_path();) {
    folder = folder.parent_path();
    take_source(folder / relative, file);
  }
}

// Searches the folders of the documents that include the list. Relative images of an included file are relative to the
// including document or to its folder of images.
void LocalLinks::search_including_documents(const ListPlace& list, LinkedFile& file) const {
  if (!is_missing(file.found)) return;
  const fs::path relative = fs::path(file.path).lexically_relative(list.full.parent_path());
  const fs::path top = top_of_documents(list.full, list.repository);
  for (const fs::path& folder : documents_->image_folders(list.full, top, *list.folders)) {
    if (take_source((folder / relative).lexically_normal(), file)) return;
  }
}

// Returns the folder below which documents may include the file: its repository, or without one its own folder or one
// at most three levels above.
fs::path LocalLinks::top_of_documents(const fs::path& file, const fs::path* repository) {
  constexpr int max_folders_above = 3;
  const fs::path own = file.parent_path();
  if (repository != nullptr) return *repository;
  const std::optional<fs::path> around = folder_around(own, nullptr);
  fs::path top = own;
  for (int i = 0; i < max_folders_above && around && top != *around && is_below(*around, top); ++i)
    top = top.parent_path();
  return top;
}

// Returns true if the generator may create the file. Sphinx and extensions of generators fill folders of their own, and
// a book may have others next to it.
bool LocalLinks::may_be_built(const ListPlace& list, std::string_view path, const LinkedFile& file) const {
  const SiteConfiguration& configuration = list.configuration;
  if (parser::makes_pages(configuration.generator)) {
    const fs::path& top = configuration.folder;
    const fs::path linked = file.path;
    if (configuration.generator == SiteGenerator::sphinx && is_in_output_of_sphinx(path) &&
        is_missing(inspect(file, linked.parent_path())))
      return true;
    if (configuration.file.filename() == "book.toml" && (path.ends_with(".md") || path.ends_with(".html")) &&
        !is_below(roots_of(list).pages.front(), linked))
      return true;
    // The modules of a component may be in several repositories.
    if (configuration.generator == SiteGenerator::antora && is_in_missing_module(top, file)) return true;
    if (is_below(top, linked)) {
      fs::path folder;  // the first missing folder
      for (const fs::path& part : linked.lexically_relative(top).parent_path()) {
        folder /= part;
        if (!is_missing(inspect(file, top / folder))) continue;
        if (names_folder(text_of(configuration), folder.native())) return true;
        break;
      }
    }
  }
  return path.ends_with(".html") && may_be_built_page(list, file);
}

// Returns true for a path in "modules/NAME" below the folder of an Antora component if the module does not exist.
bool LocalLinks::is_in_missing_module(const fs::path& component, const LinkedFile& file) const {
  const fs::path relative = fs::path(file.path).lexically_relative(component);
  auto part = relative.begin();
  if (part == relative.end() || *part != "modules" || ++part == relative.end()) return false;
  return is_missing(inspect(file, component / "modules" / *part));
}

// Returns true if the generator may create the page without a source file, for example from code. It does not if the
// folder has other pages, because this one would be there too. A known generator does not if the folder exists, because
// it makes pages only of the sources in it.
bool LocalLinks::may_be_built_page(const ListPlace& list, const LinkedFile& page) const {
  if (list.is_page_source == IsPageSource::no) return false;
  const fs::path folder = fs::path(page.path).parent_path();
  const FoundFile found = page.folders->inspect(folder);
  if (found.type != fs::file_type::directory) return is_missing(found);
  if (list.is_page_source == IsPageSource::yes) {
    return list.configuration.generator == SiteGenerator::sphinx && folder == list.configuration.folder &&
           is_page_of_sphinx(fs::path(page.path).filename().native(), text_of(list.configuration));
  }
  if (known_->has_no_pages.size() >= max_files) known_->has_no_pages.clear();
  const auto [known, is_new] = known_->has_no_pages.try_emplace(folder.string());
  if (is_new) known->second = has_no_pages(folder);
  return known->second;
}

// Returns the text of the configuration in all of its files. Empty if none can be read.
const std::string& LocalLinks::text_of(const SiteConfiguration& configuration) const {
  if (known_->configurations.size() >= max_configurations) known_->configurations.clear();
  const auto [known, is_new] = known_->configurations.try_emplace(configuration.file.string());
  if (is_new)
    known->second = read_configuration(configuration, max_configuration_bytes, repository_around(configuration.folder));
  return known->second;
}

// Makes `path` the linked file if it exists.
bool LocalLinks::take_source(const fs::path& path, LinkedFile& file) const {
  const FoundFile found = inspect(file, path);
  if (found.type == fs::file_type::regular) {
    file.path = intern_path(path.native());
    file.found = found;
    return true;
  }
  if (is_missing(found) && changes_ != nullptr && file.rare_paths().removed.empty() && changes_->existed_at_base(path))
    file.set(&RarePaths::removed, intern_path(path.native()));
  return false;
}

bool LocalLinks::find_source(std::string_view page, LinkedFile& file) const {
  if (file.found.type != fs::file_type::not_found || file.found.outside) return false;
  return any_source_of_page(std::string(page), [&](const std::string& source) { return take_source(source, file); });
}

// Searches for the template of a file: the build makes run.1.md of "run.1.md.in".
void LocalLinks::find_template(LinkedFile& file) const {
  if (file.found.type != fs::file_type::not_found || file.found.outside) return;
  if (take_source(std::string(file.path) + ".in", file)) file.is_source = true;
}

// Searches for the file in the folders that Sphinx copies to its pages.
bool LocalLinks::find_extra(const SiteConfiguration& configuration, LinkedFile& file) const {
  if (configuration.generator != SiteGenerator::sphinx) return false;
  if (!is_below(configuration.folder, file.path)) return false;
  const fs::path relative = fs::path(file.path).lexically_relative(configuration.folder);
  const std::vector<std::string> folders = read_sphinx_extra_folders(text_of(configuration));
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    return take_source((configuration.folder / folder / relative).lexically_normal(), file);
  });
}

// Searches for the source of a missing page. A link to "guide.html" next to a guide.md is meant for a generator. A link
// to "guide" may be meant for one, or be a mistake.
void LocalLinks::find_source(const ListPlace& list, LinkedFile& file) const {
  const fs::path written = file.path;
  if (list.is_page_source == IsPageSource::no) {  // package.html is of Javadoc; "hello.jsp.html" shows hello.jsp
    if (!is_missing(file.found) || written.extension() != ".html") return;
    const fs::path bare = fs::path(written).replace_extension();
    if ((bare.has_extension() && take_source(bare, file)) || take_source(bare.native() + ".java", file)) return;
    if (find_source(written.native(), file))
      file.set(&RarePaths::source, std::exchange(file.path, intern_path(written.native())));
    return;
  }
  if (file.found.type != fs::file_type::not_found || file.found.outside) return;
  if (list.is_page_source == IsPageSource::maybe) {
    if (!find_source(written.native(), file)) return;
    file.is_source = written.extension() == ".html";
    if (!file.is_source) file.set(&RarePaths::source, std::exchange(file.path, intern_path(written.native())));
    return;
  }
  if (find_source(written.native(), file) || find_extra(list.configuration, file)) return;
  const fs::path relative = fs::path(file.path).lexically_relative(list.full.parent_path());
  const fs::path shown = (folder_of_page(list.full) / relative).lexically_normal();
  if (find_source(shown.native(), file)) return;
  if (!is_index_source(list.full)) {
    take_source(shown, file);
  } else if (inspect(file, shown).type == fs::file_type::directory) {
    file.path = intern_path(shown.native());
    resolve_path(file);
  }
}

LocalLink LocalLinks::look_up(const ListPlace& list, const Url& target, std::string_view written,
                              bool looks_like_host) {
  if (!target.host().empty()) {
    LinkedFile elsewhere;
    elsewhere.name = intern_path(target.href());
    elsewhere.set(&RarePaths::machine, intern_path(target.host()));
    LocalLink link;
    link.file = std::make_shared<const LinkedFile>(std::move(elsewhere));
    return link;
  }
  if (const std::optional<AntoraComponent> component = antora_component(list, written)) {
    std::optional<Url> first;
    for (const fs::path& folder : folders_of(list, *component)) {
      std::optional<Url> moved = in_component(list, target, folder);
      if (moved && has_resource(list, folder, path_below(list.configuration.folder, target)))
        return look_up(list, *moved, "");
      if (!first) first = std::move(moved);
    }
    return first ? look_up(list, *first, "") : foreign_link(*component, written);
  }
  const bool is_below_root = is_root_relative(written) || leaves_by_base(list, target, written);
  Root root = is_below_root ? root_of(list, target.path()) : Root();
  if (looks_like_host) root.address = parser::add_https_scheme(written);
  LocalLink link = link_to(find(list, target.path(), root), target.fragment(), list, written);
  link.may_be_reference = list.has_references && parser::trim_ascii(written).starts_with('#');
  return link;
}

// Returns the components of Antora in the folder of the configuration and beside it. The caller holds the mutex.
const std::vector<AntoraFolder>& LocalLinks::antora_folders(const ListPlace& list) const {
  static const std::vector<AntoraFolder> none;
  if (list.configuration.generator != SiteGenerator::antora) return none;
  const fs::path& own = list.configuration.folder;
  const auto has_own = [&](const std::vector<AntoraFolder>& folders) {
    return std::ranges::find(folders, own, &AntoraFolder::folder) != folders.end();
  };
  if (known_->components.size() >= max_configurations) known_->components.clear();
  if (list.repository != nullptr && own != *list.repository) {
    const auto [beside, is_new] = known_->components.try_emplace((own.parent_path() / "").native());
    if (is_new) beside->second = find_antora_folders(own.parent_path(), repository_around(own));
    if (has_own(beside->second)) return beside->second;
  }
  // The folder has no siblings that may be read, or too many.
  const auto [alone, is_new] = known_->components.try_emplace(own.native());
  if (!is_new) return alone->second;
  if (list.repository != nullptr && own != *list.repository)
    alone->second = known_->components.at((own.parent_path() / "").native());
  if (std::optional<AntoraFolder> folder = read_antora_folder(own, repository_around(own)))
    alone->second.insert(alone->second.begin(), std::move(*folder));
  return alone->second;
}

// Returns the folders of a component, that of the list first.
std::vector<fs::path> LocalLinks::folders_of(const ListPlace& list, const AntoraComponent& component) const {
  const std::scoped_lock lock(known_->mutex);
  std::vector<fs::path> folders;
  for (const AntoraFolder& folder : antora_folders(list)) {
    const bool is_version = component.version.empty() || folder.component.version == component.version;
    if (folder.component.name != component.name || !is_version) continue;
    folders.insert(folder.folder == list.configuration.folder ? folders.begin() : folders.end(), folder.folder);
  }
  return folders;
}

// Returns true if the folder of a component has the resource.
bool LocalLinks::has_resource(const ListPlace& list, const fs::path& component, const fs::path& resource) const {
  LinkedFile file;
  file.folders = list.folders;
  file.repository = list.repository;
  const std::scoped_lock lock(known_->mutex);
  return std::ranges::any_of(antora_paths(resource), [&](const fs::path& path) {
    return inspect(file, component / path).type != fs::file_type::not_found;
  });
}

// Searches the folders that Antora unites with the one that contains the path, and its old layout.
void LocalLinks::search_antora(const ListPlace& list, LinkedFile& file) const {
  if (!is_missing(file.found)) return;
  const std::vector<AntoraFolder>& folders = antora_folders(list);
  const fs::path linked = file.path;
  const auto own =
      std::ranges::find_if(folders, [&](const AntoraFolder& folder) { return is_below(folder.folder, linked); });
  if (own == folders.end()) return;
  const std::vector<fs::path> paths = antora_paths(linked.lexically_relative(own->folder));
  const auto take = [&](const AntoraFolder& folder) {
    return std::ranges::any_of(paths, [&](const fs::path& path) { return take_source(folder.folder / path, file); });
  };
  if (take(*own)) return;
  for (const AntoraFolder& folder : folders)
    if (folder.component == own->component && &folder != &*own && take(folder)) return;
}

// Returns a link that is not checked, because its component is unknown.
LocalLink LocalLinks::foreign_link(const AntoraComponent& component, std::string_view written) const {
  LinkedFile elsewhere;
  elsewhere.name = intern_path(written);
  elsewhere.set(
      &RarePaths::foreign,
      intern_path(fmt::format("the Antora component \"{}\" was not found beside this one", describe(component))));
  LocalLink link;
  link.file = std::make_shared<const LinkedFile>(std::move(elsewhere));
  return link;
}

std::optional<LocalLink> LocalLinks::look_up_page(const ListPlace& list, const Url& target, std::string_view written) {
  const SiteMapping* site = nullptr;
  std::string_view path;
  for (const SiteMapping& own : options_.sites) {
    const std::optional<std::string_view> below = path_in_site(own, target);
    if (!below || (site != nullptr && below->size() >= path.size())) continue;
    site = &own;
    path = *below;
  }
  if (site == nullptr) return std::nullopt;
  Root root = root_of(list, path);
  if (!site->folder.empty()) root = {.folder = full_path(site->folder)};
  if (!root.exists) return std::nullopt;
  const bool is_guess = !root.is_known || root.in_repository;
  root.is_known = root.is_of_pages = true;
  root.in_repository = is_guess;
  const std::shared_ptr<const LinkedFile> file = find(list, path, root);
  const bool exists = file->found.type == fs::file_type::regular || !file->rare_paths().index.empty();
  if (is_guess && !exists && file->rare_paths().removed.empty()) return std::nullopt;
  return link_to(file, target.fragment(), list, written);
}

LocalLink LocalLinks::link_to(std::shared_ptr<const LinkedFile> file, std::string_view fragment, const ListPlace& list,
                              std::string_view written) const {
  LocalLink link;
  link.file = std::move(file);
  link.fragment = fragment_to_check(*link.file, fragment);
  if (changes_ == nullptr) return link;
  link.list = list.path.native();
  link.written = written;
  return link;
}

bool LocalLinks::lacks_file(const LocalLink& link) {
  return link.file != nullptr && link.file->found.type == fs::file_type::not_found;
}

LocalLink LocalLinks::with_fragment(const LocalLink& link, std::string_view fragment) const {
  LocalLink other;
  other.file = link.file;
  other.fragment = fragment_to_check(*link.file, fragment);
  return other;
}

// Returns the fragment that must be checked. Empty if it does not matter.
std::string_view LocalLinks::fragment_to_check(const LinkedFile& file, std::string_view fragment) const {
  const bool is_file = file.found.type == fs::file_type::regular && file.rare_paths().source.empty();
  const bool has_text = is_file || !file.rare_paths().index.empty();
  return options_.anchors && has_text && file.is_root_known ? fragment : std::string_view();
}

// Returns what exists at the path, including files that only git has.
FoundFile LocalLinks::inspect(const LinkedFile& file, const fs::path& path) const {
  FoundFile found = file.folders->inspect(path);
  if (!is_missing(found) || file.repository == nullptr) return found;
  const auto [known, is_new] = known_->absent.try_emplace(file.repository->string(), *file.repository);
  const FilesOnlyInGit::Kind kind = known->second.at(path);
  found.absent = kind != FilesOnlyInGit::Kind::none;
  if (kind == FilesOnlyInGit::Kind::file) found.type = fs::file_type::regular;
  if (kind == FilesOnlyInGit::Kind::folder) found.type = fs::file_type::directory;
  return found;
}

// Fills in what exists at the path, or at the paths of fallback extensions and index files.
void LocalLinks::resolve_path(LinkedFile& file) const {
  const auto take = [&](const fs::path& path) {
    file.found = inspect(file, path);
    const bool exists = file.found.type != fs::file_type::not_found;
    if (exists) file.path = intern_path(path.native());
    const bool may_be_removed = is_missing(file.found) && changes_ != nullptr && file.rare_paths().removed.empty();
    if (may_be_removed && changes_->existed_at_base(path)) file.set(&RarePaths::removed, intern_path(path.native()));
    return exists;
  };
  if (!take(file.path)) {
    const fs::path bare = file.path;
    const FoundFile first = file.found;
    const bool any = std::ranges::any_of(options_.fallback_extensions, [&](const std::string& extension) {
      return take(bare.string() + "." + extension);
    });
    if (!any) file.found = first;
  }
  if (file.found.type != fs::file_type::directory) return;
  const fs::path folder = file.path;
  if (options_.index_files.empty()) {  // any folder is accepted; servers and code hosts show one of these files
    for (const char* const name : {"index.html", "index.htm", "index.md", "index.mdx", "README.md"}) {
      if (inspect(file, folder / name).type != fs::file_type::regular) continue;
      file.set(&RarePaths::index, intern_path((folder / name).native()));
      break;
    }
    return;
  }
  const bool has_index = std::ranges::any_of(
      options_.index_files, [&](const std::string& name) { return name != "." && take(folder / name); });
  if (!has_index && std::ranges::find(options_.index_files, ".") != options_.index_files.end()) {
    file.found = {.type = fs::file_type::directory};
  } else if (!has_index) {
    file.path = intern_path((folder / options_.index_files.front()).native());
    file.found = {};
  }
}

void LocalLinks::resolve_wikilink(const ListPlace& list, parser::LinkOccurrence& occurrence) {
  const bool is_vault = list.configuration.generator == SiteGenerator::obsidian;
  const fs::path& around = list.repository != nullptr ? *list.repository : list.full.parent_path();
  wiki_.resolve(list.full, is_vault ? list.configuration.folder : around, is_vault, occurrence);
}

parser::ReadInclude LocalLinks::include_reader_of(const ListPlace& list) {
  const bool can_include = list.may_be_included && list.base && list.folders != nullptr;
  return can_include ? include_reader(list.full, *list.folders) : parser::ReadInclude();
}

void LocalLinks::resolve_site_alias(const ListPlace& list, parser::LinkOccurrence& occurrence) {
  constexpr std::string_view alias = "@site/";
  if (list.configuration.generator != SiteGenerator::docusaurus || !occurrence.url.starts_with(alias)) return;
  const std::optional<Url> folder = url_of_file(list.configuration.folder / "");
  if (!folder) return;
  const Result<Url> file = Url::parse("./" + occurrence.url.substr(alias.size()), *folder);
  if (!file) return;
  occurrence.href = file->href();
  // these notes apply to the alias, which was read as a URL
  std::erase_if(occurrence.notes, [](parser::LinkNote note) {
    return note == parser::LinkNote::placeholder || note == parser::LinkNote::relative ||
           note == parser::LinkNote::missing_scheme;
  });
}

void LocalLinks::resolve_include(const ListPlace& list, parser::LinkOccurrence& occurrence) {
  const std::string_view written = occurrence.url;
  const bool is_alias = written.starts_with('@');  // an alias of VitePress
  if (parser::has_placeholder(written.substr(is_alias ? 1 : 0)) || written.find("://") != std::string_view::npos)
    return;
  IncludeTargets targets;
  {
    const std::scoped_lock lock(known_->mutex);
    const IncludeDirective directive{occurrence.text, occurrence.url, list.full, list.repository};
    const SiteRoots& roots = roots_of(list);  // must precede text_of(), because it may clear the cached texts
    targets = find_include_targets(directive, list.configuration, text_of(list.configuration), roots);
  }
  const auto exists = [&list](const fs::path& file) {
    return list.folders->inspect(file).type != fs::file_type::not_found;
  };
  std::optional<fs::path> found;
  if (const auto file = std::ranges::find_if(targets.files, exists); file != targets.files.end()) found = *file;
  for (const std::string& page : targets.pages) {
    if (!found) found = wiki_.find(targets.folder, list.full, page);
  }
  if (!found && targets.is_certain && list.repository != nullptr) {
    const std::scoped_lock lock(known_->mutex);
    const bool is_document = occurrence.text == "toctree" || occurrence.text == "doc";
    targets.is_certain = std::ranges::none_of(targets.files, [&](const fs::path& file) {
      return (!is_document || is_document_of_sphinx(file, text_of(list.configuration))) &&
             known_->is_ignored(*list.repository, file);
    });
  }
  std::erase_if(occurrence.notes, [](parser::LinkNote note) { return note != parser::LinkNote::wrapped_line; });
  const std::optional<Url> url = found || (targets.is_certain && !targets.files.empty())
                                     ? url_of_file(found ? *found : targets.files.front())
                                     : std::nullopt;
  if (!url) {
    occurrence.href.clear();
    occurrence.notes.push_back(parser::LinkNote::placeholder);
    return;
  }
  occurrence.href = url->href();
  if (!targets.fragment.empty()) occurrence.href.append(1, '#').append(targets.fragment);
}

bool LocalLinks::resolve(const ListPlace& list, parser::LinkOccurrence& occurrence) {
  const std::string before = occurrence.href;
  switch (occurrence.element) {
    case parser::LinkElement::wikilink: resolve_wikilink(list, occurrence); break;
    case parser::LinkElement::include: resolve_include(list, occurrence); break;
    default: resolve_site_alias(list, occurrence);
  }
  return occurrence.href != before;
}

void LocalLinks::keep_anchors(const ListPlace& list, parser::DocumentFormat format, parser::AnchorSet anchors) {
  const bool has_room = known_->anchors.size() < max_files && known_->anchor_count + anchors.size() <= max_anchors;
  if (!has_room || !parser::has_known_anchors(format)) return;  // the file is read again if a link needs it
  // A file that only an option declares to be AsciiDoc has no known anchors: see linked_text().
  if (format == parser::DocumentFormat::asciidoc && !is_asciidoc(list.full)) return;
  known_->anchor_count += anchors.size();
  known_->anchors.insert_or_assign(known_->intern(list.full.native()), std::move(anchors));
}

parser::SiteGenerator LocalLinks::generator_of(const fs::path& file) {
  const auto format = parser::prose_format_for_extension(file.filename().string());
  if (!format || !parser::is_markdown(*format)) return SiteGenerator::none;
  Seed list;
  list.path = file;
  list.format = *format;
  return document_of(list).dialect;
}

LocalLinks::AnchorStatus LocalLinks::find_anchor(std::string_view file, std::string_view fragment,
                                                 std::string& suggestion) {
  if (needs_no_anchor(fragment)) return AnchorStatus::found;
  if (known_->anchors.size() >= max_files || known_->anchor_count >= max_anchors) {
    known_->anchors.clear();
    known_->anchor_count = 0;
  }
  const auto [known, is_new] = known_->anchors.try_emplace(known_->intern(file));
  if (is_new) {
    if (const auto read = read_linked_text(file))
      known->second.emplace(parser::find_anchors(read->text, read->format, generator_of(fs::path(file))), read->format);
    if (known->second) known_->anchor_count += known->second->size();
  }
  if (!known->second || known->second->has(fragment)) return AnchorStatus::found;
  const bool may_compare = hints_.may_compare(known->second->size());
  const auto known_missing = known_->missing_anchors.find(std::string(file));
  if (known_missing != known_->missing_anchors.end() && (known_missing->second.has_generated || !may_compare))
    return known_missing->second.has_generated ? AnchorStatus::maybe_generated : AnchorStatus::missing;
  const MissingAnchorFile& anchor_file = read_missing_anchor_file(file);
  if (anchor_file.has_generated) return AnchorStatus::maybe_generated;
  if (anchor_file.is_read && may_compare)
    suggestion = hints_.for_anchor(fragment, anchor_file.anchors, anchor_file.size);
  return AnchorStatus::missing;
}

LocalLinks::AnchorStatus LocalLinks::find_anchor_in_document(const LinkedFile& file, const fs::path& text,
                                                             std::string_view fragment) const {
  const fs::path top = top_of_documents(text, file.repository);
  switch (documents_->has_anchor(text, fragment, top, *file.folders)) {
    case AsciidocDocuments::Answer::yes: return AnchorStatus::found;
    case AsciidocDocuments::Answer::no: return AnchorStatus::missing;
    case AsciidocDocuments::Answer::unknown: break;
  }
  return AnchorStatus::maybe_generated;
}

// Reads the file again, which is rare: few files lack an anchor.
const LocalLinks::MissingAnchorFile& LocalLinks::read_missing_anchor_file(const fs::path& file) {
  if (missing_anchor_file_.path == file) return missing_anchor_file_;
  missing_anchor_file_ = {.path = file};
  const auto read = read_linked_text(file);
  if (!read) return missing_anchor_file_;
  missing_anchor_file_.is_read = true;
  missing_anchor_file_.size = read->text.size();
  if (known_->missing_anchors.size() >= max_files) known_->missing_anchors.clear();
  const auto [known, is_first] = known_->missing_anchors.try_emplace(file.string());
  if (is_first) known->second.has_generated = parser::has_generated_anchors(read->text, read->format);
  if (is_first && known->second.has_generated) known->second.refresh = refresh_in(*read, file);
  missing_anchor_file_.has_generated = known->second.has_generated;
  if (!missing_anchor_file_.has_generated)
    missing_anchor_file_.anchors = parser::find_anchors(read->text, read->format, generator_of(file));
  return missing_anchor_file_;
}

// rustdoc and redirect plugins leave such pages at old addresses; a script appends the fragment.
bool LocalLinks::is_sent_on_to(std::string_view fragment, std::string_view page, const AllowedFolders& folders) {
  constexpr int max_pages = 4;
  fs::path at = page;
  for (int i = 0; i < max_pages; ++i) {
    if (!known_->missing_anchors.contains(at.string())) read_missing_anchor_file(at);
    const auto known = known_->missing_anchors.find(at.string());
    if (known == known_->missing_anchors.end() || known->second.refresh.empty()) return false;
    at = known->second.refresh;
    FoundFile found = folders.inspect(at);
    if (found.type == fs::file_type::directory) found = folders.inspect(at /= "index.html");
    if (found.type != fs::file_type::regular) return false;
    std::string suggestion;
    const AnchorStatus status = find_anchor(at.native(), fragment, suggestion);
    if (status != AnchorStatus::maybe_generated) return status == AnchorStatus::found;
  }
  return false;
}

void LocalLinks::attribute_to_change(const LocalLink& link, storage::Verdict& verdict) const {
  if (changes_ == nullptr) return;
  std::string cause;
  const fs::path removed = link.file->rare_paths().removed;
  if (!removed.empty()) {
    const std::optional<fs::path> renamed = changes_->later_path(removed);
    cause = renamed ? fmt::format("renames {} to {}", reported_name(removed), reported_name(*renamed))
                    : fmt::format("removes {}", reported_name(removed));
  } else if (const std::optional<fs::path> former = changes_->former_path(link.list)) {
    Seed moved;
    moved.path = *former;
    const std::optional<Url> base = base_of(moved);
    if (!base) return;
    const Result<Url> target = Url::parse(link.written, *base);
    if (target.has_error() || !changes_->existed_at_base(parser::percent_decode(target->path()))) return;
    cause = fmt::format("moves the document from {}", reported_name(*former));
  } else {
    return;
  }
  verdict.rule = storage::broken_by_change_rule;
  verdict.evidence = "broken by this change, which " + cause;
}

void LocalLinks::attribute_to_change(const fs::path& file, std::string_view fragment, storage::Verdict& verdict) {
  if (changes_ == nullptr) return;
  if (known_->former_anchors.size() >= max_files) known_->former_anchors.clear();
  const auto [known, is_new] = known_->former_anchors.try_emplace(file.string());
  if (is_new) {
    const fs::path former = changes_->former_path(file).value_or(file);
    const std::optional<std::string> bytes = changes_->bytes_of(former, max_file_bytes);
    const std::optional<LinkedText> read = bytes ? linked_text(*bytes, former) : std::nullopt;
    if (read) known->second.emplace(parser::find_anchors(read->text, read->format, generator_of(file)), read->format);
  }
  if (!known->second || !known->second->has(fragment)) return;
  verdict.rule = storage::broken_by_change_rule;
  verdict.evidence = fmt::format("broken by this change, which removes the anchor \"{}\" from {}",
                                 shown_anchor(fragment), reported_name(file));
}

storage::Verdict LocalLinks::evaluate_missing(const LocalLink& link) {
  const LinkedFile& file = *link.file;
  if (file.found.outside) {
    return without_request(Health::skipped, storage::reason::outside_root, "file",
                           fmt::format("{} is outside the folder or repository of the document", file.name));
  }
  if (file.found.error) {
    return without_request(Health::skipped, storage::reason::relative_link, "file",
                           fmt::format("{} cannot be read: {}", file.name, file.found.error.message()));
  }
  if (file.found.absent) {
    return without_request(
        Health::skipped, storage::reason::relative_link, "file",
        std::string(file.name) + " is in a submodule that is not checked out: run `git submodule update --init`");
  }
  if (!file.is_root_known) {
    return without_request(Health::skipped, storage::reason::relative_link, "file",
                           "relative to the root of a site: use --root-dir or --base-url");
  }
  if (file.is_of_template) {
    return without_request(Health::skipped, storage::reason::relative_link, "file",
                           "the page is a template: its links are relative to the generated pages");
  }
  if (file.may_be_reference) {
    return without_request(Health::skipped, storage::reason::relative_link, "file",
                           fmt::format("{} is a cross-reference that Sphinx resolves, not a file", file.name));
  }
  storage::Verdict verdict =
      without_request(Health::dead, storage::reason::file_not_found, "file",
                      fmt::format("{} does not exist{}", file.name,
                                  hints_.for_file(file.path, *file.folders, file.rare_paths().address)));
  attribute_to_change(link, verdict);
  if (file.is_of_stylesheet && verdict.rule != storage::broken_by_change_rule)
    return unsure(
        storage::reason::file_not_found, "file",
        std::string(file.name) + " does not exist; the folder of the stylesheet in the generated site is unknown");
  if (file.may_be_built && verdict.rule != storage::broken_by_change_rule)
    return unsure(storage::reason::file_not_found, "file",
                  std::string(file.name) + " does not exist; the site generator may create it");
  return verdict;
}

bool LocalLinks::exists_with_anchor(const LinkedFile& file, std::string_view fragment) const {
  const bool is_plain = file.rare_paths().machine.empty() && file.rare_paths().foreign.empty() &&
                        !file.is_missing_index_page && file.rare_paths().source.empty() && !file.found.absent &&
                        file.found.type != fs::file_type::not_found && (!file.is_of_template || fragment.empty());
  if (!is_plain || needs_no_anchor(fragment)) return is_plain;
  const auto known = known_->anchors.find(file.page_index);
  return known != known_->anchors.end() && (!known->second || known->second->has(fragment));
}

storage::Verdict LocalLinks::alive_verdict(const LinkedFile& file, std::string_view fragment) {
  return without_request(Health::alive, storage::reason::ok, fragment.empty() ? "file" : "anchor",
                         fmt::format("{} exists", file.name));
}

std::uint32_t LocalLinks::index_of(const LinkedFile& file) { return file.path_index; }

storage::Verdict LocalLinks::evaluate(const LocalLink& link) {
  const LinkedFile& file = *link.file;
  if (exists_with_anchor(file, link.fragment)) return alive_verdict(file, link.fragment);
  if (!file.rare_paths().machine.empty()) {
    return without_request(Health::skipped, storage::reason::unsupported_scheme, "scheme",
                           "a file on another machine, " + std::string(file.rare_paths().machine));
  }
  if (!file.rare_paths().foreign.empty()) {
    return without_request(Health::skipped, storage::reason::relative_link, "file",
                           std::string(file.rare_paths().foreign));
  }
  if (!file.rare_paths().source.empty()) {
    return unsure(
        storage::reason::file_not_found, "file",
        fmt::format("{} does not exist, but {} does: only a site generator creates a page with that name from it",
                    file.name, reported_name(file.rare_paths().source)));
  }
  if (file.found.type == fs::file_type::not_found) return evaluate_missing(link);
  if (file.is_missing_index_page) {
    return unsure(storage::reason::file_not_found, "file",
                  fmt::format("{} has no index page; other folders of the site have one", file.name));
  }
  std::string suggestion;
  if (file.is_of_template && !link.fragment.empty()) {
    return without_request(Health::alive, storage::reason::ok, "file",
                           fmt::format("{} exists; the anchors of a template are unknown", file.name));
  }
  if (file.found.absent) {
    return without_request(Health::alive, storage::reason::ok, "file",
                           fmt::format("git tracks {}, but it is not in this working tree", file.name));
  }
  const std::string_view text = file.page();
  AnchorStatus status = find_anchor(text, link.fragment, suggestion);
  if (status == AnchorStatus::maybe_generated && is_sent_on_to(link.fragment, text, *file.folders))
    status = AnchorStatus::found;
  if (status == AnchorStatus::missing && is_asciidoc(text)) status = find_anchor_in_document(file, text, link.fragment);
  if (status == AnchorStatus::found) return alive_verdict(file, link.fragment);
  const std::string missing = fmt::format("{} has no anchor \"{}\"", reported_name(text), shown_anchor(link.fragment));
  if (status == AnchorStatus::missing && link.may_be_reference) {
    return without_request(Health::skipped, storage::reason::relative_link, "anchor",
                           missing + ": a cross-reference that Sphinx resolves");
  }
  storage::Verdict verdict;
  if (status == AnchorStatus::missing && !file.is_source) {
    verdict = without_request(Health::dead, storage::reason::anchor_not_found, "anchor", missing + suggestion);
  } else {
    const char* const maker = is_page(text)       ? "; its scripts may create one"
                              : is_asciidoc(text) ? "; an included or including file may have it"
                                                  : "; the site generator may create one";
    verdict = unsure(storage::reason::anchor_not_found, "anchor", missing + maker);
  }
  attribute_to_change(text, link.fragment, verdict);
  return verdict;
}

}  // namespace linkherd::crawler
