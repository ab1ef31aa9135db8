// The syntax of what stands in a mailto: URL (RFC 6068): addresses that a mail server could take, without asking one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Why this can be no mail address, in a few words; nothing where it can. `address`: percent-decoded, "local@domain".
std::optional<std::string> mail_address_problem(std::string_view address);

// The same of a mailto: URL: of all addresses in its path and its "to", "cc" and "bcc". One without any address, as
// links for sharing have it ("mailto:?subject=…"), is fine.
std::optional<std::string> mailto_problem(const Url& url);

}  // namespace linkherd::parser
