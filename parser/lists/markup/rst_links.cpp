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
#include <unordered_set>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/lists/found_link.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/markup/prose_lines.h"
#include "parser/lists/readers.h"
#include "parser/lists/text/link_text.h"

namespace linkherd::parser {
namespace {

// Returns the position of the bracket that opens the target in "text <target>". Returns npos if there is no target: an
// escaped bracket belongs to the text, as in "nested in <section\>".
std::size_t start_of_target(std::string_view inside) {
  const auto is_escaped = [inside](std::size_t at) {
    const std::size_t other = inside.substr(0, at).find_last_not_of('\\');
    return (at - (other == std::string_view::npos ? 0 : other + 1)) % 2 == 1;
  };
  if (!inside.ends_with('>') || is_escaped(inside.size() - 1)) return std::string_view::npos;
  std::size_t open = inside.rfind('<');
  while (open != std::string_view::npos && open > 0 && is_escaped(open)) open = inside.rfind('<', open - 1);
  return open;
}

// Inline markup of one block of reStructuredText.

constexpr std::size_t max_rst_name_bytes = 500;
constexpr std::size_t max_role_bytes = 32;

constexpr bool is_rst_word(char c) { return is_ascii_alphanumeric(c) || !is_ascii(c); }

// Normalises a reference name for comparison: lower case, one space between words, no escapes.
std::string rst_name(std::string_view text) {
  return to_ascii_lower(join_target(collapse_space(text, max_rst_name_bytes)));
}

// The first reference to a name.
struct RstReference {
  std::size_t offset = 0;
  std::uint32_t entry = 0;
  LinkContext context;
};
using RstReferences = std::unordered_map<std::string, RstReference>;

// The roles of docutils and Sphinx whose text is shown unchanged.
constexpr std::array<std::string_view, 14> literal_roles{"code",   "literal", "math",     "samp",      "file",
                                                         "kbd",    "command", "option",   "program",   "regexp",
                                                         "envvar", "makevar", "mimetype", "mailheader"};
constexpr std::size_t max_own_roles = 1000;

// State that the blocks of a document share.
struct RstDocument {
  bool include_verbatim = false;
  bool is_sphinx = false;
  RstReferences references{};
  std::unordered_set<std::string> own_literal_roles{};  // defined by ".. role:: py(code)"
  bool is_default_literal = false;                      // set by ".. default-role:: code"
  std::vector<FoundLink> includes{};  // files that roles and directives of Sphinx name; outside of entries

  bool is_literal(const std::string& role) const {
    if (role.empty()) return is_default_literal;
    return is_one_of(literal_roles, role) || own_literal_roles.contains(role);
  }

  // Adds the file that a role or directive names, with its name as the text.
  void add_include(std::string_view source, TextRange path, std::string_view directive) {
    constexpr std::size_t max_path_bytes = 1000;
    const std::string_view written = source.substr(path.offset, path.length);
    const bool is_path = is_sphinx && !written.empty() && written.size() <= max_path_bytes &&
                         written.find_first_of("*?<>|\r\n") == std::string_view::npos;
    if (is_path) includes.emplace_back(path.offset, path.length, LinkElement::include, FoundText(written), directive);
  }
};

// Returns a URL as docutils reads it, without escapes and without unescaped blanks.
std::string rst_url(std::string_view written) {
  std::string url;
  for (std::size_t at = 0; at < written.size(); ++at) {
    if (is_ascii_space(written[at])) continue;
    if (written[at] == '\\' && at + 1 < written.size()) ++at;
    url.push_back(written[at]);
  }
  return url;
}

// A text that spans several lines of one cell of a grid table. In the document, the text of neighbouring cells is
// between these lines.
struct CellText {
  struct Part {
    std::size_t position = 0;  // offset in `text`
    TextRange range;           // range in the document
  };
  std::string text;
  std::vector<Part> parts;  // one per line

  std::size_t offset_of(std::size_t position) const {
    const auto part = std::prev(std::ranges::upper_bound(parts, position, {}, &Part::position));
    return part->range.offset + position - part->position;
  }
};

// Returns the text of a cell from `start` to the character `until`, which must be on a later line of the cell. Returns
// nullopt if it is not, or if `start` is not in a cell.
std::optional<CellText> cell_text(std::string_view source, std::size_t start, char until) {
  constexpr std::size_t max_line_bytes = 1000;
  constexpr std::size_t max_lines = 100;
  const std::size_t from = start - std::min(start, max_line_bytes);
  const std::size_t line = from + source.substr(from, start - from).find_last_of('\n') + 1;  // npos + 1 is 0
  const std::string_view above = source.substr(line, start - line);
  const std::size_t column = above.rfind('|');
  if (column == std::string_view::npos || above.find_first_not_of(' ') != above.find('|')) return std::nullopt;
  CellText cell;
  for (std::size_t i = 0; i < max_lines; ++i) {
    const std::string_view rest = source.substr(start, max_line_bytes);
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
    const std::string_view next = source.substr(start + end + 1, column + 1);
    if (next.size() <= column || next[column] != '|' || next.find('\n') != std::string_view::npos) return std::nullopt;
    start += end + 1 + column + 1;
  }
  return std::nullopt;
}

class RstInline {
 public:
  RstInline(std::string_view source, TextRange block, RstDocument& document, FoundLinks& found, ProseItems& items)
      : source_(source.substr(0, block.offset + block.length)),
        block_(block.offset),
        at_(block.offset),
        document_(document),
        found_(found),
        text_(source, block, found, items),
        first_link_(found.links.size()),
        is_in_grid_(block.length > 0 && (source[block.offset] == '|' || source[block.offset] == '+')) {}

  void read() {
    while (true) {
      const std::size_t mark = source_.find_first_of("`_\\", at_);
      if (mark == std::string_view::npos) break;
      at_ = mark;
      if (pass_cell_line()) continue;
      switch (source_[mark]) {
        case '\\': at_ = mark + 2; break;
        case '_': read_underscore(); break;
        default: source_.substr(mark, 2) == "``" ? read_literal() : read_interpreted(); break;
      }
      if (at_ >= source_.size()) break;
    }
    if (!cell_lines_.empty())
      std::stable_sort(found_.links.begin() + static_cast<std::ptrdiff_t>(first_link_), found_.links.end(),
                       [](const FoundLink& a, const FoundLink& b) { return a.offset < b.offset; });
    text_.finish();
    for (RstReference* reference : new_references_) reference->entry = text_.entry_at(reference->offset);
  }

 private:
  void add_reference(std::string_view name, TextRange range) {
    const auto [reference, is_new] = document_.references.try_emplace(rst_name(name.substr(0, max_rst_name_bytes)));
    if (!is_new) return;
    std::string_view before = source_.substr(0, range.offset).substr(std::min(block_, range.offset));
    before.remove_prefix(before.size() - std::min(before.size(), max_rst_name_bytes));
    const std::size_t end = range.offset + range.length;
    reference->second.offset = range.offset;
    reference->second.context =
        context_between(before.substr(before.find_last_of("\r\n") + 1), source_.substr(end, max_rst_name_bytes));
    new_references_.push_back(&reference->second);
  }

  // Reads "``code``".
  void read_literal() {
    std::size_t end = literals_open_ ? std::string_view::npos : source_.find("``", at_ + 2);
    if (end == std::string_view::npos) {
      literals_open_ = true;
      at_ += 2;
      return;
    }
    end = std::min(source_.find_first_not_of('`', end), source_.size()) - 2;  // "``:doc:`x```" ends with all three
    if (!document_.include_verbatim) text_.exclude({at_, end + 2 - at_});
    at_ = end + 2;
  }

  // Reads "`text <url>`_", "`name`_" and ":role:`text`".
  void read_interpreted() {
    const std::size_t start = at_ + 1;
    if (is_in_grid_) {
      if (const std::optional<CellText> cell = cell_text(source_, start, '`')) return read_in_cell(*cell);
    }
    const std::size_t end = quotes_open_ ? std::string_view::npos : source_.find('`', start);
    if (end == std::string_view::npos || end == start) {
      quotes_open_ = end == std::string_view::npos;
      at_ = start;
      return;
    }
    at_ = end + 1;
    const bool reference = at_ < source_.size() && source_[at_] == '_';
    const std::string_view inside = source_.substr(start, end - start);
    const std::size_t open = start_of_target(inside);
    // Without a blank before the bracket, `name<x>`_ is a name.
    const bool has_target =
        open != std::string_view::npos && (!reference || open == 0 || is_ascii_space(inside[open - 1]));
    const std::string_view before = role_before(start - 1);
    const std::string role = role_name(before.empty() ? role_after(at_) : before);
    if (role == "pep" || role == "rfc") {
      const std::size_t target = has_target ? open + 1 : 0;
      return add_numbered(role == "rfc", {start + target, inside.size() - target - (has_target ? 1 : 0)},
                          has_target ? inside.substr(0, open) : inside);
    }
    if (!reference && (role == "doc" || role == "download") && !has_domain(before)) {
      const std::size_t target = has_target ? open + 1 : 0;
      add_sphinx_document(role, {start + target, inside.size() - target - (has_target ? 1 : 0)});
    }
    if (!reference && document_.is_literal(role)) {
      if (!document_.include_verbatim) text_.exclude({start - 1, at_ - start + 1});
      return;
    }
    if (!has_target) {
      if (reference) add_reference(inside, {start - 1, at_ - start + 2});
      return;
    }
    const std::string_view target = inside.substr(open + 1, inside.size() - open - 2);
    if (!reference && target.find("://") == std::string_view::npos)
      return;  // the target of a role inside the documentation
    if (target.ends_with('_') && target.find(':') == std::string_view::npos) {
      add_reference(target.substr(0, target.size() - 1), {start - 1, at_ - start + 2});
      return;
    }
    if (reference) at_ = end_of_reference(at_);
    text_.exclude({start - 1, at_ - start + 1});
    add_target_of(inside, open, {start + open + 1, target.size()});
  }

  // Adds the document or file of ":doc:`text <path>`". A colon separates the name of another project, and "!" or "~"
  // before the text changes only how it is shown.
  void add_sphinx_document(std::string_view role, TextRange target) {
    const std::string_view written = source_.substr(target.offset, target.length);
    const bool is_path = written.find(':') == std::string_view::npos && !written.starts_with('!');
    if (is_path) document_.add_include(source_, target, role);
  }

  std::size_t end_of_reference(std::size_t underscore) const {
    return std::min(source_.find_first_not_of('_', underscore), source_.size());  // "__" is anonymous
  }

  // Adds the link of "text <target>", whose bracket is at `open`. `range` is the range of the target in the document.
  void add_target_of(std::string_view inside, std::size_t open, TextRange range) {
    std::string words = collapse_space(inside.substr(0, std::min(open, 2 * max_link_text_bytes)), max_link_text_bytes);
    std::string meant = rst_url(inside.substr(open + 1, inside.size() - open - 2));
    if (meant.find('@') != std::string::npos && meant.find_first_of(":/") == std::string::npos)
      meant.insert(0, "mailto:");
    found_.links.emplace_back(range.offset, range.length, LinkElement::link, meant, words, false);
  }

  // Reads "`text <url>`_" and "`name`_" that span several lines of a cell. Neighbouring cells are read as usual.
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
    const std::size_t open = start_of_target(inside);
    if (open == std::string_view::npos) return add_reference(inside, first);
    // Only the first line of the target is used, because only a single line is contiguous in the document.
    const std::size_t target = cell.offset_of(open + 1);
    const std::size_t in_line = std::min(inside.find('\n', open), inside.size() - 1) - open - 1;
    add_target_of(inside, open, {target, in_line});
  }

  // Skips a line of a cell that is already read, if the current position is in such a line. Returns true if it did.
  bool pass_cell_line() {
    const auto after = cell_lines_.upper_bound(at_);
    if (after == cell_lines_.begin() || std::prev(after)->second <= at_) return false;
    at_ = std::prev(after)->second;
    return true;
  }

  // Returns the ":role:" before the quote at `quote`. Empty if there is none.
  std::string_view role_before(std::size_t quote) const {
    const std::size_t from = std::max(block_, quote - std::min(quote, max_role_bytes));
    const std::string_view before = source_.substr(from, quote - from);
    if (!before.ends_with(':') || before.size() < 3) return {};
    const std::size_t colon = before.find_last_of(": \t\n", before.size() - 2);
    return colon != std::string_view::npos && before[colon] == ':' ? before.substr(colon) : std::string_view();
  }

  // Returns the ":role:" after the quote that ends before `at`. Empty if there is none.
  std::string_view role_after(std::size_t at) const {
    const std::string_view rest = source_.substr(at, max_role_bytes);
    if (!rest.starts_with(':')) return {};
    const std::size_t colon = rest.find_first_of(": \t\r\n`", 1);
    const bool is_role = colon != std::string_view::npos && colon > 1 && rest[colon] == ':';
    return is_role ? rest.substr(0, colon + 1) : std::string_view();
  }

  // Returns true for ":external:doc:" and ":external+python:doc:", which lead to another project. `role` is ":doc:".
  bool has_domain(std::string_view role) const {
    constexpr std::string_view own = ":std";
    const std::size_t at = role.empty() ? 0 : static_cast<std::size_t>(role.data() - source_.data());
    return at > 0 && is_rst_word(source_[at - 1]) && !source_.substr(0, at).ends_with(own);
  }

  // Returns the name of ":Role:" in lower case.
  static std::string role_name(std::string_view role) {
    return role.empty() ? std::string() : to_ascii_lower(role.substr(1, role.size() - 2));
  }

  // Adds the link of ":pep:`8`" or ":rfc:`2616#section-4`", expanded as in docutils.
  void add_numbered(bool is_rfc, TextRange range, std::string_view words) {
    constexpr std::size_t max_number_digits = 5;
    const std::string_view written = source_.substr(range.offset, range.length);
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(written, is_ascii_digit) - written.begin());
    const std::string_view rest = written.substr(digits);
    if (digits == 0 || digits > max_number_digits || !(rest.empty() || rest.starts_with('#'))) return;
    const std::string_view number = written.substr(0, digits);
    std::string target = is_rfc ? "https://datatracker.ietf.org/doc/html/rfc" : "https://peps.python.org/pep-";
    if (!is_rfc) target.append(4 - std::min<std::size_t>(digits, 4), '0');
    target.append(number).append(is_rfc ? "" : "/").append(rest);
    text_.exclude({range.offset, range.length});
    found_.links.emplace_back(range.offset, range.length, LinkElement::link, target,
                              collapse_space(words.substr(0, 2 * max_link_text_bytes), max_link_text_bytes), false);
  }

  // Reads "name_", a reference of one word.
  void read_underscore() {
    const std::size_t mark = at_++;
    if (mark > block_ && source_[mark - 1] == '|') return read_substitution(mark);
    const bool after_word = mark > 0 && is_rst_word(source_[mark - 1]);
    const bool before_word = at_ < source_.size() && (is_rst_word(source_[at_]) || source_[at_] == '_');
    if (!after_word || before_word) return;
    std::size_t start = mark;
    while (start > 0 && mark - start < max_rst_name_bytes &&
           (is_rst_word(source_[start - 1]) ||
            std::string_view("-_.+:").find(source_[start - 1]) != std::string_view::npos))
      --start;
    add_reference(source_.substr(start, mark - start), {start, at_ - start});
  }

  // Reads "|name|_", a substitution whose result is a link to the target with the same name.
  void read_substitution(std::size_t mark) {
    if (mark < block_ + 2) return;
    const std::size_t min_offset = std::max(block_, mark - std::min(mark, max_rst_name_bytes));
    const std::size_t bar = source_.substr(0, mark - 1).find_last_of("|\r\n");
    if (bar == std::string_view::npos || bar < min_offset || source_[bar] != '|' || bar + 1 == mark - 1) return;
    add_reference(source_.substr(bar + 1, mark - bar - 2), {bar, at_ - bar});
  }

  std::string_view source_;
  std::size_t block_;
  std::size_t at_;
  RstDocument& document_;
  FoundLinks& found_;
  std::vector<RstReference*> new_references_;
  ProseText text_;
  std::size_t first_link_;
  bool is_in_grid_;                                // the block begins like a grid table
  std::map<std::size_t, std::size_t> cell_lines_;  // start and end of cell lines that were read with the line above
  bool literals_open_ = false;                     // a literal is unclosed, so later ones cannot be closed either
  bool quotes_open_ = false;
};

// Adds the links of a block and the names that it references.
void read_rst_inline(std::string_view source, TextRange block, RstDocument& document, FoundLinks& found,
                     ProseItems& items) {
  RstInline(source, block, document, found, items).read();
}

constexpr std::array<std::string_view, 25> verbatim_directives{"code",
                                                               "code-block",
                                                               "sourcecode",
                                                               "literalinclude",
                                                               "math",
                                                               "highlight",
                                                               "prompt",
                                                               "doctest",
                                                               "testcode",
                                                               "testoutput",
                                                               "testsetup",
                                                               "testcleanup",
                                                               "productionlist",
                                                               "graphviz",
                                                               "digraph",
                                                               "graph",
                                                               "uml",
                                                               "plantuml",
                                                               "mermaid",
                                                               "ipython",
                                                               "jupyter-execute",
                                                               "code-cell",
                                                               "program-output",
                                                               "command-output",
                                                               "asciinema"};
constexpr LinkContext badge_context{.is_badge = true};
constexpr std::array<std::string_view, 3> image_directives{"image", "figure", "thumbnail"};

// Returns true for a line such as "=====", which is below and optionally also above a heading. "::" announces a literal
// block instead.
bool is_adornment(std::string_view line) {
  return line.size() >= 2 && line != "::" &&
         std::string_view("=-~^\"'`#*+.:_<>!$%&,/;?@\\|").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

class RstReader {
 public:
  RstReader(std::string_view source, bool include_verbatim, SiteGenerator generator)
      : source_(source),
        document_{.include_verbatim = include_verbatim, .is_sphinx = generator == SiteGenerator::sphinx},
        generator_(generator) {}

  FoundLinks read() {
    while (at_ < source_.size()) read_block();
    for (const Definition& definition : definitions_) {
      FoundLink& link = found_.links[definition.link];
      const auto used = document_.references.find(definition.name);
      if (used == document_.references.end()) continue;
      link.element = LinkElement::link;
      if (definition.name.empty()) continue;  // anonymous
      link.link_offset = static_cast<std::uint32_t>(used->second.offset);
      link.entry = used->second.entry;
      link.context = used->second.context;
    }
    std::ranges::move(document_.includes, std::back_inserter(found_.links));
    return std::move(found_);
  }

 private:
  std::string_view slice(TextRange range) const { return source_.substr(range.offset, range.length); }

  void read_block() {
    const ProseLine line = prose_line(source_, at_);
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
      title = prose_line(source_, line.next);
      if (title.blank() || is_adornment(slice(title.range()))) {
        at_ = line.next;  // a transition
        return true;
      }
    }
    const ProseLine under = prose_line(source_, title.next);
    if (title.next >= source_.size() || !is_adornment(slice(under.range())) || under.indent > 0) return false;
    if (title.start == line.start && title.indent > 0) return false;
    const std::size_t level = level_of(source_[under.start], title.start != line.start);
    items_.open_heading();
    read_rst_inline(source_, title.range(), document_, found_, items_);
    found_.headings.push_back({title.start, items_.close_heading(), level});
    at_ = under.next;
    return true;
  }

  // Returns the level of a heading style, which consists of its character and whether a line is also above the heading.
  std::size_t level_of(char adornment, bool is_over) {
    const std::string style{adornment, is_over ? '1' : '0'};
    std::size_t at = 0;
    while (at < adornments_.size() && adornments_.compare(at, 2, style) != 0) at += 2;
    if (at == adornments_.size() && at < 2 * max_heading_level) adornments_ += style;
    return std::min(at / 2 + 1, max_heading_level);
  }

  // Reads a paragraph, which ends at the next blank line or before another block.
  void read_paragraph(const ProseLine& first) {
    const ProseLine last =
        paragraph_end(source_, first, [this](const ProseLine& more) { return slice(more.range()).starts_with(".. "); });
    const TextRange range{first.start, last.end - first.start};
    const std::string_view words = slice(first.range());
    at_ = last.next;
    const std::size_t marker = marker_length(words);
    const std::string_view after_marker = words.substr(marker);
    if (after_marker == ">>>" || after_marker.starts_with(">>> ")) {  // a doctest block
      if (document_.include_verbatim) add_prose_links(source_, range, found_);
      return;
    }
    items_.begin_block(first, words);
    read_rst_inline(source_, range, document_, found_, items_);
    items_.end_block();
    const bool is_line_block = words.starts_with("| ");  // or a table
    if (is_line_block || !announces_literal(slice(last.range()))) return;
    if (last.start != first.start) return read_literal_block(last.indent);
    if (words.starts_with(':') && words != "::") return read_literal_block_of_body(first.indent);  // in a field
    read_literal_block(first.indent + marker);
  }

  // Returns true for a text that announces a literal block: "Example::", but not "Example\::".
  static bool announces_literal(std::string_view words) {
    if (!words.ends_with("::")) return false;
    words.remove_suffix(2);
    const std::size_t before = words.find_last_not_of('\\') + 1;  // npos + 1 is 0
    return (words.size() - before) % 2 == 0;
  }

  // Returns the total length of the markers at the start of a line, such as "- ", "12. " and "(a) ". Several items may
  // begin on one line. The literal blocks of items are indented by more than this.
  static std::size_t marker_length(std::string_view words) {
    constexpr std::size_t max_markers = 8;
    std::size_t length = 0;
    for (std::size_t i = 0; i < max_markers; ++i) {
      const std::string_view rest = words.substr(length);
      std::size_t mark = item_marker_length(rest);
      if (mark == 0) mark = enumerator_length(rest);
      if (mark == 0) return length;
      length += std::min(rest.find_first_not_of(' ', mark), rest.size());
    }
    return length;
  }

  // Returns the length of an enumerator such as "a. ", "B) ", "(1) " and "(iv) ", or 0.
  static std::size_t enumerator_length(std::string_view words) {
    constexpr std::size_t max_digits = 5;
    const std::size_t open = words.starts_with('(') ? 1 : 0;
    const std::string_view rest = words.substr(open);
    std::size_t end = std::min(rest.find_first_not_of("0123456789ivxlcmIVXLCM"), rest.size());
    if (end == 0 && !rest.empty() && is_ascii_letter(rest[0])) end = 1;
    const bool is_mark = end > 0 && end <= max_digits && end + 1 < rest.size() && rest[end + 1] == ' ' &&
                         (rest[end] == ')' || (rest[end] == '.' && open == 0));
    return is_mark ? open + end + 1 : 0;
  }

  // Reads the literal block of a paragraph with this indentation. The block is indented deeper, or each of its lines
  // begins with the same punctuation mark.
  void read_literal_block(std::size_t indent) {
    const std::size_t end = indented_block_end(source_, at_, indent);
    if (end > at_) return read_verbatim_to(end);
    ProseLine line = prose_line(source_, at_);
    while (line.blank() && line.next < source_.size()) line = prose_line(source_, line.next);
    if (line.blank() || line.indent != indent) return;
    const char quote = source_[line.start];
    const bool is_mark = is_ascii(quote) && !is_ascii_alphanumeric(quote) && !is_ascii_space(quote);
    if (!is_mark) return;
    std::size_t quoted_end = line.next;
    while (quoted_end < source_.size()) {
      const ProseLine more = prose_line(source_, quoted_end);
      if (more.blank() || more.indent != indent || source_[more.start] != quote) break;
      quoted_end = more.next;
    }
    read_verbatim_to(quoted_end);
  }

  // Reads a literal block in the body of a field or directive. The body began on the line of its marker, which has this
  // indentation. The indentation of the body is known only from the following lines, so the first of them determines
  // the indentation of the literal text.
  void read_literal_block_of_body(std::size_t indent) {
    ProseLine line = prose_line(source_, at_);
    while (line.blank() && line.next < source_.size()) line = prose_line(source_, line.next);
    if (!line.blank() && line.indent > indent) read_verbatim(line.indent - 1);
  }

  // Returns the whole argument of a directive, which may continue on the following lines up to the options.
  TextRange whole_argument(const ProseLine& line, TextRange argument) {
    while (at_ < source_.size()) {
      const ProseLine more = prose_line(source_, at_);
      if (more.blank() || more.indent <= line.indent || source_[more.start] == ':') break;
      if (argument.length == 0) argument.offset = more.start;
      argument.length = more.end - argument.offset;
      at_ = more.next;
    }
    return argument;
  }

  void read_verbatim(std::size_t indent) { read_verbatim_to(indented_block_end(source_, at_, indent)); }
  void read_verbatim_to(std::size_t end) {
    if (document_.include_verbatim) add_prose_links(source_, {at_, end - at_}, found_);
    at_ = end;
  }

  // Reads ".. ", which begins a target, directive, footnote or comment.
  void read_explicit(const ProseLine& line) {
    at_ = line.next;
    std::size_t start = std::min(line.start + 3, line.end);
    while (start < line.end && is_ascii_space(source_[start])) ++start;
    const std::string_view words = source_.substr(start, line.end - start);
    const bool is_empty_comment = words.empty() && prose_line(source_, at_).blank();
    if (is_empty_comment) return;  // the indented text below is a quote
    if (words.starts_with('_')) return read_target(line, start + 1);
    if (words.starts_with('[')) {
      read_rst_inline(source_, {start, line.end - start}, document_, found_, items_);
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
      const std::size_t end = indented_block_end(source_, at_, line.indent);
      add_ignore_comment(source_, {line.start, end - line.start}, found_);
      at_ = end;
      return;
    }
    const std::string_view argument = trim_ascii(rest.substr(colons + 2));
    read_directive(line, to_ascii_lower(name.substr(0, 64)),
                   {static_cast<std::size_t>(argument.data() - source_.data()), argument.size()});
  }

  void read_directive(const ProseLine& line, std::string_view name, TextRange argument) {
    if (is_one_of(image_directives, name)) return read_image(line, argument);
    if (name == "include" || name == "literalinclude") document_.add_include(source_, argument, name);
    if (name == "toctree") add_toctree(line);
    if (is_one_of(verbatim_directives, name)) return read_verbatim(line.indent);
    if (name == "raw" && slice(argument) == "html") {
      const std::size_t end = indented_block_end(source_, at_, line.indent);
      add_html_links(source_, {at_, end - at_}, document_.include_verbatim, found_);
      at_ = end;
      return;
    }
    if (name == "parsed-literal") return read_parsed_literal(line, argument);
    if (name == "role") return read_role(slice(argument));
    if (name == "default-role") document_.is_default_literal = is_one_of(literal_roles, slice(argument));
    if (argument.length == 0) return;
    argument = whole_argument(line, argument);
    read_rst_inline(source_, argument, document_, found_, items_);
    if (announces_literal(slice(argument))) read_literal_block_of_body(line.indent);
  }

  // Adds the documents of a table of contents. The lines are then read as usual, because they may be URLs.
  void add_toctree(const ProseLine& directive) {
    constexpr std::array<std::string_view, 5> generated{"self", "genindex", "modindex", "search", "py-modindex"};
    if (at_ < toctree_end_) return;  // inside of another one, whose lines are read already
    const std::size_t end = indented_block_end(source_, at_, directive.indent);
    toctree_end_ = end;
    bool has_patterns = false;
    for (std::size_t at = at_; at < end;) {
      const ProseLine line = prose_line(source_, at);
      at = line.next;
      TextRange entry = line.range();
      const std::string_view words = slice(entry);
      if (words.starts_with(":glob:")) has_patterns = true;
      const bool is_comment = words.starts_with("..") && !words.starts_with("../");
      if (words.starts_with(':') || is_comment) continue;  // or an option
      const std::size_t open = start_of_target(words);
      const bool has_title = open != std::string_view::npos && open > 0;
      if (has_title) entry = {entry.offset + open + 1, words.size() - open - 2};
      const std::string_view target = slice(entry);
      const bool is_pattern = has_patterns && !has_title && target.find('[') != std::string_view::npos;
      const std::string_view name = target.substr(std::min(target.find_first_not_of("./"), target.size()));
      if (target.find("://") == std::string_view::npos && !is_pattern && !is_one_of(generated, name))
        document_.add_include(source_, entry, "toctree");
    }
  }

  // Reads the directive parsed-literal, whose text keeps its line breaks and may contain links.
  void read_parsed_literal(const ProseLine& line, TextRange argument) {
    const std::size_t end = indented_block_end(source_, at_, line.indent);
    const std::size_t start = argument.length > 0 ? argument.offset : at_;
    at_ = end;
    if (end > start) read_rst_inline(source_, {start, end - start}, document_, found_, items_);
  }

  // Reads ".. role:: py(code)".
  void read_role(std::string_view argument) {
    const std::size_t open = argument.find('(');
    if (open == std::string_view::npos || argument.size() > max_rst_name_bytes || !argument.ends_with(')')) return;
    const std::string base = to_ascii_lower(trim_ascii(argument.substr(open + 1, argument.size() - open - 2)));
    if (document_.is_literal(base) && document_.own_literal_roles.size() < max_own_roles)
      document_.own_literal_roles.insert(to_ascii_lower(trim_ascii(argument.substr(0, open))));
  }

  // Reads an image. Its options ":target: url" and ":alt: text" are on the following lines.
  void read_image(const ProseLine& line, TextRange argument) {
    const std::size_t image = found_.links.size();
    argument = whole_argument(line, argument);
    const bool is_pattern = slice(argument).ends_with(".*");  // Sphinx chooses one of the files
    if (argument.length > 0 && !is_pattern) {
      found_.links.emplace_back(argument.offset, argument.length, LinkElement::image, image_url(slice(argument)),
                                FoundText(), false);
    }
    std::string alt;
    std::size_t targets = found_.links.size();
    while (at_ < source_.size()) {
      const ProseLine option = prose_line(source_, at_);
      const std::string_view words = slice(option.range());
      if (option.indent <= line.indent || !words.starts_with(':')) break;
      at_ = option.next;
      const std::size_t colon = words.find(": ");
      if (colon == std::string_view::npos) continue;
      const std::string_view value = trim_ascii(words.substr(colon + 1));
      if (words.starts_with(":alt:")) alt = collapse_space(value, max_link_text_bytes);
      if (!words.starts_with(":target:")) continue;
      if (value.ends_with('_') && value.find("://") == std::string_view::npos) {
        document_.references.try_emplace(rst_name(trim_marks(value)), RstReference{option.start, 0, badge_context});
      } else {
        found_.links.emplace_back(static_cast<std::size_t>(value.data() - source_.data()), value.size(),
                                  LinkElement::link, rst_url(value), FoundText(), false);
        found_.links.back().context = badge_context;
      }
    }
    for (std::size_t i = std::min(image, targets); i < found_.links.size(); ++i) found_.links[i].text = alt;
  }

  std::string image_url(std::string_view written) const {
    std::string url = rst_url(written);
    if (generator_ != SiteGenerator::sphinx || url.find("://") != std::string::npos) return url;
    for (std::size_t at = url.find_first_of("#?"); at != std::string::npos; at = url.find_first_of("#?", at))
      url.replace(at, 1, url[at] == '#' ? "%23" : "%3F");
    return url;
  }

  static std::string_view trim_marks(std::string_view name) {
    while (name.ends_with('_') || name.ends_with('`')) name.remove_suffix(1);
    while (name.starts_with('`')) name.remove_prefix(1);
    return name;
  }

  // Returns the end of the name in "name: url" or "`na:me`: url". A blank or the end of the line must follow the colon,
  // and "::" does not count.
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

  // Reads "_name: url". The URL may be on the following lines.
  void read_target(const ProseLine& line, std::size_t name) {
    const std::string_view words = source_.substr(name, line.end - name);
    const std::size_t colon = end_of_name(words);
    if (colon == std::string_view::npos) return;
    const std::string_view label = words.substr(0, colon);
    const bool quoted = words.starts_with('`');
    std::size_t start = name + colon + (quoted ? 2 : 1);
    std::size_t end = line.end;
    while (at_ < source_.size()) {
      const ProseLine more = prose_line(source_, at_);
      if (more.blank() || more.indent <= line.indent) break;
      end = more.end;
      at_ = more.next;
    }
    while (start < end && is_ascii_space(source_[start])) ++start;
    add_target({start, end - start}, quoted ? label.substr(1) : label, label == "_");
  }

  void add_target(TextRange range, std::string_view name, bool anonymous) {
    const std::string_view written = slice(range);
    const bool alias = written.ends_with('_') && written.find("://") == std::string_view::npos;
    if (alias) document_.references.try_emplace(rst_name(trim_marks(written.substr(0, max_rst_name_bytes))));
    if (written.empty() || alias) return;
    definitions_.push_back({anonymous ? std::string() : rst_name(name), found_.links.size()});
    if (anonymous) document_.references.try_emplace(std::string());
    found_.links.emplace_back(range.offset, range.length, LinkElement::definition, rst_url(written),
                              anonymous ? std::string() : collapse_space(name, max_link_text_bytes), false);
  }

  struct Definition {
    std::string name;
    std::size_t link;
  };

  std::string_view source_;
  RstDocument document_;
  SiteGenerator generator_;
  std::size_t at_ = 0;
  FoundLinks found_;
  ProseItems items_{found_};
  std::string adornments_;  // the styles of headings in the order of their first use, two bytes per level
  std::vector<Definition> definitions_;
  std::size_t toctree_end_ = 0;  // of the last table of contents
};

}  // namespace

FoundLinks read_rst_links(std::string_view text, bool include_verbatim, SiteGenerator generator) {
  return RstReader(text, include_verbatim, generator).read();
}

}  // namespace linkherd::parser
