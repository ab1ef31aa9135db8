// Checks the syntax of the addresses in a mailto: URL (RFC 6068), without asking a mail server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns why an address in the path, "to", "cc" or "bcc" of a mailto: URL is invalid, in a few words, or nullopt if
// all are valid. A URL without an address ("mailto:?subject=…", used for sharing) is valid.
std::optional<std::string> mailto_problem(const Url& url);

}  // namespace linkherd::parser
