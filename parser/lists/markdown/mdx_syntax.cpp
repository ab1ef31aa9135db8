#include "parser/lists/markdown/mdx_syntax.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/character_references.h"
#include "parser/lists/line_index.h"
#include "parser/lists/markdown/markdown_preprocessor.h"
#include "parser/lists/markdown/mdx_script.h"
#include "parser/search.h"

namespace linkherd::parser {
namespace {

constexpr std::size_t max_code_span_ticks = 32;  // the limit of md4c
constexpr std::size_t max_shown_children = 200;  // bytes after a tag that may be the text of its link
constexpr std::size_t max_heading_id = 200;      // in bytes, as for other attribute lists
constexpr std::size_t max_target = 4096;         // bytes of a target in "<>"

// Extensions of files that a bundler finds under exactly the written name.
constexpr std::array<std::string_view, 31> file_endings{"md",   "mdx",  "png",  "jpg",  "jpeg",  "gif", "svg",   "webp",
                                                        "avif", "ico",  "bmp",  "mp4",  "webm",  "mp3", "ogg",   "wav",
                                                        "pdf",  "zip",  "json", "csv",  "yaml",  "yml", "txt",   "css",
                                                        "scss", "less", "vue",  "html", "astro", "tsx", "svelte"};

// Elements that JSX may close immediately, whereas HTML would read the text after the tag as their content.
struct ClosedElement {
  std::string_view name;
  std::string_view instead;  // a replacement of the same length
};
constexpr std::array<ClosedElement, 9> closed_elements{{{"iframe", "embed "},
                                                        {"script", "embed "},
                                                        {"style", "x-sty"},
                                                        {"textarea", "x-textar"},
                                                        {"title", "x-tit"},
                                                        {"xmp", "x-x"},
                                                        {"noembed", "x-noemb"},
                                                        {"noframes", "x-nofram"},
                                                        {"noscript", "x-noscri"}}};

// Returns the length of the marker of a list item such as "- x" or "12. x".
std::size_t list_marker(std::string_view line) {
  constexpr std::size_t max_digits = 9;
  std::size_t length = std::min(line.find_first_not_of("0123456789"), line.size());
  if (length == line.size() || length > max_digits) return 0;
  const char mark = line[length];
  const bool is_mark =
      length == 0 ? std::string_view("-+*").find(mark) != std::string_view::npos : mark == '.' || mark == ')';
  if (!is_mark) return 0;
  ++length;
  return length == line.size() || line[length] == ' ' || line[length] == '\t' ? length : 0;
}

bool is_heading(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level > 0 && level <= 6 && (level == line.size() || is_ascii_space(line[level]));
}

// Returns the run of ` or ~ that opens a fence. Empty if the line does not open one.
std::string_view fence_of(std::string_view line) {
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return {};
  const std::size_t length = std::min(line.find_first_not_of(line.front()), line.size());
  const bool is_code_span = line.front() == '`' && line.find('`', length) != std::string_view::npos;
  return length < 3 || is_code_span ? std::string_view() : line.substr(0, length);
}

// Returns true if the line ends a paragraph because it begins another block.
bool begins_other_block(std::string_view line) {
  line = trim_ascii(line);
  return line.empty() || line.front() == '>' || line.front() == '|' || is_heading(line) || list_marker(line) > 0 ||
         !fence_of(line).empty();
}

// Returns true for statements such as "import x from" and "export const". Prose may also begin with the first word.
bool is_module(std::string_view line) {
  constexpr std::array<std::string_view, 11> exported{"const", "let",  "var",       "function", "class",  "default",
                                                      "async", "type", "interface", "enum",     "declare"};
  const bool is_import = line.starts_with("import ");
  if (!is_import && !line.starts_with("export ")) return false;
  line = trim_ascii(line.substr(7));
  if (line.empty()) return false;
  if (line.front() == '{' || line.front() == '*') return true;
  const std::string_view word = line.substr(0, line.find_first_of(" \t=;({"));
  if (!is_import) return std::ranges::find(exported, word) != exported.end();
  if (line.front() == '"' || line.front() == '\'' || word.ends_with(',')) return true;
  const std::string_view rest = trim_ascii(line.substr(word.size()));
  return word == "type" || rest.starts_with("from") || rest.starts_with(',') || rest.starts_with("=");
}

// Removes the escapes of a JavaScript string. Numeric escapes are kept, because no URL needs them.
std::string unescape_script(std::string_view written) {
  std::string text;
  for (std::size_t at = 0; at < written.size(); ++at) {
    const bool is_escape = written[at] == '\\' && at + 1 < written.size() && is_ascii_punctuation(written[at + 1]);
    text.push_back(written[is_escape ? ++at : at]);
  }
  return text;
}

// Returns the range of a path that the bundler resolves to a file, such as "./x.png" or "@site/x.mdx". Loaders may
// precede the path ("!!raw-loader!./x.md").
std::optional<TextRange> imported_file(std::string_view text, TextRange written) {
  std::string_view path = text.substr(written.offset, written.length);
  path.remove_prefix(path.rfind('!') + 1);
  if (!path.starts_with("./") && !path.starts_with("../") && !path.starts_with("@site/")) return std::nullopt;
  const std::string_view file = path.substr(0, path.find_first_of("?#"));
  const std::string_view name = file.substr(file.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || !is_one_of(file_endings, to_ascii_lower(name.substr(dot + 1))))
    return std::nullopt;
  return TextRange{static_cast<std::size_t>(path.data() - text.data()), path.size()};
}

// Returns true if a value looks like an address. `to` and `src` of a component may have other values.
bool may_be_address(std::string_view value) {
  return value.find_first_of(" \t\r\n") == std::string_view::npos &&
         value.find_first_of("/.#:") != std::string_view::npos;
}

class MdxReader {
 public:
  explicit MdxReader(std::string_view text) : text_(text), script_(text) {
    found_.markdown = text;
    found_.html = text;
  }

  MdxSyntax read() {
    for (std::size_t at = front_matter_length(text_); at < text_.size();) at = read_line(at);
    if (!open_tags_.empty()) found_.is_valid = false;
    take_files(text_.size());
    std::ranges::stable_sort(found_.links, {}, &FoundLink::offset);
    found_.comments = script_.comments();
    return std::move(found_);
  }

 private:
  struct Fence {
    std::string_view run;
    std::size_t quotes = 0;
    std::size_t column = 0;  // content column of the list item that contains the fence
  };
  struct Line {
    std::size_t start = 0;   // start of the content, after the markers of block quotes
    std::size_t end = 0;     // offset of the line break
    std::size_t column = 0;  // column of the content
    std::size_t quotes = 0;
  };

  std::string_view content(const Line& line) const { return text_.substr(line.start, line.end - line.start); }

  void skip_blanks(Line& line) const {
    constexpr std::size_t tab = 4;
    for (; line.start < line.end; ++line.start) {
      if (text_[line.start] == ' ') {
        ++line.column;
      } else if (text_[line.start] == '\t') {
        line.column += tab - line.column % tab;
      } else {
        break;
      }
    }
  }

  // Returns the line at `at`. Skips at most `max_quotes` markers of block quotes.
  Line line_at(std::size_t at, std::size_t max_quotes) const {
    Line line{.start = at, .end = find_line_break(text_, at)};
    skip_blanks(line);
    while (line.quotes < max_quotes && line.start < line.end && text_[line.start] == '>') {
      ++line.quotes;
      ++line.start;
      line.column = 0;
      if (line.start < line.end && text_[line.start] == ' ') ++line.start;
      skip_blanks(line);
    }
    return line;
  }

  // Skips the markers of list items and updates the open items.
  void enter_items(Line& line) {
    const bool may_continue_paragraph = is_in_paragraph_ && !begins_other_block(content(line));
    while (!items_.empty() && line.column < items_.back() && !may_continue_paragraph) items_.pop_back();
    for (std::size_t marker = list_marker(content(line)); marker > 0; marker = list_marker(content(line))) {
      while (!items_.empty() && line.column < items_.back()) items_.pop_back();
      is_in_paragraph_ = false;
      line.start += marker;
      line.column += marker;
      skip_blanks(line);
      items_.push_back(line.column);
    }
  }

  // Reads the line or block at `at`. Returns the start of the next line to read.
  std::size_t read_line(std::size_t at) {
    constexpr auto any = static_cast<std::size_t>(-1);
    if (fence_) {
      const Line line = line_at(at, fence_->quotes);
      const bool is_blank = line.start == line.end;
      const bool is_inside = line.quotes == fence_->quotes && (is_blank || line.column >= fence_->column);
      const bool is_end = is_inside && content(line).starts_with(fence_->run) &&
                          trim_ascii(content(line)).find_first_not_of(fence_->run.front()) == std::string_view::npos;
      if (is_end || !is_inside) fence_.reset();
      if (is_inside) return after_line_break(text_, line.end);
    }
    Line line = line_at(at, any);
    if (line.start == line.end) {
      is_in_paragraph_ = false;
      return after_line_break(text_, line.end);
    }
    if (line.start == at && !is_in_paragraph_ && begins_module(line)) return read_module(at);
    enter_items(line);
    return after_line_break(text_, read_block(line));
  }

  bool begins_module(const Line& line) {
    const std::string_view words = content(line);
    if (!words.starts_with("import ") && !words.starts_with("export ")) return false;
    if (!is_module(words)) found_.is_valid = false;
    return is_module(words);
  }

  std::size_t read_module(std::size_t at) {
    const std::size_t end = script_.module_end(at);
    std::size_t last = end;
    while (last > at && is_ascii_space(text_[last - 1])) --last;
    found_.code.push_back({at, last - at});
    add_part({at, last - at});
    hide({at, last - at}, true);
    take_files(end);
    return end;
  }

  // Reads a block, or one line of a paragraph. Returns the end of the last line that was read.
  std::size_t read_block(const Line& line) {
    is_in_quote_ = line.quotes > 0;
    const std::string_view words = content(line);
    if (words.empty()) return line.end;
    if (const std::string_view run = fence_of(words); !run.empty()) {
      fence_ = Fence{run, line.quotes, items_.empty() ? 0 : items_.back()};
      is_in_paragraph_ = false;
      return line.end;
    }
    if (words.starts_with(":::") || is_definition(words)) return line.end;
    if (is_heading(words) || words.front() == '|') {
      paragraph_end_ = line.end;
      is_in_paragraph_ = words.front() == '|';
      return read_inline(line.start, line.end);
    }
    std::size_t at = line.start;
    if (const std::optional<std::size_t> end = read_flow(at)) {
      is_in_paragraph_ = false;
      return *end;
    }
    is_in_paragraph_ = true;
    return read_inline(at, find_line_break(text_, at));
  }

  // Returns true for "[label]: target", which contains no MDX.
  static bool is_definition(std::string_view line) {
    if (!line.starts_with('[') || line.starts_with("[^")) return false;
    const std::size_t close = line.find(']');
    return close != std::string_view::npos && line.substr(close + 1).starts_with(':');
  }

  // Reads tags and expressions that fill whole lines. Returns the end of the last one. Returns nullopt if other text
  // follows on the line; `at` is then after the tags and expressions at the start of the line.
  std::optional<std::size_t> read_flow(std::size_t& at) {
    const std::size_t start = at;
    const std::size_t first = found_.parts.size();
    while (at < text_.size() && (text_[at] == '<' || text_[at] == '{')) {
      const std::size_t end = text_[at] == '<' ? after_tag(at) : after_expression(at);
      if (found_.parts.empty() || found_.parts.back().offset != at) {  // not a tag or expression
        at = start;
        break;
      }
      at = std::min(text_.find_first_not_of(" \t", end), text_.size());
      if (at < text_.size() && text_[at] != '\n' && text_[at] != '\r') continue;
      hide({start, end - start}, true);
      return at;
    }
    // The line is read again as part of the paragraph, which finds the same parts.
    at = found_.parts.size() > first ? end_of(found_.parts.back()) : start;
    return std::nullopt;
  }

  static std::size_t end_of(const TextRange& range) { return range.offset + range.length; }

  // Reads inline text from `at`, in a line that ends at `end`. Returns the end of the line in which the inline text
  // ends.
  std::size_t read_inline(std::size_t at, std::size_t end) {
    while (at < end) {
      switch (text_[at]) {
        case '\\': at += 2; break;
        case '`': at = after_ticks(at); break;
        case '<': at = after_tag(at); break;
        case '{': at = after_expression(at); break;
        case ']': at = after_target(at); break;
        case 'h':
        case 'H': at = after_url(at); break;
        default: ++at;
      }
      if (at > end) end = find_line_break(text_, std::min(at, text_.size()));
    }
    return end;
  }

  std::size_t paragraph_end(std::size_t at) {
    if (at < paragraph_end_) return paragraph_end_;
    std::size_t end = find_line_break(text_, at);
    for (std::size_t next = after_line_break(text_, end); next < text_.size(); next = after_line_break(text_, end)) {
      const std::size_t next_end = find_line_break(text_, next);
      if (begins_other_block(text_.substr(next, next_end - next))) break;
      end = next_end;
    }
    return paragraph_end_ = end;
  }

  std::size_t after_ticks(std::size_t at) {
    const auto length_at = [this](std::size_t start) {
      return std::min(text_.find_first_not_of('`', start), text_.size()) - start;
    };
    const std::size_t length = length_at(at);
    const std::size_t after = at + length;
    if (length > max_code_span_ticks || at < no_closing_ticks_before_[length]) return after;
    const std::size_t limit = paragraph_end(at);
    for (std::size_t close = text_.find('`', after); close < limit; close = text_.find('`', close)) {
      const std::size_t other = length_at(close);
      close += other;
      if (other == length) return close;
    }
    no_closing_ticks_before_[length] = limit;
    return after;
  }

  // Skips "](target" and "](<target>", which contain no MDX.
  std::size_t after_target(std::size_t at) {
    if (text_.substr(at, 2) != "](") return at + 1;
    at = std::min(text_.find_first_not_of(" \t", at + 2), text_.size());
    if (text_.substr(at, 1) == "<") {
      const std::string_view target = text_.substr(at, max_target);
      const std::size_t close = target.find_first_of("<>\r\n", 1);  // CommonMark allows no "<" inside
      return close != std::string_view::npos && target[close] == '>' ? at + close + 1 : at + 1;
    }
    at = std::min(text_.find_first_of(" \t\r\n)", at), text_.size());
    const std::string_view title = text_.substr(at, 2);
    if (title != " \"" && title != " '") return at;
    const std::size_t close = text_.find_first_of(std::array{title[1], '\n', '\0'}.data(), at + 2);
    return close != std::string_view::npos && text_[close] == title[1] ? close : at;
  }

  // Skips a literal URL, which continues to the next blank or tag. "https://x.org/{id}" contains no expression.
  std::size_t after_url(std::size_t at) {
    const std::string_view rest = text_.substr(at, 8);
    const bool is_url = starts_ignoring_case(rest, "http://") || starts_ignoring_case(rest, "https://");
    if (!is_url || (at > 0 && is_ascii_alphanumeric(text_[at - 1]))) return at + 1;
    return std::min(text_.find_first_of(" \t\r\n<])`\"'", at), text_.size());
  }

  std::size_t after_tag(std::size_t at) {
    const char next = at + 1 < text_.size() ? text_[at + 1] : ' ';
    if (is_ascii_space(next)) return at + 1;
    if (text_.substr(at, 4) == "<!--") return after_html_comment(at);
    const std::size_t first = script_.attributes().size();
    const std::optional<ScriptPart> part = script_.tag(at, is_in_quote_);
    if (!part) {
      found_.is_valid = false;
      return at + 1;
    }
    const TextRange range{at, part->end - at};
    balance(*part);
    add_part(range);
    hide(range, false);
    const bool is_component = is_component_name(part->name);
    if (!is_component && part->name.length > 0) {
      found_.html_tags.push_back(range);
      write_html(*part, first);
    }
    for (std::size_t i = first; i < script_.attributes().size(); ++i) {
      const JsxAttribute& attribute = script_.attributes()[i];
      if (is_component || attribute.is_in_script) take_attribute(attribute, *part);
    }
    take_files(part->end);
    return part->end;
  }

  // Skips an HTML comment, which Docusaurus also supports.
  std::size_t after_html_comment(std::size_t at) {
    if (at < no_comment_end_after_) {
      const std::size_t end = find_linear(text_, "-->", at + 4);
      if (end != std::string_view::npos) return end + 3;
      no_comment_end_after_ = at;
    }
    found_.is_valid = false;
    return at + 1;
  }

  void balance(const ScriptPart& part) {
    const std::string_view name = text_.substr(part.name.offset, part.name.length);
    if (part.is_self_closing) return;
    if (!part.is_closing) {
      open_tags_.push_back(name);
    } else if (!open_tags_.empty() && open_tags_.back() == name) {
      open_tags_.pop_back();
    } else {
      found_.is_valid = false;
    }
  }

  bool is_component_name(TextRange name) const {
    const std::string_view text = text_.substr(name.offset, name.length);
    return !text.empty() && (ascii_lower(text.front()) != text.front() || text.find('.') != std::string_view::npos);
  }

  std::size_t after_expression(std::size_t at) {
    if (text_.substr(at, 2) == "{#") {  // the id of a heading in Docusaurus
      const std::string_view document = text_.substr(at, max_heading_id);
      const std::size_t close = document.find_first_of("}\r\n");
      if (close != std::string_view::npos && document[close] == '}') return at + close + 1;
    }
    const std::size_t first = script_.attributes().size();
    const std::size_t comments = script_.comments().size();
    const std::optional<ScriptPart> part = script_.expression(at);
    if (!part) {
      found_.is_valid = false;
      return at + 1;
    }
    const TextRange range{at, part->end - at};
    found_.code.push_back(range);
    add_part(range);
    hide(range, false);
    for (std::size_t i = first; i < script_.attributes().size(); ++i) take_attribute(script_.attributes()[i], *part);
    take_files(part->end);
    if (script_.comments().size() == comments + 1) take_heading_id(script_.comments().back());
    return part->end;
  }

  // Records the id in "{/* #id */}".
  void take_heading_id(TextRange comment) {
    std::string_view inside = text_.substr(comment.offset, comment.length);
    if (!inside.starts_with("/*") || inside.size() < 4) return;
    inside = trim_ascii(inside.substr(2, inside.size() - 4));
    const bool is_id =
        inside.size() > 1 && inside.front() == '#' && inside.find_first_of(" \t\r\n") == std::string_view::npos;
    if (is_id) found_.anchors.emplace_back(inside.substr(1));
  }

  std::string target_of(const JsxAttribute& attribute) const {
    const std::string_view value = text_.substr(attribute.value.offset, attribute.value.length);
    return attribute.kind == JsxAttribute::Value::text ? decode_references(value) : unescape_script(value);
  }

  static bool has_value(const JsxAttribute& attribute) {
    return attribute.kind == JsxAttribute::Value::text || attribute.kind == JsxAttribute::Value::constant;
  }

  void take_attribute(const JsxAttribute& attribute, const ScriptPart& part) {
    if (!has_value(attribute) || attribute.value.length == 0) return;
    const std::string_view name = text_.substr(attribute.name.offset, attribute.name.length);
    std::string target = target_of(attribute);
    if (name == "id") {
      found_.anchors.push_back(std::move(target));
      return;
    }
    const bool is_source = name == "src" || name == "poster";
    const bool is_address = name == "href" || ((name == "to" || is_source) && may_be_address(target));
    if (!is_address) return;
    FoundLink link(attribute.value.offset, attribute.value.length,
                   is_source ? LinkElement::resource : LinkElement::link, target);
    if (!is_source && !attribute.is_in_script && part.name.length > 0) link.text = text_of(part);
    found_.links.push_back(std::move(link));
  }

  // Returns the text after the tag of a component if it is plain. Empty otherwise.
  std::string text_of(const ScriptPart& part) const {
    if (part.is_self_closing) return {};
    const std::string_view after = text_.substr(part.end, max_shown_children);
    const std::size_t end = after.find_first_of("<{[");
    if (end == std::string_view::npos || after[end] != '<') return {};
    return decode_references(trim_ascii(after.substr(0, end)));
  }

  void take_files(std::size_t end) {
    for (; next_file_ < script_.files().size() && script_.files()[next_file_].offset < end; ++next_file_) {
      const std::optional<TextRange> file = imported_file(text_, script_.files()[next_file_]);
      if (!file) continue;
      found_.links.emplace_back(file->offset, file->length, LinkElement::resource,
                                std::string(text_.substr(file->offset, file->length)));
    }
  }

  // Writes the attributes of a tag as HTML: constants in quotes, and blanks for values that a script computes.
  void write_html(const ScriptPart& part, std::size_t first_attribute) {
    std::string& html = found_.html;
    const auto blank = [&html](std::size_t from, std::size_t to) {
      std::fill(html.begin() + static_cast<std::ptrdiff_t>(from), html.begin() + static_cast<std::ptrdiff_t>(to), ' ');
    };
    std::size_t done = end_of(part.name);
    for (std::size_t i = first_attribute; i < script_.attributes().size(); ++i) {
      const JsxAttribute& attribute = script_.attributes()[i];
      if (attribute.is_in_script) continue;
      blank_scripts(done, attribute.name.offset);
      done = attribute.end;
      if (attribute.kind == JsxAttribute::Value::text) continue;
      const bool has_quote =
          attribute.kind == JsxAttribute::Value::constant &&
          text_.substr(attribute.value.offset, attribute.value.length).find('"') == std::string_view::npos;
      if (!has_quote) {
        blank(attribute.name.offset, attribute.end);
        continue;
      }
      const std::size_t open = attribute.value.offset - 1;
      const std::size_t close = end_of(attribute.value);
      blank(text_.find('=', end_of(attribute.name)) + 1, open);
      blank(close + 1, attribute.end);
      html[open] = html[close] = '"';
    }
    blank_scripts(done, part.end);
    if (!part.is_self_closing) return;
    const std::string name = to_ascii_lower(text_.substr(part.name.offset, part.name.length));
    const auto* const closed = std::ranges::find(closed_elements, name, &ClosedElement::name);
    if (closed != closed_elements.end()) html.replace(part.name.offset, part.name.length, closed->instead);
  }

  // Blanks scripts between attributes, such as "{...properties}".
  void blank_scripts(std::size_t from, std::size_t to) {
    const std::size_t open = text_.substr(from, to - from).find('{');
    if (open == std::string_view::npos) return;
    const std::size_t close = text_.substr(from, to - from).rfind('}');
    if (close == std::string_view::npos || close < open) return;
    std::fill(found_.html.begin() + static_cast<std::ptrdiff_t>(from + open),
              found_.html.begin() + static_cast<std::ptrdiff_t>(from + close + 1), ' ');
  }

  void add_part(TextRange range) { found_.parts.push_back(range); }

  // Replaces a part by a single tag for md4c, or by a processing instruction if it fills whole lines. The content
  // becomes blanks, because a line break in it would end a paragraph.
  void hide(TextRange range, bool is_flow) {
    std::string& markdown = found_.markdown;
    markdown.replace(range.offset, range.length, range.length, ' ');
    if (range.length < 3) return;
    markdown[range.offset] = '<';
    markdown[range.offset + 1] = is_flow ? '?' : 'x';
    markdown[end_of(range) - 1] = '>';
    if (is_flow) markdown[end_of(range) - 2] = '?';
  }

  std::string_view text_;
  MdxScript script_;
  MdxSyntax found_;
  std::optional<Fence> fence_;
  std::vector<std::size_t> items_;  // content columns of the list items that may contain the line
  bool is_in_paragraph_ = false;
  bool is_in_quote_ = false;
  std::size_t paragraph_end_ = 0;
  std::array<std::size_t, max_code_span_ticks + 1> no_closing_ticks_before_{};
  std::size_t no_comment_end_after_ = static_cast<std::size_t>(-1);
  std::vector<std::string_view> open_tags_;
  std::size_t next_file_ = 0;
};

}  // namespace

MdxSyntax read_mdx_syntax(std::string_view text) { return MdxReader(text).read(); }

}  // namespace linkherd::parser
