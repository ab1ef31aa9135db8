// What is wrong with a command line, in one line: in place of the messages of CLI11, with a suggestion for a mistyped
// name, and with what to use instead of an option of lychee.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/cli/command.h"

namespace linkherd::crawler {

// Returns the long names of the options of a command, without dashes.
std::vector<std::string> names_of_options(const CLI::App& command);

// `error` was thrown when `words` were parsed.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

}  // namespace linkherd::crawler
