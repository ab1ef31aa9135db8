// The pages that [[names]] mean in the wikis of GitHub and Gollum and in the vaults of Obsidian.
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
  // Sets where a wikilink leads: the page of that name, wherever below `root` it lies. Upper and lower case are the
  // same, as are a blank and "-"; "name#Heading" and, in a vault of Obsidian, "name#^block" are in the page. A name may
  // be a path: below `root`, the end of such a path, or, with "./" or "../", beside the list. If no page has the name,
  // the one behind the "|" is tried (GitHub writes [[words|name]], Obsidian [[name|words]]); then the link leads to the
  // file beside the list. `list` and `root` are absolute. Targets with a scheme are left as they are.
  void resolve(const std::filesystem::path& list, const std::filesystem::path& root, bool is_vault,
               parser::LinkOccurrence& occurrence);

  // The file of a page that a name means, as in a wikilink: its path below `root` or the end of it, with or without the
  // ending of its name.
  std::optional<std::filesystem::path> find(const std::filesystem::path& root, const std::filesystem::path& list,
                                            std::string_view name);

 private:
  using Pages =
      std::unordered_map<std::string, std::filesystem::path>;  // by normalised name, and by path below the root

  const Pages& pages_below(const std::filesystem::path& root);

  std::mutex mutex_;
  std::unordered_map<std::string, Pages> pages_;  // by root
};

}  // namespace linkherd::crawler
