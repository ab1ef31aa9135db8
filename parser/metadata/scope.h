// Where on a page an element stands: in what the page is about, or in comments, lists of other articles and other side
// matter.
#pragma once

#include <string_view>

#include "parser/html/html_document.h"

namespace linkherd::parser {

// True inside comments, related articles, side bars, navigation and footers.
bool in_side_matter(HtmlElement element);

// Whether class or id of the element contain the word (lower case), as in "post-author" or "authorName".
bool is_called(HtmlElement element, std::string_view word);

// The element or an ancestor, at most `steps` up, of that name; nothing where there is none.
std::optional<HtmlElement> enclosing(HtmlElement element, std::string_view name, int steps = 64);

}  // namespace linkherd::parser
