// Text of pages as values: entities decoded, spaces collapsed, length capped, compared by its
// letters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

inline constexpr std::size_t max_title = 1000;  // code points
inline constexpr std::size_t max_description = 2000;

// Collapsed, with character references that were escaped twice (or stand in JSON) decoded once, at most
// `max_code_points`.
std::string clean_value(std::string_view text, std::size_t max_code_points);

// Letters and digits only, case folded: two texts that differ in punctuation, spaces and case have the same.
std::string letters_of(std::string_view text);

// Whether one of the two says what the other does, give or take a site name: equal letters, or one contains the other
// and is a good part of it.
bool agree(std::string_view letters_a, std::string_view letters_b);

bool contains_letter(std::string_view text);  // of any script
std::size_t count_words(std::string_view collapsed);

}  // namespace linkherd::parser
