#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/line_index.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/list_text.h"

namespace linkherd::parser {
namespace {

// Returns "Topic" for "Topic:", "主题：" and "# Topic"; nullopt for any other line.
std::optional<std::string> heading_of(std::string_view line) {
  const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
  if (marks >= 1 && marks <= 6 && marks < line.size() && line[marks] == ' ') {
    return collapse_space(line.substr(marks), max_heading_bytes);
  }
  for (const std::string_view colon : {":", "："}) {
    if (line.size() > colon.size() && line.ends_with(colon)) {
      return collapse_space(line.substr(0, line.size() - colon.size()), max_heading_bytes);
    }
  }
  return std::nullopt;
}

// Comment markers in lists of URLs. URLs in comments are links: "# 进阶 https://…" is a heading.
bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with("//") || line.starts_with("<!--") || line.starts_with('%') ||
         line.starts_with(';') || line.ends_with("-->");
}

class PlainTextReader {
 public:
  explicit PlainTextReader(std::string_view text)
      : text_(text), scanner_(text, BareUrlContext::plain), next_(scanner_.next()) {}

  FoundLinks read() {
    found_.links.reserve(text_.size() / bytes_per_link);
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = line_break(text_, start);
      read_line(start, end);
      start = after_line_break(text_, end);
    }
    return std::move(found_);
  }

 private:
  void read_line(std::size_t start, std::size_t end) {
    const std::string_view line = trim_ascii(text_.substr(start, end - start));
    if (is_comment(line)) note_comment(text_, {start, end - start}, found_);
    if (start < done_) start = std::min(done_, end);  // a wrapped URL ends in this line
    if (!next_ || next_->offset >= end) {
      const bool rest_of_url = start == done_ && done_ > 0;
      title_ = {};
      if (rest_of_url) return;
      if (std::optional<std::string> heading = heading_of(line)) {
        found_.headings.push_back({start, std::move(*heading)});
      } else {
        title_ = line;
      }
      return;
    }
    for (std::size_t from = start; next_ && next_->offset < end;) {
      std::string_view before = text_.substr(from, next_->offset - from);
      if (before.ends_with("<URL:")) before.remove_suffix(5);
      std::string title = title_before_url(before);
      const BareUrl url = *next_;
      done_ = url.offset + url.length;
      next_ = scanner_.next();
      // "https://… - Title", if the line has nothing else.
      const bool alone = from == start && (!next_ || next_->offset >= end);
      if (title.empty() && alone && done_ < end) title = title_before_url(text_.substr(done_, end - done_));
      if (title.empty()) title = title_before_url(title_);
      found_.links.push_back({url.offset, url.length, LinkElement::bare,
                              unwrap_url(text_.substr(url.offset, url.length)), std::move(title),
                              url.unbalanced_bracket});
      from = done_;
      title_ = {};
    }
  }

  std::string_view text_;
  BareUrlScanner scanner_;
  std::optional<BareUrl> next_;
  std::size_t done_ = 0;    // end of the last URL
  std::string_view title_;  // the line before, if it may be a title
  FoundLinks found_;
};

}  // namespace

FoundLinks read_plain_text_list(std::string_view text) { return PlainTextReader(text).read(); }

void add_prose_links(std::string_view list, TextRange range, FoundLinks& found) {
  const std::string_view text = list.substr(range.offset, range.length);
  BareUrlScanner scanner(text, BareUrlContext::plain);
  std::size_t from = 0;
  while (const std::optional<BareUrl> url = scanner.next()) {
    std::string_view before = text.substr(from, url->offset - from);
    before = before.substr(before.find_last_of("\r\n") + 1);
    found.links.push_back({range.offset + url->offset, url->length, LinkElement::bare,
                           unwrap_url(text.substr(url->offset, url->length)), title_before_url(before),
                           url->unbalanced_bracket});
    from = url->offset + url->length;
  }
}

}  // namespace linkherd::parser
