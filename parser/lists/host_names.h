// Is this text a host name that somebody wrote without a scheme?
#pragma once

#include <string_view>

namespace linkherd::parser {

// Labels and a last label that is a known public suffix: "newsletter.example.com". No port, no path.
bool is_public_host_name(std::string_view text);

// Whether a link target without a scheme is a host, maybe with a port or a path behind it, and no file: a lone
// "README.md" is a file, though Moldova has the suffix "md".
bool starts_with_host_name(std::string_view target);

}  // namespace linkherd::parser
