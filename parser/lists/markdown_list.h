// The links of a Markdown list (CommonMark and the GFM tables, task lists and autolinks), with their exact places in
// the text.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_markdown_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
