#include "parser/metadata/embedded_json.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_depth = 64;

constexpr bool is_identifier(char c) { return is_ascii_alphanumeric(c) || c == '_' || c == '$'; }

// Removes the comment and CDATA marks that old pages have before their scripts: "<!--", "// <![CDATA[",
// "/* <![CDATA[ */", "<!--//--><![CDATA[//><!--".
std::string_view unwrap(std::string_view text) {
  constexpr std::size_t max_mark = 24;
  constexpr std::string_view cdata = "<![CDATA[";
  text = trim_ascii(text);
  if (const std::size_t at = text.substr(0, max_mark).find(cdata);
      at != std::string_view::npos && text.substr(0, at).find_first_not_of("/*<!-> \t\r\n") == std::string_view::npos) {
    text = trim_ascii(text.substr(at + cdata.size()));
    for (const std::string_view rest : {"*/", "//><!--"}) {
      if (text.starts_with(rest)) text = trim_ascii(text.substr(rest.size()));
    }
  }
  if (text.starts_with("<!--")) text = trim_ascii(text.substr(4));
  return text;
}

std::uint32_t hex_digits(std::string_view digits) {
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

}  // namespace

bool parse_embedded_json(std::string_view text, boost::json::value& value, std::size_t max_bytes) {
  text = unwrap(text.substr(0, max_bytes));
  if (text.empty()) return false;
  // Control characters are white space outside of strings and a common mistake inside. A space is valid in both cases.
  std::string clean(text);
  std::ranges::replace_if(
      clean, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');

  boost::json::parse_options options;
  options.max_depth = max_depth;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  options.allow_invalid_utf8 = true;
  boost::json::stream_parser parser({}, options);
  boost::system::error_code error;
  parser.write_some(clean.data(), clean.size(), error);
  if (error) return false;
  if (!parser.done()) {
    parser.finish(error);
    if (error) return false;
  }
  value = parser.release();
  return true;
}

const boost::json::value* at_path(const boost::json::value& value, std::string_view path) {
  const boost::json::value* at = &value;
  while (!path.empty() && at != nullptr) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view key = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    if (const auto* object = at->if_object()) {
      at = object->if_contains(boost::json::string_view(key.data(), key.size()));
    } else if (const auto* array = at->if_array()) {
      std::size_t index = SIZE_MAX;
      std::from_chars(key.data(), key.data() + key.size(), index);
      at = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      at = nullptr;
    }
  }
  return at;
}

std::string text_of(const boost::json::value* value) {
  if (value == nullptr) return {};
  if (const auto* string = value->if_string()) return {string->data(), string->size()};
  if (const auto* number = value->if_int64()) return std::to_string(*number);
  if (const auto* number = value->if_uint64()) return std::to_string(*number);
  return {};
}

std::string_view find_assigned_value(std::string_view script, std::string_view variable) {
  for (std::size_t at = script.find(variable); at != std::string_view::npos; at = script.find(variable, at + 1)) {
    if (at > 0 && is_identifier(script[at - 1])) continue;
    std::string_view rest = script.substr(at + variable.size());
    if (rest.empty() || is_identifier(rest.front())) continue;
    // window["x"] = …
    if (rest.starts_with("\"]") || rest.starts_with("']")) rest.remove_prefix(2);
    rest = trim_ascii(rest);
    if (!rest.starts_with('=') || rest.starts_with("==")) continue;
    return trim_ascii(rest.substr(1));
  }
  return {};
}

std::string parse_string_literal(std::string_view text) {
  constexpr std::size_t max_literal = std::size_t{1} << 20;
  if (text.empty() || (text.front() != '"' && text.front() != '\'')) return {};
  const char quote = text.front();
  std::string decoded;
  char32_t lead = 0;  // first half of a surrogate pair
  for (std::size_t at = 1; at < text.size() && at < max_literal; ++at) {
    const char c = text[at];
    if (c == quote) return decoded;
    if (c == '\n') break;
    if (c != '\\' || at + 1 >= text.size()) {
      decoded += c;
      continue;
    }
    const char escape = text[++at];
    const std::size_t digits = escape == 'u' ? 4 : escape == 'x' ? 2 : 0;
    const std::string_view number = text.substr(at + 1, digits);
    // The text may be cut inside a UTF-8 sequence.
    if (digits > 0 && number.size() == digits &&
        std::ranges::all_of(number, [](char digit) { return hex_value(digit) >= 0; })) {
      const char32_t unit = hex_digits(number);
      at += digits;
      if (unit >= 0xD800 && unit < 0xDC00) {
        lead = unit;
      } else if (unit >= 0xDC00 && unit < 0xE000) {
        append_utf8(decoded, lead == 0 ? replacement_character : 0x10000 + ((lead - 0xD800) << 10) + (unit - 0xDC00));
        lead = 0;
      } else {
        append_utf8(decoded, unit);
      }
    } else if (escape == 'n' || escape == 't' || escape == 'r') {
      decoded += escape == 'n' ? '\n' : escape == 't' ? '\t' : '\r';
    } else {
      decoded += escape;
    }
  }
  return {};
}

}  // namespace linkherd::parser
