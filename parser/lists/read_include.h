// The callback through which a reader gets the files that a document includes. Readers do no I/O themselves.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace linkherd::parser {

// Returns the text of an included file, or nullopt if it cannot be read. `path` is relative to the folder of the
// document.
using ReadInclude = std::function<std::optional<std::string>(const std::string& path)>;

}  // namespace linkherd::parser
