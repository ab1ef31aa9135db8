// Runs the real program over a small internet and captures its output.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "tests/support/run_program.h"
#include "tests/support/small_internet.h"

namespace linkherd::tests {

// `linkherd WORDS...` in `folder` on a machine of one's own (not a CI service's), where the user's own settings are in
// users_settings/linkherd/linkherd.toml, if any.
ProgramOptions linkherd_options(const std::filesystem::path& folder, std::vector<std::string> words);
ProgramResult run_linkherd(const std::filesystem::path& folder, const std::vector<std::string>& words);
RunningProgram start_linkherd(const std::filesystem::path& folder, const std::vector<std::string>& words);

// "check", the options that lead into the internet, those that make waits short where `words` do not set them, and
// `words`.
std::vector<std::string> check_words(const SmallInternet& internet, const std::vector<std::string>& words);

// The objects of a JSON lines output. Throws where a line is none.
std::vector<boost::json::object> json_lines(const std::string& text);

// The lists that the program ships.
inline const std::string seeds_folder = std::string(LINKHERD_SOURCE_DIR) + "/seeds";

bool holds(std::string_view text, std::string_view part);

// The last line that is not empty; and how many there are.
std::string last_line(const std::string& text);
std::size_t count_lines(const std::string& text);

}  // namespace linkherd::tests
