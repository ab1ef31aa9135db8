// Runs the real program against a SmallInternet and parses its output.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "tests/support/run_program.h"
#include "tests/support/small_internet.h"

namespace linkherd::tests {

// Options for `linkherd WORDS...` in `folder`, outside a CI service. The user's configuration is
// users_settings/linkherd/linkherd.toml, if that file exists.
ProgramOptions linkherd_options(const std::filesystem::path& folder, std::vector<std::string> words);
ProgramResult run_linkherd(const std::filesystem::path& folder, const std::vector<std::string>& words);
RunningProgram start_linkherd(const std::filesystem::path& folder, const std::vector<std::string>& words);

// Returns "check", the options that connect to `internet`, options that shorten waits unless `words` sets them, and
// `words`.
std::vector<std::string> check_arguments(const SmallInternet& internet, const std::vector<std::string>& words);

// Parses JSON Lines. Throws if a line is not a JSON object.
std::vector<boost::json::object> json_lines(const std::string& text);

// The seed lists that ship with the program.
inline const std::string seeds_folder = std::string(LINKHERD_SOURCE_DIR) + "/seeds";

bool holds(std::string_view text, std::string_view part);

// Return the last non-empty line, and the number of non-empty lines.
std::string last_line(const std::string& text);
std::size_t count_lines(const std::string& text);

}  // namespace linkherd::tests
