#include "parser/lists/markdown/markdown_math.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "parser/ascii.h"
#include "parser/lists/markdown/markdown_preprocessor.h"

namespace linkherd::parser {
namespace {

// The delimiters of math in a dialect.
struct MathSyntax {
  bool has_dollars = false;         // $…$
  bool has_double_dollars = false;  // $$…$$
  bool has_fences = false;          // between lines that consist of "$$", with possible blank lines in between
  std::size_t backslashes = 0;  // number of backslashes in \(…\) and \[…\]: 0 if these are not math, 2 if Markdown
                                // removes one of them
  bool is_careful = false;      // for texts that are not documentation, where "$" is usually money or a variable name
};

MathSyntax math_syntax(const MarkdownOptions& options) {
  constexpr MathSyntax dollars{.has_dollars = true, .has_double_dollars = true, .has_fences = true};
  if (options.is_notebook)
    return {.has_dollars = true, .has_double_dollars = true, .has_fences = true, .backslashes = 2};
  if (!options.has_math) return {};
  switch (options.generator) {
    case SiteGenerator::docusaurus:
    case SiteGenerator::astro:
    case SiteGenerator::vitepress:
    case SiteGenerator::vuepress:
    case SiteGenerator::obsidian:
    case SiteGenerator::sphinx: return dollars;
    case SiteGenerator::quarto: return {.has_dollars = true, .has_double_dollars = true};
    case SiteGenerator::mkdocs:
    case SiteGenerator::pelican: return {.has_dollars = true, .has_double_dollars = true, .backslashes = 1};
    case SiteGenerator::hugo: return {.has_double_dollars = true, .backslashes = 1};
    case SiteGenerator::mdbook: return {.has_double_dollars = true, .backslashes = 2};
    case SiteGenerator::jekyll: return {.has_double_dollars = true};
    case SiteGenerator::gatsby:
    case SiteGenerator::next:
    case SiteGenerator::eleventy:
    case SiteGenerator::none:
      if (options.is_mdx) break;
      return {.has_dollars = true, .has_double_dollars = true, .is_careful = true};
    case SiteGenerator::antora: break;
  }
  return {};
}

// Returns true if a line after the first one starts a list item: math ends with its block.
bool has_list_item(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at)) {
    at = std::min(text.find_first_not_of(" \t\n", at), text.size());
    if (markdown_marker_length(text.substr(at, text.find('\n', at) - at)) > 0) return true;
  }
  return false;
}

// Finds the math and code spans of one paragraph, from left to right.
class MathScanner {
 public:
  MathScanner(std::string& text, std::size_t start, std::size_t end, const MathSyntax& syntax)
      : text_(text), start_(start), at_(start), end_(end), syntax_(syntax) {
    closers_.fill({start, false});
  }

  void run() {
    find_code_ends();
    while (at_ < end_) {
      switch (text_[at_]) {
        case '`': skip_code(); break;
        case '\\': read_backslashes(); break;
        case '$': read_dollars(); break;
        default: ++at_;
      }
    }
  }

 private:
  struct Closer {
    std::size_t at;  // npos if there is none
    bool is_known;
  };
  enum CloserKind : std::size_t { bracket, parenthesis, double_dollar };

  std::size_t run_length(std::size_t at, char c) const {
    return std::min(std::string_view(text_).substr(0, end_).find_first_not_of(c, at), end_) - at;
  }

  // Finds the end of each code span in advance, so that runs without an end cost nothing later.
  void find_code_ends() {
    std::unordered_map<std::size_t, std::size_t> last;  // start of the last run of each length
    const std::string_view paragraph = std::string_view(text_).substr(0, end_);
    for (std::size_t at = paragraph.find('`', at_); at < end_;) {
      const std::size_t length = run_length(at, '`');
      const auto [same, is_first] = last.try_emplace(length, at);
      if (!is_first) {
        code_ends_.emplace(same->second, at + length);
        same->second = at;
      }
      at = paragraph.find('`', at + length);
    }
  }

  void skip_code() {
    const auto code = code_ends_.find(at_);
    at_ = code != code_ends_.end() ? code->second : at_ + run_length(at_, '`');
  }

  // Returns the offset of the next `mark` at or after `from`, or npos. Reads the paragraph only once for each kind.
  std::size_t next_closer(CloserKind kind, std::string_view mark, std::size_t from) {
    Closer& closer = closers_.at(kind);
    if (!closer.is_known || closer.at < from) {
      closer.at = std::string_view(text_).substr(0, end_).find(mark, from);
      closer.is_known = true;
    }
    return closer.at;
  }

  void read_backslashes() {
    const std::size_t length = run_length(at_, '\\');
    const std::size_t open = at_ + length;
    const char bracket_mark = open < end_ ? text_[open] : '\0';
    if (syntax_.backslashes > 0 && length == syntax_.backslashes && (bracket_mark == '(' || bracket_mark == '[')) {
      const bool is_bracket = bracket_mark == '[';
      const std::string mark = std::string(length, '\\') + (is_bracket ? ']' : ')');
      const std::size_t close = next_closer(is_bracket ? bracket : parenthesis, mark, open + 1);
      if (close != std::string::npos && !is_whole_link(open + 1, close)) return disable(open + 1, close, mark.size());
    }
    at_ = length % 2 == 1 ? open + 1 : open;  // the last backslash escapes the next character
  }

  // Returns true for a link around which a converter escaped the parentheses, as in "\([a](b)\)".
  bool is_whole_link(std::size_t from, std::size_t to) const {
    return from < to && text_[from] == '[' && text_[to - 1] == ')';
  }

  void read_dollars() {
    const std::size_t length = run_length(at_, '$');
    const std::size_t from = at_ + length;
    if (is_in_destination(at_)) {
      at_ = from;
      return;
    }
    if (length == 2 && syntax_.has_double_dollars) {
      const std::size_t close = next_closer(double_dollar, "$$", from);
      if (close != std::string::npos && may_be_math(from, close, 2)) return disable(from, close, 2);
    }
    if (length == 1 && syntax_.has_dollars && from < end_ && !is_ascii_space(text_[from])) {
      const std::size_t close = next_dollar(from);
      const bool closes = close < end_ && !is_ascii_space(text_[close - 1]) &&
                          (close + 1 == end_ || (!is_ascii_digit(text_[close + 1]) && text_[close + 1] != '$'));
      if (closes && may_be_math(from, close, 1)) return disable(from, close, 1);
    }
    at_ = from;
  }

  // Returns true inside the destination of a link, as in "[a](/b?c=$d)". Parsers read that before math.
  bool is_in_destination(std::size_t at) const {
    constexpr std::size_t max_bytes = 500;
    const std::size_t first = std::max(start_, at - std::min(at, max_bytes));
    while (at > first) {
      const char c = text_[--at];
      if (is_ascii_space(c) || c == ')') return false;
      if (c == '(') return at > first && text_[at - 1] == ']';
    }
    return false;
  }

  // `mark` is the length of each of the two delimiters.
  bool may_be_math(std::size_t from, std::size_t to, std::size_t mark) const {
    const std::string_view inside = std::string_view(text_).substr(from, to - from);
    if (has_list_item(inside)) return false;
    if (!syntax_.is_careful) return true;
    const auto is_of_word = [this](std::size_t at) {
      return at < end_ && (is_ascii_alphanumeric(text_[at]) || text_[at] == '_' || is_not_ascii(text_[at]));
    };
    const bool is_in_word = (from > mark && is_of_word(from - mark - 1)) || is_of_word(to + mark);
    return !is_in_word && inside.find("://") == std::string_view::npos && inside.find('|') == std::string_view::npos;
  }

  // Returns the offset of the next unescaped dollar. An opener searches no further, so each part is read at most twice.
  std::size_t next_dollar(std::size_t at) const {
    while (at < end_ && text_[at] != '$') at += text_[at] == '\\' ? 2U : 1U;
    return at;
  }

  void disable(std::size_t from, std::size_t to, std::size_t mark) {
    disable_range(text_, from, to);
    at_ = to + mark;
  }

  std::string& text_;
  std::size_t start_;
  std::size_t at_;
  std::size_t end_;
  const MathSyntax& syntax_;
  std::array<Closer, 3> closers_{};
  std::unordered_map<std::size_t, std::size_t> code_ends_;
};

}  // namespace

bool has_math_fences(const MarkdownOptions& options) { return math_syntax(options).has_fences; }

void disable_math(std::string& text, std::size_t start, std::size_t end, const MarkdownOptions& options) {
  const MathSyntax syntax = math_syntax(options);
  const std::string_view paragraph = std::string_view(text).substr(start, end - start);
  const bool may_have_math = paragraph.find('$') != std::string_view::npos ||
                             (syntax.backslashes > 0 && paragraph.find('\\') != std::string_view::npos);
  if (may_have_math) MathScanner(text, start, end, syntax).run();
}

void disable_range(std::string& text, std::size_t start, std::size_t end) {
  std::replace_if(
      text.begin() + static_cast<std::ptrdiff_t>(start), text.begin() + static_cast<std::ptrdiff_t>(end),
      [](char c) { return !is_ascii_space(c); }, 'x');
}

}  // namespace linkherd::parser
