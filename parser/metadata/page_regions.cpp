#include "parser/metadata/page_regions.h"

#include <algorithm>
#include <array>
#include <string>

#include "parser/ascii.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

constexpr int max_ancestors = 64;

// Beginnings of words in class names and ids.
constexpr std::array<std::string_view, 20> secondary_words{
    "ipp",  // the Wayback Machine's toolbar
    "comment", "related",    "sidebar",  "recommend",  "popular",    "widget", "teaser",
    "promo",   "breadcrumb", "trending", "carousel",   "newsletter", "ticker", "disqus",
    "respond", "advert",     "reviews",  "references", "bibliograph"};

bool is_secondary_word(std::string_view word) {
  return std::ranges::any_of(secondary_words, [&](std::string_view known) { return word.starts_with(known); });
}

bool has_secondary_word(HtmlElement element) {
  bool may_be_whole_page = false;
  const bool has_other = class_or_id_has_word(element, [&](std::string_view word) {
    const bool is_part_or_page = word.starts_with("widget") || word.starts_with("sidebar");
    may_be_whole_page = may_be_whole_page || is_part_or_page;
    return !is_part_or_page && is_secondary_word(word);
  });
  // Elementor builds whole pages of widgets, and "layout-sidebar-left" is a whole page with a sidebar.
  const auto is_of_whole_page = [](std::string_view word) { return word == "elementor" || word == "layout"; };
  return has_other || (may_be_whole_page && !class_or_id_has_word(element, is_of_whole_page));
}

// Returns true for the microdata of a comment or a review.
bool is_item_of_others(HtmlElement element) {
  const auto property = element.attribute("itemprop");
  return property && (*property == "comment" || *property == "review");
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
                                                  : has_secondary_word(element) || is_item_of_others(element);
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

namespace {

// Headings of sections about other texts, as normalized letters (see extract_letters).
constexpr std::array<std::string_view, 66> headings_of_others{
    // works that the page refers to
    "references", "bibliography", "workscited", "literaturecited", "citations", "footnotes", "endnotes", "literatur",
    "literaturverzeichnis", "quellen", "einzelnachweise", "références", "bibliographie", "referencias", "bibliografía",
    "referências", "bibliografia", "riferimenti", "literatuur", "referenser", "referanser", "参考文献", "参考资料",
    // other pages of the site
    "related", "relatedarticles", "relatedposts", "relatedstories", "relatedcontent", "relatednews", "relatedreading",
    "youmayalsolike", "youmightalsolike", "youmayalsobeinterestedin", "morestories", "morearticles", "moreposts",
    "morenews", "recommended", "recommendedforyou", "readmore", "latestnews", "latestposts", "latestarticles", "latest",
    "recentposts", "recentarticles", "mostread", "mostpopular", "popularposts", "trending", "trendingnow",
    "ähnlicheartikel", "weitereartikel", "articlesliés", "artículosrelacionados", "相关阅读",
    // what readers wrote
    "reviews", "customerreviews", "comments", "kommentare", "commentaires", "comentarios", "comentários", "commenti",
    "reacties", "评论"};

bool is_heading_of_others(HtmlElement heading) {
  constexpr std::size_t max_bytes = 60;
  const auto text = heading.short_text(max_bytes);
  if (!text) return false;
  const std::string letters = extract_letters(*text);
  const std::size_t word = std::min(letters.find_first_not_of("0123456789"), letters.size());  // "3 comments"
  return is_one_of(headings_of_others, std::string_view(letters).substr(word));
}

// Returns true if the parent of the node contains no other element.
bool is_only_child(const GumboNode* node) {
  constexpr unsigned max_children = 8;  // texts and comments
  const GumboNode* parent = node->parent;
  if (parent == nullptr || parent->type != GUMBO_NODE_ELEMENT || parent->v.element.tag == GUMBO_TAG_BODY) return false;
  const GumboVector& siblings = parent->v.element.children;
  if (siblings.length > max_children) return false;
  for (unsigned i = 0; i < siblings.length; ++i) {
    const auto* sibling = static_cast<const GumboNode*>(siblings.data[i]);
    if (sibling != node && sibling->type == GUMBO_NODE_ELEMENT) return false;
  }
  return true;
}

const GumboNode* first_element(const GumboNode* node) {
  constexpr unsigned max_texts = 8;  // texts and comments before it
  const GumboVector& children = node->v.element.children;
  for (unsigned i = 0; i < children.length && i < max_texts; ++i) {
    const auto* child = static_cast<const GumboNode*>(children.data[i]);
    if (child->type == GUMBO_NODE_ELEMENT) return child;
  }
  return nullptr;
}

// Returns true if the node begins with a heading of this level or a higher one, possibly in a container of its own.
bool begins_with_heading(const GumboNode* node, GumboTag level) {
  constexpr int max_containers = 2;
  for (int steps = 0; node != nullptr && steps <= max_containers; ++steps) {
    if (node->v.element.tag >= GUMBO_TAG_H1 && node->v.element.tag <= level) return true;
    node = first_element(node);
  }
  return false;
}

}  // namespace

PageRegions::PageRegions(const HtmlDocument& document) {
  find_headline(document);
  find_sections_of_others(document);
}

// A section ends at the next heading of the same level or a higher one.
void PageRegions::find_sections_of_others(const HtmlDocument& document) {
  constexpr int max_containers = 2;  // around a heading alone
  const auto& elements = document.elements();
  for (std::size_t i = headline_.value_or(0) + 1; i < elements.size(); ++i) {
    const GumboTag level = elements[i].node()->v.element.tag;
    if (level < GUMBO_TAG_H2 || level > GUMBO_TAG_H6 || !is_heading_of_others(elements[i])) continue;
    const GumboNode* heading = elements[i].node();
    for (int steps = 0; steps < max_containers && is_only_child(heading); ++steps) heading = heading->parent;
    const bool is_in_container = heading != elements[i].node();
    if (heading->parent == nullptr || heading->parent->type != GUMBO_NODE_ELEMENT) continue;
    const GumboVector& siblings = heading->parent->v.element.children;
    for (std::size_t k = heading->index_within_parent + 1; k < siblings.length; ++k) {
      const auto* sibling = static_cast<const GumboNode*>(siblings.data[k]);
      if (sibling->type != GUMBO_NODE_ELEMENT) continue;
      const bool is_heading = sibling->v.element.tag >= GUMBO_TAG_H1 && sibling->v.element.tag <= level;
      if (is_heading || (is_in_container && begins_with_heading(sibling, level))) break;
      if (around_headline_.contains(sibling)) continue;
      // The rest is known if this section is inside another one.
      if (!sections_of_others_.insert(sibling).second) break;
    }
  }
}

void PageRegions::find_headline(const HtmlDocument& document) {
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
    if (sections_of_others_.contains(at->node()) || looks_secondary(*at)) {
      answer = true;
      break;
    }
  }
  for (const GumboNode* node : asked) known_.emplace(node, answer);
  return answer;
}

bool PageRegions::is_in_comment_or_reference(HtmlElement element) const {
  static constexpr std::array<std::string_view, 6> words{"comments", "commentlist", "disqus",
                                                         "reviews",  "references",  "bibliography"};
  const auto is_known = [](std::string_view word) { return is_one_of(words, word); };
  bool is_inside_one = false;
  std::optional<HtmlElement> at = element;
  for (int steps = 0; at && steps < max_ancestors; ++steps, at = at->parent()) {
    const GumboTag tag = at->node()->v.element.tag;
    // The header of an article may have the number of comments.
    if (tag == GUMBO_TAG_HEADER) return false;
    if (around_headline_.contains(at->node())) break;
    is_inside_one =
        is_inside_one || is_item_of_others(*at) || (tag != GUMBO_TAG_ARTICLE && class_or_id_has_word(*at, is_known));
  }
  return is_inside_one;
}

bool PageRegions::is_about_others(HtmlElement element) const {
  if (sections_of_others_.empty()) return false;
  std::optional<HtmlElement> at = element;
  for (int steps = 0; at && steps < max_ancestors; ++steps, at = at->parent()) {
    if (sections_of_others_.contains(at->node())) return true;
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

bool is_inside(HtmlElement element, HtmlElement outer) {
  std::optional<HtmlElement> at = element.parent();
  for (int steps = 0; at && steps < 12; ++steps, at = at->parent()) {
    if (*at == outer) return true;
  }
  return false;
}

bool are_in_one_byline(HtmlElement one, HtmlElement other) {
  constexpr std::size_t max_container = 300;  // bytes
  constexpr int max_steps = 6;
  std::optional<HtmlElement> container = one;
  for (int steps = 0; container && steps < max_steps; ++steps, container = container->parent()) {
    if (!container->short_text(max_container)) return false;
    if (*container == other || is_inside(other, *container)) return true;
  }
  return false;
}

}  // namespace linkherd::parser
