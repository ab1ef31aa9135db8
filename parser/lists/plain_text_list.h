// The links of a plain text list: bare URLs, with the title in front of them or on the line before.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// A line without a URL that ends in a colon is a heading, as are Markdown's "# …" lines.
FoundLinks read_plain_text_list(std::string_view text);

}  // namespace linkherd::parser
