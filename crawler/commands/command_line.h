// The command line of linkherd: parses it, reads the configuration, runs the subcommand, and turns what goes wrong into
// one line on stderr and the exit code of the contract.
#pragma once

#include <vector>

#include "crawler/commands/command.h"

namespace linkherd::crawler {

// Every subcommand with its options.
std::vector<Command> add_commands(CLI::App& app);

int run_command_line(int argc, const char* const* argv, const Streams& streams);

}  // namespace linkherd::crawler
