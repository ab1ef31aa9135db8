// Writes the elements of a text report: titles, lines, and entries in two aligned columns. Lines wrap at the width of
// the terminal, with hanging indents. The writer escapes all text for the terminal, so callers cannot forget it.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::reports {

// Returns the width of text on a terminal, in columns. Chinese, Japanese and Korean characters take two columns,
// combining marks none.
std::size_t display_width(std::string_view text);

// Pads `text` with spaces to `width` columns. Longer text stays unchanged.
std::string padded(std::string_view text, std::size_t width);

// Cuts the text to `width` columns, with an ellipsis.
std::string shortened(std::string_view text, std::size_t width);

// Wraps text into lines of at most `width` columns; the first line has only `first` columns. Breaks at blanks if
// possible. Only the first line can begin with a command of CI systems.
std::vector<std::string> wrapped(std::string_view text, std::size_t first, std::size_t width);

enum class Tone { plain, strong, bad, notable, good, faint };

struct TextStyle {
  bool color = false;
  bool hyperlinks = false;  // OSC 8
  std::size_t columns = 0;  // width of the terminal; 0: lines are not wrapped
};

struct TextPart {
  std::string text;
  Tone tone = Tone::plain;
  std::string target = {};  // serialised URL that a hyperlink opens; may be empty
};

// An entry in two columns: a position, and lines about it.
struct TextEntry {
  std::string location;
  std::vector<TextPart> lines;
};

// Rendered lines, which are written once it is known that they fit.
struct TextBlock {
  std::string text;
  std::size_t lines = 0;
};

class TextWriter {
 public:
  TextWriter(std::ostream& out, const TextStyle& style) : out_(out), style_(style) {}

  void line(std::string_view text, Tone tone = Tone::plain, std::size_t indent = 0);
  void blank();
  // Writes a title such as "404 or 410 (3)  find the new address". `tone` applies to the name.
  void title(std::string_view name, std::size_t count, Tone tone, std::string_view words, std::size_t indent = 0);
  void entry(const TextEntry& entry, std::size_t indent, std::size_t location_columns);
  void entries(std::span<const TextEntry> entries, std::size_t indent);  // aligns them with each other

  void block(const TextBlock& block);

  const TextStyle& style() const { return style_; }
  std::size_t lines() const { return lines_; }  // written so far

 private:
  void write_line(std::size_t indent, const TextPart& part, std::string_view text);
  void write_part(const TextPart& part, std::size_t indent);

  std::ostream& out_;
  TextStyle style_;
  std::size_t lines_ = 0;
};

TextBlock block_of(const TextStyle& style, const std::function<void(TextWriter&)>& write);

// Returns the first lines of a block, at most `max_lines`. The last line is an ellipsis if there are more.
TextBlock first_lines(TextBlock block, std::size_t max_lines);

// Returns the number of columns for text beside positions of this width; 0: lines are not wrapped.
std::size_t columns_beside(const TextStyle& style, std::size_t indent, std::size_t location_columns);

// Returns the width of the position column of these entries.
std::size_t location_columns(std::span<const TextEntry> entries);

// Returns a list in lines of readable length: "also at a.md:1:1, b.md:2:1".
std::vector<std::string> listed(std::string_view opening, const std::vector<std::string>& items);

}  // namespace linkherd::reports
