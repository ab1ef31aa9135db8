// Splits entries, URLs and pages into comparable words: case-insensitive, stemmed; Chinese, Japanese and Korean text
// as pairs of characters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace linkherd::crawler {

// The languages that can be recognised: by stop words, or by script if it is not Latin.
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
  std::uint64_t stem = 0;   // hash of the first seven letters; equal for "optimise" and "optimising"
  std::uint64_t root = 0;   // hash of the first four letters, which many languages share
  std::string_view text;    // as written; pairs of characters overlap
  std::size_t letters = 0;  // in code points; 2 for a pair
  bool is_pair = false;     // two Chinese, Japanese or Korean characters
  bool has_digit = false;
};

// Calls `take` for each word in the order of the text.
void for_each_word(std::string_view text, const std::function<void(const Word&)>& take);

// Returns true if the word describes the subject of a text. Articles, numbers and words for any page ("here", "PDF",
// "homepage", "source code") do not.
bool is_specific(const Word& word);

// Returns true if pages of any subject have the word ("people", "terms", "change"). Its absence may be significant, its
// presence hardly.
bool is_common(const Word& word);

// Guesses the language of a text from its stop words and scripts.
class LanguageGuess {
 public:
  void add(const Word& word);
  // of_entry() is for a few words, where one stop word decides; of_page() is for a page.
  Language of_entry() const;
  Language of_page() const;

 private:
  static constexpr std::size_t language_count = 17;
  using Counts = std::array<std::size_t, language_count>;  // by language

  Language by_script(std::size_t min_share) const;
  static Language clearest(const Counts& counts, std::size_t min_count);

  Counts stop_words_{};  // stop words that only one language has
  Counts shared_{};  // words that the language has: its stop words, its common words, and words with its marked letters
  Counts letters_{};  // by script; Latin counts as unknown
};

}  // namespace linkherd::crawler
