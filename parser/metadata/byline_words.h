// Recognizes the words before the name of an author, in many languages: "By Jane Doe", "Автор: Иван Петров".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace linkherd::parser {

struct BylineWord {
  std::size_t end = 0;  // offset of the name after the word
  // True if the word is enough evidence in any part of an article, as "written by" is. "by" and "text:" introduce an
  // author only near the headline.
  bool is_unambiguous = false;
  bool is_short = false;     // "by", "von": may be the beginning of a sentence or of a name
  bool has_colon = false;    // a colon follows the word
  bool needs_colon = false;  // "text" without a colon is only a word

  explicit operator bool() const { return end > 0; }
  bool is_introduction() const { return end > 0 && (has_colon || !needs_colon); }
};

// Returns the longest known word at the beginning of a text, in any case. A space or a colon must follow it.
BylineWord find_byline_word(std::string_view text);

// Like find_byline_word(), for a text that is only such a word.
BylineWord find_lone_byline_word(std::string_view text);

// Returns false if no known word begins with the first three letters of the text. A fast filter, called for every
// element.
bool may_be_byline_word(std::string_view text);

}  // namespace linkherd::parser
