#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "parser/lists/data/json_scanner.h"
#include "parser/lists/data/quoted_strings.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {
namespace {

class NotebookReader {
 public:
  NotebookReader(std::string_view list, const MarkdownOptions& options) : list_(list), options_(options) {}

  FoundLinks read() {
    using Kind = JsonToken::Kind;
    JsonScanner scanner(list_, {0, list_.size()});
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
  std::string_view slice(TextRange range) const { return list_.substr(range.offset, range.length); }

  // A cell is an object in the array "cells"; what lies deeper is an array of its lines, or none of ours.
  void read_string(TextRange range) {
    if (cells_depth_ == 0 || depth_ < cells_depth_ + 1 || depth_ > cells_depth_ + 2) return;
    if (key_ == "cell_type" && depth_ == cells_depth_ + 1) type_ = slice(range);
    if (key_ == "source" || key_ == "input") unescape_quoted(list_, range, QuoteStyle::json, source_);
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
      add_mapped(found_, read_markdown_list(source_.text(), options_), source_);
    } else if (type_ == "raw" || (type_ == "code" && options_.include_verbatim)) {
      add_mapped(found_, read_plain_text_list(source_.text()), source_);
    }
    source_.clear();
    type_ = {};
    key_ = {};
  }

  std::string_view list_;
  const MarkdownOptions& options_;
  FoundLinks found_;
  std::size_t depth_ = 0;
  std::size_t cells_depth_ = 0;  // of the array "cells"; 0 outside of it
  std::string_view key_;
  std::string_view type_;
  MappedText source_;
};

}  // namespace

FoundLinks read_notebook_list(std::string_view text, const MarkdownOptions& options) {
  return NotebookReader(text, options).read();
}

}  // namespace linkherd::parser
