#include "parser/glob_pattern.h"

#include <algorithm>
#include <cstddef>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

// Returns true if a star or question mark in the pattern can only be a wildcard. As a regular expression the pattern
// would be invalid or almost useless: in "docs/*.md" the star repeats the slash.
bool is_meant_as_glob(std::string_view pattern) {
  constexpr std::string_view of_regex_alone = "^$()|+\\";
  if (pattern.find_first_of(of_regex_alone) != std::string_view::npos) return false;
  if (pattern.starts_with('*') || pattern.starts_with('?')) return true;
  for (std::size_t at = pattern.find('*'); at != std::string_view::npos; at = pattern.find('*', at + 1)) {
    const char before = pattern[at - 1];
    const std::string_view rest = pattern.substr(at + 1);
    // A pattern that ends in "/*" finds the intended text even as a regular expression.
    if (before == '*' || (before == '/' && !rest.empty())) return true;
    const bool is_ending =
        rest.size() > 1 && rest[0] == '.' && std::ranges::all_of(rest.substr(1), is_ascii_alphanumeric);
    if (is_ending && (is_ascii_alphanumeric(before) || before == '-' || before == '_')) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> regex_for_glob(std::string_view pattern) {
  if (!is_meant_as_glob(pattern)) return std::nullopt;
  const bool is_open = pattern.starts_with('*');
  // The result is unanchored, so stars at both ends of the glob are redundant.
  while (pattern.starts_with('*')) pattern.remove_prefix(pattern.starts_with("**/") ? 3 : 1);
  if (is_open && pattern.starts_with('/')) pattern.remove_prefix(1);
  while (pattern.ends_with('*')) pattern.remove_suffix(1);
  std::string regex;
  bool is_choice = false;  // inside {a,b}
  bool is_class = false;   // inside [a-z]
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (is_class) {
      regex += c == '!' && regex.ends_with('[') ? '^' : c;
      is_class = c != ']';
    } else if (c == '*' && pattern.substr(i).starts_with("**/")) {
      regex += "(.*/)?";
      i += 2;
    } else if (c == '*' && pattern.substr(i).starts_with("**")) {
      regex += ".*";
      ++i;
    } else if (c == '*') {
      regex += "[^/]*";
    } else if (c == '?') {
      regex += '.';
    } else if (c == '{' || (is_choice && c == '}')) {
      is_choice = c == '{';
      regex += is_choice ? '(' : ')';
    } else if (is_choice && c == ',') {
      regex += '|';
    } else {
      is_class = c == '[';
      if (std::string_view(".+^$()|\\}").find(c) != std::string_view::npos) regex += '\\';
      regex += c;
    }
  }
  return regex.empty() ? "." : regex;
}

}  // namespace linkherd::parser
