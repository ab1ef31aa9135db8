// Knows the anchors of linked files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "crawler/sources/file_hints.h"
#include "crawler/sources/generators/asciidoc_documents.h"
#include "crawler/sources/git_changes.h"
#include "crawler/sources/linked_file.h"
#include "crawler/sources/local_verdict.h"
#include "parser/lists/anchors.h"
#include "parser/lists/site_generator.h"

namespace linkherd::crawler {

// Returns true for a fragment that refers to no anchor: an empty one, lines of code, and routes of scripts.
bool needs_no_anchor(std::string_view fragment);

// Each file is read once for its anchors, and once more if it lacks one. Not thread-safe. The number of files and
// anchors is bounded.
class AnchorIndex {
 public:
  // Returns the generator in whose dialect a file is read.
  using DialectOf = std::function<parser::SiteGenerator(const std::filesystem::path& file)>;

  // The arguments must outlive this object.
  AnchorIndex(LinkedFiles& paths, AsciidocDocuments& documents, FileHints& hints, DialectOf dialect_of)
      : paths_(paths), documents_(documents), hints_(hints), dialect_of_(std::move(dialect_of)) {}

  // Keeps the anchors of a file, so that it need not be read. Does nothing if the index is full.
  void keep(std::string_view file, parser::AnchorSet anchors);

  // Returns true if the file is known and has the anchor. Does not read the file.
  bool is_known_to_have(const LinkedFile& file, std::string_view fragment) const;

  // Searches the file for the anchor. Also searches the page to which it redirects its readers, the files that it
  // includes, and those that include it. `hint` receives "; did you mean #install?" or an empty text.
  AnchorStatus find(const LinkedFile& file, std::string_view fragment, std::string& hint);

  // Returns true if the file had the anchor before the changes.
  bool had(const GitChanges& changes, const std::filesystem::path& file, std::string_view fragment);

 private:
  struct FileAnchors {
    std::optional<parser::AnchorSet> names{};  // nullopt if unknown
    // true if the file has anchors that are not in its text; nullopt if it was not read again
    std::optional<bool> has_generated{};
    std::filesystem::path refresh{};  // the file to which it redirects its readers; empty if none
  };
  // The last file that lacked an anchor. The next missing anchor is usually of the same file.
  struct LackingFile {
    std::filesystem::path path{};
    std::size_t size = 0;                // of its text in bytes; 0 if it cannot be read
    std::vector<std::string> anchors{};  // empty if some are generated
  };

  FileAnchors& anchors_of(std::string_view file);
  AnchorStatus find_in_file(std::string_view file, std::string_view fragment, std::string& hint);
  bool is_on_next_page(std::string_view page, std::string_view fragment, const AllowedFolders& folders);
  AnchorStatus find_in_documents(const LinkedFile& file, std::string_view fragment);
  void read_again(std::string_view file, FileAnchors& known);

  LinkedFiles& paths_;
  AsciidocDocuments& documents_;
  FileHints& hints_;
  DialectOf dialect_of_;
  std::unordered_map<std::uint32_t, FileAnchors> files_;  // by the index of the path
  std::size_t anchor_count_ = 0;
  LackingFile lacking_;
  std::unordered_map<std::string, std::optional<parser::AnchorSet>> former_;  // before the changes; by file
};

}  // namespace linkherd::crawler
