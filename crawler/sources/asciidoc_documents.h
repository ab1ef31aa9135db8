// AsciiDoc documents with the files that they include: the anchors of a document are also those of its parts, and a
// part may refer to anchors of the documents that include it. No file outside of the open folders is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crawler/sources/open_folders.h"
#include "parser/lists/anchors.h"
#include "parser/lists/read_include.h"

namespace linkherd::crawler {

// Returns what reads the files that the list includes, from its folder. `folders` outlives it.
parser::ReadInclude include_reader(const std::filesystem::path& list, const OpenFolders& folders);

// For any thread.
class AsciidocDocuments {
 public:
  enum class Answer : std::uint8_t { yes, no, unknown };

  // Looks for the anchor in the file, in what it includes, and in documents below `top` that include it. Returns
  // unknown if a part cannot be read.
  Answer has_anchor(const std::filesystem::path& file, std::string_view fragment, const std::filesystem::path& top,
                    const OpenFolders& folders);

  // The folders that relative images of the file are in, where documents below `top` include it.
  std::vector<std::filesystem::path> image_folders(const std::filesystem::path& file, const std::filesystem::path& top,
                                                   const OpenFolders& folders);

 private:
  struct Part {
    std::string path;
    std::string images_folder;
  };
  struct Document {
    parser::AnchorSet anchors;
    std::vector<Part> parts;
    bool has_unknown = false;

    const Part* part(const std::filesystem::path& file) const;
  };
  // Which files name which in their includes.
  struct Includes {
    std::unordered_map<std::string, std::vector<std::string>> files;  // by the name of the included file
    std::vector<std::string> unresolved;                              // what names with attributes end with
    bool is_complete = true;
  };

  const Document& document_at(const std::filesystem::path& file, const OpenFolders& folders);
  const Includes& includes_below(const std::filesystem::path& top);
  // Documents that may include the file, directly or through others. Sets `is_complete` to false where there are more.
  std::vector<std::string> including(const std::filesystem::path& file, const std::filesystem::path& top,
                                     bool& is_complete);

  std::mutex mutex_;
  std::unordered_map<std::string, Document> documents_;
  std::unordered_map<std::string, Includes> includes_;  // by the folder around them
  std::size_t bytes_left_ = std::size_t{256} << 20U;    // that may be read, of all documents
};

}  // namespace linkherd::crawler
