// The real program, run over a small internet, with its output read back.
#pragma once

#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "tests/support/run_program.h"
#include "tests/support/small_internet.h"

namespace linkherd::tests {

// Options for a run of the program: those that lead into `internet`, quick politeness, and what is given besides.
ProgramOptions linkherd_options(const SmallInternet& internet, std::vector<std::string> arguments);
ProgramResult run_linkherd(ProgramOptions options);
RunningProgram start_linkherd(ProgramOptions options);

// The objects of a JSON lines output. Fails the test where a line is none.
std::vector<boost::json::value> json_lines(const std::string& text);

// The line of that (fetched) URL; fails the test where there is none.
const boost::json::value& line_of(const std::vector<boost::json::value>& lines, const std::string& url);
std::string text_at(const boost::json::value& line, const std::string& key);  // empty for null

}  // namespace linkherd::tests
