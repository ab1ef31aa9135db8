// Determines the registrable domain of a host from the public suffix list (https://publicsuffix.org). The private
// section of the list is included, so alice.github.io and bob.github.io are different domains. Rate limits and reports
// group hosts by registrable domain.
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns "zhihu.com" for "https://zhuanlan.zhihu.com/p/1". Returns the host itself if it is an IP address, has no dot,
// or is a public suffix.
std::string registrable_domain(const Url& url);
std::string registrable_domain(std::string_view domain);  // a domain in lower case with A-labels, not an IP address

// Returns true for "com", "co.uk" and "github.io", and for every name of one label. `domain` must be in lower case with
// A-labels.
bool is_public_suffix(std::string_view domain);

// Returns true if `label` is a top-level domain of the public DNS, such as "com" and "xn--fiqs8s", but not "localhost"
// or "onion".
bool is_top_level_domain(const std::string& label);

}  // namespace linkherd::parser
