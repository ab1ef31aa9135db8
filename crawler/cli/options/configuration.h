// Reads linkherd.toml. Settings have the names of the options in snake_case (`max_cache_age = "1d"`).
// [hosts."example.com"] has the settings of a single host. Sources in order of precedence, lowest first; a list
// replaces the previous one completely, only [hosts] tables are merged:
// 1. the user's file, $XDG_CONFIG_HOME/linkherd/linkherd.toml
// 2. the files of --config in their order; without --config, the linkherd.toml of the current folder, or else of the
//    root of the repository
// 3. the command line
//
// A discovered linkherd.toml is untrusted, because it may come with a cloned repository. It may only set options with
// the trait `safe`. These include no path, program, address or secret, and nothing that rewrites links. Nor do they
// make a run less safe or increase the load on hosts. The other files may set everything.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

inline constexpr const char* configuration_file_name = "linkherd.toml";
inline constexpr std::size_t max_configuration_bytes = std::size_t{1} << 20;

// Everything that is wrong with the files, one problem per line, such as "linkherd.toml:3: there is no setting tiemout;
// did you mean timeout?".
class ConfigurationErrors : public CLI::ConfigError {
 public:
  explicit ConfigurationErrors(std::vector<std::string> lines) : ConfigError(lines.front()), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

// Returns the linkherd.toml of the current folder or of the repository. If neither exists, returns the path where it
// would be.
std::string discovered_configuration();

// Returns why the option rejects the values, or an empty string if it accepts them.
std::string problem_of_values(CLI::Option& option, const std::vector<std::string>& values);

// Applies the settings of the files to `command` and returns the names of the files. Ignores keys that belong to others
// of the `commands`. Throws ConfigurationErrors for unknown keys, keys that the file may not set, invalid values, and
// an existing file that cannot be read.
std::vector<std::string> apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands);

}  // namespace linkherd::crawler
