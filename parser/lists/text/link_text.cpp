#include "parser/lists/text/link_text.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"
#include "parser/lists/brackets.h"
#include "parser/lists/found_link.h"
#include "parser/lists/line_index.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

constexpr bool is_space(char32_t c) {
  return (c <= 0x20) || c == 0x7F || c == 0x85 || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) || c == 0x2028 ||
         c == 0x2029 || c == 0x3000 || c == 0xFEFF;
}

// A table of the bytes that may begin a white space character.
constexpr auto may_begin_space = [] {
  std::array<bool, 256> may{};
  std::fill_n(may.begin(), 0x21, true);
  for (const std::size_t byte : {0x7FU, 0xC2U, 0xE2U, 0xE3U, 0xEFU}) may[byte] = true;
  return may;
}();

// Returns the number of bytes from `at` that are certainly not white space.
std::size_t words_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !may_begin_space[static_cast<unsigned char>(text[end])]) ++end;
  return end - at;
}

// Returns true if the only white space is a single blank between words, which is the case for nearly all texts.
bool is_collapsed(std::string_view text) {
  char before = ' ';
  for (const char c : text) {
    if (c == ' ' ? before == ' ' : may_begin_space[static_cast<unsigned char>(c)]) return false;
    before = c;
  }
  return before != ' ';
}

// Separators between a title and its URL, or a URL and the next title.
constexpr std::array<std::string_view, 32> separators{":", "：", "-",  "–", "—",  "|",  "｜", "(",  "（", "[", "【",
                                                      "<", "《", "\"", "'", "“",  "‘",  "「", "『", "=",  "→", "*",
                                                      "_", "~",  "`",  ",", "，", "、", ";",  "；", "•",  "·"};

// Separators at the start of a title. A closing bracket there belongs to the URL before it; an opening one belongs to
// the title.
constexpr std::array<std::string_view, 24> leading{
    "*", "_", "~",  "`", ",",  "，", "、", ";", "；", "•",  "·", "#",
    ">", ")", "）", "]", "】", "-",  "–",  "+", "|",  "｜", ":", "：",
};

bool strip_space_at_end(std::string_view& text) {
  const std::size_t size = text.size();
  while (!text.empty()) {
    const std::size_t start = last_code_point_start(text);
    if (!is_space(decode_utf8(text, start).value)) break;
    text = text.substr(0, start);
  }
  return text.size() != size;
}

bool strip_space_at_start(std::string_view& text) {
  const std::size_t size = text.size();
  for (CodePoint point = decode_utf8(text, 0); point.length != 0 && is_space(point.value);
       point = decode_utf8(text, 0)) {
    text.remove_prefix(point.length);
  }
  return text.size() != size;
}

// Returns false for bytes that cannot start a separator: letters, digits, and the lead bytes of ideographs (E4 to E9).
constexpr bool may_begin_separator(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 ? !is_ascii_alphanumeric(c) : byte == 0xC2 || byte == 0xE2 || byte == 0xE3 || byte == 0xEF;
}

bool strip_separator_at_end(std::string_view& text) {
  const std::size_t last = last_code_point_start(text);
  if (text.empty() || !may_begin_separator(text[last])) return false;
  const char byte = text.back();
  const auto* found =
      std::ranges::find_if(separators, [&](std::string_view s) { return s.back() == byte && text.ends_with(s); });
  if (found == separators.end()) return false;
  text.remove_suffix(found->size());
  return true;
}

bool strip_separator_at_start(std::string_view& text) {
  if (text.empty() || !may_begin_separator(text.front())) return false;
  const char byte = text.front();
  const auto* found =
      std::ranges::find_if(leading, [&](std::string_view s) { return s.front() == byte && text.starts_with(s); });
  if (found == leading.end()) return false;
  text.remove_prefix(found->size());
  return true;
}

// Removes "1.", "2)", "3、" and "[x]" before an entry.
bool strip_number_or_box(std::string_view& text) {
  if (text.size() >= 4 && text[0] == '[' && text[2] == ']' && text[3] == ' ' &&
      std::string_view(" xX").find(text[1]) != std::string_view::npos) {
    text.remove_prefix(4);
    return true;
  }
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(text, is_ascii_digit) - text.begin());
  if (digits == 0 || digits > 4) return false;
  for (const std::string_view mark : {". ", ") ", "、"}) {
    if (!text.substr(digits).starts_with(mark)) continue;
    text.remove_prefix(digits + mark.size());
    return true;
  }
  return false;
}

// Removes an unmatched opening bracket, as in "(mirror" before "https://…)".
bool strip_open_bracket(std::string_view& text) {
  const CodePoint first = decode_utf8(text, 0);
  if (closing_bracket_of(first.value) == 0) return false;
  if (has_matching_brackets(text.substr(0, first.length), text.substr(first.length))) return false;
  text.remove_prefix(first.length);
  return true;
}

bool has_word(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_ascii_alphanumeric(c) || !is_ascii(c); });
}

}  // namespace

std::string collapse_space(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes && is_collapsed(text)) return std::string(text);
  std::string result;
  bool space = false;
  result.reserve(std::min(text.size(), max_bytes + 8));
  for (std::size_t at = 0; at < text.size() && result.size() < max_bytes + 4;) {
    std::size_t length = words_length(text, at);
    if (length == 0) {
      const CodePoint point = decode_utf8(text, at);
      length = point.length;
      if (is_space(point.value)) {
        space = !result.empty();
        at += length;
        continue;
      }
    }
    if (space) result.push_back(' ');
    space = false;
    result.append(text.substr(at, std::min(length, max_bytes + 8)));
    at += length;
  }
  result.resize(truncate_utf8(result, max_bytes).size());
  return result;
}

std::string_view title_tail(std::string_view text) {
  if (text.size() <= 2 * max_link_text_bytes) return text;
  text.remove_prefix(text.size() - 2 * max_link_text_bytes);
  // A cut inside a code point leaves continuation bytes at the start.
  while (!text.empty() && is_continuation_byte(text.front())) text.remove_prefix(1);
  return text;
}

std::string unwrap_url(std::string_view written) {
  std::string url(written);
  if (find_line_break(written, 0) != written.size()) std::erase_if(url, is_ascii_space);
  return url;
}

std::string title_before_url(std::string_view text) {
  text = title_tail(text);
  while (strip_space_at_end(text) || strip_separator_at_end(text)) {
  }
  const auto strip_start = [&] {
    while (strip_space_at_start(text) || strip_number_or_box(text) || strip_separator_at_start(text)) {
    }
  };
  strip_start();
  if (strip_open_bracket(text)) strip_start();
  return has_word(text) ? collapse_space(text, max_link_text_bytes) : std::string();
}

std::string unescape_markdown(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && is_ascii_punctuation(text[at + 1])) ++at;
    result.push_back(text[at]);
  }
  return result;
}

}  // namespace linkherd::parser
