// The tree of commands: `check`, `store verify`. A command that has commands below it only groups them.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

// Returns "store verify" for the command `verify` of `store`; empty for the program itself.
std::string full_name(const CLI::App& command);

// Returns the direct subcommands, in the order in which help lists them.
std::vector<const CLI::App*> subcommands_of(const CLI::App& app);
// Returns every command that does the work of one, in the same order: not the groups.
std::vector<const CLI::App*> leaf_commands(const CLI::App& app);

// Returns the command that was chosen on the command line; `app` itself if none was.
const CLI::App& chosen_command(const CLI::App& app);

// Returns the command or group called `name`. Throws CLI::ValidationError with a suggestion.
const CLI::App& find_command(const CLI::App& app, const std::vector<std::string>& name);

// Returns "there is no command chekc; did you mean check?".
std::string unknown_command(const CLI::App& app, const std::string& name);

}  // namespace linkherd::crawler
