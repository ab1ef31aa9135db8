// The links of an HTML list, and of the raw HTML inside a Markdown one, with their exact places in the text.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_html_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
