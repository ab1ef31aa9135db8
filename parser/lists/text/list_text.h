// Normalises the texts around a link: titles before a URL, headings, link texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Trims Unicode white space, replaces each run inside by one space, and cuts at `max_bytes`.
std::string collapse_space(std::string_view text, std::size_t max_bytes);

// Returns the end of `text` that is long enough for any title. Callers cut before they decode escapes, which bounds
// the time.
std::string_view end_for_title(std::string_view text);

// Removes line breaks, and the white space around them, from a URL as written.
std::string unwrap_url(std::string_view written);

// Returns the title of a URL from the text before it on its line: without list markers, task boxes, emphasis, and the
// colon, dash or bracket before the URL. Empty if no word is left.
std::string title_before_url(std::string_view text);

// Decodes backslash escapes: "a\_b" to "a_b".
std::string unescape_markdown(std::string_view text);

}  // namespace linkherd::parser
