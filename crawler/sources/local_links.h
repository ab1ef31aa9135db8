// Checks links to local files without the network: whether the file exists and has the anchor. Opens only the linked
// file, and only for its anchors.
//
// Documents are untrusted, so only these folders may be accessed; symbolic links that lead outside are not followed:
// - the repository of the document;
// - without a repository: the current folder, or the folder of the document if that is not below the current folder;
// - the site of the document, and the folders of --root-dir and of site mappings.
//
// A link is checked in two steps. look_up() finds the file of a link; several threads call it. evaluate() makes the
// verdict when the anchors of the file are known: for some links at once, for the others after all documents have been
// read. The main mechanisms are:
// - File cache: the file of a path is kept, with the properties of the document that change the meaning of the path
//   (folders, site, generator). So the documents of a folder that link to one page need one look-up, unless their own
//   path matters (includes, page sources). Files that change afterwards are not read again.
// - Site rules: if no file exists at the path, the generator of the document decides. "guide/" and "guide.html" are
//   made of guide.md. "/x" is below the folders of site_roots.h. A page that the generator may create is suspect
//   instead of dead.
// - Anchors: the anchors of documents are kept when the documents are read. Another file is read once, for its first
//   anchor. Anchors that scripts or generators may create make the link suspect instead of dead.
//
// Example: the MkDocs site in /r has a link "guide/#install" in docs/index.md. There is no /r/docs/guide/, so its
// source /r/docs/guide.md is the linked file. If the file has the heading "Installation" but no "Install", the verdict
// is dead with the evidence `docs/guide.md has no anchor "install"`. Files that git tracks but that are not in the
// working tree count as existing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/allowed_folders.h"
#include "crawler/sources/antora_components.h"
#include "crawler/sources/asciidoc_documents.h"
#include "crawler/sources/file_hints.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/site_generators.h"
#include "crawler/sources/site_roots.h"
#include "crawler/sources/source.h"
#include "crawler/sources/wiki_pages.h"
#include "parser/lists/anchors.h"
#include "parser/lists/extract_links.h"
#include "parser/url/url.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// A site whose pages are checked as files: a link to one of its pages is a link to a file.
struct SiteMapping {
  parser::Url url;
  std::string folder{};  // folder that contains its pages; empty for the folder of "/x" targets
};

// Returns the path of a page below the site ("/guide/"), or nullopt if the page is not on the site. Ignores scheme,
// login, query and fragment.
std::optional<std::string_view> path_in_site(const SiteMapping& site, const parser::Url& page);

struct LocalLinkOptions {
  std::string root_dir{};  // root of "/x" targets; empty for the site or repository of the document
  // a folder must have one of these files; "." accepts any folder; empty for no check
  std::vector<std::string> index_files{};
  std::vector<std::string> fallback_extensions{};  // tried if a file does not exist: "html" for "page"
  bool anchors = true;                             // true if fragments are checked too
  std::vector<SiteMapping> sites{};
};

// Shows whether a site generator makes a page of the document.
enum class IsPageSource : std::uint8_t { no, maybe, yes };

// What all links of an input document share.
struct ListPlace {
  std::filesystem::path path{};  // the path as given
  std::filesystem::path full{};
  const std::filesystem::path* repository = nullptr;  // null if the document is in no repository
  std::filesystem::path site{};                       // see Seed::site
  std::optional<parser::Url> base{};                  // base URL of relative links
  const AllowedFolders* folders = nullptr;
  bool has_base_element = false;      // true if it has a <base>, which may point elsewhere
  bool is_template = false;           // true for a page that a program fills in: the folder of its pages is unknown
  bool is_stylesheet = false;         // true for a stylesheet without a known site: its folder in the site is unknown
  SiteConfiguration configuration{};  // configuration of the generator that makes pages of the document
  SiteGenerator dialect = SiteGenerator::none;  // the generator whose Markdown dialect the document has
  bool has_math = true;                         // see parser::DocumentText
  bool parses_block_html = false;               // the same applies here
  bool has_references = false;                  // a target that is not a file may be a cross-reference of Sphinx
  bool may_be_included = false;  // paths may be relative to a document above that includes this one, as in AsciiDoc
  IsPageSource is_page_source = IsPageSource::no;  // see LocalLinks::find_source()

  // Returns the text of the document `list`, with the dialect to read it in. Refers to the text of `list`.
  parser::DocumentText text_of(const Seed& list) const {
    return {list.file, list.text, list.format, dialect, has_math, parses_block_html};
  }
};

struct LinkedFile;

// A link whose file was looked up.
struct LocalLink {
  std::shared_ptr<const LinkedFile> file{};
  std::string fragment{};         // empty if it need not be checked
  bool may_be_reference = false;  // the fragment may be a label of Sphinx, which is valid on all pages
  // The document and the target of the first occurrence. Empty unless a change is checked.
  std::string list{};
  std::string written{};

  // The name of the file in reports, without and with the fragment. Links with equal names are the same link.
  std::string_view file_name() const;
  std::string name() const;
};

// Looks up and evaluates links to local files. See the top of this file.
class LocalLinks {
 public:
  // `changes` may be null; otherwise it must outlive this object. If the change removed a file or an anchor, the
  // verdict mentions it: see storage::is_broken_by_change().
  explicit LocalLinks(LocalLinkOptions options, const GitChanges* changes = nullptr);
  ~LocalLinks();
  LocalLinks(const LocalLinks&) = delete;
  LocalLinks& operator=(const LocalLinks&) = delete;

  bool checks_anchors() const { return options_.anchors; }

  // Returns the base URL of relative links in this list, or nullopt if the list is not a file.
  static std::optional<parser::Url> base_of(const Seed& list);

  // Several threads may call document_of(), look_up(), with_fragment() and look_up_page() at once, unless a change is
  // checked.
  ListPlace document_of(const Seed& list);
  // Looks up the file of a link. `target` is the resolved file URL. `written` is the target as written in the list; it
  // may look like a host.
  LocalLink look_up(const ListPlace& list, const parser::Url& target, std::string_view written,
                    bool looks_like_host = false);

  // Returns true if the link leads to a file that does not exist.
  static bool lacks_file(const LocalLink& link);

  // Returns a link to the same file with another fragment, encoded as in a URL.
  LocalLink with_fragment(const LocalLink& link, std::string_view fragment) const;

  // Looks up the file of a page on one of the mapped sites. Returns nullopt for other URLs. Also returns nullopt if the
  // folder of the site's pages is unknown and no file is found.
  std::optional<LocalLink> look_up_page(const ListPlace& list, const parser::Url& target, std::string_view written);

  // Sets the href of a wikilink to a page of the repository, or of the folder if there is no repository. Thread-safe.
  void resolve_wikilink(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // Returns a function that reads the files that an AsciiDoc document includes. Empty for other formats. `list` must
  // outlive it.
  static parser::ReadInclude include_reader_of(const ListPlace& list);

  // Sets the href of a Docusaurus target "@site/x" to a path below the folder of the configuration. Thread-safe.
  static void resolve_site_alias(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // Sets the href of a directive of the list's generator to the file that it names. Thread-safe.
  void resolve_include(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // Calls the function above that fits the occurrence. Returns true if it changed the href: the text as written then
  // does not show the target.
  bool resolve(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // Only one thread at a time may call keep_anchors() and the functions after it.

  // Keeps the anchors of a list, so that its file need not be read again.
  void keep_anchors(const ListPlace& list, parser::DocumentFormat format, parser::AnchorSet anchors);
  // exists_with_anchor() returns true if the file exists and is known to have the anchor. alive_verdict() returns the
  // verdict in this case.
  bool exists_with_anchor(const LinkedFile& file, std::string_view fragment) const;
  static storage::Verdict alive_verdict(const LinkedFile& file, std::string_view fragment);
  // Returns the index of the file's path in the table of paths.
  static std::uint32_t index_of(const LinkedFile& file);
  storage::Verdict evaluate(const LocalLink& link);

 private:
  struct Known;
  // The folder that contains the path of a link.
  struct Root {
    std::optional<std::filesystem::path> folder{};  // nullopt: the path is a path of the file system
    bool exists = true;                             // false: the folder does not exist
    bool is_known = true;                           // false: the folder is a guess
    bool in_repository = false;                     // also search the folders on the way to the list
    bool is_of_generator = false;  // also search the folders that a generator copies to the root of its site
    bool is_of_pages = false;      // the folder of a mapped site, whose pages may be made of sources
    std::string address{};         // web address that was meant if the file does not exist; may be empty
  };
  enum class AnchorStatus { found, missing, maybe_generated };
  // The last file that lacked an anchor. The next missing anchor is usually of the same file.
  struct MissingAnchorFile {
    std::filesystem::path path{};
    bool is_read = false;                // false: the file can no longer be read
    bool has_generated = false;          // true if it has anchors that are not in its text
    std::size_t size = 0;                // size of its text in bytes
    std::vector<std::string> anchors{};  // empty if some are generated
  };

  static bool leaves_by_base(const ListPlace& document, const parser::Url& target, std::string_view written);
  const AllowedFolders& folders_of(const std::filesystem::path& folder, const std::filesystem::path* repository,
                                   const std::filesystem::path& site);
  Root root_of(const ListPlace& list, std::string_view path) const;
  std::string_view intern_path(std::string_view path) const;
  std::shared_ptr<const LinkedFile> find(const ListPlace& list, std::string_view path, const Root& root);
  void search_alternatives(const ListPlace& list, std::string_view path, const Root& root, LinkedFile& file) const;
  const std::vector<AntoraFolder>& antora_folders(const ListPlace& list) const;
  std::vector<std::filesystem::path> folders_of(const ListPlace& list, const AntoraComponent& component) const;
  bool has_resource(const ListPlace& list, const std::filesystem::path& component,
                    const std::filesystem::path& resource) const;
  void search_antora(const ListPlace& list, LinkedFile& file) const;
  LocalLink foreign_link(const AntoraComponent& component, std::string_view written) const;
  LocalLink link_to(std::shared_ptr<const LinkedFile> file, std::string_view fragment, const ListPlace& list,
                    std::string_view written) const;
  std::string_view fragment_to_check(const LinkedFile& file, std::string_view fragment) const;
  void find_in_root(const Root& root, LinkedFile& file) const;
  FoundFile inspect(const LinkedFile& file, const std::filesystem::path& path) const;
  bool has_index_beside(const ListPlace& list, const LinkedFile& file) const;
  bool names_no_folder(const ListPlace& list, const LinkedFile& file) const;
  void resolve_path(LinkedFile& file) const;
  void search_folders_of(const ListPlace& list, const Root& root, LinkedFile& file) const;
  void search_site_of(const ListPlace& list, std::string_view path, LinkedFile& file) const;
  void search_vault(const ListPlace& list, LinkedFile& file) const;
  void search_originals(const ListPlace& list, LinkedFile& file) const;
  const SiteRoots& roots_of(const ListPlace& list) const;
  void search_parent_folders(const ListPlace& list, LinkedFile& file) const;
  void search_including_documents(const ListPlace& list, LinkedFile& file) const;
  static std::filesystem::path top_of_documents(const std::filesystem::path& file,
                                                const std::filesystem::path* repository);
  bool may_be_built(const ListPlace& list, std::string_view path, const LinkedFile& file) const;
  bool is_in_missing_module(const std::filesystem::path& component, const LinkedFile& file) const;
  bool may_be_built_page(const ListPlace& list, const LinkedFile& page) const;
  const std::string& text_of(const SiteConfiguration& configuration) const;
  void find_template(LinkedFile& file) const;
  bool find_extra(const SiteConfiguration& configuration, LinkedFile& file) const;
  bool take_source(const std::filesystem::path& path, LinkedFile& file) const;
  bool find_source(std::string_view page, LinkedFile& file) const;
  void find_source(const ListPlace& list, LinkedFile& file) const;
  storage::Verdict evaluate_missing(const LocalLink& link);
  // Returns the generator that makes a page of a Markdown file.
  parser::SiteGenerator generator_of(const std::filesystem::path& file);
  // Searches for the anchor in the file. `suggestion` receives "; did you mean #install?" or an empty text.
  AnchorStatus find_anchor(std::string_view file, std::string_view fragment, std::string& suggestion);
  // The same for an AsciiDoc file that lacks the anchor: the files that it includes, or documents that include it, may
  // have it.
  AnchorStatus find_anchor_in_document(const LinkedFile& file, const std::filesystem::path& text,
                                       std::string_view fragment) const;
  const MissingAnchorFile& read_missing_anchor_file(const std::filesystem::path& file);
  // Returns true if the page only sends its readers on to another page that has the anchor. The anchors of the page
  // itself may be generated.
  bool is_sent_on_to(std::string_view fragment, std::string_view page, const AllowedFolders& folders);
  // Mention the change in the verdict of a missing file, or of an anchor that a file lacks.
  void attribute_to_change(const LocalLink& link, storage::Verdict& verdict) const;
  void attribute_to_change(const std::filesystem::path& file, std::string_view fragment, storage::Verdict& verdict);

  LocalLinkOptions options_;
  const GitChanges* changes_;
  std::filesystem::path here_;
  mutable WikiPages wiki_;
  std::unique_ptr<AsciidocDocuments> documents_ = std::make_unique<AsciidocDocuments>();
  std::unique_ptr<Known> known_;  // everything that was found about lists and files
  MissingAnchorFile missing_anchor_file_;
  FileHints hints_;
};

}  // namespace linkherd::crawler
