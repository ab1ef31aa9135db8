// The command line of linkherd: parses it, reads the configuration files, runs the subcommand, and converts failures
// to one line on stderr and the documented exit code.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "crawler/cli/command.h"

namespace linkherd::crawler {

// Adds all commands with their options. Returns the commands that can be run.
std::vector<Command> add_commands(CLI::App& app);

int run_command_line(int argc, const char* const* argv, const Streams& streams);

}  // namespace linkherd::crawler
