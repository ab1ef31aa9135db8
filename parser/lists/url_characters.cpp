#include "parser/lists/url_characters.h"

#include <algorithm>
#include <array>

namespace linkherd::parser {
namespace {

struct Range {
  char32_t first;
  char32_t last;
  UrlCharacter kind;
};

using enum UrlCharacter;

// Sorted; what lies between is a letter. Combining marks count as letters: they never start a word.
constexpr std::array<Range, 31> ranges{
    {{0x0080, 0x00A9, end},        // C1 controls, "¡" … "©"
     {0x00AB, 0x00B4, end},        // "«" … "´", but not "ª"
     {0x00B6, 0x00B9, end},        // "¶" "·" "¸" "¹", but not "µ"
     {0x00BB, 0x00BF, end},        // "»" … "¿", but not "º"
     {0x0E00, 0x0EFF, ideograph},  // Thai, Lao
     {0x0F00, 0x0FFF, ideograph},  // Tibetan
     {0x1000, 0x109F, ideograph},  // Myanmar
     {0x1100, 0x11FF, ideograph},  // Hangul Jamo: particles follow without a space
     {0x1680, 0x1680, end},        // Ogham space
     {0x1780, 0x17FF, ideograph},  // Khmer
     {0x1806, 0x180E, end},        // Mongolian hyphens and separators
     {0x2000, 0x206F, end},        // spaces, dashes, quotes, direction marks
     {0x20A0, 0x20CF, end},        // currency
     {0x2100, 0x2BFF, end},        // arrows, operators, boxes, dingbats
     {0x2E00, 0x2E7F, end},        // more punctuation
     {0x2E80, 0x2FFF, ideograph},  // radicals
     {0x3000, 0x3004, end},        // ideographic space, "、" "。" "〃"
     {0x3005, 0x3007, ideograph},  // "々" "〆" "〇"
     {0x3008, 0x3020, end},        // "〈" … "〠"
     {0x3021, 0x302F, ideograph},  {0x3030, 0x3030, end}, {0x3031, 0x31FF, ideograph},  // Kana, Bopomofo
     {0x3200, 0x33FF, end},                                                             // enclosed and squared signs
     {0x3400, 0xA4CF, ideograph},                                                       // Han, Yi
     {0xAC00, 0xD7FF, ideograph},                                                       // Hangul
     {0xE000, 0xF8FF, end},                                                             // private use
     {0xF900, 0xFAFF, ideograph},  {0xFE00, 0xFE6F, end},  // variation selectors, vertical and small forms
     {0xFEFF, 0xFFFF, end},                                // full-width forms, specials
     {0x1F000, 0x1FAFF, end},                              // emoji
     {0x20000, 0x3FFFF, ideograph}}};

}  // namespace

bool is_emoji(char32_t code_point) {
  return (code_point >= 0x1F000 && code_point <= 0x1FAFF) || (code_point >= 0x2600 && code_point <= 0x27BF) ||
         code_point == 0x200D || code_point == 0xFE0F;
}

UrlCharacter classify_url_character(char32_t code_point) {
  const auto* found = std::ranges::lower_bound(ranges, code_point, {}, &Range::last);
  if (found == ranges.end()) return end;  // tags and private planes
  return code_point >= found->first ? found->kind : letter;
}

}  // namespace linkherd::parser
