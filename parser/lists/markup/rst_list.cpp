#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/found_link.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/markup/prose_lines.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/list_text.h"

namespace linkherd::parser {
namespace {

// Inline markup of one block of reStructuredText.

constexpr std::size_t max_rst_name_bytes = 500;

constexpr bool is_rst_word(char c) { return is_ascii_alphanumeric(c) || !is_ascii(c); }

// Normalises a reference name for comparison: lower case, one space between words, no escapes.
std::string rst_name(std::string_view text) {
  return to_ascii_lower(join_target(collapse_space(text, max_rst_name_bytes)));
}

// The names that are referred to, and the first place where.
struct RstReference {
  std::size_t offset = 0;
  std::uint32_t entry = 0;
  LinkContext context;
};
using RstReferences = std::unordered_map<std::string, RstReference>;

// What stands in one cell of a grid table, in several lines of it: the list has the cells beside it in between.
struct CellText {
  struct Part {
    std::size_t position = 0;  // in `text`
    TextRange range;           // in the list
  };
  std::string text;
  std::vector<Part> parts;  // a line each

  std::size_t offset_of(std::size_t position) const {
    const auto part = std::prev(std::ranges::upper_bound(parts, position, {}, &Part::position));
    return part->range.offset + position - part->position;
  }
};

// From `start` to the character `until`, which is in a line below; nullopt where it is not, or there is no such cell.
std::optional<CellText> cell_text(std::string_view list, std::size_t start, char until) {
  constexpr std::size_t longest_line = 1000;
  constexpr std::size_t most_lines = 100;
  const std::size_t from = start - std::min(start, longest_line);
  const std::size_t line = from + list.substr(from, start - from).find_last_of('\n') + 1;  // npos + 1 is 0
  const std::string_view above = list.substr(line, start - line);
  const std::size_t column = above.rfind('|');
  if (column == std::string_view::npos || above.find_first_not_of(' ') != above.find('|')) return std::nullopt;
  CellText cell;
  for (std::size_t i = 0; i < most_lines; ++i) {
    const std::string_view rest = list.substr(start, longest_line);
    const std::size_t right = rest.find_first_of("|\n");
    if (right == std::string_view::npos || rest[right] == '\n') return std::nullopt;
    const std::size_t close = rest.substr(0, right).find(until);
    const std::string_view words = close < right ? rest.substr(0, close) : trim_ascii_end(rest.substr(0, right));
    cell.parts.push_back({cell.text.size(), {start, words.size()}});
    cell.text += words;
    if (close < right) return i > 0 ? std::optional(std::move(cell)) : std::nullopt;
    cell.text += '\n';
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view next = list.substr(start + end + 1, column + 1);
    if (next.size() <= column || next[column] != '|' || next.find('\n') != std::string_view::npos) return std::nullopt;
    start += end + 1 + column + 1;
  }
  return std::nullopt;
}

class RstInline {
 public:
  RstInline(std::string_view list, TextRange block, bool include_verbatim, FoundLinks& found, ProseItems& items,
            RstReferences& references)
      : list_(list.substr(0, block.offset + block.length)),
        block_(block.offset),
        at_(block.offset),
        include_verbatim_(include_verbatim),
        found_(found),
        references_(references),
        text_(list, block, found, items),
        first_link_(found.links.size()),
        is_in_grid_(block.length > 0 && (list[block.offset] == '|' || list[block.offset] == '+')) {}

  void read() {
    while (true) {
      const std::size_t mark = list_.find_first_of("`_\\", at_);
      if (mark == std::string_view::npos) break;
      at_ = mark;
      if (pass_cell_line()) continue;
      switch (list_[mark]) {
        case '\\': at_ = mark + 2; break;
        case '_': read_underscore(); break;
        default: list_.substr(mark, 2) == "``" ? read_literal() : read_interpreted(); break;
      }
      if (at_ >= list_.size()) break;
    }
    if (!cell_lines_.empty())
      std::stable_sort(found_.links.begin() + static_cast<std::ptrdiff_t>(first_link_), found_.links.end(),
                       [](const FoundLink& a, const FoundLink& b) { return a.offset < b.offset; });
    text_.finish();
    for (RstReference* reference : new_references_) reference->entry = text_.entry_at(reference->offset);
  }

 private:
  void add_reference(std::string_view name, TextRange range) {
    const auto [reference, is_new] = references_.try_emplace(rst_name(name.substr(0, max_rst_name_bytes)));
    if (!is_new) return;
    std::string_view before = list_.substr(0, range.offset).substr(std::min(block_, range.offset));
    before.remove_prefix(before.size() - std::min(before.size(), max_rst_name_bytes));
    const std::size_t end = range.offset + range.length;
    reference->second.offset = range.offset;
    reference->second.context =
        context_between(before.substr(before.find_last_of("\r\n") + 1), list_.substr(end, max_rst_name_bytes));
    new_references_.push_back(&reference->second);
  }

  // "``code``"
  void read_literal() {
    const std::size_t end = literals_open_ ? std::string_view::npos : list_.find("``", at_ + 2);
    if (end == std::string_view::npos) {
      literals_open_ = true;
      at_ += 2;
      return;
    }
    if (!include_verbatim_) text_.exclude({at_, end + 2 - at_});
    at_ = end + 2;
  }

  // "`text <url>`_", "`name`_", ":role:`text`"
  void read_interpreted() {
    const std::size_t start = at_ + 1;
    if (is_in_grid_) {
      if (const std::optional<CellText> cell = cell_text(list_, start, '`')) return read_in_cell(*cell);
    }
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
    // Without a blank before the bracket, `name<x>`_ is a name.
    const bool has_target = inside.ends_with('>') && open != std::string_view::npos &&
                            (!reference || open == 0 || is_ascii_space(inside[open - 1]));
    if (const std::string_view role = role_before(start - 1); role == ":pep:" || role == ":rfc:") {
      const std::size_t target = has_target ? open + 1 : 0;
      return add_numbered(role, {start + target, inside.size() - target - (has_target ? 1 : 0)},
                          has_target ? inside.substr(0, open) : inside);
    }
    if (!has_target) {
      if (reference) add_reference(inside, {start - 1, at_ - start + 2});
      return;
    }
    const std::string_view target = inside.substr(open + 1, inside.size() - open - 2);
    if (!reference && target.find("://") == std::string_view::npos)
      return;  // the target of a role within the documentation
    if (target.ends_with('_') && target.find(':') == std::string_view::npos) {
      add_reference(target.substr(0, target.size() - 1), {start - 1, at_ - start + 2});
      return;
    }
    if (reference) at_ = end_of_reference(at_);
    text_.exclude({start - 1, at_ - start + 1});
    add_target_of(inside, open, {start + open + 1, target.size()});
  }

  std::size_t end_of_reference(std::size_t underscore) const {
    return std::min(list_.find_first_not_of('_', underscore), list_.size());  // "__" is anonymous
  }

  // "text <target>", with the bracket at `open`. `range`: of the target in the list.
  void add_target_of(std::string_view inside, std::size_t open, TextRange range) {
    std::string words = collapse_space(inside.substr(0, std::min(open, 2 * max_link_text_bytes)), max_link_text_bytes);
    std::string meant = join_target(inside.substr(open + 1, inside.size() - open - 2));
    if (meant.find('@') != std::string::npos && meant.find_first_of(":/") == std::string::npos)
      meant.insert(0, "mailto:");
    found_.links.emplace_back(range.offset, range.length, LinkElement::link, meant, words, false);
  }

  // "`text <url>`_" and "`name`_" in several lines of a cell. What stands beside it is read as usual.
  void read_in_cell(const CellText& cell) {
    const TextRange first = cell.parts.front().range;
    at_ = first.offset + first.length;
    const TextRange last = cell.parts.back().range;
    const std::size_t close = last.offset + last.length;
    const std::size_t end = end_of_reference(close + 1);
    for (const CellText::Part& part : std::span(cell.parts).subspan(1)) {
      const TextRange range{part.range.offset,
                            part.range.offset == last.offset ? end - last.offset : part.range.length};
      cell_lines_[range.offset] = range.offset + range.length;
      text_.exclude(range);
    }
    text_.exclude({first.offset - 1, first.length + 1});
    if (end == close + 1) return;  // a role, or emphasis
    const std::string_view inside = cell.text;
    const std::size_t open = inside.rfind('<');
    if (!inside.ends_with('>') || open == std::string_view::npos) return add_reference(inside, first);
    // The first line alone is what stands in the list in one piece.
    const std::size_t target = cell.offset_of(open + 1);
    const std::size_t in_line = std::min(inside.find('\n', open), inside.size() - 1) - open - 1;
    add_target_of(inside, open, {target, in_line});
  }

  // Whether a line of a cell that was read begins here or before; then goes behind it.
  bool pass_cell_line() {
    const auto after = cell_lines_.upper_bound(at_);
    if (after == cell_lines_.begin() || std::prev(after)->second <= at_) return false;
    at_ = std::prev(after)->second;
    return true;
  }

  // ":role:" before the quote at `quote`, or an empty text.
  std::string_view role_before(std::size_t quote) const {
    constexpr std::size_t longest_role = 32;
    const std::size_t from = std::max(block_, quote - std::min(quote, longest_role));
    const std::string_view before = list_.substr(from, quote - from);
    if (!before.ends_with(':') || before.size() < 3) return {};
    const std::size_t colon = before.find_last_of(": \t\n", before.size() - 2);
    return colon != std::string_view::npos && before[colon] == ':' ? before.substr(colon) : std::string_view();
  }

  // ":pep:`8`" and ":rfc:`2616#section-4`", as docutils expands them.
  void add_numbered(std::string_view role, TextRange range, std::string_view words) {
    constexpr std::size_t most_digits = 5;
    const std::string_view written = list_.substr(range.offset, range.length);
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(written, is_ascii_digit) - written.begin());
    const std::string_view rest = written.substr(digits);
    if (digits == 0 || digits > most_digits || !(rest.empty() || rest.starts_with('#'))) return;
    const std::string_view number = written.substr(0, digits);
    std::string target = role == ":rfc:" ? "https://datatracker.ietf.org/doc/html/rfc" : "https://peps.python.org/pep-";
    if (role == ":pep:") target.append(4 - std::min<std::size_t>(digits, 4), '0');
    target.append(number).append(role == ":pep:" ? "/" : "").append(rest);
    text_.exclude({range.offset, range.length});
    found_.links.emplace_back(range.offset, range.length, LinkElement::link, target,
                              collapse_space(words.substr(0, 2 * max_link_text_bytes), max_link_text_bytes), false);
  }

  // "name_": a one-word reference.
  void read_underscore() {
    const std::size_t mark = at_++;
    const bool after_word = mark > 0 && is_rst_word(list_[mark - 1]);
    const bool before_word = at_ < list_.size() && (is_rst_word(list_[at_]) || list_[at_] == '_');
    if (!after_word || before_word) return;
    std::size_t start = mark;
    while (
        start > 0 && mark - start < max_rst_name_bytes &&
        (is_rst_word(list_[start - 1]) || std::string_view("-_.+:").find(list_[start - 1]) != std::string_view::npos))
      --start;
    add_reference(list_.substr(start, mark - start), {start, at_ - start});
  }

  std::string_view list_;
  std::size_t block_;
  std::size_t at_;
  bool include_verbatim_;
  FoundLinks& found_;
  RstReferences& references_;
  std::vector<RstReference*> new_references_;
  ProseText text_;
  std::size_t first_link_;
  bool is_in_grid_;                                // it may be, by how the block begins
  std::map<std::size_t, std::size_t> cell_lines_;  // begin and end of those that were read with the line above them
  bool literals_open_ = false;                     // an unclosed literal: later ones cannot be closed either
  bool quotes_open_ = false;
};

// Adds the links of the block, and the names that it references.
void read_rst_inline(std::string_view list, TextRange block, bool include_verbatim, FoundLinks& found,
                     ProseItems& items, RstReferences& references) {
  RstInline(list, block, include_verbatim, found, items, references).read();
}

constexpr std::array<std::string_view, 10> verbatim_directives{
    "code",           "code-block", "sourcecode", "literalinclude", "math",
    "parsed-literal", "highlight",  "prompt",     "doctest",        "testcode"};
constexpr LinkContext badge_context{.is_badge = true};
constexpr std::array<std::string_view, 3> image_directives{"image", "figure", "thumbnail"};

// "=====": the line under a heading, optionally also above it.
bool is_adornment(std::string_view line) {
  return line.size() >= 2 && std::string_view("=-~^\"'`#*+.:_<>!$%&,/;?@\\|").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

class RstReader {
 public:
  RstReader(std::string_view list, bool include_verbatim) : list_(list), include_verbatim_(include_verbatim) {}

  FoundLinks read() {
    while (at_ < list_.size()) read_block();
    for (const Definition& definition : definitions_) {
      FoundLink& link = found_.links[definition.link];
      const auto used = references_.find(definition.name);
      if (used == references_.end()) continue;
      link.element = LinkElement::link;
      if (definition.name.empty()) continue;  // anonymous
      link.read_at = static_cast<std::uint32_t>(used->second.offset);
      link.entry = used->second.entry;
      link.context = used->second.context;
    }
    return std::move(found_);
  }

 private:
  std::string_view slice(TextRange range) const { return list_.substr(range.offset, range.length); }

  void read_block() {
    const ProseLine line = prose_line(list_, at_);
    const std::string_view words = slice(line.range());
    if (line.blank()) {
      at_ = line.next;
    } else if (words == ".." || words.starts_with(".. ")) {
      read_explicit(line);
    } else if (words.starts_with("__ ")) {
      at_ = line.next;
      add_target({line.start + 3, line.end - line.start - 3}, {}, true);
    } else if (!read_heading(line)) {
      read_paragraph(line);
    }
  }

  bool read_heading(const ProseLine& line) {
    ProseLine title = line;
    if (is_adornment(slice(line.range()))) {
      title = prose_line(list_, line.next);
      if (title.blank() || is_adornment(slice(title.range()))) {
        at_ = line.next;  // a transition
        return true;
      }
    }
    const ProseLine under = prose_line(list_, title.next);
    if (title.next >= list_.size() || !is_adornment(slice(under.range())) || under.indent > 0) return false;
    if (title.start == line.start && title.indent > 0) return false;
    const std::size_t level = level_of(list_[under.start], title.start != line.start);
    items_.open_heading();
    read_rst_inline(list_, title.range(), include_verbatim_, found_, items_, references_);
    found_.headings.push_back({title.start, items_.close_heading(), level});
    at_ = under.next;
    return true;
  }

  // A style is its character, and whether a line is above as well.
  std::size_t level_of(char adornment, bool is_over) {
    const std::string style{adornment, is_over ? '1' : '0'};
    std::size_t at = 0;
    while (at < adornments_.size() && adornments_.compare(at, 2, style) != 0) at += 2;
    if (at == adornments_.size() && at < 2 * max_heading_level) adornments_ += style;
    return std::min(at / 2 + 1, max_heading_level);
  }

  // Reads to the next blank line, or to the start of another block.
  void read_paragraph(const ProseLine& first) {
    const ProseLine last =
        paragraph_end(list_, first, [this](const ProseLine& more) { return slice(more.range()).starts_with(".. "); });
    items_.begin_block(first, slice(first.range()));
    read_rst_inline(list_, {first.start, last.end - first.start}, include_verbatim_, found_, items_, references_);
    items_.end_block();
    at_ = last.next;
    if (!slice(last.range()).ends_with("::")) return;
    read_verbatim(last.start == first.start ? first.indent + marker_length(slice(first.range())) : last.indent);
  }

  // Of "- " and "12. " at the begin of an item, whose literal blocks are indented by more.
  static std::size_t marker_length(std::string_view words) {
    const std::size_t mark = item_mark(words);
    return mark == 0 ? 0 : std::min(words.find_first_not_of(' ', mark), words.size());
  }

  // What a directive begins with goes on in the lines below, up to its options.
  TextRange whole_argument(const ProseLine& line, TextRange argument) {
    while (at_ < list_.size()) {
      const ProseLine more = prose_line(list_, at_);
      if (more.blank() || more.indent <= line.indent || list_[more.start] == ':') break;
      if (argument.length == 0) argument.offset = more.start;
      argument.length = more.end - argument.offset;
      at_ = more.next;
    }
    return argument;
  }

  void read_verbatim(std::size_t indent) {
    const std::size_t end = indented_block_end(list_, at_, indent);
    if (include_verbatim_) add_prose_links(list_, {at_, end - at_}, found_);
    at_ = end;
  }

  // ".. ": a target, directive, footnote or comment.
  void read_explicit(const ProseLine& line) {
    at_ = line.next;
    std::size_t start = std::min(line.start + 3, line.end);
    while (start < line.end && is_ascii_space(list_[start])) ++start;
    const std::string_view words = list_.substr(start, line.end - start);
    if (words.starts_with('_')) return read_target(line, start + 1);
    if (words.starts_with('[')) {
      read_rst_inline(list_, {start, line.end - start}, include_verbatim_, found_, items_, references_);
      return;
    }
    std::string_view rest = words;
    if (rest.starts_with('|')) {
      const std::size_t bar = rest.find('|', 1);
      rest = bar == std::string_view::npos ? std::string_view() : trim_ascii(rest.substr(bar + 1));
    }
    const std::size_t colons = rest.find("::");
    const std::string_view name = rest.substr(0, colons);
    if (colons == std::string_view::npos || name.empty() || name.find(' ') != std::string_view::npos) {
      const std::size_t end = indented_block_end(list_, at_, line.indent);
      note_comment(list_, {line.start, end - line.start}, found_);
      at_ = end;
      return;
    }
    const std::string_view argument = trim_ascii(rest.substr(colons + 2));
    read_directive(line, to_ascii_lower(name.substr(0, 64)),
                   {static_cast<std::size_t>(argument.data() - list_.data()), argument.size()});
  }

  void read_directive(const ProseLine& line, std::string_view name, TextRange argument) {
    if (is_one_of(image_directives, name)) return read_image(line, argument);
    if (is_one_of(verbatim_directives, name)) return read_verbatim(line.indent);
    if (name == "raw" && slice(argument) == "html") {
      const std::size_t end = indented_block_end(list_, at_, line.indent);
      add_html_links(list_, {at_, end - at_}, include_verbatim_, found_);
      at_ = end;
      return;
    }
    if (argument.length == 0) return;
    read_rst_inline(list_, whole_argument(line, argument), include_verbatim_, found_, items_, references_);
  }

  // The options of an image are on the lines below: ":target: url", ":alt: text".
  void read_image(const ProseLine& line, TextRange argument) {
    const std::size_t image = found_.links.size();
    argument = whole_argument(line, argument);
    const bool is_pattern = slice(argument).ends_with(".*");  // Sphinx chooses one of the files
    if (argument.length > 0 && !is_pattern) {
      found_.links.emplace_back(argument.offset, argument.length, LinkElement::image, join_target(slice(argument)),
                                FoundText(), false);
    }
    std::string alt;
    std::size_t targets = found_.links.size();
    while (at_ < list_.size()) {
      const ProseLine option = prose_line(list_, at_);
      const std::string_view words = slice(option.range());
      if (option.indent <= line.indent || !words.starts_with(':')) break;
      at_ = option.next;
      const std::size_t colon = words.find(": ");
      if (colon == std::string_view::npos) continue;
      const std::string_view value = trim_ascii(words.substr(colon + 1));
      if (words.starts_with(":alt:")) alt = collapse_space(value, max_link_text_bytes);
      if (!words.starts_with(":target:")) continue;
      if (value.ends_with('_') && value.find("://") == std::string_view::npos) {
        references_.try_emplace(rst_name(trim_marks(value)), RstReference{option.start, 0, badge_context});
      } else {
        found_.links.emplace_back(static_cast<std::size_t>(value.data() - list_.data()), value.size(),
                                  LinkElement::link, join_target(value), FoundText(), false);
        found_.links.back().context = badge_context;
      }
    }
    for (std::size_t i = std::min(image, targets); i < found_.links.size(); ++i) found_.links[i].text = alt;
  }

  static std::string_view trim_marks(std::string_view name) {
    while (name.ends_with('_') || name.ends_with('`')) name.remove_suffix(1);
    while (name.starts_with('`')) name.remove_prefix(1);
    return name;
  }

  // Of "name: url" or "`na:me`: url": a blank or the end of the line is behind the colon, and "::" is none.
  static std::size_t end_of_name(std::string_view words) {
    if (words.starts_with('`')) return words.find("`:", 1);
    for (std::size_t colon = words.find(':'); colon != std::string_view::npos; colon = words.find(':', colon + 1)) {
      const bool is_last = colon + 1 == words.size() || is_ascii_space(words[colon + 1]);
      const std::string_view name = words.substr(0, colon);
      if (!is_last || name.empty() || name.ends_with('\\')) continue;
      return name.ends_with(':') && !name.ends_with("\\:") ? std::string_view::npos : colon;
    }
    return std::string_view::npos;
  }

  // "_name: url"; the URL may be on the lines below.
  void read_target(const ProseLine& line, std::size_t name) {
    const std::string_view words = list_.substr(name, line.end - name);
    const std::size_t colon = end_of_name(words);
    if (colon == std::string_view::npos) return;
    const std::string_view label = words.substr(0, colon);
    const bool quoted = words.starts_with('`');
    std::size_t start = name + colon + (quoted ? 2 : 1);
    std::size_t end = line.end;
    while (at_ < list_.size()) {
      const ProseLine more = prose_line(list_, at_);
      if (more.blank() || more.indent <= line.indent) break;
      end = more.end;
      at_ = more.next;
    }
    while (start < end && is_ascii_space(list_[start])) ++start;
    add_target({start, end - start}, quoted ? label.substr(1) : label, label == "_");
  }

  void add_target(TextRange range, std::string_view name, bool anonymous) {
    const std::string_view written = slice(range);
    const bool alias = written.ends_with('_') && written.find("://") == std::string_view::npos;
    if (written.empty() || alias) return;
    definitions_.push_back({anonymous ? std::string() : rst_name(name), found_.links.size()});
    if (anonymous) references_.try_emplace(std::string());
    found_.links.emplace_back(range.offset, range.length, LinkElement::definition, join_target(written),
                              anonymous ? std::string() : collapse_space(name, max_link_text_bytes), false);
  }

  struct Definition {
    std::string name;
    std::size_t link;
  };

  std::string_view list_;
  bool include_verbatim_;
  std::size_t at_ = 0;
  FoundLinks found_;
  ProseItems items_{found_};
  RstReferences references_;
  std::string adornments_;  // the styles of headings in the order of their first use: a level each
  std::vector<Definition> definitions_;
};

}  // namespace

FoundLinks read_rst_list(std::string_view text, bool include_verbatim) {
  return RstReader(text, include_verbatim).read();
}

}  // namespace linkherd::parser
