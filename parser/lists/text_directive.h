// Checks whether a page contains the text that a text directive of a fragment names
// ("#:~:text=prefix-,start,end,-suffix").
#pragma once

#include <string>
#include <string_view>

namespace linkherd::parser {

// Returns the text in lower case without white space, which is the form in which texts are compared. So it does not
// matter whether an extractor separates two elements by a space.
std::string fold_text(std::string_view text);

// Returns the directive of a fragment, without ":~:". Empty if there is none.
std::string_view find_text_directive(std::string_view fragment);

// Returns true if the page contains a text that the directive names. The directive is percent-encoded as in a URL, and
// `folded_page` is fold_text() of the page. If the directive names several texts ("text=a&text=b"), one is enough,
// because browsers scroll to the first that they find. Returns true for a directive that names no text or more than 16
// texts. Searches the page at most twice for each text.
bool contains_directive_text(std::string_view directive, std::string_view folded_page);

}  // namespace linkherd::parser
