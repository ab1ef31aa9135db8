#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/entry_tracker.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/line_index.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/bare_url_scanner.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t level_of_topics = 7;  // below all headings with marks

// Returns "Topic" for "Topic:", "主题：" and "# Topic"; nullopt for any other line.
std::optional<FoundHeading> heading_of(std::string_view line) {
  const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
  if (marks >= 1 && marks <= 6 && marks < line.size() && line[marks] == ' ') {
    return FoundHeading{0, collapse_space(line.substr(marks), max_heading_bytes), marks};
  }
  for (const std::string_view colon : {":", "："}) {
    if (line.size() > colon.size() && line.ends_with(colon)) {
      return FoundHeading{0, collapse_space(line.substr(0, line.size() - colon.size()), max_heading_bytes),
                          level_of_topics};
    }
  }
  return std::nullopt;
}

// Returns true for a line that begins with the marker of a list item, such as "- ", "* " and "1. ".
bool is_item(std::string_view line) {
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const std::string_view mark = line.substr(digits, 2);
  if (digits > 0) return mark == ". " || mark == ") ";
  return mark == "- " || mark == "* " || mark == "+ " || line.starts_with("• ");
}

// Returns true for a line with the comment markers that lists of URLs use. URLs in comments are links:
// "# 进阶 https://…" is a heading.
bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with("//") || line.starts_with("<!--") || line.starts_with('%') ||
         line.starts_with(';') || line.ends_with("-->");
}

class PlainTextReader {
 public:
  explicit PlainTextReader(std::string_view text)
      : text_(text), scanner_(text, BareUrlContext::plain), next_(scanner_.next()) {}

  FoundLinks read() {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = find_line_break(text_, start);
      read_line(start, end);
      start = after_line_break(text_, end);
    }
    return std::move(found_);
  }

 private:
  void read_line(std::size_t start, std::size_t end) {
    const std::string_view line = trim_ascii(text_.substr(start, end - start));
    if (is_comment(line)) add_ignore_comment(text_, {start, end - start}, found_);
    if (start < done_) start = std::min(done_, end);  // a wrapped URL ends on this line
    if (!next_ || next_->offset >= end) {
      const bool rest_of_url = start == done_ && done_ > 0;
      title_ = {};
      if (rest_of_url) return;
      is_below_text_ = false;
      if (std::optional<FoundHeading> heading = heading_of(line)) {
        heading->offset = start;
        found_.headings.push_back(std::move(*heading));
      } else {
        is_below_text_ = !line.empty();
        title_ = line;
      }
      return;
    }
    const std::size_t first = found_.links.size();
    for (std::size_t from = start; next_ && next_->offset < end;) {
      std::string_view before = text_.substr(from, next_->offset - from);
      if (before.ends_with("<URL:")) before.remove_suffix(5);
      std::string title = title_before_url(before);
      const BareUrl url = *next_;
      done_ = url.offset + url.length;
      next_ = scanner_.next();
      // The title may follow the URL, as in "https://… - Title", if the line contains nothing else.
      const bool alone = from == start && (!next_ || next_->offset >= end);
      if (title.empty() && alone && done_ < end) title = title_before_url(text_.substr(done_, end - done_));
      if (title.empty()) title = title_before_url(title_);
      found_.links.emplace_back(url.offset, url.length, LinkElement::bare,
                                unwrap_url(text_.substr(url.offset, url.length)), title, url.unbalanced_bracket);
      from = done_;
      title_ = {};
    }
    add_links(start, end, first, is_entry(start, end, first) ? ++found_.entries : 0);
    is_below_text_ = false;
  }

  // Returns the text between the previous link of the line and `link`, or the text after the last link.
  std::string_view text_before(std::size_t link, std::size_t start, std::size_t end, std::size_t first) const {
    const std::deque<FoundLink>& links = found_.links;
    const std::size_t from = link == first ? start : links[link - 1].offset + links[link - 1].length;
    const std::size_t to = link == links.size() ? end : links[link].offset;
    return from < to ? text_.substr(from, to - from) : std::string_view();
  }

  bool is_above_text(std::size_t end) const {
    const std::size_t start = after_line_break(text_, end);
    const std::size_t next_end = find_line_break(text_, start);
    const std::string_view line = trim_ascii(text_.substr(start, next_end - start));
    return !line.empty() && (!next_ || next_->offset >= next_end) && !is_item(line) && !heading_of(line);
  }

  // Returns true if a line with links is about the first of them. This is the case for a list item and for a URL alone
  // on its line. It is also the case for a URL with a title, unless the neighbouring lines show that the line is part
  // of a paragraph.
  bool is_entry(std::size_t start, std::size_t end, std::size_t first) {
    if (found_.links.size() == first) return false;
    const std::string_view before = text_before(first, start, end, first);
    const LinkContext context = context_between(before, text_before(first + 1, start, end, first));
    const std::string_view after = text_before(found_.links.size(), start, end, first);
    const bool begins = !context.has_words_before;
    const bool ends = !context_between(after, {}).has_words_before;
    if (is_item(trim_ascii(before)) || (begins && ends)) return true;
    if (context.has_words_before && context.is_joined_before && context.is_joined_after) return false;
    return !is_below_text_ && !is_above_text(end);
  }

  void add_links(std::size_t start, std::size_t end, std::size_t first, std::uint32_t entry) {
    EntryTracker line(found_);
    for (std::size_t i = first; i < found_.links.size(); ++i) {
      line.add_text(text_before(i, start, end, first));
      line.add_link(i);
      found_.links[i].entry = entry;
    }
    line.add_text(text_before(found_.links.size(), start, end, first));
  }

  std::string_view text_;
  BareUrlScanner scanner_;
  std::optional<BareUrl> next_;
  std::size_t done_ = 0;    // end of the last URL
  std::string_view title_;  // the previous line, if it may be a title
  bool is_below_text_ = false;
  FoundLinks found_;
};

}  // namespace

FoundLinks read_plain_text_links(std::string_view text) { return PlainTextReader(text).read(); }

void add_prose_links(std::string_view document, TextRange range, FoundLinks& found) {
  const std::string_view text = document.substr(range.offset, range.length);
  BareUrlScanner scanner(text, BareUrlContext::plain);
  std::size_t from = 0;
  while (const std::optional<BareUrl> url = scanner.next()) {
    std::string_view before = text.substr(from, url->offset - from);
    before = before.substr(before.find_last_of("\r\n") + 1);
    found.links.emplace_back(range.offset + url->offset, url->length, LinkElement::bare,
                             unwrap_url(text.substr(url->offset, url->length)), title_before_url(before),
                             url->unbalanced_bracket);
    from = url->offset + url->length;
  }
}

}  // namespace linkherd::parser
