// A text with a format's escapes undone, and the place in the list of each of its bytes: readers look for URLs in this
// text and report them with their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// Bytes `offset` and on of a list, which has less than 4 GiB. Pieces are added in the order of the list; what lies
// between them (quotes, indentation) is not part of the text.
class MappedText {
 public:
  MappedText() = default;
  // All of it as it is.
  explicit MappedText(std::string_view list) { copy(list, {0, list.size()}); }

  // A range of the list that stands for itself.
  void copy(std::string_view list, TextRange range);
  // A range that stands for something else: "\/" for "/".
  void stand_for(TextRange range, std::string_view meaning);
  void clear();

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

  // Where in the list this range of the text is written; it may hold escapes, and what lies between pieces.
  TextRange written(TextRange range) const;

 private:
  struct Piece {
    std::uint32_t at;       // in the text
    std::uint32_t source;   // in the list
    std::uint32_t escaped;  // how many bytes of the list it takes; 0: as many as of the text
  };
  const Piece& piece_at(std::size_t offset) const;

  std::string text_;
  std::vector<Piece> pieces_;
};

// Adds what a reader found in `text` to what was found in the list.
void add_mapped(FoundLinks& found, FoundLinks inner, const MappedText& text);

}  // namespace linkherd::parser
