// Finds anchors of AsciiDoc documents across include directives. The anchors of a document include those of its parts,
// and a part may refer to anchors of the documents that include it. No file outside of the open folders is read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crawler/sources/allowed_folders.h"
#include "crawler/sources/local_verdict.h"
#include "parser/lists/anchors.h"
#include "parser/lists/found_link.h"
#include "parser/lists/read_include.h"

namespace linkherd::crawler {

// Returns true if the file has the extension of an AsciiDoc document.
bool is_asciidoc(const std::filesystem::path& file);

// Returns a function that reads the files that the list includes, relative to its folder. `folders` must outlive it.
parser::ReadInclude include_reader(const std::filesystem::path& list, const AllowedFolders& folders);

// Reads each document once and keeps its anchors. Thread-safe.
class AsciidocDocuments {
 public:
  // Looks for the anchor in the file, in its included files, and in documents below `top` that include it. Returns
  // maybe_generated if any of them cannot be read.
  AnchorStatus find_anchor(const std::filesystem::path& file, std::string_view fragment,
                           const std::filesystem::path& top, const AllowedFolders& folders);

  // Returns the folders that relative images of the file may be in, according to the documents below `top` that include
  // it.
  std::vector<std::filesystem::path> image_folders(const std::filesystem::path& file, const std::filesystem::path& top,
                                                   const AllowedFolders& folders);

 private:
  struct Document {
    parser::AnchorSet anchors;
    std::vector<parser::IncludedFile> parts;  // with absolute paths
    bool has_unknown = false;

    const parser::IncludedFile* part(const std::filesystem::path& file) const;
  };
  // The include directives of all documents below a folder.
  struct Includes {
    // paths of the including files, by the name of the included file
    std::unordered_map<std::string, std::vector<std::string>> files;
    // for names with attributes ("{lang}/intro.adoc"): the part after the last attribute
    std::vector<std::string> unresolved;
    bool is_complete = true;
  };

  const Document& document_at(const std::filesystem::path& file, const AllowedFolders& folders);
  const Includes& includes_below(const std::filesystem::path& top);
  // Returns the documents that may include the file, directly or through others. Sets `is_complete` to false if there
  // may be more.
  std::vector<std::string> including(const std::filesystem::path& file, const std::filesystem::path& top,
                                     bool& is_complete);

  std::mutex mutex_;
  std::unordered_map<std::string, Document> documents_;
  std::unordered_map<std::string, Includes> includes_;  // by the folder that was searched
  std::size_t bytes_left_ = std::size_t{256} << 20U;    // bytes of all documents that may still be read
};

}  // namespace linkherd::crawler
