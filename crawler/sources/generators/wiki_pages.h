// Resolves [[names]] to pages, as in the wikis of GitHub and Gollum and in the vaults of Obsidian.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "parser/lists/link_occurrence.h"

namespace linkherd::crawler {

// Thread-safe. The files of a folder are listed once.
class WikiPages {
 public:
  // Sets the href of a wikilink to the page of that name, wherever it is below `root`:
  // - Case does not matter, and a space equals "-".
  // - "name#Heading" is a heading of the page, and in a vault of Obsidian "name#^block" is a block.
  // - A name may be a path below `root`, or the end of one. With "./" or "../" it is relative to the list.
  // - If no page has the name, the text after "|" is tried: GitHub writes [[words|name]], Obsidian [[name|words]].
  // - If no page has this name either, the link leads to a file in the folder of the list.
  // `list` and `root` are absolute. Targets with a scheme are not changed.
  void resolve(const std::filesystem::path& list, const std::filesystem::path& root, bool is_vault,
               parser::LinkOccurrence& occurrence);

  // Returns the file of a page by its name in a wikilink: its path below `root` or the end of this path, with or
  // without extension. Nullopt if there is none.
  std::optional<std::filesystem::path> find(const std::filesystem::path& root, const std::filesystem::path& list,
                                            std::string_view name);

 private:
  using Pages =
      std::unordered_map<std::string, std::filesystem::path>;  // files by normalised name and by path below the root

  const Pages& pages_below(const std::filesystem::path& root);

  std::mutex mutex_;
  std::unordered_map<std::string, Pages> pages_;  // by root
};

}  // namespace linkherd::crawler
