// Recognises host names that are written without a scheme.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

constexpr std::size_t max_host_bytes = 253;  // RFC 1035, without the root

// Returns true for a domain that ends in a known public suffix, such as "newsletter.example.com". `text` must have
// neither a port nor a path.
bool is_public_host_name(std::string_view text);

// Returns true if a link target without a scheme begins with a host, which may have a port or a path. Returns false for
// a file name: "README.md" alone is a file, although "md" is a public suffix.
bool starts_with_host_name(std::string_view target);

// Returns the probable URL of such a target: the target with "https://" before it, truncated if it is very long.
std::string add_https_scheme(std::string_view target);

}  // namespace linkherd::parser
