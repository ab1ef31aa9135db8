// Logins in URLs ("https://user:password@example.com/"): requests use them, nothing that is shown or stored holds them.
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// The URL without user name and password.
Url without_credentials(const Url& url);

// One URL in any spelling, with "***" in place of its password, and of a user name without one, which is how access
// tokens are written. URLs inside its path and query count as well. Everything else stays as it is.
std::string mask_password(std::string_view url);

// The same for all URLs in a text such as a message.
std::string mask_passwords_in(std::string_view text);

}  // namespace linkherd::parser
