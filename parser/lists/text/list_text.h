// The words around a link, made presentable: titles in front of a URL, headings, link texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

// Without white space at the ends (that of all scripts), runs of it inside made one space, cut at `max_bytes`.
std::string collapse_space(std::string_view text, std::size_t max_bytes);

// As much of the end of `text` as a title can need: callers cut before they undo escapes, which bounds the time
// of that.
std::string_view end_for_title(std::string_view text);

// A URL as written, without line breaks inside it and the white space around them.
std::string unwrap_url(std::string_view written);

// What stands in front of a URL on its line, as its title: without list markers, task boxes, emphasis, and the colon,
// dash or bracket that leads to the URL. Empty where no word is left.
std::string title_in_front(std::string_view text);

// The text with backslash escapes undone: "a\_b" to "a_b".
std::string unescape_markdown(std::string_view text);

}  // namespace linkherd::parser
