// What md4c may safely read: a copy of a Markdown text with the same length, so that every offset stays what it is.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::parser {

// Front matter becomes blank. NULs, which md4c reports as texts of its own, become letters. Rows of tables keep all
// their cells. Where md4c 0.4.8 would take quadratic time, the lines of a paragraph become one line, which keeps its
// links; titles and definitions that take it that long are no longer read as such. More than four million marks in one
// paragraph, which it would keep in memory, are replaced (their URLs are still found as bare ones).
std::string guard_markdown(std::string_view text);

}  // namespace linkherd::parser
