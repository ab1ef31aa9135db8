// Suggests what was meant by the path of a file that does not exist, or by an anchor that a file does not have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/open_folders.h"

namespace linkherd::crawler {

// The name of an anchor as reports show it: decoded and cut.
std::string shown_anchor(std::string_view fragment);

// Each hint is the end of a message ("; did you mean guide.md?"), or empty if nothing is near enough. The number of
// names that are compared is bounded for the whole run. For one thread.
class FileHints {
 public:
  // `path`: absolute, of a file that does not exist. `address`: of the web, that may have been meant; may be empty.
  // Only names in folders that may be accessed are looked at.
  std::string for_file(std::string_view path, const OpenFolders& folders, std::string_view address);

  // `anchors`: those of the file, whose text has `text_bytes`.
  std::string for_anchor(std::string_view fragment, const std::vector<std::string>& anchors, std::size_t text_bytes);

  // Returns true if a name may still be compared with so many others.
  bool may_compare(std::size_t names) const { return names <= comparisons_left_; }

 private:
  std::string in_other_case(std::string_view path, const OpenFolders& folders);
  std::string nearest_file(std::string_view path, const OpenFolders& folders);

  std::size_t comparisons_left_ = 200'000;
};

}  // namespace linkherd::crawler
