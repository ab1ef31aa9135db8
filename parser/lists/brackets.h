// Matches the brackets of all scripts that occur in input documents. "（" and "(" are one kind, because authors mix
// them.
#pragma once

#include <string_view>

namespace linkherd::parser {

// Returns the closing bracket that identifies the kind of an opening bracket: ')' for both "(" and "（". Returns 0 for
// any other character.
char32_t closing_bracket_of(char32_t code_point);

// Returns true if every bracket in `text` is matched.
bool has_balanced_brackets(std::string_view text);

// Returns true unless a bracket next to the gap between `before` and `after` is unmatched. A closing bracket at the
// start of `after` must be opened in `before`, and an opening bracket at the end of `before` must be closed in `after`.
// Searches only the current line, and at most a few hundred bytes.
bool has_matching_brackets(std::string_view before, std::string_view after);

}  // namespace linkherd::parser
