// Checks the syntax of the addresses in a mailto: URL (RFC 6068). No mail server is contacted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns a short description of the first invalid address in the path, "to", "cc" or "bcc" of a mailto: URL. Returns
// nullopt if all addresses are valid. A URL without an address ("mailto:?subject=…", used for sharing) is valid.
std::optional<std::string> find_mailto_problem(const Url& url);

}  // namespace linkherd::parser
