// Converts a glob that a user wrote instead of a regular expression.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Returns an unanchored regular expression that finds the matches of a glob anywhere in a text. Returns nullopt if
// `pattern` is not meant as a glob.
std::optional<std::string> regex_for_glob(std::string_view pattern);

}  // namespace linkherd::parser
