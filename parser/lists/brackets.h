// Brackets of all scripts that lists use, and whether they close. "（" and "(" are one kind, because people mix them.
#pragma once

#include <string_view>

namespace linkherd::parser {

// What an opening bracket is closed by, ')' for both "(" and "（"; 0 where it opens nothing.
char32_t opened_kind(char32_t code_point);

// Whether every bracket in `text` has its partner.
bool brackets_balanced(std::string_view text);

// Whether the bracket that `after` starts with, if it starts with one, was opened in `before`, and the one that
// `before` ends with is closed in `after`. Looks no further than the line, and a few hundred bytes.
bool brackets_match_around(std::string_view before, std::string_view after);

}  // namespace linkherd::parser
