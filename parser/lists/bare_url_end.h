// Where a URL in running text ends: the one hard question about it. See bare_url_scanner.h for what the rules are
// about.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/lists/bare_url_scanner.h"

namespace linkherd::parser {

// The end of the URL that starts at `start` and whose host starts at `host`; `start` where no host follows.
std::size_t bare_url_end(std::string_view text, std::size_t start, std::size_t host, BareUrlContext context);

// Whether `text` is a start tag's shape around a name that HTML does not know: "<your-host>", an illustration.
bool is_placeholder_tag(std::string_view text);

// The length of the placeholder tag at the start of `text`; 0 where there is none.
std::size_t placeholder_tag_length(std::string_view text);

}  // namespace linkherd::parser
