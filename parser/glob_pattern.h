// Recognises globs that were written where a regular expression is needed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace linkherd::parser {

// The regular expression that finds what a glob matches, wherever it is in a text; nullopt if the pattern is not meant
// as a glob.
std::optional<std::string> regex_for_glob(std::string_view pattern);

}  // namespace linkherd::parser
