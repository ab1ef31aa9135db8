// The command line of linkherd: parses it, reads the configuration files, runs the subcommand, and converts failures
// to one line on stderr and the documented exit code.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/commands/command.h"

namespace linkherd::crawler {

// Adds every subcommand with its options.
std::vector<Command> add_commands(CLI::App& app);

std::vector<const CLI::App*> commands_of(const CLI::App& app);
// Throws CLI::ValidationError with a suggestion.
const CLI::App& command_named(const CLI::App& app, const std::string& name);

int run_command_line(int argc, const char* const* argv, const Streams& streams);

}  // namespace linkherd::crawler
