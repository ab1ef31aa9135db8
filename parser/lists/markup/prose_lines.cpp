#include "parser/lists/markup/prose_lines.h"

#include <algorithm>
#include <optional>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/list_text.h"

namespace linkherd::parser {

ProseLine prose_line(std::string_view text, std::size_t at) {
  ProseLine line;
  const std::size_t last = line_break(text, at);
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

void add_html_links(std::string_view list, TextRange block, bool include_verbatim, FoundLinks& found) {
  MappedText html;
  html.copy(list, block);
  add_mapped(found, read_html_list(html.text(), include_verbatim), html);
}

std::size_t ForwardSearch::from(std::size_t at) {
  const bool known = looked_ && at >= asked_ && (found_ == std::string_view::npos || found_ >= at);
  if (!known) {
    asked_ = at;
    found_ = kind_ == Kind::text ? list_.find(what_, at) : list_.find_first_of(what_, at);
    looked_ = true;
  }
  return found_;
}

void ProseText::finish() {
  std::size_t at = range_.offset;
  for (const TextRange& taken : excluded_) {
    if (taken.offset > at) scan(at, taken.offset);
    at = std::max(at, taken.offset + taken.length);
  }
  scan(at, range_.offset + range_.length);
}

void ProseText::scan(std::size_t start, std::size_t end) {
  if (start >= end) return;
  const std::string_view text = list_.substr(start, end - start);
  BareUrlScanner scanner(text, BareUrlContext::markup);
  std::size_t from = 0;
  while (const std::optional<BareUrl> url = scanner.next()) {
    const std::string_view written = text.substr(url->offset, url->length);
    std::string_view before = text.substr(from, url->offset - from);
    const std::size_t line = before.find_last_of("\r\n") + 1;
    std::string title = title_before_url(unescape_markdown(end_for_title(before.substr(line))));
    if (title.empty() && line > 0) {
      const std::string_view above = trim_ascii(before.substr(0, line));
      title = title_before_url(unescape_markdown(end_for_title(above.substr(above.find_last_of("\r\n") + 1))));
    }
    found_.links.push_back({start + url->offset, url->length, LinkElement::bare, unescape_markdown(written),
                            std::move(title), url->unbalanced_bracket});
    from = url->offset + url->length;
  }
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
