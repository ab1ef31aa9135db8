// Normalises texts of pages: decodes entities, collapses spaces, limits the length and compares letters.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

inline constexpr std::size_t max_title = 1000;  // code points
inline constexpr std::size_t max_description = 2000;

// Separators between a title and the name of its site.
inline constexpr std::array<std::string_view, 12> title_separators{" | ", " - ", " – ", " — ", " :: ", " · ",
                                                                   " » ", " • ", " ‹ ", "_",   "｜",   " : "};

// Collapses spaces, decodes character references that were escaped twice (or are in JSON) once, and cuts at
// `max_code_points`.
std::string clean_value(std::string_view text, std::size_t max_code_points);

// Returns only letters and digits, case folded. Texts that differ in punctuation, spaces and case become equal.
std::string extract_letters(std::string_view text);

// Returns true if two texts are the same apart from a site name: their letters are equal, or one contains a large part
// of the other.
bool agree(std::string_view letters_a, std::string_view letters_b);

bool contains_letter(std::string_view text);  // true for letters of any script
std::size_t count_words(std::string_view collapsed);

}  // namespace linkherd::parser
