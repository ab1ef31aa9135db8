// Byte offsets to lines and columns, for offsets in rising order: one pass over the text, however long its lines are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linkherd::parser {

// Where the line around `from` ends: at its CR or LF, or at the end of the text.
std::size_t line_break(std::string_view text, std::size_t from);

// Where the line behind that line break starts, which may be the end of the text.
constexpr std::size_t behind_line_break(std::string_view text, std::size_t line_end) {
  return std::min(line_end + (text.substr(line_end, 2) == "\r\n" ? 2 : 1), text.size());
}

// Where one of two characters comes next; npos for nowhere. (string_view::find_first_of asks memchr about every byte.)
constexpr std::size_t find_either(std::string_view text, char a, char b, std::size_t from = 0) {
  while (from < text.size() && text[from] != a && text[from] != b) ++from;
  return from < text.size() ? from : std::string_view::npos;
}

struct LinePosition {
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // in code points

  bool operator==(const LinePosition&) const = default;
};

class LineIndex {
 public:
  explicit LineIndex(std::string_view text)
      : text_(text), has_carriage_returns_(text.find('\r') != std::string_view::npos) {}

  // Where `offset` lies; never less than the offset of the call before. Lines end in LF, CR LF or CR.
  LinePosition at(std::size_t offset);

 private:
  void pass_lines(std::size_t offset);

  std::string_view text_;
  bool has_carriage_returns_;
  std::size_t offset_ = 0;
  LinePosition position_;
};

}  // namespace linkherd::parser
