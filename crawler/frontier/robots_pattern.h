// Path patterns of robots.txt (RFC 9309, section 2.2.2 and 2.2.3): brought to one spelling of escapes, then matched in
// linear time.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::crawler {

// One spelling for a pattern and for a path: unreserved characters unescaped, all that may not stand in a URL escaped,
// escapes in upper case. In a pattern `*` and a last `$` keep their meaning; in a path they are escaped, as `%2A` and
// `%24` in a pattern.
std::string normalise_robots_pattern(std::string_view pattern);
std::string normalise_robots_path(std::string_view path_and_query);

// Both normalised. The pattern must match from the start of the path, and to its end only if it ends in `$`.
bool matches_robots_pattern(std::string_view pattern, std::string_view path);

}  // namespace linkherd::crawler
