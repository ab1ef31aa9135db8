// <title> and the visible headings.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "parser/ascii.h"
#include "parser/metadata/page.h"
#include "parser/metadata/page_regions.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

// Removes the permalink sign that Sphinx, MkDocs and others append to a heading.
std::string without_permalink(std::string text) {
  for (const std::string_view mark : {"¶", "#", "🔗", "§", "\xEF\x83\x81"}) {
    if (text.ends_with(mark) && text.size() > mark.size() + 1) text.resize(text.size() - mark.size());
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

bool is_headline_by_name(HtmlElement element) {
  static constexpr std::array<std::string_view, 12> names{
      "entry-title",   "post-title",  "article-title", "article__title",
      "headline",      "post__title", "entry__title",  "article-header__title",
      "title-article", "p-name",      "story-title",   "page-title"};
  return element.has_class_of(names);
}

}  // namespace

void extract_html_title(const Page& page, Candidates& candidates) {
  bool title_seen = false;
  std::size_t headings = 0;
  for (const HtmlElement element : page.searched_elements()) {
    const GumboTag tag = element.node()->v.element.tag;
    if (tag == GUMBO_TAG_TITLE && !title_seen) {
      title_seen = true;
      if (std::string text = clean_value(element.text(), max_title); !text.empty()) {
        add(candidates.titles, std::move(text), "title", 0.6);
      }
    }
    const bool is_h1 = tag == GUMBO_TAG_H1;
    const bool is_other = (tag == GUMBO_TAG_H2 || tag == GUMBO_TAG_H3 || tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_P ||
                           tag == GUMBO_TAG_SPAN || tag == GUMBO_TAG_A) &&
                          (tag == GUMBO_TAG_H2 || is_headline_by_name(element));
    if ((!is_h1 && !is_other) || headings >= 60) continue;
    ++headings;
    std::string text = without_permalink(clean_value(element.text(), max_title));
    if (text.empty() || page.regions.is_secondary(element)) continue;
    const bool by_name = is_headline_by_name(element);
    if (is_h1) {
      add(candidates.headings, std::move(text), "h1", by_name ? 0.85 : 0.8);
    } else {
      add(candidates.headings, std::move(text), tag == GUMBO_TAG_H2 ? "h2" : "headline", by_name ? 0.6 : 0.3);
    }
  }
}

}  // namespace linkherd::parser
