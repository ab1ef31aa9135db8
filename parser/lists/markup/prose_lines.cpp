#include "parser/lists/markup/prose_lines.h"

#include <algorithm>
#include <optional>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {

ProseLine prose_line(std::string_view text, std::size_t at) {
  ProseLine line;
  const std::size_t last = find_line_break(text, at);
  line.next = after_line_break(text, last);
  line.start = at;
  while (line.start < last && is_ascii_space(text[line.start])) ++line.start;
  line.end = last;
  while (line.end > line.start && is_ascii_space(text[line.end - 1])) --line.end;
  line.indent = line.start - at;
  return line;
}

std::size_t indented_block_end(std::string_view text, std::size_t at, std::size_t indent) {
  std::size_t end = at;
  while (at < text.size()) {
    const ProseLine line = prose_line(text, at);
    if (!line.blank() && line.indent <= indent) break;
    at = line.next;
    if (!line.blank()) end = at;
  }
  return end;
}

void add_html_links(std::string_view document, TextRange block, bool include_verbatim, FoundLinks& found) {
  MappedText html;
  html.copy(document, block);
  add_mapped(found, read_html_fragment(html.text(), include_verbatim), html);
}

std::size_t ForwardSearch::from(std::size_t at) {
  const bool known = has_searched_ && at >= searched_from_ && (found_ == std::string_view::npos || found_ >= at);
  if (!known) {
    searched_from_ = at;
    found_ = kind_ == Kind::text ? document_.find(needle_, at) : document_.find_first_of(needle_, at);
    has_searched_ = true;
  }
  return found_;
}

std::size_t item_marker_length(std::string_view words) {
  constexpr std::size_t max_level = 6;
  const std::size_t digits = std::min(words.find_first_not_of("0123456789"), words.size());
  std::size_t length = 0;
  if (words.empty()) return 0;
  if (digits > 0 && digits < words.size()) {
    length = words[digits] == '.' || words[digits] == ')' ? digits + 1 : 0;
  } else if (words.starts_with("#.")) {
    length = 2;
  } else if (words.starts_with("•")) {
    length = std::string_view("•").size();
  } else if (words[0] == '*' || words[0] == '.') {
    length = std::min(words.find_first_not_of(words[0]), words.size());
    if (length > max_level) length = 0;
  } else if (words[0] == '-' || words[0] == '+') {
    length = 1;
  }
  return length < words.size() && (words[length] == ' ' || words[length] == '\t') ? length : 0;
}

namespace {

std::string_view first_line(std::string_view words) { return trim_ascii(words.substr(0, find_line_break(words, 0))); }

// Returns true for a line with a term of AsciiDoc: "term:: text" or "term::".
bool is_term(std::string_view line) {
  const std::size_t colons = line.find("::");
  return colons != std::string_view::npos && colons > 0 && line[0] != ':' && line[0] != '.' &&
         (colons + 2 == line.size() || line[colons + 2] == ' ');
}

}  // namespace

void ProseItems::begin(Open block, std::size_t indent) {
  entries.close_paragraph();
  end_item();
  entries.open();
  open_ = block;
  indent_ = indent;
}

void ProseItems::end_item() {
  if (std::exchange(open_, Open::nothing) != Open::nothing) entries.close();
}

void ProseItems::open_heading() {
  end_item();
  entries.open_heading();
  in_heading_ = true;
}

void ProseItems::add_heading_text(std::string_view words) {
  if (in_heading_ && heading_.size() < 2 * max_heading_bytes) heading_.append(words);
}

std::string ProseItems::close_heading() {
  entries.close_heading();
  in_heading_ = false;
  return collapse_space(std::exchange(heading_, {}), max_heading_bytes);
}

void ProseItems::begin_block(const ProseLine& first, std::string_view words) {
  if (open_ != Open::item || first.indent <= indent_) end_item();
  is_block_new_ = true;
  in_grid_ = in_grid_ && words.starts_with('|');
  if (open_ == Open::nothing) entries.open_paragraph();
}

void ProseItems::end_block() { entries.close_paragraph(); }

// A row is a single line, with two exceptions. In a grid with borders a row has several lines. In AsciiDoc a row may
// have one cell per line and then ends at a blank line.
bool ProseItems::begin_row(std::string_view words) {
  const std::string_view line = first_line(words);
  if (line.starts_with("+-") || line.starts_with("+=")) {
    in_grid_ = true;
    end_item();
    return true;
  }
  if (!line.starts_with('|') || line.size() < 2) return false;
  const bool one_cell = line.find('|', 1) == std::string_view::npos;
  const bool continues = open_ == Open::grid_row || (open_ == Open::row && one_cell && !is_block_new_);
  is_block_new_ = false;
  if (continues) {
    entries.end_phrase();
  } else {
    begin(in_grid_ ? Open::grid_row : Open::row, 0);
  }
  return true;
}

void ProseItems::begin_line(std::size_t indent, std::string_view words) {
  if (in_heading_ || begin_row(words)) return;
  if (item_marker_length(words) > 0) {
    // In a table made of lists ("* - cell"), the markers below the marker of the row begin cells.
    const bool is_cell = open_ == Open::grid_row && indent > indent_;
    const bool has_cells = words.starts_with("* - ");
    if (is_cell) {
      entries.end_phrase();
    } else {
      begin(has_cells ? Open::grid_row : Open::item, indent);
    }
  } else if (is_term(first_line(words))) {
    begin(Open::item, indent);
  } else if (open_ == Open::nothing && !is_block_new_) {
    entries.end_line();
  }
  is_block_new_ = false;
}

void ProseText::begin_line(std::size_t start) {
  const std::size_t word = std::min(document_.find_first_not_of(" \t", start), document_.size());
  items_.begin_line(word - start, document_.substr(word));
  lines_.push_back({start, items_.entries.current_entry()});
}

std::uint32_t ProseText::entry_at(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(lines_, offset, {}, &Line::start);
  return after == lines_.begin() ? 0 : std::prev(after)->entry;
}

// Reports running text without URLs, which may contain the beginnings of lines.
void ProseText::pass_text(std::string_view text) {
  items_.add_heading_text(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = find_line_break(text, at);
    items_.entries.add_text(text.substr(at, end - at));
    at = after_line_break(text, end);
    if (end < text.size()) begin_line(static_cast<std::size_t>(text.data() - document_.data()) + at);
  }
}

// Reports a range of markup and its links, which have indexes below `end`. A range of code has no links.
void ProseText::pass_links(TextRange taken, std::size_t end) {
  bool has_link = false;
  for (; next_link_ < end; ++next_link_) {
    FoundLink& link = found_.links[next_link_];
    const bool is_here = link.offset < taken.offset + taken.length;
    const bool is_elsewhere = link.offset < range_.offset || link.offset >= range_.offset + range_.length;
    if (!is_here && !is_elsewhere) break;
    if (is_elsewhere) link.link_offset = static_cast<std::uint32_t>(taken.offset);
    items_.entries.add_link(next_link_);
    if (link.element == LinkElement::image) items_.entries.add_resource(next_link_);
    if (!has_link)
      items_.add_heading_text(link.text.empty() ? document_.substr(taken.offset, taken.length) : link.text.view());
    has_link = true;
  }
  if (has_link) return;
  items_.add_heading_text(document_.substr(taken.offset, taken.length));
  items_.entries.add_text(document_.substr(taken.offset, taken.length));
  items_.entries.end_label();
}

void ProseText::finish() {
  const std::size_t end = found_.links.size();
  const std::size_t line = document_.find_last_of("\r\n", range_.offset == 0 ? 0 : range_.offset - 1);
  const bool is_first = range_.offset == 0 || line == std::string_view::npos;
  begin_line(is_first ? 0 : line + 1);
  std::size_t at = range_.offset;
  std::ranges::stable_sort(excluded_, {}, &TextRange::offset);
  for (const TextRange& taken : excluded_) {
    if (taken.offset > at) scan(at, taken.offset);
    pass_links(taken, end);
    at = std::max(at, taken.offset + taken.length);
  }
  scan(at, range_.offset + range_.length);
  for (; next_link_ < end; ++next_link_) items_.entries.add_resource(next_link_);
}

void ProseText::scan(std::size_t start, std::size_t end) {
  if (start >= end) return;
  const std::string_view text = document_.substr(start, end - start);
  BareUrlScanner scanner(text, BareUrlContext::markup);
  std::size_t from = 0;
  while (const std::optional<BareUrl> url = scanner.next()) {
    const std::string_view written = text.substr(url->offset, url->length);
    std::string_view before = text.substr(from, url->offset - from);
    pass_text(before);
    const std::size_t line = before.find_last_of("\r\n") + 1;
    std::string title = title_before_url(unescape_markdown(title_tail(before.substr(line))));
    if (title.empty() && line > 0) {
      const std::string_view above = trim_ascii(before.substr(0, line));
      title = title_before_url(unescape_markdown(title_tail(above.substr(above.find_last_of("\r\n") + 1))));
    }
    found_.links.emplace_back(start + url->offset, url->length, LinkElement::bare, unescape_markdown(written), title,
                              url->unbalanced_bracket);
    items_.entries.add_link(found_.links.size() - 1);
    items_.add_heading_text(written);
    from = url->offset + url->length;
  }
  pass_text(text.substr(from));
}

std::string join_target(std::string_view written) {
  std::string result;
  for (std::size_t at = 0; at < written.size(); ++at) {
    const char c = written[at];
    if (c == '\n' || c == '\r') {
      at = std::min(written.find_first_not_of(" \t\r\n", at), written.size()) - 1;
      continue;
    }
    if (c == '\\' && at + 1 < written.size()) ++at;
    result.push_back(written[at]);
  }
  return result;
}

}  // namespace linkherd::parser
