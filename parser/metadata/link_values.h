// Links as a Link header (RFC 8288) and a TimeMap (RFC 7089) write them: <https://a.example/>; rel="canonical", <…>; …
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace linkherd::parser {

// Views into the text that was parsed.
struct LinkValue {
  std::string_view target;  // as written, without the angle brackets
  std::string_view parameters;

  std::string_view parameter(std::string_view name) const;  // without quotes; empty if there is none
  bool has_relation(std::string_view name) const;           // one of those that `rel` lists
};

// Returns the links of a text, at most `limit`. Skips what is not a link.
std::vector<LinkValue> parse_link_values(std::string_view text, std::size_t limit = SIZE_MAX);

// Returns the value of a parameter "; name=value" of any header, without quotes; empty if there is none.
std::string_view parameter_of(std::string_view parameters, std::string_view name);

}  // namespace linkherd::parser
