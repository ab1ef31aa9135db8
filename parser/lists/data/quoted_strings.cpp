#include "parser/lists/data/quoted_strings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Returns the value of exactly `digits` hexadecimal digits at `at`, or nullopt.
std::optional<char32_t> hexadecimal(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  char32_t value = 0;
  for (const char c : text.substr(at, digits)) {
    const int digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(digit);
  }
  return value;
}

struct Escape {
  std::size_t length = 0;                   // 0 if there is no valid escape
  std::optional<char32_t> meaning = U'\0';  // nullopt if the escape is removed
};

struct NamedEscape {
  char letter;
  char32_t meaning;
};
// The first eight are escapes of JSON. The next one is an escape of TOML and YAML, and the rest are only in YAML.
constexpr std::array<NamedEscape, 17> named{{{'"', U'"'},
                                             {'\\', U'\\'},
                                             {'/', U'/'},
                                             {'n', U'\n'},
                                             {'t', U'\t'},
                                             {'r', U'\r'},
                                             {'b', U'\b'},
                                             {'f', U'\f'},
                                             {'e', U'\x1B'},
                                             {'a', U'\a'},
                                             {'v', U'\v'},
                                             {'0', U'\0'},
                                             {' ', U' '},
                                             {'N', U'\x85'},
                                             {'_', U'\xA0'},
                                             {'L', U'\x2028'},
                                             {'P', U'\x2029'}}};
constexpr std::size_t names_of(QuoteStyle style) {
  return style == QuoteStyle::json ? 8 : style == QuoteStyle::toml ? 9 : named.size();
}

Escape coded_escape(std::string_view text, std::size_t at, QuoteStyle style) {
  const char letter = text[at + 1];
  const std::size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 2;
  if (letter != 'u' && style == QuoteStyle::json) return {};
  const std::optional<char32_t> value = hexadecimal(text, at + 2, digits);
  if (!value) return {};
  const std::size_t length = digits + 2;
  if (is_scalar_value(*value)) return {length, *value};
  if (*value >= 0xD800 && *value < 0xDC00 && text.substr(at + length, 2) == "\\u") {
    const std::optional<char32_t> low = hexadecimal(text, at + length + 2, 4);
    if (low && *low >= 0xDC00 && *low <= 0xDFFF)
      return {length + 6, 0x10000 + ((*value - 0xD800) << 10U) + (*low - 0xDC00)};
  }
  return {length, replacement_character};
}

// Reads the escape whose backslash is at `at`.
Escape read_escape(std::string_view text, std::size_t at, QuoteStyle style) {
  if (at + 1 >= text.size()) return {};
  const char letter = text[at + 1];
  if (letter == 'u' || letter == 'U' || letter == 'x') return coded_escape(text, at, style);
  if (is_ascii_space(letter) && letter != ' ' && letter != '\t' && style != QuoteStyle::json) {
    // The line continues after the line break and its indentation.
    return {std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size()) - at, std::nullopt};
  }
  const auto* end = named.begin() + names_of(style);
  const auto* found = std::find_if(named.begin(), end, [&](const NamedEscape& name) { return name.letter == letter; });
  return found == end ? Escape{} : Escape{2, found->meaning};
}

void unescape_backslashes(std::string_view document, TextRange range, QuoteStyle style, MappedText& text) {
  const std::size_t end = range.offset + range.length;
  document = document.substr(0, end);
  for (std::size_t at = range.offset; at < end;) {
    const std::size_t slash = std::min(document.find('\\', at), end);
    text.copy(document, {at, slash - at});
    if (slash == end) return;
    const Escape escape = read_escape(document, slash, style);
    if (escape.length == 0) {
      text.copy(document, {slash, 1});
    } else if (escape.meaning) {
      std::string meaning;
      append_utf8(meaning, *escape.meaning);
      text.append_decoded({slash, escape.length}, meaning);
    }
    at = slash + std::max<std::size_t>(escape.length, 1);
  }
}

// Decodes a string in which inner quotes are doubled.
void unescape_doubled(std::string_view document, TextRange range, char quote, MappedText& text) {
  const std::size_t end = range.offset + range.length;
  for (std::size_t at = range.offset; at < end;) {
    const std::size_t found = std::min(document.find(quote, at), end);
    text.copy(document, {at, found - at});
    if (found == end) return;
    const std::size_t length = found + 1 < end && document[found + 1] == quote ? 2 : 1;
    text.append_decoded({found, length}, std::string_view(&quote, 1));
    at = found + length;
  }
}

}  // namespace

void unescape_quoted(std::string_view document, TextRange range, QuoteStyle style, MappedText& text) {
  document = document.substr(0, range.offset + range.length);
  switch (style) {
    case QuoteStyle::literal: text.copy(document, range); break;
    case QuoteStyle::csv: unescape_doubled(document, range, '"', text); break;
    case QuoteStyle::yaml_single: unescape_doubled(document, range, '\'', text); break;
    default: unescape_backslashes(document, range, style, text);
  }
}

}  // namespace linkherd::parser
