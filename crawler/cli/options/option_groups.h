// How --help and the manual pages group options. --help shows only the common options; --help-all shows every option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

// The groups in the order in which help prints them. The first one has the options of a single command.
const std::vector<std::string_view>& option_group_names();

// Returns the options of a command in this group, in the order of help. Options that the table does not name are in the
// first group. Positionals, --help and sections of the configuration are in none.
std::vector<const CLI::Option*> options_in(const CLI::App& command, std::string_view group);

// Returns true if --help shows the option.
bool is_common(const CLI::Option& option);

// Every name of the table, without dashes.
std::vector<std::string> grouped_option_names();

}  // namespace linkherd::crawler
