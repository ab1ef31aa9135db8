// The words of bylines that are no part of a name.
#pragma once

#include <span>
#include <string_view>

namespace linkherd::parser {

// What stands in front of names. Longer ones first; a Latin one must be followed by a space or a colon.
std::span<const std::string_view> byline_prefixes();
std::span<const std::string_view> han_byline_prefixes();

// Words in the place of a name that name nobody, letters only and in lower case (see letters_of).
std::span<const std::string_view> nobody_names();

}  // namespace linkherd::parser
