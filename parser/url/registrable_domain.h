// The unit of ownership and politeness of a host, by the public suffix list (https://publicsuffix.org, private section
// included: alice.github.io and bob.github.io are two).
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// "zhihu.com" of "https://zhuanlan.zhihu.com/p/1". An IP address, a host without a dot and a public suffix are their
// own.
std::string registrable_domain(const Url& url);
std::string registrable_domain(std::string_view domain);  // of a host that is a domain: lower case, A-labels

// Whether the list has `label` as a top-level domain of the public DNS: "com" and "xn--fiqs8s", not "localhost", and
// not "onion", which is no part of the DNS.
bool is_top_level_domain(const std::string& label);

}  // namespace linkherd::parser
