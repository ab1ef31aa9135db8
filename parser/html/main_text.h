// Extracts the main text of a page: without menus, headers, footers, sidebars and links.
#pragma once

#include <cstddef>
#include <string>

#include "parser/html/html_document.h"

namespace linkherd::parser {

struct MainText {
  std::string text;         // one line per block, spaces collapsed, cut at `max_bytes`
  std::size_t length = 0;   // code points of the uncut text
  bool is_article = false;  // has a date or a byline, and not as many of them as a list of articles
};

// Returns the text of the only <main> if there is exactly one. Boilerplate is recognised by elements (nav, footer,
// aside), roles and usual class names, unless it contains an <h1>, <main> or <article>. Time is linear in the size of
// the page.
// the size of the page.
MainText main_text(const HtmlDocument& document, std::size_t max_bytes);

}  // namespace linkherd::parser
