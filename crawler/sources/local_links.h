// Checks links to local files without the network: whether the file exists and has the anchor. Opens only the linked
// file, and only for its anchors. Lists are untrusted, so nothing is accessed outside of the repository of the list,
// or, outside of repositories, of the current folder (or the folder of a list that is not below it), and of the list's
// site and --root-dir. Symbolic links that lead outside are not followed. What git tracks without having it in the
// working tree is there. The links of a list are looked up first, by several threads; they are judged when the
// anchors of what they lead to are known: some at once, the others when all lists were read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/asciidoc_documents.h"
#include "crawler/sources/file_hints.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/open_folders.h"
#include "crawler/sources/site_generators.h"
#include "crawler/sources/site_roots.h"
#include "crawler/sources/source.h"
#include "crawler/sources/wiki_pages.h"
#include "parser/lists/anchors.h"
#include "parser/url/url.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// A site of one's own: links to its pages are links to files.
struct SiteMapping {
  parser::Url url;
  std::string folder{};  // that its pages are below; empty: where "/x" targets are
};

// Returns the path of a page below the site ("/guide/"), or nullopt if it is not of the site. Scheme, login, query and
// fragment do not matter.
std::optional<std::string_view> path_in_site(const SiteMapping& site, const parser::Url& page);

struct LocalLinkOptions {
  std::string root_dir{};                  // the root of "/x" targets; empty: the list's site or repository
  std::vector<std::string> index_files{};  // a folder must have one of these; "." is the folder itself; empty: no check
  std::vector<std::string> fallback_extensions{};  // tried if a file does not exist: "html" for "page"
  bool anchors = true;                             // also check fragments
  std::vector<SiteMapping> sites{};
};

// Whether a generator of sites makes a page of a list.
enum class IsPageSource : std::uint8_t { no, maybe, yes };

// What all links of a list share.
struct ListPlace {
  std::filesystem::path path{};  // as the list names itself
  std::filesystem::path full{};
  const std::filesystem::path* repository = nullptr;  // null: in none
  std::filesystem::path site{};                       // see Seed
  std::optional<parser::Url> base{};                  // of relative links
  const OpenFolders* folders = nullptr;
  bool has_base_element = false;                // a <base>, which may lead elsewhere
  bool is_template = false;                     // a page that a program fills in: where its files lie is not known
  bool is_stylesheet = false;                   // of no known site: where the pages have it is not known
  SiteConfiguration configuration{};            // of what makes the pages that it is a source of
  SiteGenerator dialect = SiteGenerator::none;  // whose Markdown the list is
  bool has_math = true;                         // see parser::ListText
  bool has_references = false;                  // what is no file may be a cross reference of Sphinx
  bool may_be_included = false;  // paths may be relative to a document above that includes it, as in AsciiDoc
  IsPageSource is_page_source = IsPageSource::no;  // see find_source()
};

struct LinkedFile;

// A link to a file that was looked up.
struct LocalLink {
  std::shared_ptr<const LinkedFile> file{};
  std::string fragment{};         // empty where it does not matter
  bool may_be_reference = false;  // the fragment: of Sphinx, whose labels are those of all pages
  // Of the first place; only where a change is checked.
  std::string list{};
  std::string written{};

  // The file as named in reports; and with the fragment: equal names are one link.
  std::string_view file_name() const;
  std::string name() const;
};

// What was found at a path is kept: files that change afterwards are not looked at again.
class LocalLinks {
 public:
  // `changes` may be null; it outlives this. Where it has the reason why a file or anchor is not there, the verdict
  // says so: see storage::is_broken_by_change().
  explicit LocalLinks(LocalLinkOptions options, const GitChanges* changes = nullptr);
  ~LocalLinks();
  LocalLinks(const LocalLinks&) = delete;
  LocalLinks& operator=(const LocalLinks&) = delete;

  bool checks_anchors() const { return options_.anchors; }

  // Returns the base URL of relative links in this list, or nullopt if the list is not a file.
  static std::optional<parser::Url> base_of(const Seed& list);

  // The next four may be called by several threads at once, where no change is checked.
  ListPlace document_of(const Seed& list);
  // `target`: the resolved file URL; `written`: the target as written in the list, which may look like a host.
  LocalLink look_up(const ListPlace& list, const parser::Url& target, std::string_view written,
                    bool looks_like_host = false);

  // Returns true if the link leads to a file that does not exist.
  static bool lacks_file(const LocalLink& link);

  // The same file, with a fragment as URLs have it.
  LocalLink with_fragment(const LocalLink& link, std::string_view fragment) const;

  // Of a page of one of our own sites; nullopt for other URLs, and where it is not known which folder has the site's
  // pages, and none is found.
  std::optional<LocalLink> look_up_page(const ListPlace& list, const parser::Url& target, std::string_view written);

  // Sets where a wikilink of the list leads: to a page of its repository, or else of its folder. For any thread.
  void resolve_wikilink(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // Returns the function that reads files included by an AsciiDoc document; empty for other formats. It must not
  // outlive the place.
  static parser::ReadInclude include_reader_of(const ListPlace& list);

  // Sets where "@site/x" of Docusaurus leads: below the folder of its configuration. For any thread.
  static void resolve_site_alias(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // Sets where a directive of the list's generator leads. For any thread.
  void resolve_include(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // Does what the three above do, as far as it is needed. Returns true if it set where the occurrence leads: then what
  // is written does not say that.
  bool resolve(const ListPlace& list, parser::LinkOccurrence& occurrence);

  // The others are called by one thread at a time.

  // The anchors of a list, which has been read anyway.
  void keep_anchors(const ListPlace& list, parser::ListFormat format, parser::AnchorSet anchors);
  // Whether the file is there and known to have the anchor, and the verdict then.
  bool is_there(const LinkedFile& file, std::string_view fragment) const;
  static storage::Verdict verdict_there(const LinkedFile& file, std::string_view fragment);
  // Of the file's path: a small number.
  static std::uint32_t index_of(const LinkedFile& file);
  storage::Verdict evaluate(const LocalLink& link);

 private:
  struct Known;
  // What the path of a link is below.
  struct Root {
    std::optional<std::filesystem::path> folder{};  // nullopt: the path is that of this file system
    bool exists = true;                             // false: there is no such folder
    bool is_known = true;                           // false: the folder is a guess
    bool in_repository = false;                     // also look in the folders on the way to the list
    bool is_of_generator = false;                   // also look where a generator has what is at the root of its site
    bool is_of_pages = false;                       // of an own site, whose pages may be made of sources
    std::string address{};                          // that was meant where there is no such file, or empty
  };
  enum class AnchorStatus { there, missing, maybe_generated };
  // The last file that lacked an anchor; the next one is mostly of the same.
  struct MissingAnchorFile {
    std::filesystem::path path{};
    bool is_read = false;                // false: it cannot be read any more
    bool has_generated = false;          // anchors that are not in its text
    std::size_t size = 0;                // of its text, in bytes
    std::vector<std::string> anchors{};  // empty where some are generated
  };

  static bool leaves_by_base(const ListPlace& document, const parser::Url& target, std::string_view written);
  const OpenFolders& folders_of(const std::filesystem::path& folder, const std::filesystem::path* repository,
                                const std::filesystem::path& site);
  Root root_of(const ListPlace& list, std::string_view path) const;
  std::string_view kept(std::string_view path) const;
  std::shared_ptr<const LinkedFile> find(const ListPlace& list, std::string_view path, const Root& root);
  void look_further(const ListPlace& list, std::string_view path, const Root& root, LinkedFile& file) const;
  LocalLink link_to(std::shared_ptr<const LinkedFile> file, std::string_view fragment, const ListPlace& list,
                    std::string_view written) const;
  std::string_view counted_fragment(const LinkedFile& file, std::string_view fragment) const;
  void look_below(const Root& root, LinkedFile& file) const;
  FoundFile inspect(const LinkedFile& file, const std::filesystem::path& path) const;
  bool has_index_beside(const ListPlace& list, const LinkedFile& file) const;
  bool names_no_folder(const ListPlace& list, const LinkedFile& file) const;
  void look_at(LinkedFile& file) const;
  void look_in_folders_of(const ListPlace& list, const Root& root, LinkedFile& file) const;
  void look_in_site_of(const ListPlace& list, std::string_view path, LinkedFile& file) const;
  const SiteRoots& roots_of(const ListPlace& list) const;
  void look_in_folders_above(const ListPlace& list, LinkedFile& file) const;
  void look_in_including(const ListPlace& list, LinkedFile& file) const;
  static std::filesystem::path top_of_documents(const std::filesystem::path& file,
                                                const std::filesystem::path* repository);
  bool may_be_built(const ListPlace& list, std::string_view path, const LinkedFile& file) const;
  bool may_be_built_page(const ListPlace& list, const LinkedFile& page) const;
  const std::string& text_of(const SiteConfiguration& configuration) const;
  void find_template(LinkedFile& file) const;
  bool find_extra(const SiteConfiguration& configuration, LinkedFile& file) const;
  bool take_source(const std::filesystem::path& path, LinkedFile& file) const;
  bool find_source(std::string_view page, LinkedFile& file) const;
  void find_source(const ListPlace& list, LinkedFile& file) const;
  storage::Verdict evaluate_missing(const LocalLink& link);
  // The generator that makes a page of a Markdown file.
  parser::SiteGenerator generator_of(const std::filesystem::path& file);
  // `suggestion`: of a missing anchor, "; did you mean #install?" or an empty text.
  AnchorStatus look_for(std::string_view file, std::string_view fragment, std::string& suggestion);
  // The same for an AsciiDoc file that lacks the anchor: what it includes, or what includes it, may have it.
  AnchorStatus look_in_document(const LinkedFile& file, const std::filesystem::path& text,
                                std::string_view fragment) const;
  const MissingAnchorFile& read_missing_anchor_file(const std::filesystem::path& file);
  // Whether the page, whose anchors may be generated, only sends its readers on to one that has the anchor.
  bool is_sent_on_to(std::string_view fragment, std::string_view page, const OpenFolders& folders);
  // Of a file that is not there, and of an anchor that a file does not have.
  void attribute_to_change(const LocalLink& link, storage::Verdict& verdict) const;
  void attribute_to_change(const std::filesystem::path& file, std::string_view fragment, storage::Verdict& verdict);

  LocalLinkOptions options_;
  const GitChanges* changes_;
  std::filesystem::path here_;
  WikiPages wiki_;
  std::unique_ptr<AsciidocDocuments> documents_ = std::make_unique<AsciidocDocuments>();
  std::unique_ptr<Known> known_;  // what lists and files were found to be
  MissingAnchorFile missing_anchor_file_;
  FileHints hints_;
};

}  // namespace linkherd::crawler
