#include "crawler/classify/words.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include <toml++/toml.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "parser/ascii.h"
#include "parser/enum_names.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

extern const char* const built_in_words;  // words.toml

namespace {

constexpr std::size_t stem_letters = 7;
constexpr std::size_t root_letters = 4;
constexpr std::uint64_t hash_start = 14695981039346656037U;

// FNV-1a over code points.
constexpr std::uint64_t extended(std::uint64_t hash, char32_t letter) { return (hash ^ letter) * 1099511628211U; }

// words.toml, as a table.
const toml::table& word_data() {
  static const toml::table data = toml::parse(built_in_words);
  return data;
}

constexpr std::array<EnumName<Language>, 11> language_names{{{Language::english, "english"},
                                                             {Language::german, "german"},
                                                             {Language::french, "french"},
                                                             {Language::spanish, "spanish"},
                                                             {Language::portuguese, "portuguese"},
                                                             {Language::italian, "italian"},
                                                             {Language::dutch, "dutch"},
                                                             {Language::swedish, "swedish"},
                                                             {Language::polish, "polish"},
                                                             {Language::turkish, "turkish"},
                                                             {Language::indonesian, "indonesian"}}};

constexpr std::uint32_t bit_of(Language language) { return std::uint32_t{1} << static_cast<unsigned>(language); }

// Calls `take` with the words of each key of a table, and with the bit of the language that the key names, or 0.
template <class Take>
void for_each_list(std::string_view table, Take take) {
  for (const auto& [key, words] : *word_data()[table].as_table()) {
    const std::optional<Language> language = enum_value(language_names, key.str());
    take(*words.template value<std::string_view>(), language ? bit_of(*language) : 0);
  }
}

Language language_of_script(char32_t letter) {
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(letter), &error)) {
    case USCRIPT_LATIN: return Language::unknown;
    case USCRIPT_HAN: return Language::chinese;
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA: return Language::japanese;
    case USCRIPT_HANGUL: return Language::korean;
    case USCRIPT_CYRILLIC: return Language::cyrillic;
    default: return Language::other;
  }
}

Language script_of(char32_t letter) {
  if (letter < 0x250) return Language::unknown;
  if (letter >= 0x4E00 && letter <= 0x9FFF) return Language::chinese;
  if (letter == 0x30FC) return Language::japanese;  // the prolonged sound mark, shared by several scripts
  return language_of_script(letter);
}

bool is_in_pairs(Language script) {
  return script == Language::chinese || script == Language::japanese || script == Language::korean;
}

struct Letter {
  char32_t value = 0;  // lower case; 0: neither letter nor digit
  std::size_t bytes = 0;
};

Letter letter_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (parser::is_ascii(c)) {
    if (!parser::is_ascii_alphanumeric(c)) return {0, 1};
    return {static_cast<char32_t>(parser::ascii_lower(c)), 1};
  }
  const CodePoint point = decode_utf8(text, at);
  const auto value = static_cast<UChar32>(point.value);
  if (u_isalnum(value) == 0) return {0, point.length};
  return {static_cast<char32_t>(u_tolower(value)), point.length};
}

std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = hash_start;
  for (std::size_t at = 0; at < word.size();) {
    const Letter letter = letter_at(word, at);
    hash = extended(hash, letter.value);
    at += letter.bytes;
  }
  return hash;
}

template <class Take>
void for_each_between_spaces(std::string_view words, Take take) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find_first_of(" \n", at), words.size());
    if (end > at) take(words.substr(at, end - at));
    at = end + 1;
  }
}

// Stop words with the bits of their languages, and generic words with none.
const std::unordered_map<std::uint64_t, std::uint32_t>& word_table() {
  static const auto table = [] {
    std::unordered_map<std::uint64_t, std::uint32_t> made;
    for (const std::string_view name : {"stop_words", "generic_words"}) {
      const bool has_languages = name == "stop_words";
      for_each_list(name, [&](std::string_view words, std::uint32_t bit) {
        for_each_between_spaces(words, [&](std::string_view word) { made[hash_of(word)] |= has_languages ? bit : 0U; });
      });
    }
    return made;
  }();
  return table;
}

// Common words by their stems, with the bits of their languages.
const std::unordered_map<std::uint64_t, std::uint32_t>& common_stems() {
  static const auto stems = [] {
    std::unordered_map<std::uint64_t, std::uint32_t> made;
    for_each_list("common_words", [&](std::string_view words, std::uint32_t bit) {
      for_each_word(words, [&](const Word& word) { made[word.stem] |= bit; });
    });
    return made;
  }();
  return stems;
}

// Letters with marks, with the bits of their languages.
const std::unordered_map<char32_t, std::uint32_t>& marked_letters() {
  static const auto letters = [] {
    std::unordered_map<char32_t, std::uint32_t> made;
    for_each_list("marked_letters", [&](std::string_view marked, std::uint32_t bit) {
      for (std::size_t at = 0; at < marked.size();) {
        const Letter letter = letter_at(marked, at);
        made[letter.value] |= bit;
        at += letter.bytes;
      }
    });
    return made;
  }();
  return letters;
}

// The languages that have one of the marked letters of the word.
std::uint32_t languages_by_marks(std::string_view word) {
  std::uint32_t bits = 0;
  if (parser::is_ascii(word)) return bits;
  for (std::size_t at = 0; at < word.size();) {
    const Letter letter = letter_at(word, at);
    at += letter.bytes;
    if (letter.value < 0x80 || letter.value >= 0x250) continue;
    const auto marked = marked_letters().find(letter.value);
    if (marked != marked_letters().end()) bits |= marked->second;
  }
  return bits;
}

// Pairs of two Hiragana are mostly grammar.
bool is_hiragana(std::string_view pair) {
  for (std::size_t at = 0; at < pair.size();) {
    const Letter letter = letter_at(pair, at);
    if (letter.value < 0x3041 || letter.value > 0x309F) return false;
    at += letter.bytes;
  }
  return true;
}

// Reads one run of letters at a time.
class WordReader {
 public:
  WordReader(std::string_view text, const std::function<void(const Word&)>& take) : text_(text), take_(take) {}

  void read() {
    while (at_ < text_.size()) {
      const Letter letter = letter_at(text_, at_);
      if (letter.value == 0) {
        at_ += letter.bytes;
      } else if (is_in_pairs(script_of(letter.value))) {
        read_pairs();
      } else {
        read_word();
      }
    }
  }

 private:
  void read_word() {
    const std::size_t start = at_;
    Word word;
    word.hash = hash_start;
    while (at_ < text_.size()) {
      const Letter letter = letter_at(text_, at_);
      if (letter.value == 0 || is_in_pairs(script_of(letter.value))) break;
      word.hash = extended(word.hash, letter.value);
      word.has_digit = word.has_digit || (letter.value >= '0' && letter.value <= '9');
      if (++word.letters <= stem_letters) word.stem = word.hash;
      if (word.letters <= root_letters) word.root = word.hash;
      at_ += letter.bytes;
    }
    word.text = text_.substr(start, at_ - start);
    take_(word);
  }

  void read_pairs() {
    std::size_t last_start = at_;
    char32_t last = 0;
    while (at_ < text_.size()) {
      const Letter letter = letter_at(text_, at_);
      if (letter.value == 0 || !is_in_pairs(script_of(letter.value))) return;
      const std::size_t start = at_;
      at_ += letter.bytes;
      if (last != 0) {
        const std::uint64_t hash = extended(extended(hash_start, last), letter.value);
        take_({.hash = hash,
               .stem = hash,
               .root = hash,
               .text = text_.substr(last_start, at_ - last_start),
               .letters = 2,
               .is_pair = true});
      }
      last = letter.value;
      last_start = start;
    }
  }

  std::string_view text_;
  const std::function<void(const Word&)>& take_;
  std::size_t at_ = 0;
};

}  // namespace

void for_each_word(std::string_view text, const std::function<void(const Word&)>& take) {
  WordReader(text, take).read();
}

bool is_specific(const Word& word) {
  constexpr std::size_t min_letters = 3;
  if (word_table().contains(word.hash)) return false;
  if (word.is_pair) return !is_hiragana(word.text);
  if (word.letters < min_letters) return false;
  return !std::ranges::all_of(word.text, [](char c) { return parser::is_ascii_digit(c); });
}

bool is_common(const Word& word) { return !word.is_pair && common_stems().contains(word.stem); }

void LanguageGuess::add(const Word& word) {
  const auto known = word_table().find(word.hash);
  const std::uint32_t stop = known == word_table().end() ? 0 : known->second;
  const auto common = common_stems().find(word.stem);
  const std::uint32_t shared =
      stop | languages_by_marks(word.text) | (common == common_stems().end() ? 0 : common->second);
  for (std::size_t i = 0; i < language_count && shared != 0; ++i) {
    const std::uint32_t bit = bit_of(static_cast<Language>(i));
    if (stop == bit) ++stop_words_.at(i);
    if ((shared & bit) != 0) ++shared_.at(i);
  }
  // The script of the first letter counts for the whole word. The characters of a pair count separately.
  const Letter first = letter_at(word.text, 0);
  if (first.value != 0 && (first.value < U'0' || first.value > U'9')) {
    letters_.at(static_cast<std::size_t>(script_of(first.value))) += word.is_pair ? 1 : word.letters;
  }
}

Language LanguageGuess::by_script(std::size_t min_share) const {
  std::size_t all = 0;
  for (const std::size_t letters : letters_) all += letters;
  const auto count = [this](Language script) { return letters_.at(static_cast<std::size_t>(script)); };
  const std::size_t in_pairs = count(Language::chinese) + count(Language::japanese);
  const auto is_large = [all, min_share](std::size_t letters) { return letters > 0 && letters * min_share >= all; };
  if (is_large(in_pairs)) return count(Language::japanese) * 10 >= in_pairs ? Language::japanese : Language::chinese;
  for (const Language script : {Language::korean, Language::cyrillic, Language::other}) {
    if (is_large(count(script))) return script;
  }
  return Language::unknown;
}

Language LanguageGuess::clearest(const Counts& counts, std::size_t min_count) {
  auto best = static_cast<std::size_t>(Language::english);
  std::size_t second = 0;
  for (std::size_t i = best + 1; i <= static_cast<std::size_t>(Language::indonesian); ++i) {
    if (counts.at(i) > counts.at(best)) {
      second = counts.at(best);
      best = i;
    } else {
      second = std::max(second, counts.at(i));
    }
  }
  const bool is_clear = counts.at(best) >= min_count && counts.at(best) > second + second / 2;
  return is_clear ? static_cast<Language>(best) : Language::unknown;
}

Language LanguageGuess::of_entry() const {
  constexpr std::size_t tenth = 10;
  const Language script = by_script(tenth);
  return script != Language::unknown ? script : clearest(shared_, 1);
}

Language LanguageGuess::of_page() const {
  constexpr std::size_t quarter = 4;
  constexpr std::size_t min_stop_words = 4;
  const Language script = by_script(quarter);
  return script != Language::unknown ? script : clearest(stop_words_, min_stop_words);
}

}  // namespace linkherd::crawler
