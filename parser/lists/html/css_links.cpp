#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "parser/ascii.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"
#include "parser/search.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

// Decodes escapes by the rules of CSS Syntax Level 3, section 4.3.7: "\26 B" becomes "&B", and "\)" becomes ")".
std::string without_escapes(std::string_view written) {
  std::string out;
  for (std::size_t at = 0; at < written.size();) {
    if (written[at] != '\\') {
      out.push_back(written[at++]);
      continue;
    }
    char32_t value = 0;
    std::size_t digits = 0;
    for (++at; digits < 6 && at < written.size() && hex_value(written[at]) >= 0; ++digits)
      value = value * 16 + static_cast<char32_t>(hex_value(written[at++]));
    if (digits > 0) {
      append_utf8(out, value);
      if (at < written.size() && is_ascii_space(written[at])) ++at;
    } else if (at < written.size() && written[at] != '\n') {
      out.push_back(written[at++]);
    } else {
      ++at;  // an escaped line break in a string is removed
    }
  }
  return out;
}

// Finds the URLs of a stylesheet. It reads only the tokens of CSS Syntax Level 3 that determine where a URL begins.
class CssScanner {
 public:
  CssScanner(const MappedText& source, FoundLinks& found) : source_(source), text_(source.text()), found_(found) {}

  void scan() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (text_.substr(at_).starts_with("/*")) {
        const std::size_t end = find_linear(text_, "*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (c == '"' || c == '\'') {
        const TextRange string = read_string();
        if (is_import_ && !is_module(string)) add(string);
        is_import_ = false;
      } else if (c == '@' || is_ascii_letter(c) || c == '-' || c == '_' || c == '\\' || is_not_ascii(c)) {
        read_name();
      } else {
        if (!is_ascii_space(c)) is_import_ = false;
        if (c == ';' || c == '{') is_namespace_ = false;
        ++at_;
      }
    }
  }

 private:
  void read_name() {
    const std::size_t start = at_++;
    while (at_ < text_.size() &&
           (is_ascii_alphanumeric(text_[at_]) || text_[at_] == '-' || text_[at_] == '_' || is_not_ascii(text_[at_])))
      ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name.starts_with('@')) {
      is_import_ = equals_ignoring_case(name, "@import");
      is_namespace_ = equals_ignoring_case(name, "@namespace");
    } else if (equals_ignoring_case(name, "url") && at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      read_url();
      is_import_ = false;
    } else {
      is_import_ = false;
    }
  }

  // Reads the URL after "url(".
  void read_url() {
    while (at_ < text_.size() && is_ascii_space(text_[at_])) ++at_;
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return add(read_string());
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ')' && !is_ascii_space(text_[at_]))
      at_ += text_[at_] == '\\' ? std::size_t{2} : std::size_t{1};
    at_ = std::min(at_, text_.size());
    add({start, at_ - start});
  }

  // Returns the range between the quotes. A string ends at the end of its line at the latest.
  TextRange read_string() {
    const char quote = text_[at_];
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? std::size_t{2} : std::size_t{1};
    at_ = std::min(at_, text_.size());
    const TextRange range{start, at_ - start};
    if (at_ < text_.size()) ++at_;
    return range;
  }

  // Returns true for an import that a program resolves when the site is built: @import "tailwindcss/base",
  // "~bootstrap/scss/x", "variables".
  bool is_module(TextRange string) const {
    const std::string_view name = text_.substr(string.offset, string.length);
    const std::string_view path = name.substr(0, name.find_first_of("?#"));
    return path.size() == name.size() && !path.ends_with(".css") && path.find("//") == std::string_view::npos;
  }

  void add(TextRange range) {
    const std::string_view written = text_.substr(range.offset, range.length);
    const bool is_in_module = written.starts_with('~');  // the syntax of bundlers
    if (is_namespace_ || written.empty() || is_in_module || starts_ignoring_case(written, "data:")) return;
    const TextRange in_list = source_.source_range(range);
    found_.links.emplace_back(in_list.offset, in_list.length, LinkElement::resource, without_escapes(written));
  }

  const MappedText& source_;
  std::string_view text_;
  FoundLinks& found_;
  std::size_t at_ = 0;
  bool is_import_ = false;     // the next string is a URL
  bool is_namespace_ = false;  // the URL of the current rule is only a name
};

}  // namespace

void add_css_links(const MappedText& text, FoundLinks& found) { CssScanner(text, found).scan(); }

FoundLinks read_css_links(std::string_view text) {
  FoundLinks found;
  add_css_links(MappedText(text), found);
  return found;
}

}  // namespace linkherd::parser
