// What the readers of line-based markup (reStructuredText, AsciiDoc, Org) have in common: lines with their indentation,
// and running text without its links and code.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct ProseLine {
  std::size_t start = 0;   // its first byte that is no blank …
  std::size_t end = 0;     // … and where its last such byte ends
  std::size_t next = 0;    // where the next line starts
  std::size_t indent = 0;  // blanks in front

  bool blank() const { return start == end; }
  TextRange range() const { return {start, end - start}; }
};

// The line that starts at `at`.
ProseLine prose_line(std::string_view text, std::size_t at);

// A block of lines, from the line at `at` on, that are blank or indented by more than `indent`: where it ends.
std::size_t indented_block_end(std::string_view text, std::size_t at, std::size_t indent);

// The lines from the one at `at` on, up to the first that `ends` says yes to; all where there is none. `at` moves
// behind that line.
template <class Ends>
TextRange take_block(std::string_view text, std::size_t& at, Ends ends) {
  const std::size_t start = at;
  while (at < text.size()) {
    const ProseLine line = prose_line(text, at);
    const std::size_t line_start = std::exchange(at, line.next);
    if (ends(text.substr(line.start, line.end - line.start))) return {start, line_start - start};
  }
  return {start, text.size() - start};
}

// Adds the links of a block of raw HTML.
void add_html_links(std::string_view list, TextRange block, bool include_verbatim, FoundLinks& found);

// Finds where one of some characters, or a text, comes next. Searches from rising offsets read the list only once in
// all.
class ForwardSearch {
 public:
  enum class Kind { text, any_of };
  ForwardSearch(std::string_view list, std::string_view what, Kind kind) : list_(list), what_(what), kind_(kind) {}

  // From `at` on; npos where it comes no more.
  std::size_t from(std::size_t at);

 private:
  std::string_view list_;
  std::string_view what_;
  Kind kind_;
  std::size_t asked_ = 0;
  std::size_t found_ = 0;
  bool looked_ = false;
};

// Running text in one block: links with markup are left out first, then bare URLs are found in the rest.
class ProseText {
 public:
  ProseText(std::string_view list, TextRange range, FoundLinks& found) : list_(list), range_(range), found_(found) {}

  // Leaves a range out of the search for bare URLs. To be called in the order of the text.
  void exclude(TextRange range) { excluded_.push_back(range); }
  // Bare URLs in what is left; a title stands in front or, alone, on the line before.
  void finish();

 private:
  void scan(std::size_t start, std::size_t end);

  std::string_view list_;
  TextRange range_;
  FoundLinks& found_;
  std::vector<TextRange> excluded_;
};

// The text without backslashes in front of what they escape, and without line breaks and the indentation behind them.
std::string join_target(std::string_view written);

}  // namespace linkherd::parser
