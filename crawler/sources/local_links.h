// Links to files beside a list, judged without the network: is the file there, and does it have the place that the link
// names? Looks at what a link names and at nothing else; reads only the one file, and only for its anchors. A list may
// be anybody's, so nothing is looked at outside of its repository, or, where it is in none, of the current folder (of
// its own folder, where it is not below the current one) and --root-dir; symbolic links do not lead out either.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/source.h"
#include "parser/url/url.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// Folders that may be looked into. Nothing outside of them is touched on the way to a path, whatever ".." and symbolic
// links it has.

// What is at a path.
struct FoundFile {
  bool outside = false;  // of all the folders: nobody has looked
  std::filesystem::file_type type = std::filesystem::file_type::not_found;
  std::string error{};  // why it cannot be looked at, where that is so
};

class OpenFolders {
 public:
  // Opens a folder (absolute) with all that is below it. The way to it may have symbolic links.
  void add(const std::filesystem::path& folder);

  // `path`: absolute. Symbolic links are followed as long as they stay inside.
  FoundFile look(const std::filesystem::path& path) const;

 private:
  struct Folder {
    std::filesystem::path named;
    std::filesystem::path real;
  };
  // The path in the folder that is nearest to it, seen from that folder's real place; nothing where it is in none.
  struct Place {
    std::filesystem::path folder;
    std::filesystem::path rest;
  };
  std::optional<Place> place_of(const std::filesystem::path& path) const;
  bool holds(const std::filesystem::path& real) const;

  std::vector<Folder> folders_;
};

struct LocalLinkOptions {
  std::string root_dir;                          // what "/x" is below; empty: the root of the list's repository
  std::vector<std::string> index_files;          // one of which a folder must have; "." is the folder itself; none: any
  std::vector<std::string> fallback_extensions;  // tried where a file is not there: "html" for "page"
  bool anchors = true;                           // also look for what a fragment names
};

struct LocalVerdict {
  storage::Verdict verdict;
  std::string name;  // of the file, as reports name it, with the fragment where that matters: what makes two links one
};

class LocalLinks {
 public:
  explicit LocalLinks(LocalLinkOptions options);
  ~LocalLinks();
  LocalLinks(const LocalLinks&) = delete;
  LocalLinks& operator=(const LocalLinks&) = delete;

  bool checks_anchors() const { return options_.anchors; }

  // The URL that links of this list are relative to; nothing where the list is no file.
  static std::optional<parser::Url> base_of(const Seed& list);

  // `target`: a file URL, resolved; `written`: as it stands in the list.
  LocalVerdict judge(const Seed& list, const parser::Url& target, std::string_view written);

 private:
  struct Found;
  Found find(const Seed& list, const parser::Url& target, std::string_view written);
  const OpenFolders& folders_of(const Seed& list);
  enum class Place { there, missing, made_by_script };
  Place look_for(const Seed& list, const std::filesystem::path& file, std::string_view fragment);

  LocalLinkOptions options_;
  struct Known;
  std::unique_ptr<Known> known_;  // about lists and files that were looked at
};

}  // namespace linkherd::crawler
