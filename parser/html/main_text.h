// Extracts the main text of a page, without menus, headers, footers, sidebars and links.
#pragma once

#include <cstddef>
#include <string>

#include "parser/html/html_document.h"

namespace linkherd::parser {

struct MainText {
  std::string text;         // one line per block, spaces collapsed, at most `max_bytes`
  std::size_t length = 0;   // code points of the uncut text
  bool is_article = false;  // has one to three dates or bylines; a list of articles has more
};

// Returns the text of <main> if the page has exactly one and it has text, otherwise the text of the whole page. Links
// and boilerplate are left out in both cases. Boilerplate is recognised by elements (nav, header, footer, aside) and by
// usual class names and ids. An element that contains an <h1>, <main> or <article> is never boilerplate. Time is linear
// in the size of the page.
//
// Example: "<nav>Home</nav><main><h1>Title</h1><p>First <a href=x>link</a> word.</p></main>" has the text "Title\nFirst
// word." and the length 17. The <nav> is outside of <main>, each block has a line of its own, and the link is left out.
// The text is cut to `max_bytes` afterwards, so `length` may be larger than the text.
MainText main_text(const HtmlDocument& document, std::size_t max_bytes);

}  // namespace linkherd::parser
