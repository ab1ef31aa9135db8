// Converts ascending byte offsets to lines and columns. Takes one pass over the text, regardless of the length of its
// lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linkherd::parser {

// Returns the end of the line that contains `from`: the offset of its CR or LF, or the end of the text.
std::size_t find_line_break(std::string_view text, std::size_t from);

// Returns the start of the line after the line break at `line_end`, or the end of the text.
constexpr std::size_t after_line_break(std::string_view text, std::size_t line_end) {
  return std::min(line_end + (text.substr(line_end, 2) == "\r\n" ? 2 : 1), text.size());
}

// Returns the offset of the next `a` or `b`, or npos. Faster than string_view::find_first_of, which calls memchr for
// every byte.
constexpr std::size_t find_either(std::string_view text, char a, char b, std::size_t from = 0) {
  while (from < text.size() && text[from] != a && text[from] != b) ++from;
  return from < text.size() ? from : std::string_view::npos;
}

class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  // Moves to `offset`, which must not be less than in the previous call. Lines end with LF, CR LF or CR.
  void move_to(std::size_t offset);
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }  // in code points

  // Returns true if the current line ends before the offset `end`.
  bool line_ends_before(std::size_t end) const { return line_end_ < end; }

 private:
  void find_line_end();

  std::string_view text_;
  bool has_carriage_returns_;
  std::size_t offset_ = 0;
  std::size_t line_end_ = 0;  // offset of the LF or CR that ends the line of `offset_`, or npos
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace linkherd::parser
