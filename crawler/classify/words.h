// Splits entries, URLs and pages into comparable words: case-insensitive, stemmed; Chinese, Japanese and Korean text
// as pairs of characters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace linkherd::crawler {

// Languages that are recognised by their stop words. Languages in other scripts than Latin are recognised by script.
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
  std::uint64_t stem = 0;   // hash of the first seven letters: "optimise" and "optimising" have the same
  std::uint64_t root = 0;   // hash of the first four: many languages share it
  std::string_view text;    // as written; pairs of characters overlap
  std::size_t letters = 0;  // in code points; 2 for a pair
  bool is_pair = false;     // of Chinese, Japanese or Korean characters
  bool has_digit = false;
};

// Calls `take` for each word in the order of the text.
void for_each_word(std::string_view text, const std::function<void(const Word&)>& take);

// Returns true if the word describes the subject of a text: not an article, a number, or a word for any page ("here",
// "PDF", "homepage", "source code").
bool is_specific(const Word& word);

// Returns true if pages of any subject have the word ("people", "terms", "change"): that it is missing may say
// something, that it is there says little.
bool is_common(const Word& word);

// Guesses the language of a text from its stop words and scripts.
class LanguageGuess {
 public:
  void add(const Word& word);
  // of_entry(): for a few words, where one stop word decides; of_page(): for a page.
  Language of_entry() const;
  Language of_page() const;

 private:
  static constexpr std::size_t language_count = 17;
  using Counts = std::array<std::size_t, language_count>;  // by language

  Language by_script(std::size_t min_share) const;
  static Language clearest(const Counts& counts, std::size_t min_count);

  Counts stop_words_{};  // of one language alone
  Counts shared_{};      // words that the language has: its stop and common words, and words with its marked letters
  Counts letters_{};     // of Latin script: unknown
};

}  // namespace linkherd::crawler
