// Recognizes texts that stand where a page has the name of an author but are no names: labels, roles, times, places and
// publishing houses.
#pragma once

#include <string_view>

namespace linkherd::parser {

// Returns true for a text that is wholly a label ("About the author"), a role ("Staff Writer"), a time or a place.
bool is_no_name(std::string_view text);

// Returns true for a publishing house, by its words or its name: "Penguin Press", 商务印书馆.
bool is_publishing_house(std::string_view name);

// Returns a full name without the role behind it: "Jane Doe Staff Writer".
std::string_view without_role(std::string_view name);

}  // namespace linkherd::parser
