#include "parser/metadata/page_regions.h"

#include <algorithm>
#include <array>
#include <string>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

constexpr int max_ancestors = 64;

// Beginnings of words in class names and ids.
constexpr std::array<std::string_view, 17> secondary_words{
    "ipp",  // the Wayback Machine's toolbar
    "comment",    "related",  "sidebar",  "recommend",  "popular", "widget", "teaser",  "promo",
    "breadcrumb", "trending", "carousel", "newsletter", "ticker",  "disqus", "respond", "advert"};

bool is_secondary_word(std::string_view word) {
  return std::ranges::any_of(secondary_words, [&](std::string_view known) { return word.starts_with(known); });
}

bool has_secondary_word(HtmlElement element) {
  bool is_widget = false;
  const bool has_other = class_or_id_has_word(element, [&](std::string_view word) {
    const bool is_secondary = is_secondary_word(word);
    is_widget = is_widget || (is_secondary && word.starts_with("widget"));
    return is_secondary && !word.starts_with("widget");
  });
  // Elementor builds whole pages of widgets.
  return has_other ||
         (is_widget && !class_or_id_has_word(element, [](std::string_view word) { return word == "elementor"; }));
}

}  // namespace

bool class_or_id_contains(HtmlElement element, std::string_view word) {
  for (const std::string_view name : {"class", "id"}) {
    if (const auto value = element.attribute(name); value && contains_ignoring_case(*value, word)) return true;
  }
  return false;
}

namespace {

// Returns true inside an <article>. Its <aside> or <footer> often has the date and author.
bool is_in_article(HtmlElement element) { return enclosing(element, "article").has_value(); }

// Returns true if the element itself is secondary. Ignores its ancestors.
bool looks_secondary(HtmlElement element) {
  switch (element.node()->v.element.tag) {
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN: return false;  // their classes describe the whole page
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_BLOCKQUOTE: return true;
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_FOOTER: return !is_in_article(element);
    default: break;
  }
  if (element.has_class("Blog")) return false;  // Blogger marks the post itself as a widget
  // The footer of a post is a part of it.
  const auto is_footer = [](std::string_view word) { return word.starts_with("footer"); };
  const auto is_post = [](std::string_view word) { return word == "post" || word == "entry" || word == "article"; };
  return class_or_id_has_word(element, is_footer) ? !class_or_id_has_word(element, is_post)
                                                  : has_secondary_word(element);
}

// Returns true in a breadcrumb or a menu: a heading there does not show where the article is.
bool is_in_navigation(HtmlElement element) {
  std::optional<HtmlElement> at = element.parent();
  for (int steps = 0; at && steps < 12; ++steps, at = at->parent()) {
    const GumboTag tag = at->node()->v.element.tag;
    if (tag == GUMBO_TAG_BODY || tag == GUMBO_TAG_ARTICLE || tag == GUMBO_TAG_MAIN) return false;
    if (tag == GUMBO_TAG_NAV || (tag == GUMBO_TAG_ASIDE && !is_in_article(*at))) return true;
    if (class_or_id_has_word(*at, [](std::string_view word) { return word.starts_with("breadcrumb"); })) return true;
  }
  return false;
}

}  // namespace

PageRegions::PageRegions(const HtmlDocument& document) {
  const auto& elements = document.elements();
  for (const GumboTag tag : {GUMBO_TAG_H1, GUMBO_TAG_H2}) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].node()->v.element.tag != tag || is_in_navigation(elements[i])) continue;
      const auto text = elements[i].short_text(1000);
      if (!text || text->empty()) continue;
      headline_ = i;
      for (const GumboNode* node = elements[i].node(); node != nullptr; node = node->parent)
        around_headline_.insert(node);
      return;
    }
  }
}

bool PageRegions::is_near_headline(std::size_t index) const {
  constexpr std::size_t before = 25;
  constexpr std::size_t after = 70;
  const std::size_t headline = headline_.value_or(0);  // if there is no headline: the start of the page
  return index + before >= headline && index <= headline + after;
}

bool PageRegions::is_secondary(HtmlElement element) const {
  std::optional<HtmlElement> at = element;
  bool answer = false;
  std::vector<const GumboNode*> asked;
  for (int steps = 0; at && steps < max_ancestors; ++steps, at = at->parent()) {
    if (around_headline_.contains(at->node())) break;
    if (const auto known = known_.find(at->node()); known != known_.end()) {
      answer = known->second;
      break;
    }
    asked.push_back(at->node());
    if (looks_secondary(*at)) {
      answer = true;
      break;
    }
  }
  for (const GumboNode* node : asked) known_.emplace(node, answer);
  return answer;
}

std::optional<HtmlElement> enclosing(HtmlElement element, std::string_view name, int steps) {
  std::optional<HtmlElement> at = element;
  for (; at && steps >= 0; --steps, at = at->parent()) {
    if (at->name() == name) return at;
  }
  return std::nullopt;
}

bool is_inside(HtmlElement element, HtmlElement outer) {
  std::optional<HtmlElement> at = element.parent();
  for (int steps = 0; at && steps < 12; ++steps, at = at->parent()) {
    if (*at == outer) return true;
  }
  return false;
}

}  // namespace linkherd::parser
