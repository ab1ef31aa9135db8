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
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_named_columns = 1000;

// Returns the most frequent separator of the first line.
char separator_of(std::string_view text) {
  const std::string_view line = text.substr(0, find_line_break(text, 0));
  constexpr std::array<char, 4> separators{',', '\t', ';', '|'};
  return *std::ranges::max_element(separators, {}, [&](char separator) { return std::ranges::count(line, separator); });
}

bool holds_letters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_ascii_letter(c) || !is_ascii(c); });
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text), separator_(separator_of(text)) {}

  FoundLinks read() {
    while (at_ < text_.size()) read_row();
    return std::move(found_);
  }

 private:
  void read_row() {
    const std::size_t first = found_.links.size();
    const std::size_t start = at_;
    title_.clear();
    bookmark_ = {};
    folder_.clear();
    bool header = start == 0;
    for (std::size_t column = 0; at_ < text_.size(); ++column) {
      read_cell();
      header = add_cell(column, header);
      if (at_ >= text_.size() || text_[at_] != separator_) break;
      ++at_;
    }
    if (text_[start] == '#') add_ignore_comment(text_, {start, at_ - start}, found_);
    at_ = after_line_break(text_, at_);
    if (start == 0 && !has_names_) {
      roles_.clear();
      fields_.clear();
    }
    if (found_.links.size() > first) {
      ++found_.entries;
      enter_folder(start);
    }
    for (std::size_t i = first; i < found_.links.size(); ++i) {
      if (!bookmark_.empty()) found_.bookmarks.push_back({found_.links[i].offset, bookmark_});
      found_.links[i].entry = found_.entries;
      if (found_.links[i].text.empty()) found_.links[i].text = title_;
    }
  }

  void enter_folder(std::size_t row) {
    if (std::exchange(entered_folder_, folder_) != folder_) found_.headings.push_back({row, folder_});
  }

  // Reads a cell, up to the separator or the end of the line.
  void read_cell() {
    cell_.clear();
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      const std::size_t start = ++at_;
      while (at_ < text_.size() && (text_[at_] != '"' || text_.substr(at_, 2) == "\"\""))
        at_ += text_[at_] == '"' ? 2U : 1U;
      at_ = std::min(at_, text_.size());
      unescape_quoted(text_, {start, at_ - start}, QuoteStyle::csv, cell_);
    }
    // Reads an unquoted cell, or skips text after a closing quote, which is an error.
    const std::size_t rest = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    if (cell_.empty()) cell_.copy(text_, {rest, at_ - rest});
  }

  // Returns true if the row may still be the header row.
  bool add_cell(std::size_t column, bool header) {
    const ValueRole role = column < roles_.size() ? roles_[column] : ValueRole::any;
    const std::size_t before = found_.links.size();
    add_value_links(cell_, role, found_);
    const bool linked = found_.links.size() > before;
    const bool titled =
        role == ValueRole::title || (title_.empty() && !has_title_column_ && holds_letters(cell_.text()));
    const BookmarkField field = column < fields_.size() ? fields_[column] : BookmarkField::none;
    add_bookmark_field(bookmark_, field, cell_.text());
    if (field == BookmarkField::folder) folder_ = collapse_space(cell_.text(), max_heading_bytes);
    if (!linked && titled) title_ = collapse_space(cell_.text(), max_link_text_bytes);
    if (!header || linked || column >= max_named_columns) return false;
    roles_.push_back(find_value_role(cell_.text()));
    fields_.push_back(find_bookmark_field(cell_.text()));
    has_names_ = has_names_ || roles_.back() != ValueRole::any;
    has_title_column_ = has_title_column_ || roles_.back() == ValueRole::title;
    return true;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  FoundLinks found_;
  MappedText cell_;
  std::string title_;
  BookmarkInfo bookmark_;              // facts of the current row
  std::string folder_;                 // folder of the current row
  std::string entered_folder_;         // folder of the last heading
  std::vector<ValueRole> roles_;       // roles of the columns, if there is a header row
  std::vector<BookmarkField> fields_;  // bookmark fields of the columns, if there is a header row
  bool has_names_ = false;
  bool has_title_column_ = false;
};

}  // namespace

FoundLinks read_csv_links(std::string_view text) { return CsvReader(text).read(); }

}  // namespace linkherd::parser
