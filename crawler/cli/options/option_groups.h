// Groups options for --help and the manual pages. --help shows only common options; --help-all shows every option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

// Returns the groups in the order of the help. The first one has options of a single command.
const std::vector<std::string_view>& option_group_names();

// Returns the options of a command in this group, in the order of the help. Options that the table does not list are in
// the first group. Positionals, --help and sections of the configuration are in no group.
std::vector<const CLI::Option*> options_in(const CLI::App& command, std::string_view group);

// Returns true if --help shows the option.
bool is_common(const CLI::Option& option);

// Returns every name in the table, without dashes.
std::vector<std::string> grouped_option_names();

}  // namespace linkherd::crawler
