#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/data/data_values.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/line_index.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/readers.h"

namespace linkherd::parser {
namespace {

struct Command {
  std::string_view name;
  std::string_view meaning;
};
// TeX commands that occur inside and around URLs.
constexpr std::array<Command, 9> commands{{{"textasciitilde", "~"},
                                           {"sim", "~"},
                                           {"textunderscore", "_"},
                                           {"textasciicircum", "^"},
                                           {"slash", "/"},
                                           {"url", " "},
                                           {"href", " "},
                                           {"path", " "},
                                           {"nolinkurl", " "}}};

// Decodes a value: removes the braces of TeX and decodes its escapes.
class TexText {
 public:
  TexText(std::string_view document, TextRange range, bool is_url, MappedText& text)
      : document_(document.substr(0, range.offset + range.length)), at_(range.offset), is_url_(is_url), text_(text) {}

  void read() {
    while (at_ < document_.size()) {
      const std::size_t plain = std::min(document_.find_first_of("\\{}$\n\r", at_), document_.size());
      text_.copy(document_, {at_, plain - at_});
      at_ = plain;
      if (at_ < document_.size()) read_special();
    }
  }

 private:
  void read_special() {
    const char c = document_[at_];
    if (c == '\\') return read_command();
    if (c == '\n' || c == '\r') return read_line_break();
    if (c == '$' && !document_.substr(at_).starts_with("$\\sim") && !document_.substr(0, at_).ends_with("\\sim")) {
      text_.copy(document_, {at_, 1});
    } else if (document_.substr(at_, 2) == "}{") {
      text_.append_decoded({at_, 1}, " ");  // separates the arguments of "\href{https://…}{text}"
    }
    ++at_;
  }

  void read_command() {
    const std::size_t start = at_++;
    if (at_ >= document_.size()) return;
    if (!is_ascii_letter(document_[at_])) {
      const char c = document_[at_++];
      if (std::string_view("_&%#${}~^ \\").find(c) != std::string_view::npos) {
        text_.append_decoded({start, 2}, document_.substr(start + 1, 1));
      } else {
        text_.copy(document_, {start, 2});
      }
      return;
    }
    while (at_ < document_.size() && is_ascii_letter(document_[at_])) ++at_;
    const std::string_view name = document_.substr(start + 1, at_ - start - 1);
    const auto* known = std::ranges::find(commands, name, &Command::name);
    if (known == commands.end()) {
      text_.copy(document_, {start, at_ - start});
    } else {
      text_.append_decoded({start, at_ - start}, known->meaning);
    }
  }

  // Reads a line break. Programs wrap long URLs, so a URL continues on the next line, unless that line begins with one.
  void read_line_break() {
    const std::size_t next = std::min(document_.find_first_not_of(" \t\r\n", at_), document_.size());
    if (!is_url_ || starts_ignoring_case(document_.substr(next, 4), "http"))
      text_.append_decoded({at_, next - at_}, " ");
    at_ = next;
  }

  std::string_view document_;
  std::size_t at_;
  bool is_url_;
  MappedText& text_;
};

class BibtexReader {
 public:
  explicit BibtexReader(std::string_view text) : text_(text), records_(found_) {}

  FoundLinks read() {
    while (at_ < text_.size()) {
      const std::size_t entry = std::min(text_.find('@', at_), text_.size());
      note_lines(at_, entry);
      at_ = entry + 1;
      if (entry < text_.size()) read_entry();
    }
    records_.finish();
    return std::move(found_);
  }

 private:
  // Reads text between entries, which is a comment.
  void note_lines(std::size_t start, std::size_t end) {
    while (start < end) {
      const std::size_t line = std::min(find_line_break(text_, start), end);
      add_ignore_comment(text_, {start, line - start}, found_);
      start = line + 1;
    }
  }

  void read_entry() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_ascii_letter(text_[at_])) ++at_;
    const std::string type = to_ascii_lower(text_.substr(start, std::min<std::size_t>(at_ - start, 16)));
    skip_space();
    if (type.empty() || at_ >= text_.size() || (text_[at_] != '{' && text_[at_] != '(')) return;
    ++at_;
    if (type == "comment") {
      const std::size_t end = std::min(text_.find_first_of("})", at_), text_.size());
      add_ignore_comment(text_, {at_, end - at_}, found_);
      at_ = end;
      return;
    }
    const bool is_entry = type != "string" && type != "preamble";
    if (is_entry) records_.open();
    while (at_ < text_.size() && read_field()) {
    }
    if (is_entry) records_.close();
  }

  // Reads a field. Returns false at the end of the entry. A field without "=" is the key of the entry.
  bool read_field() {
    while (at_ < text_.size() && (is_ascii_space(text_[at_]) || text_[at_] == ',')) ++at_;
    if (at_ >= text_.size() || text_[at_] == '@') return false;
    if (text_[at_] == '}' || text_[at_] == ')') {
      ++at_;
      return false;
    }
    const std::size_t start = at_;
    at_ = std::min(text_.find_first_of("=,})\n\"{", at_), text_.size());
    if (at_ >= text_.size()) return false;
    if (text_[at_] != '=') {
      if (text_[at_] == '"' || text_[at_] == '{') ++at_;  // a value is not allowed here and is skipped
      return true;
    }
    const std::string name = to_ascii_lower(trim_ascii(text_.substr(start, std::min<std::size_t>(at_ - start, 64))));
    ++at_;
    read_values(name);
    return true;
  }

  // Reads values such as "{a}", "a" and "{a} # b", and concatenates them.
  void read_values(std::string_view name) {
    value_.clear();
    do {
      skip_space();
      const TextRange range = read_value();
      TexText(text_, range, name == "url", value_).read();
      skip_space();
    } while (at_ < text_.size() && text_[at_] == '#' && ++at_ < text_.size());
    const ValueRole role = find_value_role(name);
    if (name == "title") records_.set_title(value_.text());
    const std::size_t before = found_.links.size();
    add_value_links(value_, role == ValueRole::title ? ValueRole::any : role, found_);
    if (name == "doi" && found_.links.size() == before) add_doi_link(value_, found_);
  }

  TextRange read_value() {
    if (at_ >= text_.size()) return {text_.size(), 0};
    if (text_[at_] == '{' || text_[at_] == '"') return read_delimited(text_[at_] == '"');
    const std::size_t start = at_;
    at_ = std::min(text_.find_first_of(",}\n#", at_), text_.size());
    return {start, at_ - start};
  }

  // Reads a value up to its closing brace or quote, or up to the next entry if it is not closed.
  TextRange read_delimited(bool quoted) {
    const std::size_t start = ++at_;
    std::size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '@' && text_[at_ - 1] == '\n') return {start, at_ - start};
      if (c == '\\' && at_ + 1 < text_.size()) {
        ++at_;
      } else if (c == '{') {
        ++depth;
      } else if ((c == '}' && depth == 0) || (quoted && c == '"' && depth == 0)) {
        const TextRange range{start, at_ - start};
        ++at_;
        return range;
      } else if (c == '}') {
        --depth;
      }
    }
    at_ = text_.size();
    return {start, at_ - start};
  }

  void skip_space() {
    while (at_ < text_.size() && is_ascii_space(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  FoundLinks found_;
  DataRecords records_;
  MappedText value_;
};

}  // namespace

FoundLinks read_bibtex_links(std::string_view text) { return BibtexReader(text).read(); }

}  // namespace linkherd::parser
