// Extracts <title> and the visible headings.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/page.h"
#include "parser/metadata/page_regions.h"
#include "parser/metadata/text_values.h"
#include "parser/metadata/title_appendix.h"

namespace linkherd::parser {
namespace {

// Returns true for reading aids (ruby) and buttons inside a heading.
bool is_no_text(GumboTag tag) { return tag == GUMBO_TAG_RT || tag == GUMBO_TAG_RP || tag == GUMBO_TAG_BUTTON; }

// Appends the text of a node, without reading aids and buttons.
void collect_text(const GumboNode* node, std::string& text) {
  if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA || node->type == GUMBO_NODE_WHITESPACE) {
    text += node->v.text.text;
  } else if (node->type == GUMBO_NODE_ELEMENT) {
    if (is_no_text(node->v.element.tag)) return;
    const GumboVector& children = node->v.element.children;
    for (unsigned i = 0; i < children.length; ++i) collect_text(static_cast<const GumboNode*>(children.data[i]), text);
  }
}

bool has_ruby_or_button(HtmlElement heading) {
  const GumboVector& children = heading.node()->v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type != GUMBO_NODE_ELEMENT) continue;
    if (child->v.element.tag == GUMBO_TAG_RUBY || child->v.element.tag == GUMBO_TAG_BUTTON) return true;
  }
  return false;
}

std::string text_of_heading(HtmlElement heading) {
  std::string text;
  if (has_ruby_or_button(heading))
    collect_text(heading.node(), text);
  else
    text = heading.text();
  return without_appendix(clean_value(text, max_title));
}

// Returns the text directly in a heading, without child elements such as a category, a date or a subtitle.
std::string own_text_of_heading(HtmlElement heading) {
  std::string text;
  const GumboVector& children = heading.node()->v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type == GUMBO_NODE_ELEMENT) text += ' ';
    if (child->type == GUMBO_NODE_TEXT) text += child->v.text.text;
  }
  return children.length > 1 ? clean_value(text, max_title) : std::string();
}

bool is_headline_by_name(HtmlElement element) {
  static constexpr std::array<std::string_view, 12> names{
      "entry-title",   "post-title",  "article-title", "article__title",
      "headline",      "post__title", "entry__title",  "article-header__title",
      "title-article", "p-name",      "story-title",   "page-title"};
  return element.has_any_class(names);
}

// Returns the normalized letters of the parts before and after each separator, the longest first.
std::vector<std::string> ends_of(std::string_view title) {
  constexpr std::size_t max_cuts = 16;
  std::vector<std::string> ends;
  for (const std::string_view separator : title_separators) {
    for (std::size_t at = title.find(separator); at != std::string_view::npos && ends.size() < 2 * max_cuts;
         at = title.find(separator, at + separator.size())) {
      ends.push_back(extract_letters(title.substr(0, at)));
      ends.push_back(extract_letters(title.substr(at + separator.size())));
    }
  }
  std::ranges::stable_sort(ends, std::ranges::greater(), &std::string::size);
  return ends;
}

// Adds the lines of text that equal a part of the title, the longest first. A page without a heading for its title
// often shows it in a line of its own.
void add_lines_of_title(const Page& page, const std::string& title, Candidates& candidates) {
  const std::vector<std::string> ends = ends_of(title);
  if (ends.empty()) return;
  std::vector<std::string> lines(ends.size());
  for (const HtmlElement element : page.searched_elements()) {
    if (element.node()->v.element.tag == GUMBO_TAG_TITLE) continue;
    const std::string_view text_begin = element.short_text_prefix(title.size());
    // Most elements begin with another letter.
    const char first = text_begin.empty() ? ' ' : ascii_lower(text_begin.front());
    if (is_ascii_alphanumeric(first) &&
        std::ranges::none_of(ends, [&](const std::string& end) { return end.starts_with(first); }))
      continue;
    const std::string beginning = extract_letters(text_begin);
    const bool may_be_end = !beginning.empty() && std::ranges::any_of(ends, [&](const std::string& end) {
      return end.starts_with(beginning);
    });
    if (!may_be_end) continue;
    const auto text = element.short_text(title.size());
    if (!text) continue;
    const auto end = std::ranges::find(ends, extract_letters(*text));
    if (end == ends.end() || end->empty() || page.regions.is_secondary(element)) continue;
    std::string& line = lines[static_cast<std::size_t>(end - ends.begin())];
    if (line.empty()) line = without_appendix(*text);
  }
  for (std::string& line : lines) {
    if (!line.empty()) add(candidates.headings, std::move(line), "line", 0.5);
  }
}

}  // namespace

void extract_html_title(const Page& page, Candidates& candidates) {
  bool title_seen = false;
  std::string title;
  std::size_t headings = 0;
  for (const HtmlElement element : page.searched_elements()) {
    const GumboTag tag = element.node()->v.element.tag;
    if (tag == GUMBO_TAG_TITLE && !title_seen) {
      title_seen = true;
      if (std::string text = clean_value(element.text(), max_title); !text.empty()) {
        title = text;
        add(candidates.titles, std::move(text), "title", 0.6);
      }
    }
    const bool is_h1 = tag == GUMBO_TAG_H1;
    const bool is_other = (tag == GUMBO_TAG_H2 || tag == GUMBO_TAG_H3 || tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_P ||
                           tag == GUMBO_TAG_SPAN || tag == GUMBO_TAG_A) &&
                          (tag == GUMBO_TAG_H2 || is_headline_by_name(element));
    if ((!is_h1 && !is_other) || headings >= 60) continue;
    ++headings;
    std::string text = text_of_heading(element);
    if (text.empty() || page.regions.is_secondary(element)) continue;
    const bool by_name = is_headline_by_name(element);
    if (is_h1) {
      std::string own = own_text_of_heading(element);
      if (own == text) own.clear();
      add(candidates.headings, std::move(text), "h1", by_name ? 0.85 : 0.8);
      if (!own.empty()) add(candidates.headings, std::move(own), "h1:part", 0.5);
    } else {
      add(candidates.headings, std::move(text), tag == GUMBO_TAG_H2 ? "h2" : "headline", by_name ? 0.6 : 0.3);
    }
  }
  const std::string letters = extract_letters(title);
  const bool is_shown = std::ranges::any_of(
      candidates.headings, [&](const auto& heading) { return agree(extract_letters(heading.value), letters); });
  if (!is_shown) add_lines_of_title(page, title, candidates);
}

}  // namespace linkherd::parser
