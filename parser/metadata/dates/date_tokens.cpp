#include "parser/metadata/dates/date_tokens.h"

#include <algorithm>

#include <unicode/uchar.h>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

bool is_sign_letter(char32_t c) { return (c >= 0x3040 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3); }

bool is_mark(char32_t c) {
  const auto type = u_charType(static_cast<UChar32>(c));
  return type == U_NON_SPACING_MARK || type == U_COMBINING_SPACING_MARK;
}

// The fast path for ASCII, which needs no ICU.
bool is_ascii_code_point(char32_t c) { return c < 0x80; }

bool is_word_letter(char32_t c) {
  if (is_ascii_code_point(c)) return is_ascii_letter(static_cast<char>(c));
  return !is_sign_letter(c) && (u_isalpha(static_cast<UChar32>(c)) != 0 || is_mark(c));
}

// Returns the value of a digit of any script, including full-width digits; -1 otherwise.
int digit_value(char32_t c) {
  if (is_ascii_code_point(c)) return is_ascii_digit(static_cast<char>(c)) ? static_cast<int>(c - U'0') : -1;
  return u_charDigitValue(static_cast<UChar32>(c));
}

bool is_space(char32_t c) {
  return c <= 0x20 || (!is_ascii_code_point(c) && u_isUWhiteSpace(static_cast<UChar32>(c)) != 0);
}

char32_t lower(char32_t c) {
  if (is_ascii_code_point(c)) return static_cast<char32_t>(ascii_lower(static_cast<char>(c)));
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
}

// Returns 0 to 9 for 〇 to 九, 10 for 十, 20 for 廿, 30 for 卅, and -1 otherwise.
int han_value(char32_t c) {
  if (is_ascii_code_point(c)) return -1;
  static constexpr std::u32string_view digits = U"〇一二三四五六七八九";
  if (const std::size_t digit = digits.find(c); digit != std::u32string_view::npos) return static_cast<int>(digit);
  if (c == U'零' || c == U'○' || c == U'Ｏ') return 0;
  if (c == U'元') return 1;  // 令和元年
  return c == U'十' ? 10 : c == U'廿' ? 20 : c == U'卅' ? 30 : -1;
}

bool is_date_unit(char32_t c) { return c == U'年' || c == U'月' || c == U'日' || c == U'号' || c == U'號'; }

// Reads 二〇二四, 十二 or 廿三 before 年, 月 or 日 as a number, and moves `at` past it. Elsewhere these characters are
// words.
bool read_han_number(std::string_view text, std::size_t& at, DateToken& token) {
  constexpr std::size_t max_digits = 5;
  std::size_t end = at;
  std::int64_t tens = 0;   // tens read so far, as in 二十三
  std::int64_t plain = 0;  // value of plain digits
  bool by_tens = false;
  std::size_t digits = 0;
  CodePoint point = decode_utf8(text, end);
  for (; end < text.size() && han_value(point.value) >= 0; point = decode_utf8(text, end)) {
    if (++digits > max_digits) return false;
    const int value = han_value(point.value);
    if (value >= 10) {
      tens = value == 10 ? std::max<std::int64_t>(plain, 1) * 10 : value;
      plain = 0;
      by_tens = true;
    } else {
      plain = plain * 10 + value;
    }
    end += point.length;
  }
  if (digits == 0 || end >= text.size() || !is_date_unit(point.value)) return false;
  token.kind = DateToken::Kind::number;
  token.value = tens + plain;
  token.digits = static_cast<std::uint8_t>(by_tens ? (token.value > 9 ? 2 : 1) : digits);
  at = end;
  return true;
}

}  // namespace

bool may_contain_date(std::string_view text) {
  std::size_t digits = 0;
  bool ascii = true;
  for (const char c : text) {
    digits += is_ascii_digit(c) ? 1U : 0U;
    ascii &= is_ascii(c);
  }
  return !ascii || digits >= 4;
}

DateTokens split_date_tokens(std::string_view text) {
  constexpr std::int64_t saturated = INT64_MAX / 100;
  DateTokens tokens;
  tokens.reserve(text.size() / 4 + 2);
  bool space = false;
  std::size_t at = 0;
  while (at < text.size()) {
    CodePoint point = decode_utf8(text, at);
    if (is_space(point.value)) {
      space = true;
      at += point.length;
      continue;
    }
    DateToken token{.begin = at, .has_space_before = space};
    space = false;
    if (han_value(point.value) >= 0 && read_han_number(text, at, token)) {
      // 二〇二四年
    } else if (digit_value(point.value) >= 0) {
      token.kind = DateToken::Kind::number;
      for (; point.length > 0 && digit_value(point.value) >= 0; point = decode_utf8(text, at)) {
        if (token.value < saturated) token.value = token.value * 10 + digit_value(point.value);
        if (token.digits < UINT8_MAX) ++token.digits;
        at += point.length;
      }
    } else if (is_word_letter(point.value)) {
      token.kind = DateToken::Kind::word;
      for (; point.length > 0 && is_word_letter(point.value); point = decode_utf8(text, at)) {
        append_utf8(token.word, lower(point.value));
        at += point.length;
      }
    } else {
      token.kind = DateToken::Kind::symbol;
      token.word = std::string(text.substr(at, point.length));
      at += point.length;
    }
    token.end = at;
    tokens.push_back(std::move(token));
  }
  tokens.push_back({.begin = at, .end = at, .has_space_before = space});
  return tokens;
}

}  // namespace linkherd::parser
