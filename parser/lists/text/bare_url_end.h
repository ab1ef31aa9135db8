// Finds the end of a URL in running text, following the rules in bare_url_scanner.h.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/lists/text/bare_url_scanner.h"

namespace linkherd::parser {

// The effect of a non-ASCII character on a URL in running text. It may belong to the URL, end the URL, or be a letter
// of a script without spaces, which may directly follow a URL without belonging to it.
enum class UrlCharacter {
  letter,     // a letter of a script with spaces between words: "Straße", "путь"
  ideograph,  // Han, Kana, Hangul, Thai and others: text may follow a URL without a space
  end,        // a space, punctuation, a symbol or an emoji: ends a URL in running text
};

// Returns true for emoji, including their joiners and variation selectors. At the end of a URL they belong to the text,
// but they may occur inside a URL.
bool is_emoji(char32_t code_point);

// `code_point` must be U+0080 or higher.
UrlCharacter classify_url_character(char32_t code_point);

// Returns the end of the URL that starts at `start` and whose host starts at `host`. Returns `start` if there is no
// host.
std::size_t find_bare_url_end(std::string_view text, std::size_t start, std::size_t host, BareUrlContext context);

// Returns true for a placeholder tag, which has the syntax of a start tag but a name that is not an HTML element, such
// as "<your-host>".
bool is_placeholder_tag(std::string_view text);

// Returns the length of the placeholder tag at the start of `text`, or 0.
std::size_t placeholder_tag_length(std::string_view text);

}  // namespace linkherd::parser
