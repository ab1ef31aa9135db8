// Describes what is wrong with a command line, in one line. Replaces the messages of CLI11, suggests a name for a
// mistyped one, and says what to use instead of an option of lychee.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/cli/command.h"

namespace linkherd::crawler {

// Returns the long names of the options of a command, without dashes.
std::vector<std::string> list_option_names(const CLI::App& command);

// Returns the message for `error`, which was thrown when `words` were parsed.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

}  // namespace linkherd::crawler
