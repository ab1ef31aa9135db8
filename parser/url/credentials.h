// Removes or masks credentials in URLs ("https://user:password@example.com/"). Requests use credentials, but they are
// never shown or stored. Finds URLs whose parameters are likely secrets.
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns the URL without its user name and password.
Url without_credentials(const Url& url);

// Replaces the password of one URL by "***". Accepts any text that browsers read as a URL. A user name without a
// password is also replaced, because access tokens are written that way. URLs inside the path and query are masked
// too; everything else is unchanged.
std::string mask_password(std::string_view url);

// Applies mask_password() to all URLs in a text, such as an error message.
std::string mask_passwords_in(std::string_view text);

// Returns true if a parameter has the name of a secret ("?access_token=…", ";jsessionid=…") or the value of one: long,
// of letters and digits. The parameters of URLs inside the query count too, and the fragment does not. Such a URL must
// not be sent to others.
bool has_secret_parameter(const Url& url);

}  // namespace linkherd::parser
