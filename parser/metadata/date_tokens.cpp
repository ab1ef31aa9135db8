#include "parser/metadata/date_tokens.h"

#include <unicode/uchar.h>

#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

bool is_sign_letter(char32_t c) { return (c >= 0x3040 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3); }

bool is_mark(char32_t c) {
  const auto type = u_charType(static_cast<UChar32>(c));
  return type == U_NON_SPACING_MARK || type == U_COMBINING_SPACING_MARK;
}

bool is_word_letter(char32_t c) {
  return !is_sign_letter(c) && (u_isalpha(static_cast<UChar32>(c)) != 0 || is_mark(c));
}

// Full-width and other scripts' digits count as well.
int digit_value(char32_t c) { return u_charDigitValue(static_cast<UChar32>(c)); }

}  // namespace

std::vector<DateToken> date_tokens(std::string_view text) {
  constexpr std::int64_t saturated = INT64_MAX / 100;
  std::vector<DateToken> tokens;
  bool space = false;
  std::size_t at = 0;
  while (at < text.size()) {
    CodePoint point = decode_utf8(text, at);
    if (point.value <= 0x20 || u_isUWhiteSpace(static_cast<UChar32>(point.value)) != 0) {
      space = true;
      at += point.length;
      continue;
    }
    DateToken token{.begin = at, .space_before = space};
    space = false;
    if (digit_value(point.value) >= 0) {
      token.kind = DateToken::Kind::number;
      for (; point.length > 0 && digit_value(point.value) >= 0; point = decode_utf8(text, at)) {
        if (token.value < saturated) token.value = token.value * 10 + digit_value(point.value);
        if (token.digits < UINT8_MAX) ++token.digits;
        at += point.length;
      }
    } else if (is_word_letter(point.value)) {
      token.kind = DateToken::Kind::word;
      for (; point.length > 0 && is_word_letter(point.value); point = decode_utf8(text, at)) {
        append_utf8(token.word, static_cast<char32_t>(u_tolower(static_cast<UChar32>(point.value))));
        at += point.length;
      }
    } else {
      token.kind = DateToken::Kind::sign;
      token.word = std::string(text.substr(at, point.length));
      at += point.length;
    }
    token.end = at;
    tokens.push_back(std::move(token));
  }
  tokens.push_back({.begin = at, .end = at, .space_before = space});
  return tokens;
}

}  // namespace linkherd::parser
