// Where on a page an element stands: in its main content, or in comments, lists of other articles and other
// secondary content.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "parser/html/html_document.h"

namespace linkherd::parser {

class PageRegions {
 public:
  explicit PageRegions(const HtmlDocument& document);

  // True inside comments, related articles, side bars, navigation and footers. What holds the headline of the page is
  // none of these, whatever it is called.
  bool is_secondary(HtmlElement element) const;

  // Whether the element with that place in HtmlDocument::elements() stands shortly before or behind the headline.
  bool is_near_headline(std::size_t index) const;

 private:
  std::unordered_set<const GumboNode*> around_headline_;
  std::optional<std::size_t> headline_;                       // its place in the document
  mutable std::unordered_map<const GumboNode*, bool> known_;  // answers given: whole subtrees share them
};

// Whether class or id of the element contain the word (lower case), as in "post-author" or "authorName".
bool class_or_id_contains(HtmlElement element, std::string_view word);

// The element or an ancestor, at most `steps` up, of that name; nothing where there is none.
std::optional<HtmlElement> enclosing(HtmlElement element, std::string_view name, int steps = 64);

// Whether `outer` is an ancestor of the element, at most 12 levels up.
bool is_inside(HtmlElement element, HtmlElement outer);

}  // namespace linkherd::parser
