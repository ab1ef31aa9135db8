// Normalises texts around a link, such as titles before a URL, headings and link texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Trims Unicode white space, replaces each inner run of it by one space, and truncates the result to `max_bytes`.
std::string collapse_space(std::string_view text, std::size_t max_bytes);

// Returns a part at the end of `text` that is long enough for any title. Callers do this before they decode escapes,
// which bounds the time.
std::string_view title_tail(std::string_view text);

// Removes line breaks, and the white space around them, from a URL as written.
std::string unwrap_url(std::string_view written);

// Returns the title of a URL. `text` is the text before the URL on its line. List markers, task boxes, emphasis, and
// the colon, dash or bracket before the URL are removed. Empty if no word is left.
std::string title_before_url(std::string_view text);

// Decodes backslash escapes: "a\_b" becomes "a_b".
std::string unescape_markdown(std::string_view text);

}  // namespace linkherd::parser
