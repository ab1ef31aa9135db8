// Selects the parts of a file that an include directive of AsciiDoc names.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::parser {

// Returns the parts of an included file between "tag::name[]" and "end::name[]". Returns the whole file if tags are
// excluded or matched by patterns.
std::string tagged_part(std::string_view text, std::string_view tags);

// Returns the given lines of a text. `lines` has the form "3", "1..5" or "7..-1", or several of these, separated by
// commas or semicolons.
std::string part_of_lines(std::string_view text, std::string_view lines);

}  // namespace linkherd::parser
