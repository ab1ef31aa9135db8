// linkherd.toml: settings with the names of the options in snake_case (`max_cache_age = "1d"`). [hosts."example.com"]
// has the settings of single hosts. Sources in order of precedence, lowest first; a list replaces the previous one
// completely, only [hosts] tables are merged:
//   1. the user's file, $XDG_CONFIG_HOME/linkherd/linkherd.toml
//   2. the file of --config, otherwise linkherd.toml in the current folder
//   3. the command line
// A linkherd.toml in the current folder is untrusted, because it may come with a cloned repository. It may only set
// options that are declared with ->configurable(): no path, program, address or secret, nothing that rewrites links,
// and nothing that makes a run less safe or increases the load on hosts. The other files may set everything.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

inline constexpr const char* configuration_file_name = "linkherd.toml";
inline constexpr std::size_t most_configuration_bytes = std::size_t{1} << 20;

// Applies the settings of the files to `command` and returns the names of the files. Ignores a key of another one of
// the `commands`. Throws CLI::ConfigError for an unknown key, a key that the file may not set, and an existing file
// that cannot be read.
std::vector<std::string> apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands);

}  // namespace linkherd::crawler
