#include "parser/html/main_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "parser/ascii.h"
#include "parser/html/sanitizer_tags.h"
#include "parser/utf8.h"

namespace linkherd::parser {

namespace {

// Elements that are never content.
constexpr TagSet ignored_elements =
    tag_set({GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE, GUMBO_TAG_NOSCRIPT, GUMBO_TAG_TEMPLATE, GUMBO_TAG_HEAD,
             GUMBO_TAG_SELECT, GUMBO_TAG_BUTTON, GUMBO_TAG_IFRAME, GUMBO_TAG_SVG, GUMBO_TAG_A});
// Elements that mark the main content. They and their ancestors are never boilerplate.
constexpr TagSet holding_elements = tag_set({GUMBO_TAG_H1, GUMBO_TAG_MAIN, GUMBO_TAG_ARTICLE, GUMBO_TAG_BODY});
// Boilerplate elements, unless they contain the main content.
constexpr TagSet boilerplate_elements = tag_set({GUMBO_TAG_NAV, GUMBO_TAG_HEADER, GUMBO_TAG_FOOTER, GUMBO_TAG_ASIDE});
// Names of boilerplate. A name matches a whole word of a class or an id, or the part after the last "-" or "_" of one.
constexpr std::array<std::string_view, 15> boilerplate_names{
    "nav",        "navbar",      "menu",        "footer",    "sidebar",
    "breadcrumb", "breadcrumbs", "copyright",   "site-info", "cookie-banner",
    "headerbar",  "topbar",      "widget-area", "skip-link", "globalheader-container"};

constexpr TagSet block_elements = tag_set(
    {GUMBO_TAG_ADDRESS, GUMBO_TAG_ARTICLE, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_BODY,   GUMBO_TAG_BR,      GUMBO_TAG_CAPTION,
     GUMBO_TAG_CENTER,  GUMBO_TAG_DD,      GUMBO_TAG_DETAILS,    GUMBO_TAG_DIV,    GUMBO_TAG_DL,      GUMBO_TAG_DT,
     GUMBO_TAG_FIGURE,  GUMBO_TAG_FOOTER,  GUMBO_TAG_FORM,       GUMBO_TAG_H1,     GUMBO_TAG_H2,      GUMBO_TAG_H3,
     GUMBO_TAG_H4,      GUMBO_TAG_H5,      GUMBO_TAG_H6,         GUMBO_TAG_HEADER, GUMBO_TAG_HR,      GUMBO_TAG_LI,
     GUMBO_TAG_MAIN,    GUMBO_TAG_OL,      GUMBO_TAG_P,          GUMBO_TAG_PRE,    GUMBO_TAG_SECTION, GUMBO_TAG_TR});
constexpr std::array<std::string_view, 9> byline_names{
    "byline", "author", "post-date", "entry-date", "entry-meta", "post-meta", "published", "dateline", "posted-on"};
constexpr int max_bylines = 3;  // an article has at most this many

bool is_byline(const HtmlElement& element) {
  if (element.tag() == GUMBO_TAG_TIME || element.has_any_class(byline_names)) return true;
  const std::string_view property = element.attribute("itemprop").value_or("");
  return property == "datePublished" || property == "author" || element.attribute("rel") == "author";
}

bool is_boilerplate_name(std::string_view word) {
  return std::ranges::any_of(boilerplate_names,
                             [word](std::string_view name) { return equals_ignoring_case(word, name); });
}

bool has_boilerplate_name(std::string_view names) {
  names = names.substr(0, 512);
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t begin = at;
    std::size_t dash = begin;  // offset after the last "-" or "_"
    for (; at < names.size() && !is_ascii_space(names[at]); ++at) {
      if (names[at] == '-' || names[at] == '_') dash = at + 1;
    }
    if (is_boilerplate_name(names.substr(begin, at - begin))) return true;
    if (dash > begin && is_boilerplate_name(names.substr(dash, at - dash))) return true;
    ++at;
  }
  return false;
}

bool is_frame(const HtmlElement& element) {
  if (boilerplate_elements[element.tag()]) return true;
  return has_boilerplate_name(element.attribute("class").value_or("")) ||
         has_boilerplate_name(element.attribute("id").value_or(""));
}

// Returns the elements that contain the main content. They are never boilerplate.
std::unordered_set<const GumboNode*> content_holders(const HtmlDocument& document) {
  std::unordered_set<const GumboNode*> holders;
  for (const HtmlElement& element : document.elements()) {
    if (!holding_elements[element.tag()]) continue;
    for (const GumboNode* node = element.node(); node != nullptr && holders.insert(node).second;) node = node->parent;
  }
  return holders;
}

class Collector {
 public:
  explicit Collector(const HtmlDocument& document) : holders_(content_holders(document)) {
    raw_.reserve(document.detached_values().size());  // most of the text is detached
  }

  // The sanitizer bounds the depth of the recursion.
  void collect(const GumboNode* node) {  // NOLINT(misc-no-recursion)
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA || node->type == GUMBO_NODE_WHITESPACE) {
      add_text(node->v.text.text);
    } else if (node->type == GUMBO_NODE_ELEMENT) {
      const HtmlElement element(node);
      const char around = block_elements[element.tag()] ? '\n' : ' ';
      raw_ += around;
      const bool begins_byline = !in_byline_ && is_byline(element);
      if (begins_byline) ++bylines_;
      if (ignored_elements[element.tag()]) return;
      const bool is_heading = element.tag() == GUMBO_TAG_HEADER && is_in_content(node);
      if (!holders_.contains(node) && !is_heading && is_frame(element)) return;
      in_byline_ = in_byline_ || begins_byline;
      collect_children(node);
      in_byline_ = in_byline_ && !begins_byline;
      raw_ += around;
    }
  }

  // Returns the lines that are not empty.
  std::string text() const {
    std::string text;
    text.reserve(raw_.size());
    for (std::size_t at = 0; at < raw_.size();) {
      const std::size_t end = std::min(raw_.find('\n', at), raw_.size());
      if (!text.empty() && text.back() != '\n') text += '\n';
      append_collapsed(text, std::string_view(raw_).substr(at, end - at));
      at = end + 1;
    }
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  bool is_article() const { return bylines_ > 0 && bylines_ <= max_bylines; }

 private:
  void add_text(std::string_view text) {  // line breaks of the source are white space
    const std::size_t from = raw_.size();
    raw_ += text;
    std::ranges::replace(raw_.begin() + static_cast<std::ptrdiff_t>(from), raw_.end(), '\n', ' ');
  }
  void collect_children(const GumboNode* node) {  // NOLINT(misc-no-recursion)
    const GumboVector& children = node->v.element.children;
    for (unsigned i = 0; i < children.length; ++i) collect(static_cast<const GumboNode*>(children.data[i]));
  }

  static bool is_in_content(const GumboNode* node) {
    for (; node != nullptr && node->type == GUMBO_NODE_ELEMENT; node = node->parent) {
      if (const GumboTag tag = HtmlElement(node).tag(); tag == GUMBO_TAG_MAIN || tag == GUMBO_TAG_ARTICLE) return true;
    }
    return false;
  }

  std::unordered_set<const GumboNode*> holders_;
  std::string raw_;
  int bylines_ = 0;  // a byline inside another one is not counted
  bool in_byline_ = false;
};

}  // namespace

MainText main_text(const HtmlDocument& document, std::size_t max_bytes) {
  const std::vector<HtmlElement> mains = document.by_name("main");
  Collector collector(document);
  if (mains.size() == 1) collector.collect(mains.front().node());
  std::string text = collector.text();
  if (text.empty()) {
    collector.collect(document.root().node());
    text = collector.text();
  }
  return {std::string(truncate_utf8(text, max_bytes)), count_code_points(text), collector.is_article()};
}

}  // namespace linkherd::parser
