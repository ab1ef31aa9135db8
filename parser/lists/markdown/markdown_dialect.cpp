#include "parser/lists/markdown/markdown_dialect.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "parser/ascii.h"
#include "parser/lists/line_index.h"
#include "parser/lists/markdown/markdown_math.h"

namespace linkherd::parser {
namespace {

// Returns true if content may be indented below "Term" and ": definition".
bool has_definition_lists(SiteGenerator generator) {
  constexpr std::array<SiteGenerator, 6> generators{SiteGenerator::jekyll, SiteGenerator::mkdocs,
                                                    SiteGenerator::hugo,   SiteGenerator::quarto,
                                                    SiteGenerator::sphinx, SiteGenerator::pelican};
  return std::ranges::find(generators, generator) != generators.end();
}

// Returns true if raw HTML ends with its end tag. In CommonMark it ends before the next blank line.
bool ends_html_with_tag(SiteGenerator generator) {
  return generator == SiteGenerator::jekyll || generator == SiteGenerator::mkdocs ||
         generator == SiteGenerator::pelican;
}

// Returns the length of the run of `c` at the start of a text.
std::size_t run_of(std::string_view text, char c) { return std::min(text.find_first_not_of(c), text.size()); }

// Returns the fence at the start of a line, such as "```" or "~~~~". Empty for other lines.
std::string_view fence_of(std::string_view inside) {
  if (inside.empty() || (inside.front() != '`' && inside.front() != '~')) return {};
  const std::size_t length = run_of(inside, inside.front());
  return length >= 3 ? inside.substr(0, length) : std::string_view();
}

// Returns the name of a tag: "div" for "<div class=x>" and for "</div>".
std::string_view tag_name(std::string_view tag) {
  tag.remove_prefix(tag.starts_with("</") ? 2 : 1);
  return tag.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(tag, is_ascii_alphanumeric) - tag.begin()));
}

// Returns true for a tag with markdown="1", markdown='block', markdown=span, or the attribute without a value.
bool has_markdown_attribute(std::string_view tag) {
  constexpr std::string_view name = "markdown";
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    if (at == 0 || !is_ascii_space(tag[at - 1])) continue;
    std::string_view value = tag.substr(at + name.size());
    if (value.empty() || is_ascii_space(value.front()) || value.front() == '>') return true;
    if (value.front() != '=') continue;
    value.remove_prefix(1);
    if (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.remove_prefix(1);
    const auto begins = [value](std::string_view word) { return value.starts_with(word); };
    return begins("1") || begins("block") || begins("span") || begins("true");
  }
  return false;
}

constexpr std::array<std::string_view, 5> verbatim_tags{"pre", "script", "style", "textarea", "code"};

// Elements whose content is Markdown for Pandoc, and for kramdown with its option parse_block_html.
constexpr std::array<std::string_view, 11> block_tags{"div",    "section", "details", "figure", "aside", "article",
                                                      "header", "footer",  "center",  "main",   "p"};

// Further elements of which this is true for kramdown.
constexpr std::array<std::string_view, 19> kramdown_tags{
    "address", "blockquote", "body", "caption", "dd",       "dl",     "dt",      "fieldset", "form",      "hgroup",
    "legend",  "li",         "menu", "nav",     "noscript", "object", "summary", "td",       "figcaption"};

// Elements that kramdown reads as part of a paragraph, unless they contain other elements whose content is raw.
constexpr std::array<std::string_view, 25> inline_tags{
    "a",  "abbr", "b",  "big", "br",  "button", "cite", "del",    "em",  "h1",  "h2",   "h3",   "h4",
    "h5", "h6",   "hr", "i",   "img", "input",  "ins",  "strong", "sub", "sup", "span", "small"};

constexpr std::string_view zero_width_space = "\xE2\x80\x8B";  // no longer than a tag

// MyST directives whose content is Markdown.
constexpr std::array<std::string_view, 35> markdown_directives{
    "note",     "warning",  "tip",          "hint",           "important",  "attention", "caution",
    "danger",   "error",    "seealso",      "admonition",     "todo",       "grid",      "versionadded",
    "card",     "tab-set",  "tab-item",     "versionchanged", "deprecated", "dropdown",  "grid-item",
    "epigraph", "topic",    "sidebar",      "grid-item-card", "margin",     "div",       "container",
    "exercise", "solution", "tab-set-code", "figure",         "rubric",     "aside",     "versionremoved"};

// Returns the name of a MyST directive: "note" for "```{note} Title". Empty if there is none.
std::string_view directive_name(std::string_view inside, std::string_view fence) {
  const std::string_view info = inside.substr(fence.size());
  const std::size_t close = info.find('}');
  return info.starts_with('{') && close != std::string_view::npos ? info.substr(1, close - 1) : std::string_view();
}

class DialectPass {
 public:
  DialectPass(std::string& text, const MarkdownOptions& options)
      : text_(text), options_(options), generator_(options.generator), has_math_fences_(has_math_fences(options)) {
    parses_block_html_ = generator_ == SiteGenerator::quarto || options.parses_block_html;
  }

  std::vector<TextRange> run() {
    if (generator_ == SiteGenerator::jekyll) hide_kramdown_extensions();
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = find_line_break(text_, start);
      read({start, end});
      start = after_line_break(text_, end);
    }
    end_paragraph(text_.size());
    return std::move(tags_);
  }

 private:
  struct Line {
    std::size_t start, end;
  };
  static constexpr std::size_t max_elements = 16;  // the stack is searched for each end tag
  struct Element {
    std::string name;
    bool is_raw = false;  // its content is HTML
    std::size_t depth = 1;
  };

  std::string_view part(std::size_t from, std::size_t to) const {
    return std::string_view(text_).substr(from, to - from);
  }

  void blank(std::size_t from, std::size_t to) {
    std::replace_if(
        text_.begin() + static_cast<std::ptrdiff_t>(from), text_.begin() + static_cast<std::ptrdiff_t>(to),
        [](char c) { return !is_ascii_space(c); }, ' ');
  }

  // Hides comments and disables links in text that kramdown copies to the page unchanged.
  void hide_kramdown_extensions() {
    const auto hide = [this](std::size_t from, std::size_t to) { blank(from, to); };
    for_each_between("{::comment}", "{:/", "}", hide);
    for_each_between("{% comment %}", "{% endcomment", "%}", hide);
    for_each_between("{%- comment -%}", "{%- endcomment", "%}", hide);
    for_each_between("{::nomarkdown}", "{:/", "}", [this](std::size_t from, std::size_t to) {
      for (std::size_t at = from; at < to; ++at) {
        if (text_[at] == '[' || text_[at] == ']') text_[at] = 'x';
      }
    });
  }

  // An option of kramdown applies to the text below it.
  void read_kramdown_option(std::string_view line) {
    if (!line.starts_with("{::options")) return;
    if (line.find("parse_block_html=\"true\"") != std::string_view::npos) parses_block_html_ = true;
    if (line.find("parse_block_html=\"false\"") != std::string_view::npos) parses_block_html_ = false;
  }

  // Calls `use` with the range of each pair of delimiters. Stops at the first pair that is not closed.
  template <class Use>
  void for_each_between(std::string_view open, std::string_view close, std::string_view end, const Use& use) {
    constexpr std::size_t max_closer = 20;
    for (std::size_t at = text_.find(open); at != std::string::npos; at = text_.find(open, at)) {
      const std::size_t last = text_.find(close, at + open.size());
      if (last == std::string::npos) return;
      const std::size_t after = text_.find(end, last);
      if (after == std::string::npos || after - last > max_closer) return;
      use(at, after + end.size());
      at = after + end.size();
    }
  }

  void read(const Line& line) {
    const std::size_t first = std::min(text_.find_first_not_of(" \t", line.start), line.end);
    const std::string_view inside = part(first, line.end);
    if (!code_fence_.empty()) {
      if (inside.starts_with(code_fence_) &&
          trim_ascii(inside).find_first_not_of(code_fence_.front()) == std::string::npos)
        code_fence_.clear();
      paragraph_ = after_line_break(text_, line.end);
      return;
    }
    if (inside.empty()) {
      end_paragraph(line.start);
      paragraph_ = line.end;
      is_after_blank_ = true;
      return;
    }
    const std::size_t indent = first - line.start;
    settle_markers(indent);
    if (const std::string_view fence = fence_of(inside); !fence.empty()) {
      end_paragraph(line.start);
      paragraph_ = after_line_break(text_, line.end);
      math_fence_.reset();
      read_fence(first, line.end, fence);
    } else if (inside.starts_with("$$") && has_math_fences_ && trim_ascii(inside) == "$$") {
      read_math_fence(line);
    } else {
      if (inside.front() == '#') math_fence_.reset();
      if (indent < 4) note_marker(first, inside);
      if (generator_ == SiteGenerator::jekyll) read_kramdown_option(inside);
      read_html(first, line.end);
    }
    is_after_blank_ = false;
  }

  void end_paragraph(std::size_t end) {
    if (paragraph_ < end) disable_math(text_, paragraph_, end, options_);
  }

  void read_fence(std::size_t first, std::size_t end, std::string_view fence) {
    const std::string_view inside = part(first, end);
    const bool is_alone = trim_ascii(inside).size() == fence.size();
    if (is_alone && !directives_.empty() && fence.starts_with(directives_.back())) {
      directives_.pop_back();
      blank(first, end);
      return;
    }
    const bool is_directive =
        generator_ == SiteGenerator::sphinx && is_one_of(markdown_directives, directive_name(inside, fence));
    if (is_directive) {
      directives_.emplace_back(fence);
      blank(first, end);
      return;
    }
    const bool is_code_span = fence.front() == '`' && inside.find('`', fence.size()) != std::string_view::npos;
    if (!is_code_span) code_fence_ = fence;
  }

  // Reads a line that is only "$$". A heading or a code fence between two such lines shows that they are not a pair.
  void read_math_fence(const Line& line) {
    if (!math_fence_) {
      math_fence_ = line.end;
      return;
    }
    disable_range(text_, *math_fence_, line.start);
    paragraph_ = after_line_break(text_, line.end);
    math_fence_.reset();
  }

  // Records the marker of a footnote or definition. It becomes the marker of a list item if a paragraph that is
  // indented by four follows, because that paragraph would otherwise be code.
  void note_marker(std::size_t first, std::string_view inside) {
    if (is_after_blank_) markers_.clear();
    constexpr std::size_t max_label = 200;
    const std::size_t close =
        inside.starts_with("[^") ? inside.substr(0, max_label).find("]:") : std::string_view::npos;
    const bool is_footnote = close != std::string_view::npos && close > 2 && (is_after_blank_ || !markers_.empty());
    const bool is_definition = has_definition_lists(generator_) && inside.size() > 2 &&
                               (inside.front() == ':' || inside.front() == '~') && inside[1] == ' ';
    if (is_footnote || is_definition) markers_.push_back(first);
  }

  void settle_markers(std::size_t indent) {
    if (!is_after_blank_ || markers_.empty() || indent < 4) return;
    for (const std::size_t marker : markers_) {
      if (text_[marker] == '[') {
        text_.replace(marker, 3, "0) ");
      } else {
        text_[marker] = '-';
      }
    }
    markers_.clear();
  }

  void read_html(std::size_t first, std::size_t end) {
    if (text_[first] == '<' && opens_markdown(first, end)) return;
    if (!elements_.empty()) follow_element(first, end);
  }

  // Returns true if the line begins with the tag of an element whose content is Markdown.
  bool opens_markdown(std::size_t first, std::size_t end) {
    const std::string_view inside = part(first, end);
    const std::size_t close = inside.find('>');
    if (close == std::string_view::npos || inside.size() < 2 || !is_ascii_letter(inside[1])) return false;
    const std::string_view tag = inside.substr(0, close + 1);
    const std::string name = to_ascii_lower(tag_name(tag));
    if (is_one_of(verbatim_tags, name) || tag.ends_with("/>")) return false;
    const bool is_alone = trim_ascii(inside).size() == tag.size();
    const bool is_marked = has_markdown_attribute(tag);
    const bool is_disabled = tag.find("markdown=\"0\"") != std::string_view::npos;
    const bool is_plain = parses_block_html_ && !is_disabled && contains_markdown(name, inside.substr(close + 1));
    if (!is_marked && !is_plain) return opens_marked_inside(first, end) || opens_raw(name, first + close + 1, end);
    if (is_alone && !is_text_below(end, is_plain && generator_ != SiteGenerator::jekyll)) return false;
    hide_tag(first, close + 1, is_alone);
    // A line that is only "<img src=x>" would begin an HTML block. It does not after text, even invisible text.
    if (is_alone && is_plain && generator_ == SiteGenerator::jekyll && is_inline_tag_below(end))
      text_.replace(first, zero_width_space.size(), zero_width_space);
    elements_.push_back({name, false});
    if (!is_alone) follow_element(first + close + 1, end);
    return true;
  }

  // Returns true if an element without the attribute has Markdown in its content, which begins with `rest` on the line
  // of the tag. In kramdown it may begin there, also after other tags. kramdown does not know <center>.
  bool contains_markdown(std::string_view name, std::string_view rest) const {
    const bool is_kramdown = generator_ == SiteGenerator::jekyll;
    if (is_kramdown && name == "center") return false;
    if (!is_one_of(block_tags, name) && !(is_kramdown && is_one_of(kramdown_tags, name))) return false;
    rest = trim_ascii(rest);
    if (!is_kramdown) return rest.empty();
    while (rest.starts_with('<') && rest.size() > 1 && is_ascii_letter(rest[1])) {
      const std::string inner = to_ascii_lower(tag_name(rest));
      if (!is_one_of(block_tags, inner) && !is_one_of(kramdown_tags, inner) && !is_one_of(inline_tags, inner))
        return false;
      rest = trim_ascii(rest.substr(std::min(rest.find('>'), rest.size() - 1) + 1));
    }
    return true;
  }

  // Returns true if the next line is one tag of an element that kramdown reads as part of a paragraph.
  bool is_inline_tag_below(std::size_t end) const {
    const std::size_t start = after_line_break(text_, end);
    const std::string_view line = trim_ascii(part(start, find_line_break(text_, start)));
    return line.starts_with('<') && line.find('>') == line.size() - 1 &&
           is_one_of(inline_tags, to_ascii_lower(tag_name(line)));
  }

  // Reads `<div><p markdown="1">`: kramdown reads the Markdown in a marked element, whatever element is around it.
  // Returns false if there is no marked element after the tags at the start of the line.
  bool opens_marked_inside(std::size_t first, std::size_t end) {
    if (generator_ != SiteGenerator::jekyll) return false;
    std::vector<TextRange> outer;
    std::size_t inner = first;
    while (true) {
      const std::string_view rest = part(inner, end);
      const std::string_view tag = rest.substr(0, rest.find('>') + 1);  // npos + 1 is 0
      if (tag.size() < 3 || !is_ascii_letter(tag[1]) || outer.size() + elements_.size() >= max_elements) return false;
      if (is_one_of(verbatim_tags, to_ascii_lower(tag_name(tag)))) return false;
      if (has_markdown_attribute(tag)) break;
      outer.push_back({inner, tag.size()});
      inner = std::min(text_.find_first_not_of(" \t", inner + tag.size()), end);
      if (inner == end || text_[inner] != '<') return false;
    }
    const std::size_t depth = elements_.size();
    for (const TextRange& range : outer) {
      std::string name = to_ascii_lower(tag_name(part(range.offset, end)));
      if (is_one_of(block_tags, name)) elements_.push_back({std::move(name), true});
    }
    const std::size_t tag_count = tags_.size();
    if (!opens_markdown(inner, end)) {
      elements_.resize(depth);
      return false;
    }
    const bool is_alone = tags_.size() > tag_count;
    if (is_alone) tags_.back() = {first, inner + tags_.back().length - first};
    for (const TextRange& range : outer) {
      if (is_alone)
        blank(range.offset, range.offset + range.length);
      else
        hide_tag(range.offset, range.length, false);
    }
    return true;
  }

  // Starts to track an element whose content is HTML, so that Markdown may follow its end tag. The text from `after` to
  // `end` is the rest of the line.
  bool opens_raw(const std::string& name, std::size_t after, std::size_t end) {
    if (!ends_html_with_tag(generator_) || !is_one_of(block_tags, name) || elements_.size() >= max_elements)
      return false;
    elements_.push_back({name, true});
    follow_element(after, end);
    return true;
  }

  // Returns true if the innermost element is raw and the end tag is that of an element around it, as after "<p>".
  bool ends_outer_element(std::string_view tag) const {
    if (!elements_.back().is_raw || !tag.starts_with("</")) return false;
    const auto is_same = [name = tag_name(tag)](const Element& element) {
      return equals_ignoring_case(name, element.name);
    };
    return !is_same(elements_.back()) && std::ranges::any_of(elements_, is_same);
  }

  // Returns true if the next text below is not indented by four or more. Such lines would be code, although their tags
  // may have links. If `no_tags` is true, the text must not begin with a tag either.
  bool is_text_below(std::size_t end, bool no_tags) const {
    std::size_t start = after_line_break(text_, end);
    while (start < text_.size()) {
      const std::size_t first = std::min(text_.find_first_not_of(" \t", start), find_line_break(text_, start));
      if (first < text_.size() && text_[first] != '\n' && text_[first] != '\r')
        return first - start < 4 && text_[start] != '\t' && (!no_tags || text_[first] != '<');
      start = after_line_break(text_, first);
    }
    return false;
  }

  // Hides a tag from md4c. A tag alone on its line would begin an HTML block, so it is blanked. Before other text the
  // tag gets another name, which md4c reads as part of a paragraph.
  void hide_tag(std::size_t first, std::size_t length, bool is_alone) {
    if (is_alone) {
      tags_.push_back({first, length});
      blank(first, first + length);
    } else {
      text_[first + (text_[first + 1] == '/' ? 2 : 1)] = 'x';
    }
  }

  // Tracks the tags of the innermost element, so that its end tag does not hide the Markdown after it.
  void follow_element(std::size_t first, std::size_t end) {
    const std::string_view line = part(0, end);
    for (std::size_t at = line.find('<', first); at != std::string_view::npos; at = line.find('<', at + 1)) {
      const std::string_view tag = line.substr(at);
      if (tag.size() < 2) continue;
      while (ends_outer_element(tag)) elements_.pop_back();
      Element& element = elements_.back();
      if (!equals_ignoring_case(tag_name(tag), element.name)) continue;
      if (tag[1] != '/') {
        ++element.depth;
      } else if (--element.depth == 0) {
        const std::size_t close = tag.find('>');
        const bool is_alone = close != std::string_view::npos && trim_ascii(tag).size() == close + 1;
        const bool is_markdown = !element.is_raw;
        const bool may_hide = is_alone || is_markdown;
        elements_.pop_back();
        const bool is_inside_raw = !elements_.empty() && elements_.back().is_raw;  // HTML follows
        if (at == first && close != std::string_view::npos && may_hide && !is_inside_raw)
          hide_tag(first, close + 1, is_alone);
        const bool follows_end_tag = at != first && line.substr(first).starts_with("</");
        if (follows_end_tag && is_markdown && !is_inside_raw) hide_tag(first, 0, false);  // "</div></div>"
        if (elements_.empty()) return;
      }
    }
  }

  std::string& text_;
  const MarkdownOptions& options_;
  SiteGenerator generator_;
  bool has_math_fences_;
  bool parses_block_html_ = false;
  std::vector<TextRange> tags_;
  std::vector<Element> elements_;        // open elements whose content is Markdown, innermost last
  std::vector<std::string> directives_;  // fences of the open directives
  std::string code_fence_;               // the open code fence; empty if none is open
  std::optional<std::size_t> math_fence_;
  std::vector<std::size_t> markers_;  // offsets of footnotes and definitions in the current paragraph
  std::size_t paragraph_ = 0;         // start of the current paragraph
  bool is_after_blank_ = true;
};

}  // namespace

std::vector<TextRange> prepare_dialect(std::string& text, const MarkdownOptions& options) {
  return DialectPass(text, options).run();
}

}  // namespace linkherd::parser
