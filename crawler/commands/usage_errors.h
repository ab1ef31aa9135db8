// What is wrong with a command line, in one line: in place of the messages of CLI11, with a suggestion for a mistyped
// name, and with what to use instead of an option of lychee.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/commands/command.h"

namespace linkherd::crawler {

// The commands by name, and the names of their options without dashes; no more than once each.
std::vector<std::string> names_of_commands(const CLI::App& app);
std::vector<std::string> names_of_options(const CLI::App& command);

// "there is no command chekc; did you mean check?"
std::string unknown_command(const CLI::App& app, const std::string& name);

// `error` was thrown when `words` were parsed.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

}  // namespace linkherd::crawler
