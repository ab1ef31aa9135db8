// Extracts the links of a Markdown text with cmark-gfm, GitHub's own parser, as a reference for tests.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Returns the non-empty targets of the links and images, with escapes decoded. With `autolinks`, includes the bare URLs
// of GFM.
std::set<std::string> cmark_targets(std::string_view text, bool autolinks);

}  // namespace linkherd::parser
