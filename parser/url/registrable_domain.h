// The registrable domain of a host by the public suffix list (https://publicsuffix.org), private section included:
// alice.github.io and bob.github.io are different domains. Rate limits and reports group hosts by it.
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns "zhihu.com" for "https://zhuanlan.zhihu.com/p/1". Returns the host itself for an IP address, a host without
// a dot and a public suffix.
std::string registrable_domain(const Url& url);
std::string registrable_domain(std::string_view domain);  // must be a domain: lower case, A-labels

// Returns true for "com", "co.uk" and "github.io", and for every name of one label. Must be a domain as above.
bool is_public_suffix(std::string_view domain);

// Returns true if `label` is a top-level domain of the public DNS: "com" and "xn--fiqs8s", but not "localhost" or
// "onion".
bool is_top_level_domain(const std::string& label);

}  // namespace linkherd::parser
