#include "parser/lists/markdown/markdown_preprocessor.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"
#include "parser/lists/markdown/markdown_definitions.h"
#include "parser/lists/markdown/markdown_dialect.h"

namespace linkherd::parser {
namespace {

// Tables. If a row has more cells than the table has columns, md4c drops the extra cells with their links.

// Removes the markers of block quotes and lists around a table row.
std::string_view without_containers(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t>");
  return start == std::string_view::npos ? std::string_view() : line.substr(start);
}

// Returns the number of columns of a delimiter row ("|---|:-:|"), or 0 if the line is not one.
std::size_t columns_of(std::string_view line) {
  line = trim_ascii(without_containers(line));
  if (line.find('|') == std::string_view::npos || line.find('-') == std::string_view::npos ||
      line.find_first_not_of("|-: \t") != std::string_view::npos)
    return 0;
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  return static_cast<std::size_t>(std::ranges::count(line, '|')) + 1;
}

// Replaces the unescaped bars after the last column of a row by dashes, except a bar that ends the row.
void limit_row(std::string& text, std::size_t start, std::size_t end, std::size_t columns) {
  const std::string_view row = trim_ascii(without_containers(std::string_view(text).substr(start, end - start)));
  std::size_t allowed = columns - 1 + (row.starts_with('|') ? 1 : 0);
  for (std::size_t at = start; at < end; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '|') {
      const bool closes = at + 1 >= end || trim_ascii(std::string_view(text).substr(at + 1, 2)).empty();
      const bool last = closes && std::string_view(text).substr(at + 1, end - at - 1).find_first_not_of(" \t\r\n") ==
                                      std::string_view::npos;
      if (last) break;
      if (allowed == 0) text[at] = '-';
      if (allowed > 0) --allowed;
    }
  }
}

// Merges the extra cells of all table rows into the last column.
void keep_table_cells(std::string& text) {
  if (text.find('|') == std::string::npos) return;
  std::size_t columns = 0;  // number of columns of the current table; 0 outside of tables
  std::size_t before = 0;   // start of the previous line
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = find_line_break(text, start);
    const std::string_view line = std::string_view(text).substr(start, end - start);
    if (columns == 0 && line.find('|') == std::string_view::npos) {
      // not a table row
    } else if (trim_ascii(without_containers(line)).empty()) {
      columns = 0;
    } else if (const std::size_t found = columns == 0 ? columns_of(line) : 0; found > 0 && before < start) {
      columns = found;
      limit_row(text, before, find_line_break(text, before), columns);
    } else if (columns > 0) {
      limit_row(text, start, end, columns);
    }
    before = start;
    start = after_line_break(text, end);
  }
}

// A line with its indentation, which determines the containers that it is in. A tab advances the column to the next
// multiple of four.
struct IndentedLine {
  std::size_t start = 0;   // offset of the first non-blank character
  std::size_t end = 0;     // offset of the line break
  std::size_t column = 0;  // column of `start`

  bool is_blank() const { return start == end; }
};

// Returns the part of a line from `from` to the end of the line at `end`.
IndentedLine indented_line(std::string_view text, std::size_t from, std::size_t end) {
  IndentedLine line;
  line.end = end;
  for (line.start = from; line.start < line.end; ++line.start) {
    if (text[line.start] == '\t') {
      line.column += 4 - line.column % 4;
    } else if (text[line.start] == ' ') {
      ++line.column;
    } else {
      break;
    }
  }
  return line;
}

IndentedLine indented_line(std::string_view text, std::size_t from) {
  return indented_line(text, from, find_line_break(text, from));
}

// Returns the length of the marker of an admonition or tab, including the blank after it. Examples of such lines are
// '!!! note "Title"', '??? tip', '???+ tip', '=== "Tab"' and '===! "Tab"'. Returns 0 for other lines.
std::size_t container_marker(std::string_view line) {
  line = line.substr(0, std::min(line.find_last_not_of(" \t") + 1, line.size()));
  const bool is_tab = line.starts_with("===");
  if (!is_tab && !line.starts_with("!!!") && !line.starts_with("???")) return 0;
  const char more = line.size() > 3 ? line[3] : '\0';
  const bool has_more = is_tab ? more == '!' || more == '+' : more == '+' && line.front() == '?';
  const std::size_t length = has_more ? 5 : 4;
  if (line.size() <= length || line[length - 1] != ' ') return 0;
  std::string_view title = line.substr(length);
  if (!is_tab) {
    const auto is_of_type = [](char c) { return is_ascii_alphanumeric(c) || c == '-' || c == '_' || c == ' '; };
    const auto type = static_cast<std::size_t>(std::ranges::find_if_not(title, is_of_type) - title.begin());
    if (type == 0 || title.front() == ' ') return 0;
    title.remove_prefix(type);
    if (title.empty()) return length;
  }
  const bool is_quoted = title.size() > 1 && (title.front() == '"' || title.front() == '\'');
  return is_quoted && title.back() == title.front() ? length : 0;
}

// Turns each admonition and tab with content below it into a list item.
void make_items_of_containers(std::string& text) {
  const auto occurs = [&text](std::string_view marker) { return text.find(marker) != std::string::npos; };
  if (!occurs("!!! ") && !occurs("???") && !occurs("===")) return;
  for (std::size_t at = 0; at < text.size();) {
    const IndentedLine line = indented_line(text, at);
    at = after_line_break(text, line.end);
    const std::size_t marker = container_marker(std::string_view(text).substr(line.start, line.end - line.start));
    if (marker == 0) continue;
    IndentedLine below = indented_line(text, at);
    for (std::size_t next = at; below.is_blank() && next < text.size(); below = indented_line(text, next))
      next = after_line_break(text, below.end);
    if (below.is_blank() || below.column < line.column + 4) continue;
    text.replace(line.start, marker, marker == 5 ? "0)  ." : "0)  ");
  }
}

// Hides fences that are indented by four below a line of a paragraph. Tracks the list items around each line, because
// the indentation counts from the content of the innermost item.
class FencePreprocessor {
 public:
  explicit FencePreprocessor(std::string& text) : text_(text) {}

  void run() {
    const auto occurs = [this](std::string_view fence) { return text_.find(fence) != std::string::npos; };
    if (!occurs(" ```") && !occurs(" ~~~") && !occurs("\t```") && !occurs("\t~~~")) return;
    for (std::size_t at = 0; at < text_.size();) {
      const IndentedLine line = indented_line(text_, at);
      read(line);
      at = after_line_break(text_, line.end);
    }
  }

 private:
  std::size_t container() const { return items_.empty() ? 0 : items_.back(); }

  void read(IndentedLine line) {
    if (line.is_blank()) {
      in_paragraph_ = false;
      return;
    }
    std::string_view inside = std::string_view(text_).substr(line.start, line.end - line.start);
    if (!fence_.empty()) {
      const bool ends =
          inside.starts_with(fence_) && trim_ascii(inside).find_first_not_of(fence_.front()) == std::string_view::npos;
      if (line.column >= container() && !ends) return;
      fence_.clear();
      if (line.column >= container()) return;
    }
    if (!in_paragraph_) {
      while (line.column < container()) items_.pop_back();
    }
    for (std::size_t marker = markdown_marker_length(inside); marker > 0 && line.column < container() + 4;
         marker = markdown_marker_length(inside)) {
      while (line.column < container()) items_.pop_back();
      in_paragraph_ = false;
      const std::size_t from = line.start + marker;
      const IndentedLine content = indented_line(text_, from, line.end);
      const bool is_code = content.column > 4 || content.is_blank();
      items_.push_back(line.column + marker + (is_code ? 1 : content.column));
      line = {content.start, content.end, items_.back()};
      inside = std::string_view(text_).substr(line.start, line.end - line.start);
      if (is_code) return;
    }
    const bool is_fence = inside.starts_with("```") || inside.starts_with("~~~");
    if (is_fence && in_paragraph_ && line.column >= container() + 4) {
      text_[line.start - 1] = 'x';
    } else if (is_fence && line.column < container() + 4) {
      fence_ = inside.substr(0, std::min(inside.find_first_not_of(inside.front()), inside.size()));
      const bool is_code_span = inside.front() == '`' && inside.find('`', fence_.size()) != std::string_view::npos;
      if (is_code_span) fence_.clear();
      in_paragraph_ = is_code_span;
    } else {
      in_paragraph_ = inside.front() != '#' && (in_paragraph_ || line.column < container() + 4);
    }
  }

  std::string& text_;
  std::vector<std::size_t> items_;  // content columns of the list items that may contain the line
  std::string fence_;               // the open fence; empty if none is open
  bool in_paragraph_ = false;
};

// Limits on the work of md4c, based on measurements of version 0.4.8. In a nanosecond it does about 2.5 line lookups or
// reads 20 bytes of titles. Each use of a definition costs 1.7 ns per byte.
constexpr std::size_t max_lookups_per_byte = 200;
constexpr std::size_t max_lookups = 500'000'000;  // used if it exceeds the limit per byte, as in short documents
constexpr std::size_t max_title_steps_per_byte = 2000;
constexpr std::size_t max_expanded_bytes = 500'000'000;
constexpr std::size_t long_definition = 256;
constexpr std::size_t max_marks = 4'000'000;  // per paragraph

std::size_t line_end(std::string_view text, std::size_t start) {
  return after_line_break(text, find_line_break(text, start));
}

// Returns true for a line that may be part of YAML or TOML front matter. A Markdown list between two thematic breaks
// has other lines.
bool is_front_matter_line(std::string_view line) {
  if (line.empty() || is_ascii_space(line.front()) || trim_ascii(line).empty()) return true;
  if (std::string_view("#-]}[\"'").find(line.front()) != std::string_view::npos)
    return line.find("](") == std::string_view::npos;
  const auto name = static_cast<std::size_t>(std::ranges::find_if_not(line,
                                                                      [](char c) {
                                                                        return is_ascii_letter(c) ||
                                                                               is_ascii_digit(c) ||
                                                                               std::string_view("_-. ").find(c) !=
                                                                                   std::string_view::npos;
                                                                      }) -
                                             line.begin());
  if (name == 0 || name == line.size()) return false;
  if (line[name] == '=') return true;  // TOML needs no blank, as in url="…"
  return line[name] == ':' && (name + 1 == line.size() || is_ascii_space(line[name + 1]));
}

// Returns true if the line begins a new block although no blank line ends the paragraph before it. md4c processes the
// inline text up to this line as one unit.
bool begins_block(std::string_view line, bool quoted_before) {
  std::string_view inside = trim_ascii(line);
  if (inside.starts_with('>')) {
    if (!quoted_before) return true;
    inside.remove_prefix(std::min(inside.find_first_not_of(" \t>"), inside.size()));
  }
  if (inside.empty()) return true;
  const std::size_t digits = std::min(inside.find_first_not_of("0123456789"), inside.size());
  if (digits > 0)
    return digits < 10 && inside.size() > digits + 1 && inside[digits + 1] == ' ' &&
           (inside[digits] == '.' || inside[digits] == ')');
  return inside.size() > 1 && inside[1] == ' ' && std::string_view("-+*#").find(inside[0]) != std::string_view::npos;
}

// Replaces all marks of a block if it has too many of them, because md4c uses about 60 bytes of memory for each mark.
void disable_marks(std::string& text, std::size_t start, std::size_t end) {
  const auto first = text.begin() + static_cast<std::ptrdiff_t>(start);
  const auto last = text.begin() + static_cast<std::ptrdiff_t>(end);
  const auto is_mark = [](char c) {
    switch (c) {
      case '[':
      case ']':
      case '*':
      case '_':
      case '~':
      case '`':
      case '<':
      case '&':
      case '!':
      case '|':
      case '\\': return true;
      default: return false;
    }
  };
  if (static_cast<std::size_t>(std::count_if(first, last, is_mark)) > max_marks)
    std::replace_if(first, last, is_mark, '.');
}

// Returns true for fences and definitions, which must remain on their own lines.
bool needs_its_line(std::string_view line) {
  const std::string_view inside = trim_ascii(line);
  return inside.starts_with("```") || inside.starts_with("~~~") ||
         (inside.starts_with('[') && inside.find("]:") != std::string_view::npos);
}

// Joins the lines of a paragraph, which does not change its links. If `all` is true, also joins fences and definitions.
// Returns the number of remaining lines.
std::size_t join_lines(std::string& text, std::size_t start, std::size_t end, bool all) {
  std::size_t lines = 1;
  bool stays = false;  // the current line must remain on its own
  for (std::size_t at = start; at < end;) {
    const std::size_t next = line_end(text, at);
    const std::size_t after = next < end ? line_end(text, next) : next;
    const bool next_stays = !all && needs_its_line(std::string_view(text).substr(next, after - next));
    if (at == start) stays = !all && needs_its_line(std::string_view(text).substr(start, next - start));
    if (next < end && (stays || next_stays)) ++lines;
    for (std::size_t i = next;
         next < end && !stays && !next_stays && i > at && (text[i - 1] == '\n' || text[i - 1] == '\r'); --i)
      text[i - 1] = ' ';
    stays = next_stays;
    at = next;
  }
  return lines;
}

// Finds the openers of link titles in a block and the nearest closer of each.
class Titles {
 public:
  Titles(std::string& text, std::size_t start, std::size_t end) : text_(text), start_(start), end_(end) {}

  // Removes openers whose closer is far away or missing if the block has too many of them. For each opener, md4c reads
  // the text up to the closer, or up to the end of the block.
  void remove_distant_openers() {
    std::size_t steps = 0;
    for_each_opener([&](std::size_t /*at*/, std::size_t distance) { steps += distance; });
    if (steps <= max_title_steps_per_byte * (end_ - start_)) return;
    for_each_opener([&](std::size_t at, std::size_t distance) {
      if (distance > max_title_steps_per_byte) text_[at] = 'x';
    });
  }

 private:
  template <typename Use>
  void for_each_opener(const Use& use) {
    std::size_t quote = end_;
    std::size_t apostrophe = end_;
    std::size_t bracket = end_;
    for (std::size_t at = end_; at-- > start_;) {
      const char c = text_[at];
      if (c != '"' && c != '\'' && c != '(' && c != ')') continue;
      const char before = at > start_ ? text_[at - 1] : ' ';
      std::size_t& close = c == '"' ? quote : c == '\'' ? apostrophe : bracket;
      if (c != ')' && is_ascii_space(before)) use(at, close - at);
      if (c != '(' && before != '\\') close = at;
    }
  }

  std::string& text_;
  std::size_t start_;
  std::size_t end_;
};

// Limits the work of md4c for each block. md4c finds the line of every closing bracket by a linear search in the lines
// of the block, so its time is the product of both numbers.
class BlockPreprocessor {
 public:
  explicit BlockPreprocessor(std::string& text)
      : text_(text), lookups_left_(std::max(max_lookups_per_byte * text.size(), max_lookups)) {}

  void run() {
    bool quoted = false;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = line_end(text_, at);
      const std::string_view line = std::string_view(text_).substr(at, end - at);
      if (begins_block(line, quoted)) finish(at);
      quoted = trim_ascii(line).starts_with('>');
      ++lines_;
      at = end;
    }
    finish(text_.size());
  }

 private:
  void finish(std::size_t end) {
    if (end - start_ > max_marks) disable_marks(text_, start_, end);
    // Brackets are counted only in long blocks, because most blocks are too short to exceed the limit.
    const std::size_t closing_brackets = end - start_ > max_lookups_per_byte ? count_closing_brackets(end) : 0;
    if (closing_brackets > max_lookups_per_byte) {
      for (const bool all : {false, true}) {
        if (closing_brackets * lines_ > lookups_left_) lines_ = join_lines(text_, start_, end, all);
      }
      lookups_left_ -= std::min(lookups_left_, closing_brackets * lines_);
      Titles(text_, start_, end).remove_distant_openers();
    }
    start_ = end;
    lines_ = 0;
  }

  std::size_t count_closing_brackets(std::size_t end) const {
    return static_cast<std::size_t>(std::ranges::count(std::string_view(text_).substr(start_, end - start_), ']'));
  }

  std::string& text_;
  std::size_t lookups_left_;
  std::size_t start_ = 0;  // start of the block
  std::size_t lines_ = 0;
};

// Returns the end of the paragraph around `at`, but at most `limit`. The title of a definition may span several lines.
std::size_t paragraph_end(std::string_view text, std::size_t at, std::size_t limit) {
  while (at < limit) {
    const std::size_t end = line_end(text, at);
    if (trim_ascii(text.substr(at, end - at)).empty()) break;
    at = end;
  }
  return std::min(at, limit);
}

std::string label_key(std::string_view label) {
  std::string key;
  for (const char c : label) {
    if (!is_ascii_space(c)) key.push_back(ascii_lower(c));
  }
  return key;
}

// Disables long definitions that are used often, because md4c copies or reads the target and title of a definition on
// each use.
void disable_definitions(std::string& text) {
  const std::vector<MarkdownDefinition> definitions = find_markdown_definitions(text);
  std::unordered_map<std::string, std::size_t> long_ones;  // length in bytes, by label
  std::size_t max_columns = 0;
  bool any_label_counts = false;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const std::size_t next = i + 1 < definitions.size() ? definitions[i + 1].colon : text.size();
    const std::size_t bytes = paragraph_end(text, definitions[i].colon, next) - definitions[i].colon;
    if (bytes < long_definition) continue;
    std::size_t& kept = long_ones[label_key(definitions[i].label)];
    kept = std::max(kept, bytes);
    max_columns = std::max(max_columns, bytes);
    any_label_counts = any_label_counts || !is_ascii(definitions[i].label);
  }
  if (long_ones.empty()) return;
  std::size_t expanded = 0;
  std::size_t open = std::string::npos;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
      continue;
    }
    if (text[at] == '[') open = at;
    if (text[at] != ']' || open == std::string::npos) continue;
    const std::string_view label = std::string_view(text).substr(open + 1, at - open - 1);
    // Labels are compared by case folding, and non-ASCII letters may fold to ASCII, so any label may match.
    if (any_label_counts || !is_ascii(label)) {
      expanded += max_columns;
    } else if (const auto found = long_ones.find(label_key(label)); found != long_ones.end()) {
      expanded += found->second;
    }
    open = std::string::npos;
  }
  if (expanded <= max_expanded_bytes) return;
  for (const MarkdownDefinition& definition : definitions) {
    if (long_ones.contains(label_key(definition.label))) text[definition.colon] = ' ';
  }
}

// Returns the length of JSON front matter as defined by Hugo: an object from the first line to a line that is only "}".
// Returns 0 if there is none.
std::size_t json_front_matter_length(std::string_view text) {
  constexpr std::size_t max_front_matter = std::size_t{64} << 10U;
  text = text.substr(0, max_front_matter);
  std::size_t start = line_end(text, 0);
  const std::string_view first_name = trim_ascii(text.substr(start, line_end(text, start) - start));
  if (!first_name.starts_with('"') || first_name.find("\":") == std::string_view::npos) return 0;
  while (start < text.size()) {
    const std::size_t end = line_end(text, start);
    if (trim_ascii_end(text.substr(start, end - start)) == "}") return end;
    start = end;
  }
  return 0;
}

// Hugo's shortcodes that show their content as code. `highlight` is built in; the others come from themes.
constexpr std::array<std::string_view, 4> code_shortcodes{"highlight", "code", "output", "code-toggle"};

// Returns "highlight" for "{{< highlight go >}}" and "/highlight" for "{{< /highlight >}}". Empty for other lines.
std::string_view code_shortcode(std::string_view line) {
  line = trim_ascii(line);
  const bool is_shortcode =
      (line.starts_with("{{<") && line.ends_with(">}}")) || (line.starts_with("{{%") && line.ends_with("%}}"));
  if (!is_shortcode) return {};
  line = trim_ascii(line.substr(3));
  const std::string_view name = line.substr(0, line.find_first_of(" \t>%"));
  const std::string_view of_both = name.starts_with('/') ? name.substr(1) : name;
  return std::ranges::find(code_shortcodes, of_both) == code_shortcodes.end() ? std::string_view() : name;
}

// Turns pairs of code shortcodes into fences if both are alone on their lines and have the same indentation.
void fence_shortcodes(std::string& text) {
  constexpr std::size_t tildes = 6;  // shorter than any shortcode
  if (text.find("{{") == std::string::npos) return;
  struct Line {
    std::size_t start, end, indent;
  };
  std::optional<Line> open;
  std::string name;  // name of the open shortcode
  bool is_in_fence = false;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = line_end(text, start);
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const std::string_view words = trim_ascii(line);
    if (words.starts_with("```") || words.starts_with("~~~")) is_in_fence = !is_in_fence;
    const std::string_view shortcode = is_in_fence ? std::string_view() : code_shortcode(line);
    const Line here{start, end, line.find('{')};
    if (!shortcode.empty() && !shortcode.starts_with('/')) {  // they do not nest, so an open one has no end
      open = here;
      name = shortcode;
    } else if (open && shortcode.starts_with('/') && shortcode.substr(1) == name && here.indent == open->indent) {
      for (const Line& fence : {*open, here}) {
        const std::size_t from = fence.start + fence.indent;
        const std::size_t size = text.rfind('}', fence.end - 1) + 1 - from;
        text.replace(from, size, std::string(tildes, '~').append(size - tildes, ' '));
      }
      open.reset();
    }
    start = end;
  }
}

}  // namespace

std::size_t markdown_marker_length(std::string_view line) {
  if (line.empty()) return 0;
  std::size_t length = std::min(line.find_first_not_of("0123456789"), line.size());
  if (length == 0 && std::string_view("-+*").find(line.front()) == std::string_view::npos) return 0;
  if (length > 9 || length == line.size()) return 0;
  if (length > 0 && line[length] != '.' && line[length] != ')') return 0;
  ++length;
  return length == line.size() || line[length] == ' ' || line[length] == '\t' ? length : 0;
}

std::size_t front_matter_length(std::string_view text) {
  const std::size_t first = line_end(text, 0);
  const std::string_view fence = trim_ascii(text.substr(0, first));
  if (fence == "{" && text.front() == '{') return json_front_matter_length(text);
  if ((fence != "---" && fence != "+++") || is_ascii_space(text.front())) return 0;
  for (std::size_t start = first; start < text.size();) {
    const std::size_t end = line_end(text, start);
    std::string_view line = text.substr(start, end - start);
    while (!line.empty() && is_ascii_space(line.back())) line.remove_suffix(1);
    if (line == fence || (fence == "---" && line == "...")) return end;
    if (!is_front_matter_line(line)) return 0;
    start = end;
  }
  return 0;
}

std::string preprocess_markdown(std::string_view text, const MarkdownOptions& options, std::vector<TextRange>* tags) {
  std::string preprocessed(text);
  const std::size_t front_matter = front_matter_length(text);
  for (std::size_t at = 0; at < front_matter; ++at) {
    if (!is_ascii_space(preprocessed[at])) preprocessed[at] = ' ';
  }
  for (std::size_t at = preprocessed.find('\0'); at != std::string::npos; at = preprocessed.find('\0', at))
    preprocessed[at] = 'x';
  fence_shortcodes(preprocessed);
  std::vector<TextRange> hidden = prepare_dialect(preprocessed, options);
  if (tags != nullptr) *tags = std::move(hidden);
  make_items_of_containers(preprocessed);
  if (!options.is_mdx) FencePreprocessor(preprocessed).run();
  keep_table_cells(preprocessed);
  BlockPreprocessor(preprocessed).run();
  disable_definitions(preprocessed);
  return preprocessed;
}

}  // namespace linkherd::parser
