// The limit and the special schemes of the basic URL parser, which url_parser.cpp describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linkherd::parser {

// The maximum length of a URL. Longer URLs are rejected. All browsers have this limit or a lower one.
inline constexpr std::size_t max_url_bytes = std::size_t{2} << 20;

bool is_special_scheme(std::string_view scheme);
std::uint16_t default_port(std::string_view scheme);  // 0 if the scheme has none

}  // namespace linkherd::parser
