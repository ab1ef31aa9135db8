// The links of XML lists: OPML, RSS and Atom feeds, sitemaps, and whatever other XML holds URLs. HTML inside a feed's
// descriptions is read as HTML.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_xml_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
