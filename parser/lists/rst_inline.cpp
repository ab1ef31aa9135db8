#include "parser/lists/rst_inline.h"

#include <algorithm>
#include <cstddef>

#include "parser/ascii.h"
#include "parser/lists/data_values.h"
#include "parser/lists/list_text.h"
#include "parser/lists/prose_lines.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_name_bytes = 500;

constexpr bool is_word(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

class RstInline {
 public:
  RstInline(std::string_view list, TextRange block, bool include_verbatim, FoundLinks& found,
            std::unordered_set<std::string>& used_names)
      : list_(list.substr(0, block.offset + block.length)),
        at_(block.offset),
        include_verbatim_(include_verbatim),
        found_(found),
        used_names_(used_names),
        text_(list, block, found) {}

  void read() {
    while (true) {
      const std::size_t mark = list_.find_first_of("`_\\", at_);
      if (mark == std::string_view::npos) break;
      at_ = mark;
      switch (list_[mark]) {
        case '\\': at_ = mark + 2; break;
        case '_': read_underscore(); break;
        default: list_.substr(mark, 2) == "``" ? read_literal() : read_interpreted(); break;
      }
      if (at_ >= list_.size()) break;
    }
    text_.finish();
  }

 private:
  // "``code``"
  void read_literal() {
    const std::size_t end = literals_open_ ? std::string_view::npos : list_.find("``", at_ + 2);
    if (end == std::string_view::npos) {
      literals_open_ = true;
      at_ += 2;
      return;
    }
    if (!include_verbatim_) text_.take({at_, end + 2 - at_});
    at_ = end + 2;
  }

  // "`text <url>`_", "`name`_", ":role:`text`"
  void read_interpreted() {
    const std::size_t start = at_ + 1;
    const std::size_t end = quotes_open_ ? std::string_view::npos : list_.find('`', start);
    if (end == std::string_view::npos || end == start) {
      quotes_open_ = end == std::string_view::npos;
      at_ = start;
      return;
    }
    at_ = end + 1;
    const bool reference = at_ < list_.size() && list_[at_] == '_';
    const std::string_view inside = list_.substr(start, end - start);
    const std::size_t open = inside.rfind('<');
    const bool has_target = inside.ends_with('>') && open != std::string_view::npos;
    if (!has_target) {
      if (reference) used_names_.insert(rst_name(inside.substr(0, max_name_bytes)));
      return;
    }
    const std::string_view target = inside.substr(open + 1, inside.size() - open - 2);
    if (!reference && target.find("://") == std::string_view::npos) return;  // a role's, within the documentation
    if (target.ends_with('_') && target.find(':') == std::string_view::npos) {
      used_names_.insert(rst_name(target.substr(0, target.size() - 1).substr(0, max_name_bytes)));
      return;
    }
    text_.take({start - 1, at_ - start + 1});
    std::string words = collapse_space(inside.substr(0, std::min(open, 2 * max_link_text_bytes)), max_link_text_bytes);
    found_.links.push_back(
        {start + open + 1, target.size(), LinkElement::link, join_target(target), std::move(words), false});
  }

  // "name_": a reference of one word.
  void read_underscore() {
    const std::size_t mark = at_++;
    const bool after_word = mark > 0 && is_word(list_[mark - 1]);
    const bool before_word = at_ < list_.size() && (is_word(list_[at_]) || list_[at_] == '_');
    if (!after_word || before_word) return;
    std::size_t start = mark;
    while (start > 0 && mark - start < max_name_bytes &&
           (is_word(list_[start - 1]) || std::string_view("-_.+:").find(list_[start - 1]) != std::string_view::npos))
      --start;
    used_names_.insert(rst_name(list_.substr(start, mark - start)));
  }

  std::string_view list_;
  std::size_t at_;
  bool include_verbatim_;
  FoundLinks& found_;
  std::unordered_set<std::string>& used_names_;
  ProseText text_;
  bool literals_open_ = false;  // one never closes, so none behind it does
  bool quotes_open_ = false;
};

}  // namespace

std::string rst_name(std::string_view text) {
  return to_ascii_lower(join_target(collapse_space(text, max_name_bytes)));
}

void read_rst_inline(std::string_view list, TextRange block, bool include_verbatim, FoundLinks& found,
                     std::unordered_set<std::string>& used_names) {
  RstInline(list, block, include_verbatim, found, used_names).read();
}

}  // namespace linkherd::parser
