// Runs a command line inside the test process, in a separate folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "crawler/cli/command_line.h"
#include "tests/support/temp_dir.h"

namespace linkherd::crawler {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

// A user configuration on this machine must not affect the tests.
inline const int no_settings = setenv("XDG_CONFIG_HOME", "/nowhere", 1);

inline Outcome run(std::vector<std::string> arguments, const std::string& input = {}) {
  std::vector<const char*> argv{"linkherd"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const Streams streams{in, out, err, false, false};
  const int code = run_command_line(static_cast<int>(argv.size()), argv.data(), streams);
  return {code, out.str(), err.str()};
}

// Changes to a temporary folder, so that no linkherd.toml of the surrounding folders applies.
struct TempCurrentFolder {
  tests::TempDir folder;
  std::filesystem::path before = std::filesystem::current_path();
  TempCurrentFolder() { std::filesystem::current_path(folder.path()); }
  ~TempCurrentFolder() { std::filesystem::current_path(before); }
};

// Returns the name of an option, such as "--timeout" or "INPUT". CLI11 itself gives no name for hidden options.
inline std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().front();
}

inline bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace linkherd::crawler
