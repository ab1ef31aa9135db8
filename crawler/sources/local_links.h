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

#include "crawler/sources/open_folders.h"
#include "crawler/sources/source.h"
#include "parser/url/url.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

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
  bool has_place(const Seed& list, const std::filesystem::path& file, std::string_view fragment);

  LocalLinkOptions options_;
  struct Known;
  std::unique_ptr<Known> known_;  // about lists and files that were looked at
};

}  // namespace linkherd::crawler
