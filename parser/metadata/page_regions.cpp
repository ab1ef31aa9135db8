#include "parser/metadata/page_regions.h"

#include <algorithm>
#include <array>
#include <string>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

constexpr int max_ancestors = 64;

constexpr std::array<std::string_view, 28> secondary_words{
    "comment",  "related",  "sidebar", "side-bar",   "recommend", "popular",    "widget",
    "teaser",   "promo",    "footer",  "breadcrumb", "copyright", "newsletter", "most-read",
    "mostread", "trending", "latest-", "more-news",  "morenews",  "read-more",  "readmore",
    "carousel", "ticker",   "disqus",  "respond",    "breaking",  "advert",     "wm-ipp"};

constexpr std::array<std::string_view, 4> own_footers{"post-footer", "entry-footer", "article-footer", "post__footer"};

// Checks the element itself, not its ancestors.
bool looks_secondary(HtmlElement element) {
  switch (element.node()->v.element.tag) {
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN: return false;  // the classes of these describe the whole page
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_NAV: return true;
    // The footer of an article often has its date and author.
    case GUMBO_TAG_FOOTER: return !enclosing(element, "article").has_value();
    default: break;
  }
  if (element.has_class("Blog")) return false;  // Blogger marks the post itself as a widget
  std::string called = to_ascii_lower(element.attribute("class").value_or(""));
  called += '\n';  // a separator that is in no word
  called += to_ascii_lower(element.attribute("id").value_or(""));
  if (called.size() == 1) return false;
  const auto contains = [&](std::string_view word) { return called.find(word) != std::string::npos; };
  return std::ranges::none_of(own_footers, contains) && std::ranges::any_of(secondary_words, contains);
}

}  // namespace

bool class_or_id_contains(HtmlElement element, std::string_view word) {
  for (const std::string_view name : {"class", "id"}) {
    if (const auto value = element.attribute(name); value && contains_ignoring_case(*value, word)) return true;
  }
  return false;
}

namespace {

// A heading in a breadcrumb or a menu does not show where the article is.
bool is_in_navigation(HtmlElement element) {
  std::optional<HtmlElement> at = element.parent();
  for (int steps = 0; at && steps < 12; ++steps, at = at->parent()) {
    const GumboTag tag = at->node()->v.element.tag;
    if (tag == GUMBO_TAG_NAV || tag == GUMBO_TAG_ASIDE || class_or_id_contains(*at, "breadcrumb")) return true;
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
  constexpr std::size_t behind = 70;
  const std::size_t headline = headline_.value_or(0);  // without a headline: the start of the page
  return index + before >= headline && index <= headline + behind;
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
