#include "parser/lists/line_index.h"

#include <algorithm>

#include "parser/utf8.h"

namespace linkherd::parser {

std::size_t find_line_break(std::string_view text, std::size_t from) {
  // Searches for both characters with memchr, in growing windows. Otherwise, in a text whose lines all end with CR, the
  // search for LF would run to the end of the text for each line.
  for (std::size_t window = 256; from < text.size(); window *= 2) {
    const std::string_view searched = text.substr(0, from + std::min(window, text.size() - from));
    const std::size_t end = std::min(searched.find('\n', from), searched.size());
    const std::size_t found = std::min(searched.substr(0, end).find('\r', from), end);
    if (found < searched.size()) return found;
    from = searched.size();
  }
  return text.size();
}

LineIndex::LineIndex(std::string_view text)
    : text_(text), has_carriage_returns_(text.find('\r') != std::string_view::npos) {
  find_line_end();
}

void LineIndex::find_line_end() {
  line_end_ = has_carriage_returns_ ? find_either(text_, '\n', '\r', offset_) : text_.find('\n', offset_);
  // In CR LF, the LF ends the line.
  if (line_end_ < text_.size() && text_.substr(line_end_, 2) == "\r\n") ++line_end_;
}

void LineIndex::move_to(std::size_t offset) {
  offset = std::min(offset, text_.size());
  while (line_end_ < offset) {
    ++line_;
    column_ = 1;
    offset_ = line_end_ + 1;
    find_line_end();
  }
  const std::string_view passed = text_.substr(offset_, offset - offset_);
  const std::size_t ascii = ascii_end(passed, 0);  // usually the whole text
  const auto others = std::ranges::count_if(passed.substr(ascii), [](char c) { return !is_continuation_byte(c); });
  column_ += static_cast<std::uint32_t>(ascii) + static_cast<std::uint32_t>(others);
  offset_ = offset;
}

}  // namespace linkherd::parser
