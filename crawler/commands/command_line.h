// The command line of linkherd: parses it, reads the configuration files, runs the subcommand, and converts failures
// to one line on stderr and the documented exit code.
#pragma once

#include <vector>

#include "crawler/commands/command.h"

namespace linkherd::crawler {

// Adds every subcommand with its options.
std::vector<Command> add_commands(CLI::App& app);

int run_command_line(int argc, const char* const* argv, const Streams& streams);

}  // namespace linkherd::crawler
