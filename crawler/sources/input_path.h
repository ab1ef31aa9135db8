// Gives each input one spelling, so that it has one identity and one baseline however it was reached.
#pragma once

#include <string>

namespace linkherd::crawler {

// Returns the path of a file, folder or glob with "." and ".." resolved as the system does, relative if it is below the
// current folder. Symbolic links to folders give way to the folders where both are in the repository of the current
// folder; a link elsewhere keeps its name, since its target may change. A file keeps its own name even if it is a link.
// The end of the path need not exist. "-" and URLs stay as they are.
std::string input_path(const std::string& input);

}  // namespace linkherd::crawler
