// The links of JSON, JSON lines and JSON-LD: every URL in a string, with the title of the object it stands in.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_json_list(std::string_view text);

// The links that a JSON-LD block of a page gives as such: "url", "sameAs", "contentUrl", … Vocabulary ("@context",
// "@type", "@id") is none.
void add_json_ld_links(std::string_view list, TextRange block, FoundLinks& found);

}  // namespace linkherd::parser
