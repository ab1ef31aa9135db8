// Provides examples of the commands for --help and the manual pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::crawler {

struct CommandExample {
  std::string line;     // for example "linkherd check README.md docs/"
  std::string purpose;  // for example "Check a file and a folder"
};

// Returns the examples of `command`, which is a full name such as "store verify"; empty: linkherd itself. Simple
// commands have no examples.
std::vector<CommandExample> examples_of(std::string_view command);

}  // namespace linkherd::crawler
