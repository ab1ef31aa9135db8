#include "parser/metadata/scope.h"

#include <algorithm>
#include <array>

#include "parser/html/ascii.h"

namespace linkherd::parser {
namespace {

constexpr int max_ancestors = 64;

constexpr std::array<std::string_view, 26> side_words{
    "comment",   "related",   "sidebar",    "side-bar",  "recommend", "popular",  "widget",   "teaser",    "promo",
    "footer",    "copyright", "newsletter", "most-read", "mostread",  "trending", "latest-",  "more-news", "morenews",
    "read-more", "readmore",  "carousel",   "ticker",    "disqus",    "respond",  "breaking", "advert"};

bool is_side_matter(HtmlElement element) {
  switch (element.node()->v.element.tag) {
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN: return false;  // their classes name everything that is somewhere on the page
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_FOOTER: return true;
    default: break;
  }
  return std::ranges::any_of(side_words, [&](std::string_view word) { return is_called(element, word); });
}

}  // namespace

bool is_called(HtmlElement element, std::string_view word) {
  for (const std::string_view name : {"class", "id"}) {
    if (const auto value = element.attribute(name); value && contains_ignoring_case(*value, word)) return true;
  }
  return false;
}

bool in_side_matter(HtmlElement element) {
  std::optional<HtmlElement> at = element;
  for (int steps = 0; at && steps < max_ancestors; ++steps, at = at->parent()) {
    if (is_side_matter(*at)) {
      // The footer of an article often holds its date and author.
      const bool article_footer = at->name() == "footer" && enclosing(*at, "article").has_value();
      if (!article_footer) return true;
    }
  }
  return false;
}

std::optional<HtmlElement> enclosing(HtmlElement element, std::string_view name, int steps) {
  std::optional<HtmlElement> at = element;
  for (; at && steps >= 0; --steps, at = at->parent()) {
    if (at->name() == name) return at;
  }
  return std::nullopt;
}

}  // namespace linkherd::parser
