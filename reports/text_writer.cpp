#include "reports/text_writer.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <unicode/uchar.h>

#include "parser/utf8.h"
#include "reports/escape.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t widest_place = 40;     // a longer one only moves its own text to the right
constexpr std::size_t readable_length = 76;  // of a line of positions
// Longer than any URL that works in all browsers. Machine-readable output is not truncated.
constexpr std::size_t longest_line = 2500;

std::string_view color_code(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::strong: return "\x1b[1m";
    case Tone::bad: return "\x1b[1;31m";
    case Tone::notable: return "\x1b[1;33m";
    case Tone::good: return "\x1b[32m";
    case Tone::faint: return "\x1b[2m";
  }
  return "";
}

std::size_t columns(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  if (c >= 0x20 && c < 0x7F) return 1;  // the common case
  const int kind = u_charType(c);
  if (kind == U_NON_SPACING_MARK || kind == U_ENCLOSING_MARK || kind == U_FORMAT_CHAR) return 0;
  if (u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_VOWEL_JAMO ||
      u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE) == U_HST_TRAILING_JAMO) {
    return 0;  // combines with the preceding syllable
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
  std::size_t keep = 0;  // bytes that fit before the ellipsis
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    taken += columns(point.value);
    if (taken > width) return std::string(text.substr(0, keep)) + (width > 0 ? "…" : "");
    at += point.length;
    if (taken < width) keep = at;
  }
  return std::string(text);
}

void TextWriter::write(std::string_view text, Tone tone) {
  const std::string_view code = color_ ? color_code(tone) : std::string_view();
  out_ << code << shortened(escape_for_terminal(text), longest_line) << (code.empty() ? "" : "\x1b[0m");
}

void TextWriter::line(std::string_view text, Tone tone) {
  write(text, tone);
  out_ << '\n';
}

void TextWriter::blank() { out_ << '\n'; }

void TextWriter::title(std::string_view name, std::size_t count, Tone tone, std::string_view meaning) {
  blank();
  write(name, tone);
  write(fmt::format(" ({}){}{}", count, meaning.empty() ? "" : ": ", meaning), Tone::plain);
  out_ << '\n';
}

void TextWriter::subtitle(std::string_view text) { line(fmt::format("  {}", text)); }

void TextWriter::entries(const std::vector<TextEntry>& entries, std::size_t indent) {
  std::size_t column = 0;
  for (const TextEntry& entry : entries) {
    const std::size_t width = display_width(escape_for_terminal(entry.place));
    if (width <= widest_place) column = std::max(column, width);
  }
  const std::string margin(indent, ' ');
  for (const TextEntry& entry : entries) {
    line(fmt::format("{}{}  {}", margin, padded(escape_for_terminal(entry.place), column), entry.subject));
    for (const std::string& remark : entry.remarks) line(fmt::format("{}{}  {}", margin, padded("", column), remark));
  }
}

std::vector<std::string> wrapped(std::string_view opening, const std::vector<std::string>& items) {
  std::vector<std::string> lines{std::string(opening)};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (i > 0 && display_width(lines.back()) + display_width(item) >= readable_length) {
      lines.emplace_back("  " + item);
    } else {
      lines.back() += " " + item;
    }
  }
  return lines;
}

}  // namespace linkherd::reports
