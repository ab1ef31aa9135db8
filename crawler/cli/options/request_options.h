// Values of options for requests: headers, credentials, cookies, proxy, name resolution and addresses.
#pragma once

#include "crawler/cli/options/option.h"
#include "crawler/fetch/fetch_options.h"

namespace linkherd::crawler {

// Return targets of single options. Of headers, the identity of a run contains only the names, and of credentials and
// cookies only the hosts.
OptionTarget read_headers(FetchOptions& fetch);
OptionTarget read_headers_for(FetchOptions& fetch);
OptionTarget read_basic_auth(FetchOptions& fetch);
OptionTarget read_cookie_jar(FetchOptions& fetch);
OptionTarget read_allow_private(FetchOptions& fetch);
// The name or path of the program is optional. It must follow an equals sign, so that it cannot be confused with an
// input. `is_used` becomes true if the option is given.
OptionTarget read_browser(bool& is_used, std::string& program);
OptionTarget read_proxy(FetchOptions& fetch);
OptionTarget read_dns_servers(FetchOptions& fetch);
OptionTarget read_connect_to(FetchOptions& fetch);

// Checks combinations of options after all of them were parsed. Throws CLI::ValidationError.
void check_request_options(const FetchOptions& fetch);

}  // namespace linkherd::crawler
