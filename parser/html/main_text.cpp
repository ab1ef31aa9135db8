#include "parser/html/main_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "parser/ascii.h"
#include "parser/utf8.h"

namespace linkherd::parser {

namespace {

// Elements that are never content.
constexpr std::array<std::string_view, 10> ignored_elements{"script", "style",  "noscript", "template", "head",
                                                            "select", "button", "iframe",   "svg",      "a"};
// Boilerplate elements, unless they contain the main content.
constexpr std::array<std::string_view, 4> boilerplate_elements{"nav", "header", "footer", "aside"};
constexpr std::array<std::string_view, 5> boilerplate_roles{"navigation", "banner", "contentinfo", "search",
                                                            "complementary"};
// Boilerplate names: a whole word of a class or an id, or its suffix after "-" or "_".
constexpr std::array<std::string_view, 15> boilerplate_names{
    "nav",        "navbar",      "menu",        "footer",    "sidebar",
    "breadcrumb", "breadcrumbs", "copyright",   "site-info", "cookie-banner",
    "headerbar",  "topbar",      "widget-area", "skip-link", "globalheader-container"};

constexpr std::array<std::string_view, 30> block_elements{
    "address", "article", "blockquote", "body",   "br",   "caption", "center", "dd",  "details", "div",
    "dl",      "dt",      "figure",     "footer", "form", "h1",      "h2",     "h3",  "h4",      "h5",
    "h6",      "header",  "hr",         "li",     "main", "ol",      "p",      "pre", "section", "tr"};
constexpr std::array<std::string_view, 9> byline_names{
    "byline", "author", "post-date", "entry-date", "entry-meta", "post-meta", "published", "dateline", "posted-on"};
constexpr int most_bylines = 3;  // an article has at most this many

bool is_byline(const HtmlElement& element) {
  if (element.name() == "time" || element.has_class_of(byline_names)) return true;
  const std::string_view property = element.attribute("itemprop").value_or("");
  return property == "datePublished" || property == "author" || element.attribute("rel") == "author";
}

bool has_boilerplate_name(std::string_view names) {
  const std::string lower = to_ascii_lower(names.substr(0, 512));
  std::string_view rest = lower;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n\f\r"));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (is_one_of(boilerplate_names, word)) return true;
    const std::size_t dash = word.find_last_of("-_");
    if (dash != std::string_view::npos && is_one_of(boilerplate_names, word.substr(dash + 1))) return true;
  }
  return false;
}

bool is_frame(const HtmlElement& element) {
  if (is_one_of(boilerplate_elements, element.name())) return true;
  const auto role = element.attribute("role");
  if (role && is_one_of(boilerplate_roles, *role)) return true;
  return has_boilerplate_name(element.attribute("class").value_or("")) ||
         has_boilerplate_name(element.attribute("id").value_or(""));
}

// Returns the elements that contain the main content; they are never boilerplate.
std::unordered_set<const GumboNode*> content_holders(const HtmlDocument& document) {
  std::unordered_set<const GumboNode*> holders;
  for (const HtmlElement& element : document.elements()) {
    const std::string_view name = element.name();
    if (name != "h1" && name != "main" && name != "article" && name != "body") continue;
    for (const GumboNode* node = element.node(); node != nullptr && holders.insert(node).second;) node = node->parent;
  }
  return holders;
}

class Collector {
 public:
  explicit Collector(const HtmlDocument& document) : holders_(content_holders(document)) {}

  // The depth of the recursion is bounded by the guard.
  void collect(const GumboNode* node) {  // NOLINT(misc-no-recursion)
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA || node->type == GUMBO_NODE_WHITESPACE) {
      add_text(node->v.text.text);
    } else if (node->type == GUMBO_NODE_ELEMENT) {
      const HtmlElement element(node);
      const char around = is_one_of(block_elements, element.name()) ? '\n' : ' ';
      raw_ += around;
      const bool begins_byline = !in_byline_ && is_byline(element);
      if (begins_byline) ++bylines_;
      if (is_one_of(ignored_elements, element.name())) return;
      const bool is_heading = element.name() == "header" && is_in_content(node);
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
    for (std::size_t at = 0; at < raw_.size();) {
      const std::size_t end = std::min(raw_.find('\n', at), raw_.size());
      const std::string line = collapse_spaces(std::string_view(raw_).substr(at, end - at));
      if (!line.empty()) text.append(text.empty() ? "" : "\n").append(line);
      at = end + 1;
    }
    return text;
  }
  bool is_article() const { return bylines_ > 0 && bylines_ <= most_bylines; }

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
      const std::string_view name = HtmlElement(node).name();
      if (name == "main" || name == "article") return true;
    }
    return false;
  }

  std::unordered_set<const GumboNode*> holders_;
  std::string raw_;
  int bylines_ = 0;  // nested bylines count once
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
