#include "reports/text_writer.h"

#include <algorithm>
#include <functional>
#include <ostream>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <unicode/uchar.h>

#include "parser/utf8.h"
#include "reports/escape.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t max_location_columns = 40;  // a longer position only moves its own text to the right
constexpr std::size_t readable_length = 76;       // for a line of positions
constexpr std::size_t narrowest_text = 30;        // narrower text goes below its position instead of beside it
constexpr std::size_t name_columns = 23;          // for titles with a text
// Longer than any URL that works in all browsers. Machine-readable output is not truncated.
constexpr std::size_t max_line_bytes = 2500;

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

bool is_narrow(const TextStyle& style, std::size_t indent, std::size_t location_columns) {
  return style.columns > 0 && style.columns < indent + location_columns + 2 + narrowest_text;
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
  if (text.size() <= width) return std::string(text);  // no character has more columns than bytes
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

namespace {

// Returns where to cut a line without blanks, at or before `at`. The next line must not begin with a command of CI
// systems.
std::size_t last_cut(std::string_view text, std::size_t start, std::size_t at) {
  std::size_t cut = at;
  while (cut > start && begins_command(text.substr(cut))) {
    do --cut;
    while (cut > start && is_continuation_byte(text[cut]));
  }
  return cut > start ? cut : at;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t first, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t room = std::max<std::size_t>(first, 2);
  std::size_t start = 0, taken = 0;
  std::size_t blank = 0;  // last blank in the line, where it may be cut; `start` if there is none
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    taken += columns(point.value);
    if (point.value == U' ' && !begins_command(text.substr(at))) blank = at;
    if (taken > room) {
      const std::size_t end = blank > start ? blank : last_cut(text, start, at);
      lines.emplace_back(text.substr(start, end - start));
      start = blank > start ? end + 1 : end;
      room = std::max<std::size_t>(width, 2);
      taken = start > at ? 0 : display_width(text.substr(start, at + point.length - start));
      blank = start;
    }
    at += point.length;
  }
  lines.emplace_back(text.substr(start));
  return lines;
}

void TextWriter::write_line(std::size_t indent, const TextPart& part, std::string_view text) {
  const std::string_view code = style_.color ? color_code(part.tone) : std::string_view();
  const bool is_link = style_.hyperlinks && !part.target.empty();
  out_ << std::string(indent, ' ');
  // Pieces of a wrapped URL have the same id.
  if (is_link)
    out_ << fmt::format("\x1b]8;id={};{}\x1b\\", std::hash<std::string>()(part.target) % 1'000'000, part.target);
  out_ << code << text << (code.empty() ? "" : "\x1b[0m") << (is_link ? "\x1b]8;;\x1b\\" : "") << '\n';
  ++lines_;
}

// Writes at the indent. Continuation lines are indented by two more columns.
void TextWriter::write_part(const TextPart& part, std::size_t indent) {
  const std::string text = shortened(escape_for_terminal(part.text), max_line_bytes);
  if (style_.columns == 0) return write_line(indent, part, text);
  const std::size_t room = style_.columns - std::min(indent, style_.columns);
  const std::vector<std::string> lines = wrapped(text, room, room - std::min<std::size_t>(room, 2));
  for (std::size_t i = 0; i < lines.size(); ++i) write_line(indent + (i == 0 ? 0 : 2), part, lines[i]);
}

void TextWriter::line(std::string_view text, Tone tone, std::size_t indent) {
  write_part({std::string(text), tone}, indent);
}

void TextWriter::blank() {
  out_ << '\n';
  ++lines_;
}

void TextWriter::title(std::string_view name, std::size_t count, Tone tone, std::string_view words,
                       std::size_t indent) {
  const std::string head = fmt::format("{} ({})", escape_for_terminal(name), count);
  if (words.empty()) return write_part({head, tone}, indent);
  const std::string tail = escape_for_terminal(words);
  const std::string gap(2 + name_columns - std::min(name_columns, display_width(head)), ' ');
  const std::size_t width = indent + display_width(head) + gap.size() + display_width(tail);
  if (style_.columns > 0 && width > style_.columns) {
    write_part({head, tone}, indent);
    return write_part({tail}, indent + 2);
  }
  const std::string_view code = style_.color ? color_code(tone) : std::string_view();
  out_ << std::string(indent, ' ') << code << head << (code.empty() ? "" : "\x1b[0m") << gap
       << shortened(tail, max_line_bytes) << '\n';
  ++lines_;
}

void TextWriter::block(const TextBlock& block) {
  out_ << block.text;
  lines_ += block.lines;
}

void TextWriter::entry(const TextEntry& entry, std::size_t indent, std::size_t location_columns) {
  const std::string location = escape_for_terminal(entry.location);
  const std::size_t width = display_width(location);
  const bool stands_above =
      is_narrow(style_, indent, location_columns) || (style_.columns > 0 && width > location_columns);
  const std::size_t column = indent + 2 + (is_narrow(style_, indent, location_columns) ? 0 : location_columns);
  std::size_t first = 0;
  if (entry.lines.empty() || stands_above) {
    write_part({entry.location}, indent);
  } else {
    // The position is written before the first line of the text.
    out_ << std::string(indent, ' ') << location << std::string(2, ' ');
    const TextPart& part = entry.lines.front();
    std::vector<std::string> lines{shortened(escape_for_terminal(part.text), max_line_bytes)};
    const std::size_t room = columns_beside(style_, indent, location_columns);
    if (room > 0) lines = wrapped(lines.front(), room, room - 2);
    write_line(location_columns - std::min(location_columns, width), part, lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) write_line(column + 2, part, lines[i]);
    first = 1;
  }
  for (std::size_t i = first; i < entry.lines.size(); ++i) write_part(entry.lines[i], column);
}

void TextWriter::entries(std::span<const TextEntry> entries, std::size_t indent) {
  const std::size_t column = location_columns(entries);
  for (const TextEntry& one : entries) entry(one, indent, column);
}

TextBlock block_of(const TextStyle& style, const std::function<void(TextWriter&)>& write) {
  std::ostringstream out;
  TextWriter writer(out, style);
  write(writer);
  return {std::move(out).str(), writer.lines()};
}

TextBlock first_lines(TextBlock block, std::size_t max_lines) {
  if (block.lines <= max_lines) return block;
  if (max_lines == 0) return {};
  std::size_t end = 0;
  for (std::size_t line = 0; line + 1 < max_lines; ++line) end = block.text.find('\n', end) + 1;
  return {block.text.substr(0, end) + "…\n", max_lines};
}

std::size_t columns_beside(const TextStyle& style, std::size_t indent, std::size_t location_columns) {
  if (style.columns == 0) return 0;
  const std::size_t taken = indent + 2 + (is_narrow(style, indent, location_columns) ? 0 : location_columns);
  return style.columns - std::min(style.columns, taken);
}

std::size_t location_columns(std::span<const TextEntry> entries) {
  std::size_t column = 0;
  for (const TextEntry& entry : entries) {
    const std::size_t width = display_width(escape_for_terminal(entry.location));
    if (width <= max_location_columns) column = std::max(column, width);
  }
  return column;
}

std::vector<std::string> listed(std::string_view opening, const std::vector<std::string>& items) {
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
