// Extracts names of authors from bylines: "By Jane Doe and John Roe", "作者：张三", "View all posts by admin".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/html/html_document.h"

namespace linkherd::parser {

inline constexpr std::size_t max_authors = 50;

// Returns the cleaned names in a byline. Empty if it has none. `not_names` lists the names of the site, which are not
// authors, as normalized letters (see extract_letters).
std::vector<std::string> names_in_byline(std::string_view text, const std::vector<std::string>& not_names);

// Returns the text of an element before a child that has a date, or an empty text. The date is often glued to the name.
std::string text_before_date(HtmlElement element);

// Returns the names in an element. Ignores a job title or a location that follows in an element of its own.
std::vector<std::string> names_in_element(HtmlElement element);

// Returns true if the text ends with "reviewed by", "photo by" or the like. The name that follows is not that of an
// author.
bool ends_with_other_role(std::string_view text);

// Cleans one name from a machine-readable source, without splitting it. Empty if it is not a name.
std::string clean_name(std::string_view text);

// Returns the name before the role of a Korean reporter: "홍길동" of "홍길동 기자". Empty if there is none.
std::string_view before_korean_role(std::string_view text);

// Returns true for an item of a list of names that is not a name, such as "PhD" or "Senior Editor".
bool is_degree_or_office(std::string_view part);
// Returns true if the second word is a particle, as in "Gunilla von Heland".
bool has_particle_inside(std::string_view name);
bool ends_with_particle(std::string_view name);  // "Translated von"

// Returns true if a text of unknown kind looks like the name of a person: a few words, capitalised if the script has
// capitals.
bool looks_like_person(std::string_view name);

// Like looks_like_person(), but requires more than one word.
bool is_full_name(std::string_view name);

// Converts "Doe, Jane" (as in bibliographies) to "Jane Doe".
std::string swap_last_first(std::string_view name);

// Appends the names that are not in the list yet, up to max_authors. Names are compared by letters and digits.
void add_names(std::vector<std::string>& names, const std::vector<std::string>& more);

}  // namespace linkherd::parser
