// Finds the end of a URL in running text, by the rules of bare_url_scanner.h.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/lists/text/bare_url_scanner.h"

namespace linkherd::parser {

// How a character beyond ASCII affects a URL in running text: part of it, its end, or a letter of a script without
// spaces, which may follow a URL without belonging to it.
enum class UrlCharacter {
  letter,     // of a script with spaces between words: "Straße", "путь"
  ideograph,  // Han, Kana, Hangul, Thai, …: text may follow a URL without a space
  end,        // space, punctuation, symbol, emoji: never part of a URL in running text
};

// Emoji, including their joiners and variation selectors. They end a URL in running text, but may occur inside one.
bool is_emoji(char32_t code_point);

// For code points from U+0080 on.
UrlCharacter classify_url_character(char32_t code_point);

// Returns the end of the URL that starts at `start` and has its host at `host`; returns `start` if there is no host.
std::size_t bare_url_end(std::string_view text, std::size_t start, std::size_t host, BareUrlContext context);

// Returns true for the syntax of a start tag with a name that HTML does not have, such as "<your-host>".
bool is_placeholder_tag(std::string_view text);

// Returns the length of the placeholder tag at the start of `text`, or 0.
std::size_t placeholder_tag_length(std::string_view text);

}  // namespace linkherd::parser
