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

// Returns the linked file. If no file exists at the path, the rules of the document's generator and format decide.
// `target` is the path of the URL.
std::shared_ptr<LinkedFile> find_linked_file(FileKnowledge& known, const DocumentContext& context,
                                             const TargetRoot& root, std::string_view target);

}  // namespace linkherd::crawler
