// Parses the links of a Link header (RFC 8288) or of a TimeMap (RFC 7089): <https://a.example/>; rel="canonical", <…>;
// …
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace linkherd::parser {

// One link. Its members are views into the text that was parsed.
struct LinkValue {
  std::string_view target;  // as written, without the angle brackets
  std::string_view parameters;

  std::string_view parameter(std::string_view name) const;  // without quotes; empty if absent
  bool has_relation(std::string_view name) const;           // true if `rel` lists the name
};

// Returns at most `limit` links of a text. Skips everything that is not a link.
std::vector<LinkValue> parse_link_values(std::string_view text, std::size_t limit = SIZE_MAX);

// Returns the value of a parameter "; name=value" of any header, without quotes. Empty if absent.
std::string_view find_parameter(std::string_view parameters, std::string_view name);

}  // namespace linkherd::parser
