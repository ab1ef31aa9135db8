// The tree of commands, such as `check` and `store verify`. A command with subcommands is only a group.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

// Returns the full name, such as "store verify" for the command `verify` of `store`. Empty for the program itself.
std::string full_name(const CLI::App& command);

// Returns the direct subcommands, in the order of the help.
std::vector<const CLI::App*> list_subcommands(const CLI::App& app);
// Returns all commands except groups, in the same order.
std::vector<const CLI::App*> leaf_commands(const CLI::App& app);

// Returns the command chosen on the command line, or `app` itself if none was chosen.
const CLI::App& chosen_command(const CLI::App& app);

// Returns the command or group called `name`. Throws CLI::ValidationError with a suggestion if there is none.
const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& name);

// Returns a message such as "there is no command chekc; did you mean check?".
std::string unknown_command(const CLI::App& app, const std::string& name);

}  // namespace linkherd::crawler
