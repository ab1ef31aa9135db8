// linkherd.toml: settings under the names of the options, in snake_case (`max_cache_age = "1d"`). [hosts."example.com"]
// holds settings for single hosts. A later one of these wins, and replaces lists as a whole; only [hosts] adds up:
//   1. the user's own file, $XDG_CONFIG_HOME/linkherd/linkherd.toml
//   2. the file that --config names, else linkherd.toml of the current folder
//   3. the command line
// A linkherd.toml of the current folder may be somebody else's, come with a clone. Of it only those settings are taken
// that an option declares with ->configurable(): no path, program, address or secret, nothing that rewrites links, and
// nothing that makes a run less safe or less polite. The other files may set everything.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

inline constexpr const char* configuration_file_name = "linkherd.toml";
inline constexpr std::size_t most_configuration_bytes = std::size_t{1} << 20;

// Gives `command` what the files say, and returns their names. A key that belongs to another of the `commands` is
// passed over. One that belongs to none, or that its file may not set, is a CLI::ConfigError, and so is a file that is
// there and cannot be read.
std::vector<std::string> apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands);

}  // namespace linkherd::crawler
