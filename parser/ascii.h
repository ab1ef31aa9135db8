// ASCII character classes and case-insensitive comparison as defined by HTML and the URL Standard. All functions are
// independent of the locale.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

constexpr bool is_ascii_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool is_not_ascii(char c) { return !is_ascii(c); }  // for use as a predicate in algorithms
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_ascii_letter(char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }
constexpr bool is_ascii_alphanumeric(char c) { return is_ascii_letter(c) || is_ascii_digit(c); }
constexpr bool is_ascii_punctuation(char c) { return c > ' ' && c < 0x7F && !is_ascii_alphanumeric(c); }

constexpr bool is_ascii_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
inline bool has_ascii_control(std::string_view text) { return std::ranges::any_of(text, is_ascii_control); }

// Returns the value of a hexadecimal digit, or -1 for any other character.
constexpr int hex_value(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

constexpr bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_ascii(c); });
}

// Returns true if `names` contains `text`.
template <class Names>
constexpr bool is_one_of(const Names& names, std::string_view text) {
  return std::ranges::find(names, text) != std::ranges::end(names);
}

// The second argument of these functions must be in lower case.
constexpr bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, ascii_lower);
}
constexpr bool starts_ignoring_case(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() && equals_ignoring_case(text.substr(0, lower_case.size()), lower_case);
}
constexpr bool contains_ignoring_case(std::string_view text, std::string_view lower_case) {
  // std::ranges::search is not used: clang 14 cannot compile the subrange that it returns.
  const auto same = [](char a, char b) { return ascii_lower(a) == b; };
  return lower_case.empty() ||
         std::search(text.begin(), text.end(), lower_case.begin(), lower_case.end(), same) != text.end();
}

inline std::string to_ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), ascii_lower);
  return lower;
}

constexpr std::string_view trim_ascii_end(std::string_view text) {
  while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
  return text;
}

constexpr std::string_view trim_ascii(std::string_view text) {
  while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
  return trim_ascii_end(text);
}

// Removes the white space around a text, and then one pair of quotes.
constexpr std::string_view unquoted(std::string_view text) {
  text = trim_ascii(text);
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace linkherd::parser
