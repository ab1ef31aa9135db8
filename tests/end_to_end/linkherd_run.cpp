#include "tests/end_to_end/linkherd_run.h"

#include <algorithm>
#include <sstream>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

namespace linkherd::tests {

ProgramOptions linkherd_options(const SmallInternet& internet, std::vector<std::string> arguments) {
  ProgramOptions options;
  options.arguments = std::move(arguments);
  const bool check = !options.arguments.empty() && options.arguments.front() == "check";
  if (check) {
    for (const std::string& option : internet.options()) options.arguments.push_back(option);
    for (const char* option :
         {"--host-request-interval", "2ms", "--confirm-wait", "100ms", "--retry-wait-time", "50ms"}) {
      options.arguments.emplace_back(option);
    }
  }
  return options;
}

ProgramResult run_linkherd(ProgramOptions options) { return run_program(LINKHERD_PROGRAM, std::move(options)); }

RunningProgram start_linkherd(ProgramOptions options) { return {LINKHERD_PROGRAM, std::move(options)}; }

std::vector<boost::json::value> json_lines(const std::string& text) {
  std::vector<boost::json::value> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    boost::json::error_code error;
    lines.push_back(boost::json::parse(line, error));
    REQUIRE_MESSAGE(!error, line);
  }
  return lines;
}

const boost::json::value& line_of(const std::vector<boost::json::value>& lines, const std::string& url) {
  const auto found =
      std::ranges::find_if(lines, [&url](const boost::json::value& line) { return line.at("url").as_string() == url; });
  REQUIRE_MESSAGE(found != lines.end(), url);
  return *found;
}

std::string text_at(const boost::json::value& line, const std::string& key) {
  const boost::json::value& value = line.at(key);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

}  // namespace linkherd::tests
