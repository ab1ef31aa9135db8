#include "parser/lists/line_index.h"

#include <algorithm>

namespace linkherd::parser {

std::size_t line_break(std::string_view text, std::size_t from) {
  while (from < text.size() && text[from] != '\n' && text[from] != '\r') ++from;
  return std::min(from, text.size());
}

LinePosition LineIndex::at(std::size_t offset) {
  offset = std::min(offset, text_.size());
  for (; offset_ < offset; ++offset_) {
    const auto byte = static_cast<unsigned char>(text_[offset_]);
    // The CR of a CR LF ends no line: its LF does.
    const bool ends_line =
        byte == '\n' || (byte == '\r' && !(offset_ + 1 < text_.size() && text_[offset_ + 1] == '\n'));
    if (ends_line) {
      ++position_.line;
      position_.column = 1;
    } else if ((byte & 0xC0U) != 0x80U) {
      ++position_.column;
    }
  }
  return position_;
}

}  // namespace linkherd::parser
