#include <algorithm>
#include <array>
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

class TomlReader {
 public:
  explicit TomlReader(std::string_view text) : text_(text), records_(found_) {}

  FoundLinks read() {
    records_.open();
    while (at_ < text_.size()) read_token();
    while (records_.any_open()) records_.close();
    records_.finish();
    return std::move(found_);
  }

 private:
  void read_token() {
    const char c = text_[at_];
    if (c == '\n' || c == '\r') line_begins_ = true;
    if (is_ascii_space(c)) {
      ++at_;
      return;
    }
    const bool first = std::exchange(line_begins_, false);
    switch (c) {
      case '#': return read_comment();
      case '"':
      case '\'': return read_string(c);
      case '[':
        if (first && brackets_ == 0) return read_table();
        ++brackets_;
        break;
      case ']':
        if (brackets_ > 0) --brackets_;
        break;
      case '{':
        is_in_array() ? records_.open_element() : records_.open();
        brackets_at_.push_back(brackets_);
        break;
      case '}':
        if (!brackets_at_.empty()) brackets_at_.pop_back();
        if (records_.any_open()) records_.close();
        break;
      default:
        if (is_bare(c)) return read_word();
    }
    ++at_;
  }

  static bool is_bare(char c) { return is_ascii_alphanumeric(c) || c == '_' || c == '-' || !is_ascii(c); }

  void read_comment() {
    const std::size_t end = find_line_break(text_, at_);
    add_ignore_comment(text_, {at_, end - at_}, found_);
    at_ = end;
  }

  // Reads "[table]" and "[[table]]", which start a new record.
  void read_table() {
    const bool is_element = text_.substr(at_, 2) == "[[";
    at_ = find_line_break(text_, at_);
    while (records_.any_open()) records_.close();
    is_element ? records_.open_element() : records_.open();
    brackets_at_.clear();
    key_.clear();
  }

  void read_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (!key_follows()) return records_.add_non_text();
    key_ = text_.substr(start, std::min<std::size_t>(at_ - start, 64));
  }

  bool is_in_array() const { return brackets_ > (brackets_at_.empty() ? 0 : brackets_at_.back()); }

  bool key_follows() const {
    const std::size_t next = text_.find_first_not_of(" \t", at_);
    return next != std::string_view::npos && (text_[next] == '=' || text_[next] == '.');
  }

  void read_string(char quote) {
    const bool basic = quote == '"';
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    at_ += lines ? 3 : 1;
    const std::size_t start = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (lines ? text_.substr(at_, 3) == three : (c == quote || c == '\n' || c == '\r')) break;
      at_ += basic && c == '\\' && at_ + 1 < text_.size() && (lines || text_[at_ + 1] != '\n') ? 2U : 1U;
    }
    at_ = std::min(at_, text_.size());
    const TextRange range{start, at_ - start};
    if (at_ < text_.size() && text_[at_] == quote) at_ = std::min(at_ + (lines ? 3 : 1), text_.size());
    value_.clear();
    unescape_quoted(text_, range, basic ? QuoteStyle::toml : QuoteStyle::literal, value_);
    if (!lines && !is_in_array() && key_follows()) {
      key_ = value_.text().substr(0, 64);
      return;
    }
    records_.add_value(key_, value_, is_in_array());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  FoundLinks found_;
  DataRecords records_;
  std::string key_;  // the last key
  bool line_begins_ = true;
  std::size_t brackets_ = 0;              // number of open arrays
  std::vector<std::size_t> brackets_at_;  // value of `brackets_` at the start of each open inline table
  MappedText value_;
};

}  // namespace

FoundLinks read_toml_links(std::string_view text) { return TomlReader(text).read(); }

}  // namespace linkherd::parser
