// Examples of each command, for --help and the manual pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linkherd::crawler {

struct CommandExample {
  std::string line;     // "linkherd check README.md docs/"
  std::string purpose;  // "Check a file and a folder"
};

// `command`: its full name, such as "store verify"; empty: linkherd itself. Returns no examples for simple commands.
std::vector<CommandExample> examples_of(std::string_view command);

}  // namespace linkherd::crawler
