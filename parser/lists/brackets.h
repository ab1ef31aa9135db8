// Matches the brackets of all scripts that lists use. "（" and "(" are one kind, because authors mix them.
#pragma once

#include <string_view>

namespace linkherd::parser {

// Returns the closing bracket for an opening one, ')' for both "(" and "（"; 0 for any other character.
char32_t opened_kind(char32_t code_point);

// Returns true if every bracket in `text` is matched.
bool brackets_balanced(std::string_view text);

// Returns true if the bracket at the start of `after` (if any) was opened in `before`, and the one at the end of
// `before` is closed in `after`. Searches only this line, and at most a few hundred bytes.
bool brackets_match_around(std::string_view before, std::string_view after);

}  // namespace linkherd::parser
