// Lists all reasons of verdicts, for tests that check a property of every reason.
#pragma once

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace linkherd::reports {

// Returns every reason that storage/verdict.h declares. It parses the header, so that a new reason without a message
// fails the tests.
inline std::set<std::string> declared_reasons() {
  std::ifstream file(LINKHERD_VERDICT_HEADER);
  std::stringstream text;
  text << file.rdbuf();
  std::string_view rest = text.view();
  rest = rest.substr(std::min(rest.size(), rest.find("namespace reason {")));
  rest = rest.substr(0, rest.find("}  // namespace reason"));
  std::set<std::string> words;
  constexpr std::string_view type = "std::string_view ";
  for (std::size_t at = rest.find(type); at != std::string_view::npos; at = rest.find(type)) {
    rest.remove_prefix(at + type.size());
    const std::size_t open = rest.find('"');
    if (open == std::string_view::npos) break;
    rest.remove_prefix(open + 1);
    words.emplace(rest.substr(0, rest.find('"')));
  }
  return words;
}

}  // namespace linkherd::reports
