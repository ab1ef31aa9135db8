// Finds the links of a Markdown text with cmark-gfm, the reader of GitHub.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace linkherd::parser {

// The targets of its links and images, escapes undone; without empty ones. `autolinks`: also GFM's bare URLs.
std::set<std::string> cmark_targets(std::string_view text, bool autolinks);

}  // namespace linkherd::parser
