// linkherd.toml: settings with the names of the options in snake_case (`max_cache_age = "1d"`). [hosts."example.com"]
// has the settings of single hosts. Sources in order of precedence, lowest first; a list replaces the previous one
// completely, only [hosts] tables are merged:
//   1. the user's file, $XDG_CONFIG_HOME/linkherd/linkherd.toml
//   2. the files of --config, in their order; otherwise the linkherd.toml of the current folder, or if there is none
//      of the root of the repository
//   3. the command line
// A linkherd.toml that was found is untrusted, because it may come with a cloned repository. It may only set
// options that are declared with ->configurable(): no path, program, address or secret, nothing that rewrites links,
// and nothing that makes a run less safe or increases the load on hosts. The other files may set everything.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

namespace linkherd::crawler {

inline constexpr const char* configuration_file_name = "linkherd.toml";
inline constexpr std::size_t max_configuration_bytes = std::size_t{1} << 20;

// Everything that is wrong with the files, a line each: "linkherd.toml:3: there is no setting tiemout; did you mean
// timeout?".
class ConfigurationErrors : public CLI::ConfigError {
 public:
  explicit ConfigurationErrors(std::vector<std::string> lines) : ConfigError(lines.front()), lines_(std::move(lines)) {}
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

// The linkherd.toml of the current folder or of the repository, which may not exist; where there is none, where it
// would be.
std::string discovered_configuration();

// Returns what the option says to the values; empty if it takes them.
std::string problem_of_values(CLI::Option& option, const std::vector<std::string>& values);

// Applies the settings of the files to `command` and returns the names of the files. Ignores a key of another one of
// the `commands`. Throws ConfigurationErrors for unknown keys, keys that the file may not set, values that an option
// does not take, and an existing file that cannot be read.
std::vector<std::string> apply_configuration(CLI::App& command, const std::vector<CLI::App*>& commands);

}  // namespace linkherd::crawler
