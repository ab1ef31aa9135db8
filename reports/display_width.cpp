#include "reports/display_width.h"

#include <unicode/uchar.h>

#include "parser/utf8.h"

namespace linkherd::reports {
namespace {

std::size_t columns(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  if (c >= 0x20 && c < 0x7F) return 1;  // by far the most frequent
  const int kind = u_charType(c);
  if (kind == U_NON_SPACING_MARK || kind == U_ENCLOSING_MARK || kind == U_FORMAT_CHAR) return 0;
  if (u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_VOWEL_JAMO ||
      u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_TRAILING_JAMO) {
    return 0;  // drawn into the syllable before them
  }
  const int width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_FULLWIDTH || width == U_EA_WIDE ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    width += columns(point.value);
    at += point.length;
  }
  return width;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t taken = display_width(text);
  if (taken < width) out.append(width - taken, ' ');
  return out;
}

std::string shortened(std::string_view text, std::size_t width) {
  std::size_t taken = 0;
  std::size_t keep = 0;  // bytes that fit beside the ellipsis
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    taken += columns(point.value);
    if (taken > width) return std::string(text.substr(0, keep)) + (width > 0 ? "…" : "");
    at += point.length;
    if (taken < width) keep = at;
  }
  return std::string(text);
}

}  // namespace linkherd::reports
