// Credentials in URLs ("https://user:password@example.com/"). Requests use them; they are never shown or stored.
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns the URL without user name and password.
Url without_credentials(const Url& url);

// Replaces the password of one URL (in any spelling) by "***", and a user name without a password, because access
// tokens are written so. Also masks URLs inside its path and query. Everything else is unchanged.
std::string mask_password(std::string_view url);

// Like mask_password(), for all URLs in a text such as a message.
std::string mask_passwords_in(std::string_view text);

}  // namespace linkherd::parser
