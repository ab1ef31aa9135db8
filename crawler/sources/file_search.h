// Searches for the file that a link leads to.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/document_context.h"
#include "crawler/sources/file_cache.h"
#include "crawler/sources/generators/asciidoc_documents.h"
#include "crawler/sources/generators/site_catalog.h"
#include "crawler/sources/generators/wiki_pages.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/linked_file.h"
#include "crawler/sources/local_link_options.h"

namespace linkherd::crawler {

struct GeneratorRules;
struct MissingFile;

// The data that all searches share. Everything except `cache` and `sites` may be used without the mutex.
struct FileKnowledge {
  LocalLinkOptions options;
  const GitChanges* changes = nullptr;  // see LocalLinks; may be null
  std::filesystem::path here;           // the current folder
  LinkedFiles files{};
  WikiPages wiki{};
  AsciidocDocuments documents{};
  std::mutex mutex{};
  FileCache cache{};
  SiteCatalog sites{};

  // Returns what the rules of a generator may use. `document` must outlive it. The caller holds the mutex.
  MissingFile missing_file(const DocumentContext& context, std::string_view target, std::filesystem::path path,
                           bool is_root_relative);
};

// The folder that contains the path of a link.
struct TargetRoot {
  std::optional<std::filesystem::path> folder{};  // nullopt: the path is a path of the file system
  bool exists = true;                             // false: the folder does not exist
  bool is_known = true;                           // false: the folder is a guess
  bool in_repository = false;                     // also search the folders on the way to the document
  bool is_of_generator = false;  // also search the folders that a generator copies to the root of its site
  bool is_of_pages = false;      // the folder of a mapped site, whose pages may be made of sources
  std::string address{};         // web address that was meant if the file does not exist; may be empty
};

// One search. If no file exists at the path, the rules of the document's generator and format decide, in the order of
// search_alternatives().
class FileSearch {
 public:
  // `target` is the path of the URL. The arguments must outlive this object.
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

}  // namespace linkherd::crawler
