// The links of AsciiDoc: link:url[text], url[text], images, cross references to other files, attributes that hold URLs,
// bare URLs.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_asciidoc_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
