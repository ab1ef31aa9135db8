// Where a URL in running text ends. bare_url_scanner.h says what the rules are for.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/lists/text/bare_url_scanner.h"

namespace linkherd::parser {

// What a character beyond ASCII means for a URL in running text: part of it, its end, or a letter of a script that is
// written without spaces, which may follow a URL without belonging to it.
enum class UrlCharacter {
  letter,     // of a script with spaces between words: "Straße", "путь"
  ideograph,  // Han, Kana, Hangul, Thai, …: text may run on straight behind a URL
  end,        // space, punctuation, symbol, emoji: never part of a URL in running text
};

// Pictures, with what joins and varies them. They end a URL in running text, but may stand inside one.
bool is_emoji(char32_t code_point);

// For code points from U+0080 on.
UrlCharacter classify_url_character(char32_t code_point);

// The end of the URL that starts at `start` and whose host starts at `host`; `start` where no host follows.
std::size_t bare_url_end(std::string_view text, std::size_t start, std::size_t host, BareUrlContext context);

// Whether `text` is a start tag's shape around a name that HTML does not know: "<your-host>", an illustration.
bool is_placeholder_tag(std::string_view text);

// The length of the placeholder tag at the start of `text`; 0 where there is none.
std::size_t placeholder_tag_length(std::string_view text);

}  // namespace linkherd::parser
