// Names of authors out of what pages write in their place: "By Jane Doe and John Roe", "作者：张三", "View all posts by
// admin".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::parser {

inline constexpr std::size_t max_authors = 50;

// The names in a written byline, split and cleaned; empty where it holds none. Letters of site names (see letters_of)
// are in `not_names`: a site is not its author.
std::vector<std::string> names_in_byline(std::string_view text, const std::vector<std::string>& not_names);

// One name as a machine-readable source gives it: cleaned, but not split. Empty where it is none.
std::string clean_name(std::string_view text);

// Whether a text from a place that may hold anything reads like the name of a person: a few words, capitals where the
// script has them.
bool looks_like_person(std::string_view name);

// "Doe, Jane" as bibliographies write it to "Jane Doe".
std::string swap_last_first(std::string_view name);

// Appends names that are not there yet, letters and digits compared, up to max_authors.
void add_names(std::vector<std::string>& names, const std::vector<std::string>& more);

}  // namespace linkherd::parser
