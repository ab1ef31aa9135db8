// What a character beyond ASCII means for a URL in running text: part of it, its end, or a letter of a script that is
// written without spaces, which may follow a URL without belonging to it.
#pragma once

namespace linkherd::parser {

enum class UrlCharacter {
  letter,     // of a script with spaces between words: "Straße", "путь"
  ideograph,  // Han, Kana, Hangul, Thai, …: text may run on straight behind a URL
  end,        // space, punctuation, symbol, emoji: never part of a URL in running text
};

// Pictures, with what joins and varies them. They end a URL in running text, but may stand inside one.
bool is_emoji(char32_t code_point);

// For code points from U+0080 on.
UrlCharacter classify_url_character(char32_t code_point);

}  // namespace linkherd::parser
