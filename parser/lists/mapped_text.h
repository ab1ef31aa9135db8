// A decoded text that remembers where each of its bytes comes from. Readers decode the escapes of their format, search
// the decoded text for URLs, and report the URLs with their positions in the original document.
//
// Example: the JSON document `["https:\/\/x.org"]` contains a string with two escapes. Its reader makes these calls:
//
//   copy(document, {2, 6})          appends "https:"
//   append_decoded({8, 2}, "/")     appends "/" for the first "\/"
//   append_decoded({10, 2}, "/")    appends "/" for the second "\/"
//   copy(document, {12, 5})         appends "x.org"
//
// The result of text() is "https://x.org". A scanner finds a URL at {0, 13} in this text. source_range({0, 13}) returns
// {2, 15}, which is the range of "https:\/\/x.org" in the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// Built from pieces of one document, in ascending order. Text between the pieces, such as quotes and
// indentation, is left out. The document must be smaller than 4 GiB. It is not referenced after the calls.
class MappedText {
 public:
  MappedText() = default;
  // Maps the whole document unchanged.
  explicit MappedText(std::string_view document) { copy(document, {0, document.size()}); }

  // Appends a range of the document unchanged.
  void copy(std::string_view document, TextRange range);
  // Appends the meaning of the escape at `range`, such as "/" for "\/". Does nothing if either is empty.
  void append_decoded(TextRange range, std::string_view meaning);
  void clear();

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

  // Returns the range of the document that corresponds to `range` of the text. It includes escapes and omitted text.
  TextRange source_range(TextRange range) const;

 private:
  struct Piece {
    std::uint32_t at;       // offset in the text
    std::uint32_t source;   // offset in the document
    std::uint32_t escaped;  // length of the escape in the document; 0 for an unchanged piece
  };
  const Piece& piece_at(std::size_t offset) const;

  std::string text_;
  std::vector<Piece> pieces_;
};

// Adds `inner`, which was found in `text`, to `found`. Positions are converted to positions in the document, and entry
// numbers are shifted past the entries of `found`.
void add_mapped(FoundLinks& found, FoundLinks inner, const MappedText& text);

}  // namespace linkherd::parser
