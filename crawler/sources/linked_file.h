// The files that links lead to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "crawler/sources/allowed_folders.h"
#include "parser/text_table.h"

namespace linkherd::crawler {

// Why a linked file says little about the link. If several reasons apply, the first one counts.
enum class FileDoubt : std::uint8_t {
  none,
  other_machine,    // the file is on another machine
  other_component,  // the file is in an Antora component that was not found
  only_source,      // only the source of the page exists: the page exists on the generated site
  unknown_root,     // the folder of "/x" targets is unknown
  no_index_page,    // a folder without an index page in a built site whose other folders have one
  of_template,      // the link is in a template: the folder of the generated pages is unknown
  is_source,        // the file is the source of the linked page; how the page's anchors are generated is unknown
  maybe_reference,  // no file exists: the target may be a cross-reference of Sphinx
  of_stylesheet,    // no file exists: the folder of the stylesheet in the site is unknown
  maybe_built,      // no file exists: a generator may create it from an unknown source: a page, "/llms.txt"
};

// Properties that few linked files have. They are stored separately, because a hostile document may have a million
// links to different files.
struct RarePaths {
  std::string_view index{};    // for a folder: the file that a link with a fragment refers to
  std::string_view removed{};  // the path that would be valid if the checked change had not removed it
  // for the doubt other_machine the host, for other_component why the file is not checked, for only_source the source
  std::string_view detail{};
  std::string_view address{};  // web address that was meant if the file does not exist
};

// The file of a link. A large site has many, so each path is stored once, in LinkedFiles. Paths are empty if absent.
struct LinkedFile {
  std::string_view path{};
  FoundFile found{};
  FileDoubt doubt = FileDoubt::none;
  // Indexes in the table of paths.
  std::uint32_t path_index = 0;
  std::uint32_t page_index = 0;
  std::string_view name{};  // name of the path in reports
  const AllowedFolders* folders = nullptr;
  const std::filesystem::path* repository = nullptr;  // repository of the document; null if it is in none

  // The file that contains the anchors of the link.
  std::string_view page() const { return rare_paths().index.empty() ? path : rare_paths().index; }
  const RarePaths& rare_paths() const;
  void set(std::string_view RarePaths::*member, std::string_view value);

 private:
  std::shared_ptr<const RarePaths> rare_paths_{};
};

// Keeps the file of each path, by the path and the properties of the document that change its meaning (`context`).
// Also the table of all paths. Thread-safe. The number of files is bounded.
class LinkedFiles {
 public:
  // Returns null if the file of the path is unknown.
  std::shared_ptr<const LinkedFile> find(std::string_view context, std::string_view path) const;
  // Keeps the file. Returns the file of another thread if that has kept one for this path meanwhile.
  std::shared_ptr<const LinkedFile> keep(std::string_view context, std::string_view path,
                                         const std::shared_ptr<LinkedFile>& file);
  // Returns the path as a text of the table, which lives as long as this object.
  std::string_view intern(std::string_view path);
  std::uint32_t index_of(std::string_view path);

 private:
  mutable std::mutex mutex_;
  parser::TextTable contexts_;
  parser::TextTable paths_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const LinkedFile>> files_;  // by the indexes of context and path
};

}  // namespace linkherd::crawler
