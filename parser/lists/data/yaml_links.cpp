#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/data/data_values.h"
#include "parser/lists/data/quoted_strings.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/line_index.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_key_bytes = 200;

class YamlReader {
 public:
  explicit YamlReader(std::string_view text) : text_(text), records_(found_) {}

  FoundLinks read() {
    while (at_ < text_.size()) read_line();
    while (records_.any_open()) records_.close();
    records_.finish();
    return std::move(found_);
  }

 private:
  std::size_t line_end() const { return find_line_break(text_, at_); }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }
  bool at_line_end() const { return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }
  bool is_blank_at(std::size_t at) const { return at >= text_.size() || is_ascii_space(text_[at]); }

  // Reads from the start of a line to the start of a later one, because quoted and block scalars span several lines.
  void read_line() {
    line_start_ = at_;
    skip_blanks();
    indent_ = at_ - line_start_;
    if (indent_ == 0 && (text_.substr(at_, 3) == "---" || text_.substr(at_, 3) == "...") && is_blank_at(at_ + 3)) {
      close_levels(0);
      at_ += 3;
      skip_blanks();
    }
    while (at_ < text_.size() && text_[at_] == '-' && is_blank_at(at_ + 1)) read_dash();
    if (!at_line_end() && text_[at_] != '#' && text_[at_] != '%') read_entry();
    finish_line();
  }

  void finish_line() {
    skip_blanks();
    if (!at_line_end()) {
      const std::size_t end = line_end();
      if (text_[at_] == '#') {
        add_ignore_comment(text_, {at_, end - at_}, found_);
      } else {
        add_prose_links(text_, {at_, end - at_},
                        found_);  // invalid YAML such as "- [a](https://b.cn)" may still have links
      }
      at_ = end;
    }
    at_ = after_line_break(text_, at_);
  }

  // Reads "- ", which begins an element of a sequence and closes all deeper levels.
  void read_dash() {
    close_levels(column() + 1);
    ++at_;
    skip_blanks();
    if (!at_line_end()) open_level(column());
    key_.clear();
    is_element_ = true;
  }

  std::size_t column() const { return at_ - line_start_; }

  // Closes the levels that are indented by `indent` or more.
  void close_levels(std::size_t indent) {
    while (!levels_.empty() && levels_.back() >= indent) {
      levels_.pop_back();
      records_.close();
    }
  }

  void open_level(std::size_t indent) {
    levels_.push_back(indent);
    records_.open();
  }

  // Reads "key: value" or a value alone.
  void read_entry() {
    const std::size_t start = at_;
    if (read_key()) {
      const std::size_t indent = start - line_start_;
      close_levels(indent + 1);
      if (levels_.empty() || levels_.back() < indent) open_level(indent);
      if (std::exchange(is_element_, false)) records_.mark_as_element();
      skip_blanks();
    } else {
      at_ = start;
    }
    skip_properties();
    read_value();
    is_element_ = false;
  }

  // Skips the ":" after a key. Returns false if there is no key.
  bool read_key() {
    std::size_t end = at_;
    if (text_[at_] == '"' || text_[at_] == '\'') {
      end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos || end - at_ > max_key_bytes) return false;
      ++end;
      if (end >= text_.size() || text_[end] != ':') return false;
      key_ = text_.substr(at_ + 1, end - at_ - 2);
    } else {
      if (std::string_view("[{|>").find(text_[at_]) != std::string_view::npos) return false;
      const std::size_t limit = std::min(at_ + max_key_bytes, text_.size());
      while (end < limit && !(text_[end] == ':' && is_blank_at(end + 1)) && text_[end] != '\n' && text_[end] != '\r')
        ++end;
      if (end >= limit || text_[end] != ':') return false;
      key_ = trim_ascii(text_.substr(at_, end - at_));
    }
    at_ = end + 1;
    return true;
  }

  // Skips "&anchor" and "!!str".
  void skip_properties() {
    while (at_ < text_.size() && (text_[at_] == '&' || text_[at_] == '!')) {
      while (!is_blank_at(at_)) ++at_;
      skip_blanks();
    }
  }

  void read_value() {
    if (at_line_end() || text_[at_] == '#') return;
    switch (text_[at_]) {
      case '|':
      case '>': return read_block();
      case '"':
      case '\'':
        if (read_quoted(indent_)) return;
        break;
      case '[':
      case '{': return read_flow();
      default: break;
    }
    const std::size_t start = at_;
    at_ = line_end();
    const std::string_view line = text_.substr(start, at_ - start);
    const std::size_t comment = std::min(line.find(" #"), line.size());
    at_ = start + comment;
    add({start, comment}, QuoteStyle::literal);
  }

  void add(TextRange range, QuoteStyle style) {
    value_.clear();
    unescape_quoted(text_, range, style, value_);
    records_.add_value(key_, value_, !flow_.empty() && flow_.back());
  }

  // Reads the block scalar of "|" or ">": the following lines that are indented deeper than this one.
  void read_block() {
    records_.add_non_text();
    at_ = line_end();
    const std::size_t start = at_;
    while (at_ < text_.size()) {
      const std::size_t line = after_line_break(text_, at_);
      const std::size_t word = std::min(text_.find_first_not_of(" \t", line), text_.size());
      const bool blank = word >= text_.size() || text_[word] == '\n' || text_[word] == '\r';
      if (!blank && word - line <= indent_) break;
      at_ = find_line_break(text_, word);
    }
    add_prose_links(text_, {start, at_ - start}, found_);
  }

  // Returns false if the quote is not closed in this or in the deeper indented lines that follow.
  bool read_quoted(std::size_t indent) {
    const char quote = text_[at_];
    const std::size_t start = at_ + 1;
    for (std::size_t at = start; at < text_.size(); ++at) {
      const char c = text_[at];
      const bool doubled = quote == '\'' && text_.substr(at, 2) == "''";
      const bool escaped = quote == '"' && c == '\\' && at + 1 < text_.size() && text_[at + 1] != '\n';
      if (doubled || escaped) {
        ++at;
      } else if (c == quote) {
        at_ = at + 1;
        add({start, at - start}, quote == '"' ? QuoteStyle::yaml : QuoteStyle::yaml_single);
        return true;
      } else if (c == '\n') {
        const std::size_t word = std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
        const std::size_t line = text_.rfind('\n', word) + 1;
        if (word - line <= indent && flow_.empty()) return false;
        at = word - 1;
      }
    }
    return false;
  }

  // Reads "[a, {b: c}]", which may span several lines.
  void read_flow() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '[' || c == '{') {
        const bool is_element = flow_.empty() ? is_element_ : flow_.back();
        if (c == '{') is_element ? records_.open_element() : records_.open();
        flow_.push_back(c == '[');
        ++at_;
      } else if (c == ']' || c == '}') {
        flow_.pop_back();
        if (c == '}') records_.close();
        ++at_;
        if (flow_.empty()) break;
      } else if (c == ',' || c == ':' || is_ascii_space(c)) {
        ++at_;
      } else if (c == '#' && is_ascii_space(text_[at_ - 1])) {
        const std::size_t end = line_end();
        add_ignore_comment(text_, {at_, end - at_}, found_);
        at_ = end;
      } else {
        read_flow_scalar();
      }
    }
    flow_.clear();
    line_start_ = at_;  // the column of the rest of the line is unknown
  }

  void read_flow_scalar() {
    const char quote = text_[at_];
    if (quote == '"' || quote == '\'') {
      const std::size_t end = text_.find(quote, at_ + 1);
      const std::size_t colon = end == std::string_view::npos || end - at_ > max_key_bytes
                                    ? std::string_view::npos
                                    : text_.find_first_not_of(" \t", end + 1);
      if (colon != std::string_view::npos && text_[colon] == ':') {
        key_ = text_.substr(at_ + 1, end - at_ - 1);
        at_ = colon + 1;
        return;
      }
      if (!quotes_broken_ && read_quoted(0)) return;
      quotes_broken_ = true;  // after an unclosed quote, the ends of all later quotes are uncertain
      ++at_;
      return;
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && std::string_view(",[]{}\n\r").find(text_[at_]) == std::string_view::npos &&
           !(text_[at_] == ':' && is_blank_at(at_ + 1)) && !(text_[at_] == '#' && is_ascii_space(text_[at_ - 1])))
      ++at_;
    const std::string_view word = trim_ascii(text_.substr(start, at_ - start));
    if (at_ < text_.size() && text_[at_] == ':') {
      key_ = word.substr(0, max_key_bytes);
    } else {
      add({start, word.size()}, QuoteStyle::literal);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::size_t indent_ = 0;  // indentation of the current line
  FoundLinks found_;
  DataRecords records_;
  std::vector<std::size_t> levels_;  // columns of the open mappings
  std::string key_;                  // the last key
  bool is_element_ = false;          // the next value follows "- "
  std::vector<bool> flow_;           // for each open bracket: true if it opens an array
  bool quotes_broken_ = false;
  MappedText value_;
};

}  // namespace

FoundLinks read_yaml_links(std::string_view text) { return YamlReader(text).read(); }

}  // namespace linkherd::parser
