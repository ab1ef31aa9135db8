#include "crawler/classify/content_mismatch.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "crawler/classify/letter_profiles.h"
#include "crawler/classify/words.h"
#include "parser/ascii.h"
#include "parser/metadata/text_values.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

using parser::LinkElement;

constexpr std::size_t max_words = 64;  // per entry and per URL
constexpr std::size_t max_path_bytes = 512;
constexpr std::size_t max_entry_bytes = 2048;

// Weights: a word counts as much as two pairs of Chinese characters.
constexpr std::size_t word_weight = 2;
constexpr std::size_t pair_weight = 1;
constexpr std::size_t min_weight = 3;   // two words, or four Chinese characters
constexpr std::size_t long_weight = 7;  // four words, or eight Chinese characters

// A page with less text is a shell. On a page with little text, the URL must contradict the entry too.
constexpr std::size_t min_page_weight = 30;
constexpr std::size_t thin_page_weight = 120;
// A page of this length has a word of a short entry if it is about its subject.
constexpr std::size_t long_page_weight = 300;

std::size_t weight_of(const Word& word) { return word.is_pair ? pair_weight : word_weight; }

bool is_compared(const parser::LinkOccurrence& entry) {
  switch (entry.element) {
    case LinkElement::link:
    case LinkElement::bare:
    case LinkElement::definition:
    case LinkElement::data:
    case LinkElement::wikilink: return !entry.text.empty();
    default: return false;  // the text of an image or form does not describe the linked page
  }
}

// Returns true if the text is a URL or a host name.
bool is_address(std::string_view text) {
  const std::string_view trimmed = parser::trim_ascii(text);
  if (trimmed.find("://") != std::string_view::npos) return true;
  return trimmed.find(' ') == std::string_view::npos && trimmed.find_first_of("./@") != std::string_view::npos;
}

// How a word is written. This shows whether a translation keeps the word.
enum class Spelling : std::uint8_t {
  not_ascii,  // the first letter is not ASCII: another script than Latin, or "Ökonomie"
  capitals,   // "NATO", which is "OTAN" in French
  plain,
  name,   // "Emmanuel Macron" within a sentence
  mixed,  // "PyTorch", "GPT4"
};

Spelling spelling_of(const Word& word) {
  if (!parser::is_ascii_alphanumeric(word.text.front())) return Spelling::not_ascii;
  const auto capitals = std::ranges::count_if(word.text, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (capitals > 1 && static_cast<std::size_t>(capitals) == word.text.size()) return Spelling::capitals;
  const bool has_more = std::ranges::any_of(word.text.substr(1), [](char c) { return c >= 'A' && c <= 'Z'; });
  return has_more || word.has_digit ? Spelling::mixed : Spelling::plain;
}

// The words of a short text that are searched for in a page.
class SearchWords {
 public:
  struct SearchWord {
    std::uint64_t stem = 0;
    std::uint64_t root = 0;
    std::string letters;  // lower case
    std::size_t weight = 0;
    Spelling spelling = Spelling::plain;
    std::uint32_t seen = 0;  // occurrences in the text of the page
    bool is_common = false;
    bool found = false;
    std::size_t confirms = 0;  // weight; a common word counts half in a text, because it may occur by chance
    bool root_found = false;

    void find_in_title() {
      found = true;
      confirms = weight;
    }
    void find_in_text() {
      found = true;
      confirms = std::max(confirms, is_common ? weight / 2 : weight);
    }
  };

  void add(const Word& word) {
    if (words_.size() == max_words || index_of(word) < words_.size()) return;
    words_.push_back({.stem = word.stem,
                      .root = word.root,
                      .letters = parser::extract_letters(word.text),
                      .weight = weight_of(word),
                      .spelling = spelling_of(word),
                      .is_common = is_common(word)});
    filter_ |= bit_of(word.stem);
    roots_ |= bit_of(word.root);
  }

  void see_root(const Word& word) {
    if ((roots_ & bit_of(word.root)) == 0) return;
    for (SearchWord& one : words_) one.root_found = one.root_found || one.root == word.root;
  }

  // Returns the index of the word, or size().
  std::size_t index_of(const Word& word) const {
    if ((filter_ & bit_of(word.stem)) == 0) return words_.size();
    return static_cast<std::size_t>(std::ranges::find(words_, word.stem, &SearchWord::stem) - words_.begin());
  }

  std::size_t size() const { return words_.size(); }
  bool empty() const { return words_.empty(); }
  std::vector<SearchWord>& words() { return words_; }
  const std::vector<SearchWord>& words() const { return words_; }
  bool any_found() const { return std::ranges::any_of(words_, &SearchWord::found); }
  std::size_t found() const { return static_cast<std::size_t>(std::ranges::count_if(words_, &SearchWord::found)); }

  std::size_t weight() const { return sum(&SearchWord::weight); }
  std::size_t found_weight() const { return sum(&SearchWord::confirms); }
  std::size_t uncommon_found_weight() const {
    return sum([](const SearchWord& word) { return word.is_common ? 0 : word.confirms; });
  }

 private:
  static std::uint64_t bit_of(std::uint64_t stem) { return std::uint64_t{1} << (stem % 64); }
  template <class WeightOf>
  std::size_t sum(WeightOf weight_of) const {
    std::size_t all = 0;
    for (const SearchWord& word : words_) all += std::invoke(weight_of, word);
    return all;
  }

  std::vector<SearchWord> words_;
  std::uint64_t filter_ = 0;  // Bloom filter of the stems
  std::uint64_t roots_ = 0;   // likewise for the roots
};

// Ignores spaces: "Light Table" matches "LightTable".
void find_within(std::string_view text, SearchWords& words) {
  constexpr std::size_t min_bytes = 4;
  const std::string letters = parser::extract_letters(text);
  for (SearchWords::SearchWord& word : words.words()) {
    if (word.letters.size() >= min_bytes && letters.find(word.letters) != std::string::npos) word.find_in_title();
  }
}

// The words of the domain and path of a URL.
struct UrlWords {
  SearchWords words;
  bool says_much = false;  // specific enough that a matching page would have one of them
};

std::string path_of(const parser::Url& url) {
  return to_valid_utf8(parser::percent_decode(url.path().substr(0, max_path_bytes)));
}

UrlWords find_url_words(const parser::Url& url) {
  UrlWords made;
  const std::string domain = parser::registrable_domain(url);
  std::size_t named = 0;
  for_each_word(std::string_view(domain).substr(0, domain.find('.')), [&](const Word& word) {
    if (word.letters < 4) return;
    made.words.add(word);
    ++named;
  });
  std::size_t in_path = 0;
  for_each_word(path_of(url), [&](const Word& word) {
    if (word.has_digit || (!word.is_pair && word.letters < 4) || !is_specific(word)) return;
    made.words.add(word);
    ++in_path;
  });
  const bool is_root = url.path().size() <= 1 && !url.has_query();
  made.says_much = is_root ? named > 0 : in_path >= 2;
  return made;
}

// A single word is ambiguous.
bool says_enough(const SearchWords& words) { return words.size() > 1 && words.weight() >= min_weight; }

// The words of an entry that are searched for on its page.
struct EntryWords {
  std::string_view text;
  SearchWords words;        // of the text of the link
  SearchWords description;  // other words of the entry
  LanguageGuess language;  // language of the compared words: the text, or also the description if the text is too short
};

// Compares one entry with the words of a page.
class Comparison {
 public:
  Comparison(const parser::LinkOccurrence& entry, EntryWords words, const AnsweringPage& page)
      : occurrence_(entry),
        entry_(std::move(words.words)),
        description_(std::move(words.description)),
        language_(words.language),
        page_(page) {}

  // Returns true if the title confirms the entry.
  bool agrees_by_title() {
    is_title_ = true;
    read(page_.visible.title);
    read(page_.about);
    find_within(page_.visible.title, entry_);
    find_within(page_.visible.title, description_);
    is_title_ = false;
    title_weight_ = entry_.uncommon_found_weight();
    return agrees();
  }

  // Returns the confidence that the page is a different one, or 0.
  double confidence() {
    url_ = find_url_words(page_.requested);
    find_within(page_.visible.title, url_.words);
    find_within(page_.about, url_.words);
    page_weight_ = 0;
    for (std::string_view rest = page_.visible.text; !rest.empty() && !agrees();) {
      const std::string_view part = truncate_utf8(rest, read_at_once);
      read(part);
      rest.remove_prefix(part.size());
    }
    if (page_weight_ < min_page_weight || agrees()) return 0.0;
    const bool url_contradicts = url_.says_much && !url_.words.any_found();
    const bool nothing_found = entry_.found_weight() == 0;
    const bool is_thin = page_weight_ < thin_page_weight;
    if (!says_enough(entry_)) {
      if (is_thin || !is_missing_whole()) return 0.0;
      if (is_comparable()) return unsure + (url_contradicts ? tenth : 0.0);
      return url_contradicts && is_name_of_site() && page_language_.of_page() < Language::chinese ? unsure : 0.0;
    }
    if (!is_comparable()) {
      if (nothing_found && url_contradicts && is_name_of_site()) return unsure;
      return !is_thin && lacks_kept_words() ? unsure : 0.0;
    }
    if (is_thin) return url_contradicts && nothing_found ? unsure : 0.0;
    const bool moved_away = ends_on_other_domain();
    const double more = (url_contradicts ? tenth : 0.0) + (moved_away ? tenth / 2 : 0.0);
    if (!is_short()) return has_few_entry_words() ? likely + more : 0.0;
    return is_contradicted_by_few(url_contradicts, moved_away) ? unsure + more : 0.0;
  }

  std::size_t words() const { return entry_.size() + description_.size(); }
  std::size_t words_on_page() const { return entry_.found() + description_.found(); }

 private:
  static constexpr double unsure = 0.5;
  static constexpr double likely = 0.65;
  static constexpr double tenth = 0.1;
  static constexpr std::size_t read_at_once = std::size_t{4} << 10;
  static constexpr std::size_t min_weight_for_language = 1000;
  static constexpr double few_bits = 18.0;  // maximum number of bits by which another language may fit a text better

  void read(std::string_view text) {
    for_each_word(text, [this](const Word& word) {
      page_weight_ += weight_of(word);
      entry_.see_root(word);
      if (page_weight_ <= min_weight_for_language) page_language_.add(word);
      if (const std::size_t at = url_.words.index_of(word); at < url_.words.size()) url_.words.words()[at].found = true;
      if (const std::size_t at = description_.index_of(word); at < description_.size()) {
        SearchWords::SearchWord& seen = description_.words()[at];
        is_title_ ? seen.find_in_title() : seen.find_in_text();
      }
      const std::size_t at = entry_.index_of(word);
      if (at < entry_.size()) {
        SearchWords::SearchWord& seen = entry_.words()[at];
        in_row_ = (at == last_ + 1 ? in_row_ : 0) + (is_title_ || !seen.is_common ? seen.weight : 0);
        if (is_title_) {
          seen.find_in_title();
        } else if (++seen.seen >= often_enough()) {
          seen.find_in_text();
        }
        has_phrase_ = has_phrase_ || is_phrase(in_row_);
        last_ = at;
      } else if (last_ < entry_.size() && is_specific(word)) {
        last_ = entry_.size();
      }
    });
    last_ = entry_.size();
  }

  // A long text contains any word once, while words of its subject recur. For a long entry, one occurrence of each word
  // suffices.
  std::uint32_t often_enough() const {
    constexpr std::array<std::size_t, 3> weights{400, 1600, 6000};
    const auto passed = std::ranges::count_if(weights, [this](std::size_t weight) { return page_weight_ > weight; });
    return is_short() ? 1 + static_cast<std::uint32_t>(passed) : 1;
  }

  bool is_short() const { return entry_.weight() < long_weight; }

  bool agrees() const {
    if (description_.found_weight() * 3 > description_.weight()) return true;
    if (entry_.empty()) return false;
    const std::size_t found = entry_.found_weight();
    return has_phrase_ || found * 2 > entry_.weight() || entry_.found() == entry_.size() ||
           (is_short() && (title_weight_ > 0 || found * 3 >= entry_.weight()));
  }

  // Returns true if the entry and nearly all of its description are missing on the page. A product may be renamed, but
  // its description would still match.
  bool is_missing_whole() {
    if (description_.weight() < long_weight) return false;
    find_within(page_.visible.text, entry_);
    return !entry_.any_found() && description_.found_weight() * 6 <= description_.weight();
  }

  // Returns true for enough consecutive words of the entry: at least two, or five characters, and more than a third of
  // a long entry.
  bool is_phrase(std::size_t weight) const {
    constexpr std::size_t min_phrase_weight = 4;
    return weight >= min_phrase_weight && weight * 3 > entry_.weight();
  }

  // Translations have few words in common. A short text without stop words may be in several languages.
  bool is_comparable() const {
    const Language entry = language_.of_entry();
    const Language page = page_language_.of_page();
    if (entry == page) return true;
    if (page == Language::unknown) {
      const std::optional<double> bits = bits_against(entry, truncate_utf8(page_.visible.text, 4 * max_path_bytes));
      return entry < Language::chinese && (!bits || *bits <= few_bits);
    }
    return entry == Language::unknown && page < Language::chinese && may_be_in(page);
  }

  // Decides by letter sequences. Two or three words may be English on a page in any language. So for a page that is not
  // in English, its own language must fit them best.
  bool may_be_in(Language language) const {
    const std::string written =
        says_enough(entry_) ? occurrence_.text : occurrence_.text + ' ' + occurrence_.description;
    const std::optional<double> bits = bits_against(language, truncate_utf8(written, max_path_bytes));
    if (bits && *bits == 0.0 && !is_short()) return true;
    if (has_relative_in_title()) return false;
    const bool is_usual = language == Language::english || !is_short();
    return bits ? *bits <= (is_usual ? few_bits : 0.0) : is_usual;
  }

  // Translations share names and words of the same origin: "minutes" and "Minuten".
  bool has_relative_in_title() const {
    bool found = false;
    const auto look = [&](const Word& word) {
      found = found ||
              (word.letters >= 4 && is_specific(word) &&
               std::ranges::find(entry_.words(), word.root, &SearchWords::SearchWord::root) != entry_.words().end());
    };
    for_each_word(page_.visible.title, look);
    for_each_word(page_.about, look);
    return found;
  }

  // Names of sites are not translated. The words of a path are often in another language than the page.
  bool is_name_of_site() const {
    SearchWords words = entry_;
    find_within(page_.requested.host(), words);
    return words.found_weight() * 2 > words.weight();
  }

  // A page about the same subject has some of the words in its title, or many in its text.
  bool has_few_entry_words() const { return title_weight_ == 0 || entry_.found_weight() * 4 <= entry_.weight(); }

  // Two or three words of a sentence ("contact the maintainers") may be missing on the page. The words of a listed
  // entry may be missing too if the URL has them, because products are renamed.
  bool is_contradicted_by_few(bool url_contradicts, bool moved_away) const {
    const bool is_listed = occurrence_.role == parser::LinkRole::main;
    if (url_contradicts) return true;
    const bool is_long = page_weight_ >= long_page_weight;
    return (moved_away || (is_listed && is_long && !is_about_subject())) && !url_names_entry();
  }

  // Returns true if the title or description has a word of the headings above the entry.
  bool is_about_subject() const {
    SearchWords subject;
    for (const std::string& heading : occurrence_.headings) {
      for_each_word(truncate_utf8(heading, max_path_bytes), [&subject](const Word& word) {
        if (is_specific(word)) subject.add(word);
      });
    }
    const auto look = [&subject](const Word& word) {
      const std::size_t at = subject.index_of(word);
      if (at < subject.size()) subject.words()[at].found = true;
    };
    for_each_word(page_.visible.title, look);
    for_each_word(page_.about, look);
    return subject.any_found();
  }

  // Translations keep Latin words within other scripts, and names such as "PyTorch". Returns true if there are enough
  // of these and none is on the page.
  bool lacks_kept_words() const {
    constexpr std::size_t min_letters = 5;
    const bool is_latin = language_.of_entry() < Language::chinese;
    if (is_latin && page_language_.of_page() < Language::chinese && lacks_names()) return true;
    const Spelling min_spelling = is_latin ? Spelling::mixed : Spelling::plain;
    std::size_t letters = 0;
    std::size_t count = 0;
    for (const SearchWords::SearchWord& word : entry_.words()) {
      if (word.spelling < min_spelling) continue;
      if (word.found) return false;
      letters += word.letters.size();
      ++count;
    }
    return letters >= min_letters && count >= (is_latin ? 2 : 1);
  }

  // Languages with Latin letters keep names, or at least their beginning: "Ukraine" becomes "Ucrania", "Macron" stays
  // "Macron".
  bool lacks_names() const {
    SearchWords words = entry_;
    find_within(page_.requested.host(), words);
    find_within(path_of(page_.requested), words);
    std::size_t names = 0;
    for (const SearchWords::SearchWord& word : words.words()) {
      if (word.spelling < Spelling::name) continue;
      if (word.found || word.root_found) return false;
      names += word.spelling == Spelling::mixed ? 2 : 1;
    }
    return names >= 2;
  }

  bool ends_on_other_domain() const {
    const auto reached_url = parser::Url::parse(page_.final_url);
    return reached_url.has_value() &&
           parser::registrable_domain(*reached_url) != parser::registrable_domain(page_.requested);
  }

  bool url_names_entry() const {
    SearchWords words = entry_;
    for (SearchWords::SearchWord& word : words.words()) word.found = false;
    find_within(page_.requested.host(), words);
    find_within(path_of(page_.requested), words);
    if (const auto reached_url = parser::Url::parse(page_.final_url)) {
      find_within(reached_url->host(), words);
      find_within(path_of(*reached_url), words);
    }
    return words.any_found();
  }

  const parser::LinkOccurrence& occurrence_;
  SearchWords entry_;
  SearchWords description_;
  LanguageGuess language_;
  const AnsweringPage& page_;
  UrlWords url_;
  LanguageGuess page_language_;
  std::size_t page_weight_ = 0;
  std::size_t last_ = max_words;  // the last entry word read, if no other word followed
  std::size_t in_row_ = 0;
  bool has_phrase_ = false;
  bool is_title_ = false;         // the title is being read, not the text
  std::size_t title_weight_ = 0;  // of the uncommon entry words in the title or description
};

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t max_title_bytes = 120;
  const std::string_view start = truncate_utf8(text, max_title_bytes);
  return fmt::format("\"{}{}\"", start, start.size() < text.size() ? "…" : "");
}

bool is_sign_on(std::string_view final_url) {
  constexpr std::array<std::string_view, 8> words{"login",  "signin",     "sign_in", "sign-in",
                                                  "/oauth", "/authorize", "consent", "passport"};
  const std::string url = parser::to_ascii_lower(final_url.substr(0, max_path_bytes));
  return std::ranges::any_of(words, [&url](std::string_view word) { return url.find(word) != std::string::npos; });
}

namespace {

// Words of names that are translated: "the United States" becomes "Estados Unidos".
constexpr std::string_view translated_names =
    " united states kingdom nations european union white house supreme high court prime minister ministry president "
    "central federal national international council commission parliament congress senate department bank party army "
    "navy force university college institute academy museum association society world cup games olympic church north "
    "northern south southern east eastern west western middle upper lower great saint island islands river lake sea "
    "ocean mountain bay valley coast africa america asia europe arctic antarctica republic emirates arabia germany "
    "estados unidos reino unido naciones unidas unión europea casa blanca corte suprema tribunal ministro ministra "
    "primer primera presidente gobierno banco central consejo nacional norte sur mar rey república "
    "états unis royaume uni nations unies union européenne maison blanche cour suprême premier première ministre "
    "président banque conseil national nord sud mer roi république côte pays "
    "stati uniti regno unito nazioni unione corte ministro presidente banca consiglio repubblica mare "
    "união europeia supremo nações ministério conselho ";

bool is_translated(std::string_view word) {
  return translated_names.find(' ' + parser::extract_letters(word) + ' ') != std::string_view::npos;
}

// Two or more capitalised words in a row, within a sentence of other words, are a name. Capitals mean nothing in
// German, or if all words have them.
void mark_names(EntryWords& entry) {
  const Language language = entry.language.of_entry();
  if (language == Language::german || language >= Language::chinese) return;
  std::vector<std::uint64_t> names;
  std::vector<std::uint64_t> run;
  bool is_kept = true;
  std::size_t small = 0;
  std::size_t end_of_run = 0;
  const auto end_run = [&] {
    if (is_kept && run.size() >= 2) names.insert(names.end(), run.begin(), run.end());
    run.clear();
    is_kept = true;
  };
  for_each_word(entry.text, [&](const Word& word) {
    const auto at = static_cast<std::size_t>(word.text.data() - entry.text.data());
    const bool has_capital = word.text.front() >= 'A' && word.text.front() <= 'Z';
    const bool within = at >= 2 && entry.text[at - 1] == ' ' && !parser::is_ascii_punctuation(entry.text[at - 2]);
    if (!has_capital || !within || at != end_of_run + 1) end_run();
    if (!has_capital && word.letters >= 4 && is_specific(word)) ++small;
    if (!has_capital || !within) return;
    run.push_back(word.stem);
    is_kept = is_kept && !is_translated(word.text);
    end_of_run = at + word.text.size();
  });
  end_run();
  if (small < 2 || small * 2 < names.size()) return;
  for (SearchWords::SearchWord& word : entry.words.words()) {
    const bool is_name = word.letters.size() >= 4 && std::ranges::find(names, word.stem) != names.end();
    if (is_name && word.spelling == Spelling::plain) word.spelling = Spelling::name;
  }
}

// Returns nullopt if the entry is too short or too general.
std::optional<EntryWords> find_entry_words(const parser::LinkOccurrence& entry) {
  EntryWords found{truncate_utf8(entry.text, max_entry_bytes), {}, {}, {}};
  if (!is_compared(entry)) return std::nullopt;
  for_each_word(is_address(found.text) ? std::string_view() : found.text, [&](const Word& word) {
    found.language.add(word);
    if (is_specific(word)) found.words.add(word);
  });
  const bool text_says_enough = says_enough(found.words);
  for_each_word(entry.description, [&](const Word& word) {
    if (!text_says_enough) found.language.add(word);
    if (is_specific(word)) found.description.add(word);
  });
  mark_names(found);
  if (!text_says_enough && found.description.weight() < long_weight) return std::nullopt;
  return found;
}

}  // namespace

bool may_need_text(const std::vector<parser::LinkOccurrence>& entries, const AnsweringPage& page) {
  bool is_any_compared = false;
  for (std::size_t i = 0; i < std::min(entries.size(), max_compared_entries); ++i) {
    std::optional<EntryWords> entry = find_entry_words(entries[i]);
    if (!entry) continue;
    is_any_compared = true;
    if (Comparison(entries[i], *std::move(entry), page).agrees_by_title()) return false;
  }
  return is_any_compared;
}

std::optional<ContentMismatch> find_content_mismatch(const std::vector<parser::LinkOccurrence>& entries,
                                                     const AnsweringPage& page) {
  if (page.visible.text.empty() || (page.final_url != page.requested.href() && is_sign_on(page.final_url))) {
    return std::nullopt;
  }
  std::optional<ContentMismatch> clearest;
  for (std::size_t i = 0; i < std::min(entries.size(), max_compared_entries); ++i) {
    std::optional<EntryWords> entry = find_entry_words(entries[i]);
    if (!entry) continue;
    Comparison comparison(entries[i], *std::move(entry), page);
    if (comparison.agrees_by_title()) return std::nullopt;
    const double confidence = comparison.confidence();
    if (confidence == 0.0) {
      if (comparison.words_on_page() > 0) return std::nullopt;  // one matching entry is enough
      continue;
    }
    if (clearest && clearest->confidence >= confidence) continue;
    const std::string& about = entries[i].description;
    clearest = {fmt::format("{}{}{}", entries[i].text, about.empty() ? "" : " - ", about), comparison.words(),
                comparison.words_on_page(), confidence};
  }
  return clearest;
}

std::optional<std::string> matching_entry(const std::vector<parser::LinkOccurrence>& entries,
                                          const VisibleText& visible) {
  for (const parser::LinkOccurrence& entry : entries) {
    if (!is_compared(entry) || is_address(entry.text)) continue;
    SearchWords words;
    for_each_word(std::string_view(entry.text).substr(0, max_entry_bytes), [&words](const Word& word) {
      if (is_specific(word)) words.add(word);
    });
    const auto count_found = [&words](std::string_view text) {
      SearchWords found = words;
      for_each_word(text, [&found](const Word& word) {
        const std::size_t index = found.index_of(word);
        if (index < found.size()) found.words()[index].found = true;
      });
      return found.found();
    };
    if (says_enough(words) && count_found(visible.title) == words.size() &&
        2 * count_found(visible.text) >= words.size())
      return in_quotes(entry.text);
  }
  return std::nullopt;
}

storage::Verdict MismatchEvaluator::evaluate(const storage::Verdict& page_verdict, const ContentMismatch& found,
                                             const parser::Url& requested, std::string_view title) {
  constexpr double each_other = 0.05;
  constexpr double max_confidence = 0.85;
  static_assert(max_confidence < storage::sure_of_death);
  std::string_view answer = page_verdict.evidence;
  if (answer.ends_with('.')) answer.remove_suffix(1);
  storage::Verdict verdict{
      .health = storage::Health::suspect,
      .reason = std::string(storage::reason::other_content),
      .rule = "entry",
      .evidence =
          fmt::format("{}, but the entry says {} and the page {}: the page has {} of the entry's {} words.", answer,
                      in_quotes(found.entry), title.empty() ? "has no title" : "is titled " + in_quotes(title),
                      found.on_page == 0 ? "none" : fmt::format("only {}", found.on_page), found.words),
      .confidence = found.confidence};
  std::string name = parser::registrable_domain(requested);
  if (domains_.size() >= max_domains && !domains_.contains(name)) return verdict;
  Domain& domain = domains_[std::move(name)];
  const std::size_t hash = std::hash<std::string_view>()(title);
  if (domain.mismatches == 0) domain.first_title = hash;
  if (domain.first_title == hash) ++domain.with_first_title;
  ++domain.mismatches;
  if (domain.mismatches > 1) {
    verdict.evidence += fmt::format(" So far {} links to this domain have this problem{}.", domain.mismatches,
                                    domain.with_first_title == domain.mismatches ? ", all with the same title" : "");
    verdict.confidence = std::min(max_confidence, verdict.confidence + each_other * (domain.mismatches - 1));
  }
  return verdict;
}

}  // namespace linkherd::crawler
