#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/data/data_values.h"
#include "parser/lists/data/quoted_strings.h"
#include "parser/lists/found_link.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {
namespace {

// A token of JSON with its position. JsonScanner builds no tree and does not recurse. An error only affects its own
// token: an unterminated string ends with its line. Comments ("//", "/*") are allowed.
struct JsonToken {
  enum class Kind { open_object, close_object, open_array, close_array, key, string, scalar, comment };
  Kind kind = Kind::scalar;
  TextRange range;  // excludes the quotes of a string or key
};

class JsonScanner {
 public:
  // Scans from `range.offset` to the end of the range.
  JsonScanner(std::string_view document, TextRange range)
      : text_(document.substr(0, range.offset + range.length)), at_(range.offset) {}

  std::optional<JsonToken> next();

 private:
  JsonToken read_string();
  JsonToken read_comment();
  void skip_space();

  std::string_view text_;
  std::size_t at_;
  bool is_comment_end_missing_ = false;
};

void JsonScanner::skip_space() {
  while (at_ < text_.size() && (is_ascii_space(text_[at_]) || text_[at_] == ',' || text_[at_] == ':')) ++at_;
}

std::optional<JsonToken> JsonScanner::next() {
  using Kind = JsonToken::Kind;
  skip_space();
  if (at_ >= text_.size()) return std::nullopt;
  const auto single = [&](Kind kind) { return JsonToken{kind, {at_++, 1}}; };
  switch (text_[at_]) {
    case '{': return single(Kind::open_object);
    case '}': return single(Kind::close_object);
    case '[': return single(Kind::open_array);
    case ']': return single(Kind::close_array);
    case '"': return read_string();
    case '/':
      if (text_.substr(at_, 2) == "//" || text_.substr(at_, 2) == "/*") return read_comment();
      break;
    default: break;
  }
  const std::size_t start = at_++;
  while (at_ < text_.size() && !is_ascii_space(text_[at_]) &&
         std::string_view(",:{}[]\"/").find(text_[at_]) == std::string_view::npos)
    ++at_;
  return JsonToken{Kind::scalar, {start, at_ - start}};
}

JsonToken JsonScanner::read_string() {
  const std::size_t start = ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2U : 1U;
  }
  at_ = std::min(at_, text_.size());
  JsonToken token{JsonToken::Kind::string, {start, at_ - start}};
  if (at_ < text_.size()) ++at_;
  while (at_ < text_.size() && is_ascii_space(text_[at_])) ++at_;
  if (at_ < text_.size() && text_[at_] == ':') {
    token.kind = JsonToken::Kind::key;
    ++at_;
  }
  return token;
}

JsonToken JsonScanner::read_comment() {
  const std::size_t start = at_;
  std::size_t end = std::string_view::npos;
  if (text_[at_ + 1] == '/') {
    end = std::min(text_.find('\n', at_), text_.size());
  } else if (!is_comment_end_missing_) {
    end = text_.find("*/", at_ + 2);
    is_comment_end_missing_ = end == std::string_view::npos;
    if (!is_comment_end_missing_) end += 2;
  }
  at_ = end == std::string_view::npos ? at_ + 2 : end;  // if it is unterminated, only the "/*" is skipped
  return {JsonToken::Kind::comment, {start, at_ - start}};
}

constexpr std::array<std::string_view, 6> linking_properties{"sameas",           "image",     "logo",
                                                             "mainentityofpage", "isbasedon", "license"};

// Returns true if the JSON-LD property holds URLs of pages and files, not vocabulary.
bool links_by_json_ld(std::string_view key) {
  if (key.size() > 64) return false;
  const std::string lower = to_ascii_lower(key);
  return lower.ends_with("url") || lower == "coderepository" || is_one_of(linking_properties, lower);
}

class JsonReader {
 public:
  enum class Kind : std::uint8_t { document, lines, json_ld };
  JsonReader(std::string_view document, TextRange range, Kind kind, FoundLinks& found)
      : document_(document),
        scanner_(document, range),
        json_ld_(kind == Kind::json_ld),
        lines_(kind == Kind::lines),
        found_(found),
        records_(found) {}

  void read() {
    using Token = JsonToken::Kind;
    while (const std::optional<JsonToken> token = scanner_.next()) {
      switch (token->kind) {
        case Token::open_object:
          is_in_array() ? records_.open_element() : records_.open();
          key_ = {};
          in_array_.push_back(false);
          break;
        case Token::close_object:
          records_.close();
          key_ = {};
          leave();
          break;
        case Token::open_array: in_array_.push_back(true); break;
        case Token::close_array: leave(); break;
        case Token::key: key_ = document_.substr(token->range.offset, token->range.length); break;
        case Token::string: read_value(token->range); break;
        case Token::comment: add_ignore_comment(document_, token->range, found_); break;
        case Token::scalar:
          records_.add_non_text(key_, document_.substr(token->range.offset, token->range.length));
          break;
      }
    }
    while (records_.any_open()) records_.close();
    if (!json_ld_) records_.finish();  // JSON-LD describes its page and has no entries
  }

 private:
  // JSON lines are records of an array without brackets.
  bool is_in_array() const { return in_array_.empty() ? lines_ : in_array_.back(); }
  void leave() {
    if (!in_array_.empty()) in_array_.pop_back();
  }

  void read_value(TextRange range) {
    value_.clear();
    unescape_quoted(document_, range, QuoteStyle::json, value_);
    if (json_ld_) {
      if (find_value_role(key_) == ValueRole::title) records_.set_title(value_.text());
      if (links_by_json_ld(key_)) add_value_links(value_, ValueRole::url, found_);
      return;
    }
    records_.add_value(key_, value_, is_in_array());
  }

  std::string_view document_;
  JsonScanner scanner_;
  bool json_ld_;
  bool lines_;
  FoundLinks& found_;
  DataRecords records_;
  std::string_view key_;        // the last key
  std::vector<bool> in_array_;  // for each open bracket: true if it opens an array
  MappedText value_;
};

// Reads a notebook, which is JSON. Its cells are read as Markdown and text, with their positions in the JSON.
class NotebookReader {
 public:
  NotebookReader(std::string_view document, const MarkdownOptions& options) : document_(document), options_(options) {
    options_.is_notebook = true;
  }

  FoundLinks read() {
    using Kind = JsonToken::Kind;
    JsonScanner scanner(document_, {0, document_.size()});
    while (const std::optional<JsonToken> token = scanner.next()) {
      switch (token->kind) {
        case Kind::open_array:
          ++depth_;
          if (cells_depth_ == 0 && key_ == "cells") cells_depth_ = depth_;
          break;
        case Kind::open_object: ++depth_; break;
        case Kind::close_array:
        case Kind::close_object: close(); break;
        case Kind::key:
          if (cells_depth_ == 0 || depth_ == cells_depth_ + 1) key_ = slice(token->range);
          break;
        case Kind::string: read_string(token->range); break;
        default: break;
      }
    }
    finish_cell();
    return std::move(found_);
  }

 private:
  std::string_view slice(TextRange range) const { return document_.substr(range.offset, range.length); }

  // A cell is an object in the array "cells". Its source may be an array of lines; anything deeper is skipped.
  void read_string(TextRange range) {
    if (cells_depth_ == 0 || depth_ < cells_depth_ + 1 || depth_ > cells_depth_ + 2) return;
    if (key_ == "cell_type" && depth_ == cells_depth_ + 1) type_ = slice(range);
    if (key_ == "source" || key_ == "input") unescape_quoted(document_, range, QuoteStyle::json, source_);
  }

  void close() {
    if (depth_ == 0) return;
    if (cells_depth_ != 0 && depth_ == cells_depth_ + 1) finish_cell();
    if (cells_depth_ != 0 && depth_ == cells_depth_) {
      cells_depth_ = 0;
      key_ = {};
    }
    --depth_;
  }

  void finish_cell() {
    if (type_ == "markdown" || type_ == "heading") {
      add_mapped(found_, read_markdown_links(source_.text(), options_), source_);
    } else if (type_ == "raw" || (type_ == "code" && options_.include_verbatim)) {
      add_mapped(found_, read_plain_text_links(source_.text()), source_);
    }
    source_.clear();
    type_ = {};
    key_ = {};
  }

  std::string_view document_;
  MarkdownOptions options_;
  FoundLinks found_;
  std::size_t depth_ = 0;
  std::size_t cells_depth_ = 0;  // nesting depth of the array "cells"; 0 outside
  std::string_view key_;
  std::string_view type_;
  MappedText source_;
};

}  // namespace

FoundLinks read_json_links(std::string_view text) {
  FoundLinks found;
  JsonReader(text, {0, text.size()}, JsonReader::Kind::document, found).read();
  return found;
}

FoundLinks read_json_lines_links(std::string_view text) {
  FoundLinks found;
  JsonReader(text, {0, text.size()}, JsonReader::Kind::lines, found).read();
  return found;
}

void add_json_ld_links(std::string_view document, TextRange block, FoundLinks& found) {
  JsonReader(document, block, JsonReader::Kind::json_ld, found).read();
}

FoundLinks read_notebook_links(std::string_view text, const MarkdownOptions& options) {
  return NotebookReader(text, options).read();
}

}  // namespace linkherd::parser
