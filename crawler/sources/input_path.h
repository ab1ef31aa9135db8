// Normalises the path of an input, so that it has the same identity and the same baseline however it was reached.
#pragma once

#include <string>

namespace linkherd::crawler {

// Returns the path of a file, folder or glob with "." and ".." resolved as the system does. It is relative if it is
// below the current folder.
//
// A symbolic link to a folder is replaced by its target if both are in the repository of the current folder. A link
// elsewhere keeps its name, because its target may change. A file keeps its own name even if it is a link. The end of
// the path need not exist. "-" and URLs are returned unchanged.
std::string input_path(const std::string& input);

}  // namespace linkherd::crawler
