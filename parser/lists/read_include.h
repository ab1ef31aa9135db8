// How a reader gets the files that a list includes: it does no I/O itself.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace linkherd::parser {

// Returns the text of an included file, or nullopt if it cannot be read. `path`: from the folder of the list.
using ReadInclude = std::function<std::optional<std::string>(const std::string& path)>;

}  // namespace linkherd::parser
