// The elements of a text report: titles, lines, and entries in two aligned columns. The writer escapes all text for
// the terminal, so that callers cannot forget it.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::reports {

// Returns the width of text on a terminal in columns: Chinese, Japanese and Korean characters take two, combining
// marks none.
std::size_t display_width(std::string_view text);

// Pads `text` with spaces to `width` columns; longer text is unchanged.
std::string padded(std::string_view text, std::size_t width);

// Truncates to `width` columns, with an ellipsis.
std::string shortened(std::string_view text, std::size_t width);

enum class Tone { plain, strong, bad, notable, good, faint };

// An occurrence, its text, and remarks on the lines below.
struct TextEntry {
  std::string place;
  std::string subject;
  std::vector<std::string> remarks;
};

class TextWriter {
 public:
  TextWriter(std::ostream& out, bool color) : out_(out), color_(color) {}

  void line(std::string_view text, Tone tone = Tone::plain);
  void blank();

  // "Broken (3): what it means", after a blank line.
  void title(std::string_view name, std::size_t count, Tone tone, std::string_view meaning = {});
  void subtitle(std::string_view text);  // indented like entries

  // Aligns the texts and remarks of all `entries`, to the right of the longest position.
  void entries(const std::vector<TextEntry>& entries, std::size_t indent = 2);

 private:
  void write(std::string_view text, Tone tone);

  std::ostream& out_;
  bool color_;
};

// "also at a.md:1:1, b.md:2:1", wrapped to a readable line length.
std::vector<std::string> wrapped(std::string_view opening, const std::vector<std::string>& items);

}  // namespace linkherd::reports
