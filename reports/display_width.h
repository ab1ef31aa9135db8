// How many columns of a terminal text takes: Chinese, Japanese and Korean characters take two, combining marks none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::reports {

std::size_t display_width(std::string_view text);

// `text` and as many spaces as are missing to `width` columns; longer text comes back as it is.
std::string padded(std::string_view text, std::size_t width);

// At most `width` columns, with an ellipsis where something was cut.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace linkherd::reports
