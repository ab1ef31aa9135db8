// Checks links to local files without the network: whether the file exists and has the anchor. Opens only the linked
// file, and only for its anchors. Lists are untrusted, so nothing is accessed outside of the repository of the list,
// or, outside of repositories, of the current folder (or the folder of a list that is not below it), and --root-dir.
// Symbolic links that lead outside are not followed.
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

// Folders that may be accessed. No path outside of them is accessed, whatever ".." and symbolic links a path has.

// What exists at a path.
struct FoundFile {
  bool outside = false;  // outside of all folders; not accessed
  std::filesystem::file_type type = std::filesystem::file_type::not_found;
  std::string error{};  // why it cannot be read; empty if it can
};

class OpenFolders {
 public:
  // Allows access to a folder (absolute path) and everything below it. Its path may contain symbolic links.
  void add(const std::filesystem::path& folder);

  // `path` must be absolute. Symbolic links are followed as long as they stay inside.
  FoundFile look(const std::filesystem::path& path) const;

 private:
  struct Folder {
    std::filesystem::path named;
    std::filesystem::path real;
  };
  // A path relative to the real path of the innermost allowed folder that contains it; nullopt if it is outside.
  struct Place {
    std::filesystem::path folder;
    std::filesystem::path rest;
  };
  std::optional<Place> place_of(const std::filesystem::path& path) const;
  bool holds(const std::filesystem::path& real) const;

  std::vector<Folder> folders_;
};

struct LocalLinkOptions {
  std::string root_dir;                  // the root of "/x" targets; empty: the root of the list's repository
  std::vector<std::string> index_files;  // a folder must have one of these; "." is the folder itself; empty: no check
  std::vector<std::string> fallback_extensions;  // tried if a file does not exist: "html" for "page"
  bool anchors = true;                           // also check fragments
};

struct LocalVerdict {
  storage::Verdict verdict;
  std::string name;  // the file as named in reports, with the fragment if that matters: equal names are one link
};

class LocalLinks {
 public:
  explicit LocalLinks(LocalLinkOptions options);
  ~LocalLinks();
  LocalLinks(const LocalLinks&) = delete;
  LocalLinks& operator=(const LocalLinks&) = delete;

  bool checks_anchors() const { return options_.anchors; }

  // Returns the base URL of relative links in this list, or nullopt if the list is not a file.
  static std::optional<parser::Url> base_of(const Seed& list);

  // `target`: the resolved file URL; `written`: the target as written in the list.
  LocalVerdict judge(const Seed& list, const parser::Url& target, std::string_view written);

 private:
  struct Found;
  Found find(const Seed& list, const parser::Url& target, std::string_view written);
  const OpenFolders& folders_of(const Seed& list);
  enum class Place { there, missing, made_by_script };
  Place look_for(const Seed& list, const std::filesystem::path& file, std::string_view fragment);

  LocalLinkOptions options_;
  struct Known;
  std::unique_ptr<Known> known_;  // cache of lists and files
};

}  // namespace linkherd::crawler
