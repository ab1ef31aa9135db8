// A text with the escapes of its format decoded, and for each of its bytes the offset in the list. Readers search this
// text for URLs and report them with their offsets in the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// Built from pieces of a list, in order. Text between the pieces (quotes, indentation) is left out. The list must be
// smaller than 4 GiB.
class MappedText {
 public:
  MappedText() = default;
  // Maps the whole list unchanged.
  explicit MappedText(std::string_view list) { copy(list, {0, list.size()}); }

  // Appends a range of the list unchanged.
  void copy(std::string_view list, TextRange range);
  // Appends a decoded escape: for example "\/" in the list becomes "/".
  void append_decoded(TextRange range, std::string_view meaning);
  void clear();

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

  // Returns the range of the list that corresponds to this range of the text, including escapes and omitted text.
  TextRange written(TextRange range) const;

 private:
  struct Piece {
    std::uint32_t at;       // offset in the text
    std::uint32_t source;   // offset in the list
    std::uint32_t escaped;  // length of the escape in the list; 0 for an unchanged piece
  };
  const Piece& piece_at(std::size_t offset) const;

  std::string text_;
  std::vector<Piece> pieces_;
};

// Adds the links found in `text` to `found`, with their positions in the list.
void add_mapped(FoundLinks& found, FoundLinks inner, const MappedText& text);

}  // namespace linkherd::parser
