// The running text of one line of Markdown, as md4c hands it out in pieces around emphasis and escapes: joined again,
// so that a bare URL is found whole and ends where the emphasis around it ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

class MarkdownRun {
 public:
  // `text` is the whole list; links go to `found`.
  MarkdownRun(std::string_view text, FoundLinks& found) : text_(text), found_(found) {}

  // A piece of running text, in the order of the text, inside `emphasis` spans of emphasis.
  void add(std::size_t offset, std::size_t length);
  void enter_emphasis() { ++emphasis_; }
  void leave_emphasis();

  // Something that is no running text follows on the same line: a link, code, HTML.
  void interrupt();
  void end_line();
  void end_block();

 private:
  struct Piece {
    std::size_t begin;
    std::size_t end;
    std::size_t emphasis;  // how many spans it is in
    std::size_t lowest;    // the least of them since the piece before
    std::size_t limit;     // where the emphasis around the piece ends
  };
  void scan();
  void add_mail(std::size_t offset, std::string_view text);
  void find_emphasis_ends();

  std::string_view text_;
  FoundLinks& found_;
  std::vector<Piece> pieces_;
  std::size_t emphasis_ = 0;
  std::size_t lowest_ = 0;
  std::string_view title_;      // the line before in this block, where it may be a title
  bool line_has_link_ = false;  // or anything else that is no running text
};

}  // namespace linkherd::parser
