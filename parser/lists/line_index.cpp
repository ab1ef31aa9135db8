#include "parser/lists/line_index.h"

#include <algorithm>

#include "parser/utf8.h"

namespace linkherd::parser {

std::size_t line_break(std::string_view text, std::size_t from) {
  if (from >= text.size()) return text.size();
  // Uses memchr twice: for the LF, then for a CR before it.
  const std::size_t end = std::min(text.find('\n', from), text.size());
  return std::min(text.substr(0, end).find('\r', from), end);
}

// The fast path if only LFs end lines: memchr from one to the next, then the columns.
void LineIndex::pass_lines(std::size_t offset) {
  const std::string_view before = text_.substr(0, offset);
  for (std::size_t end = before.find('\n', offset_); end != std::string_view::npos; end = before.find('\n', offset_)) {
    ++position_.line;
    position_.column = 1;
    offset_ = end + 1;
  }
  position_.column += static_cast<std::uint32_t>(
      std::ranges::count_if(before.substr(offset_), [](char c) { return !is_continuation_byte(c); }));
  offset_ = offset;
}

LinePosition LineIndex::at(std::size_t offset) {
  offset = std::min(offset, text_.size());
  if (!has_carriage_returns_ && offset_ < offset) pass_lines(offset);
  for (; offset_ < offset; ++offset_) {
    const char byte = text_[offset_];
    // The CR of a CR LF does not end the line; its LF does.
    const bool ends_line =
        byte == '\n' || (byte == '\r' && !(offset_ + 1 < text_.size() && text_[offset_ + 1] == '\n'));
    if (ends_line) {
      ++position_.line;
      position_.column = 1;
    } else if (!is_continuation_byte(byte)) {
      ++position_.column;
    }
  }
  return position_;
}

}  // namespace linkherd::parser
