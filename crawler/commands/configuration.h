// linkherd.toml: settings under the names of the options, in snake_case (`max_cache_age = "1d"`). What the command line
// says wins. [hosts."example.com"] holds settings for single hosts.
#pragma once

#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

// Applies the file that `command`'s option --config names, or linkherd.toml of the current folder where there is one. A
// key that belongs to another of the `commands` is passed over; one that belongs to none is a CLI::ConfigError.
void apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands);

}  // namespace linkherd::crawler
