// Writes a unified diff of a file that `git apply` accepts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "crawler/fix/rewrite_list.h"

namespace linkherd::crawler {

// `file`: the bytes of the path, relative to the folder in which the diff is applied. `edits`: edits of `bytes` in
// ascending order, at least one.
std::string unified_diff(std::string_view file, std::string_view bytes, const std::vector<TextEdit>& edits);

}  // namespace linkherd::crawler
