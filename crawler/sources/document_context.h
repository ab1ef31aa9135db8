// The context of the links of an input document: its folders, its site, and the generator that makes pages of it.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "crawler/sources/allowed_folders.h"
#include "crawler/sources/generators/site_catalog.h"
#include "crawler/sources/local_link_options.h"
#include "crawler/sources/source.h"
#include "parser/lists/extract_links.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// Shows whether a site generator makes a page of the document.
enum class IsPageSource : std::uint8_t { no, maybe, yes };

// The data that all links of an input document share.
struct DocumentContext {
  std::filesystem::path path{};  // the path as given
  std::filesystem::path full{};
  const std::filesystem::path* repository = nullptr;  // null if the document is in no repository
  std::filesystem::path site{};                       // see InputDocument::site
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
  IsPageSource is_page_source = IsPageSource::no;  // see find_linked_file()

  // Returns the text of the document `list`, with the dialect to read it in. Refers to the text of `list`.
  parser::DocumentText text_of(const InputDocument& list) const {
    return {list.file, list.text, list.format, dialect, has_math, parses_block_html};
  }
};

// Returns the file URL of an absolute path.
std::optional<parser::Url> url_of_file(const std::filesystem::path& full);

// Returns the folder below which documents may include the file: its repository, or without one its own folder or one
// at most three levels above. `repository` may be null.
std::filesystem::path top_of_documents(const std::filesystem::path& file, const std::filesystem::path* repository);

// Returns the repository of a folder, or else the current folder. Nullopt if the folder is in neither. `repository` may
// be null.
std::optional<std::filesystem::path> folder_around(const std::filesystem::path& own,
                                                   const std::filesystem::path* repository);

// Finds the folders and sites of documents. The documents of a folder share what is found. Not thread-safe.
class DocumentContexts {
 public:
  // The arguments must outlive this object.
  DocumentContexts(const LocalLinkOptions& options, SiteCatalog& sites) : options_(options), sites_(sites) {}

  DocumentContext of(const InputDocument& list);

 private:
  struct Folder {
    std::optional<std::filesystem::path> repository{};
    std::filesystem::path site{};
    const AllowedFolders* open = nullptr;
    std::optional<SiteConfiguration> configuration{};  // nullopt if not yet read

    const std::filesystem::path* repository_or_null() const { return repository ? &*repository : nullptr; }
  };

  const AllowedFolders& allowed_folders(const std::filesystem::path& own, const std::filesystem::path* repository,
                                        const std::filesystem::path& site);

  const LocalLinkOptions& options_;
  SiteCatalog& sites_;
  std::deque<AllowedFolders> allowed_;
  std::unordered_map<std::string, AllowedFolders> shared_;  // by repository and site; see allowed_folders()
  std::unordered_map<std::string, Folder> folders_;         // by the folder and the site of the document
};

}  // namespace linkherd::crawler
