// Text directives of fragments ("#:~:text=prefix-,start,end,-suffix"): whether a page has the text.
#pragma once

#include <string>
#include <string_view>

namespace linkherd::parser {

// The text without white space and in lower case: how texts are compared. What extractors put between two elements, a
// space or nothing, then makes no difference.
std::string folded_text(std::string_view text);

// Returns the directive of a fragment, without ":~:"; empty if there is none.
std::string_view text_directive(std::string_view fragment);

// Whether the page has what a directive names, percent-encoded as in a URL. Of several texts ("text=a&text=b") one is
// enough, as browsers go to the first that they find. A directive that names no text is always there. `folded_page`:
// folded_text() of the page. Two searches of the page for each text, of which there are at most 16.
bool has_text_of(std::string_view directive, std::string_view folded_page);

}  // namespace linkherd::parser
