// The syntax of what stands in a mailto: URL (RFC 6068): addresses that a mail server could take, without asking one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Why an address in the path of a mailto: URL, or in its "to", "cc" and "bcc", can be no mail address, in a few words;
// nothing where all can. One without any address, as links for sharing have it ("mailto:?subject=…"), is fine.
std::optional<std::string> mailto_problem(const Url& url);

}  // namespace linkherd::parser
