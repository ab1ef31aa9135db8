// The labels of host names that do not distinguish sites.
#pragma once

#include <string_view>

namespace linkherd::parser {

// Returns "example.com" for "www.example.com", and every other host unchanged. `host` is in lower case.
constexpr std::string_view without_www(std::string_view host) {
  return host.starts_with("www.") ? host.substr(4) : host;
}

}  // namespace linkherd::parser
