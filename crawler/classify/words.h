// The words of entries, URLs and pages, as they are compared: without case, cut to their stems, Chinese and Japanese in
// pairs of characters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace linkherd::crawler {

// Languages that small words tell apart. What is written in no Latin letters is known by its script alone.
enum class Language : std::uint8_t {
  unknown,
  english,
  german,
  french,
  spanish,
  portuguese,
  italian,
  dutch,
  swedish,
  polish,
  turkish,
  indonesian,
  chinese,
  japanese,
  korean,
  cyrillic,
  other,
};

struct Word {
  std::uint64_t hash = 0;
  std::uint64_t stem = 0;   // the hash of its first seven letters: "optimise" and "optimising" share it
  std::string_view text;    // as written; a pair of characters overlaps the next one
  std::size_t letters = 0;  // code points, of a pair 2
  bool is_pair = false;     // of Chinese, Japanese or Korean characters
  bool has_digit = false;
};

// Calls `take` for each word, in the order of the text.
void for_each_word(std::string_view text, const std::function<void(const Word&)>& take);

// Whether the word says what a text is about: no article, no number, and none of those that lists call any page by
// ("here", "PDF", "homepage", "source code").
bool is_specific(const Word& word);

// Guesses the language of a text from its words.
class LanguageGuess {
 public:
  void add(const Word& word);
  // Of a text of a few words, where one small word is enough, or of a page.
  Language of_entry() const;
  Language of_page() const;

 private:
  Language by_script(std::size_t least_share) const;
  Language by_small_words(std::size_t least) const;

  static constexpr std::size_t language_count = 17;
  std::array<std::size_t, language_count> small_words_{};  // by language
  std::array<std::size_t, language_count> letters_{};      // by language; of Latin script: unknown
};

}  // namespace linkherd::crawler
