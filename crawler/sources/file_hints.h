// Suggests corrections for the path of a missing file and for a missing anchor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/sources/allowed_folders.h"

namespace linkherd::crawler {

// Returns the name of an anchor for reports: decoded, and shortened if it is long.
std::string shown_anchor(std::string_view fragment);

// Each function returns the end of a message ("; did you mean guide.md?"), or an empty string if nothing is similar
// enough. The total number of comparisons is bounded. Not thread-safe.
class FileHints {
 public:
  // `path` is the absolute path of a file that does not exist. `address` is a web address that may have been meant; it
  // may be empty. Only folders that may be accessed are searched.
  std::string for_file(std::string_view path, const AllowedFolders& folders, std::string_view address);

  // `anchors` are the anchors of the file. Its text has `text_bytes`.
  std::string for_anchor(std::string_view fragment, const std::vector<std::string>& anchors, std::size_t text_bytes);

  // Returns true if the budget still allows a comparison with this many names.
  bool may_compare(std::size_t names) const { return names <= comparisons_left_; }

 private:
  std::string in_other_case(std::string_view path, const AllowedFolders& folders);
  std::string nearest_file(std::string_view path, const AllowedFolders& folders);

  std::size_t comparisons_left_ = 200'000;
};

}  // namespace linkherd::crawler
