// Helpers for the readers of line-based markup (reStructuredText, AsciiDoc, Org). They split text into lines with their
// indentation, recognise list items and table rows, and find bare URLs outside of markup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/lists/entry_tracker.h"
#include "parser/lists/found_link.h"

namespace linkherd::parser {

struct ProseLine {
  std::size_t start = 0;   // offset of the first non-blank byte
  std::size_t end = 0;     // offset after the last non-blank byte
  std::size_t next = 0;    // start of the next line
  std::size_t indent = 0;  // number of leading blanks

  bool blank() const { return start == end; }
  TextRange range() const { return {start, end - start}; }
  std::string_view in(std::string_view text) const { return text.substr(start, end - start); }
};

// Returns the length of the marker of a list item at the start of a line, or 0. In AsciiDoc, "***" and "..." are
// markers of nested items.
std::size_t item_marker_length(std::string_view words);

// Returns the line that starts at `at`.
ProseLine prose_line(std::string_view text, std::size_t at);

// Returns the end of the block of lines from `at` that are blank or indented by more than `indent`. Blank lines at the
// end of the block are not part of it.
std::size_t indented_block_end(std::string_view text, std::size_t at, std::size_t indent);

// Returns the lines from `at` to the first line for which `ends` returns true, or to the end of the text. Moves `at`
// past that line.
template <class Ends>
TextRange take_block(std::string_view text, std::size_t& at, Ends ends) {
  const std::size_t start = at;
  while (at < text.size()) {
    const ProseLine line = prose_line(text, at);
    const std::size_t line_start = std::exchange(at, line.next);
    if (ends(line)) return {start, line_start - start};
  }
  return {start, text.size() - start};
}

// Returns the last line of the paragraph that starts with `first`. The paragraph ends before a blank line or a line for
// which `ends` returns true.
template <class Ends>
ProseLine paragraph_end(std::string_view text, const ProseLine& first, Ends ends) {
  ProseLine last = first;
  while (last.next < text.size()) {
    const ProseLine line = prose_line(text, last.next);
    if (line.blank() || ends(line)) break;
    last = line;
  }
  return last;
}

// Adds the links of a block of raw HTML.
void add_html_links(std::string_view document, TextRange block, bool include_verbatim, FoundLinks& found);

// Finds the next position of a text, or of any character of a set. Searches from ascending offsets read the document
// only once in total.
class ForwardSearch {
 public:
  enum class Kind { text, any_of };
  ForwardSearch(std::string_view document, std::string_view needle, Kind kind)
      : document_(document), needle_(needle), kind_(kind) {}

  // Returns the next offset at or after `at`, or npos.
  std::size_t from(std::size_t at);

 private:
  std::string_view document_;
  std::string_view needle_;
  Kind kind_;
  std::size_t searched_from_ = 0;
  std::size_t found_ = 0;
  bool has_searched_ = false;
};

// Tracks the list items and table rows of line-based markup. They begin at lines with a marker: "- ", "** ", "1. ",
// "#. ", "term:: ", "|".
class ProseItems {
 public:
  explicit ProseItems(FoundLinks& found) : entries(found) {}

  // Begin and end a block of lines after a blank line. An item continues in blocks that are indented deeper than it.
  void begin_block(const ProseLine& first, std::string_view words);
  void end_block();
  // Begins a line of the block. `words` is the text from the first non-blank character of the line.
  void begin_line(std::size_t indent, std::string_view words);
  // Begin a heading, which ends any item, add to its displayed text, and end it. close_heading() returns the displayed
  // text, in which links are replaced by their texts.
  void open_heading();
  void add_heading_text(std::string_view words);
  std::string close_heading();

  EntryTracker entries;

 private:
  enum class Open : std::uint8_t { nothing, item, row, grid_row };
  bool begin_row(std::string_view words);
  void begin(Open block, std::size_t indent);
  void end_item();

  Open open_ = Open::nothing;
  std::size_t indent_ = 0;     // indentation of the open item
  bool is_block_new_ = false;  // no line of the block has begun yet
  bool in_grid_ = false;       // after a border of a grid table
  bool in_heading_ = false;
  std::string heading_;  // displayed text of the heading
};

// Processes the running text of one block. The caller first excludes the ranges of links with markup and of code.
// finish() then searches the rest for bare URLs.
class ProseText {
 public:
  // `items` is notified of the lines of the block.
  ProseText(std::string_view document, TextRange range, FoundLinks& found, ProseItems& items)
      : document_(document), range_(range), found_(found), items_(items), next_link_(found.links.size()) {}

  // Excludes a range from the search for bare URLs.
  void exclude(TextRange range) { excluded_.push_back(range); }
  // Adds the bare URLs of the remaining text. The title of a URL is the text before it or the line before it.
  void finish();
  // Returns the entry of the line that contains `offset`. Must be called after finish().
  std::uint32_t entry_at(std::size_t offset) const;

 private:
  struct Line {
    std::size_t start;
    std::uint32_t entry;
  };
  void scan(std::size_t start, std::size_t end);
  void pass_links(TextRange taken, std::size_t end);
  void pass_text(std::string_view text);
  void begin_line(std::size_t start);

  std::string_view document_;
  TextRange range_;
  FoundLinks& found_;
  ProseItems& items_;
  std::size_t next_link_;  // index of the next link with markup
  std::vector<TextRange> excluded_;
  std::vector<Line> lines_;
};

// Removes the backslashes of escapes, and removes line breaks together with the indentation after them.
std::string join_target(std::string_view written);

}  // namespace linkherd::parser
