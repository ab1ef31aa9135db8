// What a page itself has to say: its text without menus, headers, footers, sidebars and links.
#pragma once

#include <cstddef>
#include <string>

#include "parser/html/html_document.h"

namespace linkherd::parser {

struct MainText {
  std::string text;         // each block is a line, spaces collapsed; of a long one the first `max_bytes`
  std::size_t length = 0;   // code points of all of it
  bool is_article = false;  // it has a date or a byline, and not many as lists of articles have
};

// That of its only <main>, where there is one. What stands around a page's content is known by its elements (nav,
// footer, aside), roles and usual class names, where no first-order heading, <main> or <article> is inside. Linear in
// the size of the page.
MainText main_text(const HtmlDocument& document, std::size_t max_bytes);

}  // namespace linkherd::parser
