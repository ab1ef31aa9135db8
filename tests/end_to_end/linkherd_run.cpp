#include "tests/end_to_end/linkherd_run.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include <boost/json/parse.hpp>

namespace linkherd::tests {

ProgramOptions linkherd_options(const std::filesystem::path& folder, std::vector<std::string> words) {
  ProgramOptions options;
  options.arguments = std::move(words);
  options.working_directory = folder;
  options.environment["XDG_CONFIG_HOME"] = (folder / "users_settings").string();
  for (const char* name :
       {"CI", "GITHUB_ACTIONS", "GITHUB_TOKEN", "GITHUB_GRAPHQL_URL"})  // the folder for temporary files
    options.environment[name] = "";
  return options;
}

ProgramResult run_linkherd(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  return run_program(LINKHERD_PROGRAM, linkherd_options(folder, words));
}

RunningProgram start_linkherd(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  return {LINKHERD_PROGRAM, linkherd_options(folder, words)};
}

std::vector<std::string> check_arguments(const SmallInternet& internet, const std::vector<std::string>& words) {
  static constexpr std::array<std::pair<const char*, const char*>, 5> settings{{{"--host-request-interval", "1ms"},
                                                                                {"--confirm-wait", "100ms"},
                                                                                {"--max-retries", "1"},
                                                                                {"--retry-wait-time", "100ms"},
                                                                                {"--timeout", "20s"}}};
  std::vector<std::string> all{"check"};
  for (const auto& [option, value] : settings) {
    if (std::ranges::find(words, option) == words.end()) all.insert(all.end(), {option, value});
  }
  const std::vector<std::string> way = internet.options();
  all.insert(all.end(), way.begin(), way.end());
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::vector<boost::json::object> json_lines(const std::string& text) {
  std::vector<boost::json::object> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(boost::json::parse(line).as_object());
  return lines;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string last_line(const std::string& text) {
  std::istringstream in(text);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

std::size_t count_lines(const std::string& text) {
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) count += line.empty() ? 0U : 1U;
  return count;
}

}  // namespace linkherd::tests
