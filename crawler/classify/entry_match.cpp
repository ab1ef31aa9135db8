#include "crawler/classify/entry_match.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "crawler/classify/words.h"
#include "parser/ascii.h"
#include "parser/metadata/text_values.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

using parser::LinkElement;

constexpr std::size_t most_entries = 32;  // per link; each may need one pass over the text of the page
constexpr std::size_t most_words = 64;    // per entry and per URL
constexpr std::size_t longest_path = 512;
constexpr std::size_t longest_entry = 2048;

// Weights: a word counts as much as two pairs of Chinese characters.
constexpr std::size_t word_weight = 2;
constexpr std::size_t pair_weight = 1;
constexpr std::size_t least_weight = 3;  // two words, or four Chinese characters
constexpr std::size_t long_weight = 7;   // four words, or eight Chinese characters

// A page with less text is a shell. For a page with little text, the URL must contradict the entry too.
constexpr std::size_t least_page_weight = 30;
constexpr std::size_t thin_page_weight = 120;

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

// Returns true if the text is the URL itself or its host.
bool is_address(std::string_view text) {
  const std::string_view trimmed = parser::trim_ascii(text);
  if (trimmed.find("://") != std::string_view::npos) return true;
  return trimmed.find(' ') == std::string_view::npos && trimmed.find_first_of("./@") != std::string_view::npos;
}

// The words of a short text that are searched in a page.
class SearchWords {
 public:
  struct SearchWord {
    std::uint64_t stem = 0;
    std::string letters;  // lower case
    std::size_t weight = 0;
    bool found = false;
  };

  void add(const Word& word) {
    if (words_.size() == most_words || index_of(word) < words_.size()) return;
    words_.push_back({word.stem, parser::letters_of(word.text), weight_of(word), false});
    filter_ |= bit_of(word.stem);
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

  std::size_t weight() const {
    return sum([](const SearchWord&) { return true; });
  }
  std::size_t found_weight() const { return sum(&SearchWord::found); }

 private:
  static std::uint64_t bit_of(std::uint64_t stem) { return std::uint64_t{1} << (stem % 64); }
  template <class Counts>
  std::size_t sum(Counts counts) const {
    std::size_t all = 0;
    for (const SearchWord& word : words_) all += std::invoke(counts, word) ? word.weight : 0;
    return all;
  }

  std::vector<SearchWord> words_;
  std::uint64_t filter_ = 0;  // Bloom filter of the stems
};

// Ignores spaces: "Light Table" matches "LightTable".
void find_within(std::string_view letters, SearchWords& words) {
  constexpr std::size_t shortest = 4;
  for (SearchWords::SearchWord& word : words.words()) {
    if (word.letters.size() >= shortest && letters.find(word.letters) != std::string_view::npos) word.found = true;
  }
}

// The words of a URL: of its domain and of its path.
struct UrlWords {
  SearchWords words;
  bool says_much = false;  // specific enough that a matching page would have one of them
};

UrlWords words_of(const parser::Url& url) {
  UrlWords made;
  const std::string domain = parser::registrable_domain(url);
  std::size_t named = 0;
  for_each_word(std::string_view(domain).substr(0, domain.find('.')), [&](const Word& word) {
    if (word.letters < 4) return;
    made.words.add(word);
    ++named;
  });
  std::size_t in_path = 0;
  const std::string path = parser::percent_decode(url.path().substr(0, longest_path));
  for_each_word(to_valid_utf8(path), [&](const Word& word) {
    if (word.has_digit || (!word.is_pair && word.letters < 4) || !is_specific(word)) return;
    made.words.add(word);
    ++in_path;
  });
  const bool is_root = url.path().size() <= 1 && !url.has_query();
  made.says_much = is_root ? named > 0 : in_path >= 2;
  return made;
}

// Compares one entry with the words of a page.
class Comparison {
 public:
  Comparison(SearchWords entry, Language language, const AnsweringPage& page)
      : entry_(std::move(entry)), language_(language), page_(page) {}

  // Returns true if the title confirms the entry.
  bool agrees_by_title() {
    read(page_.visible.title);
    read(page_.about);
    find_within(parser::letters_of(page_.visible.title), entry_);
    in_title_ = entry_.any_found();
    return agrees();
  }

  // Returns the confidence that the page is a different one, or 0.
  double confidence() {
    url_ = words_of(page_.asked);
    find_within(parser::letters_of(page_.visible.title), url_.words);
    find_within(parser::letters_of(page_.about), url_.words);
    page_weight_ = 0;
    for (std::string_view rest = page_.visible.text; !rest.empty() && !agrees();) {
      const std::string_view part = truncate_utf8(rest, read_at_once);
      read(part);
      rest.remove_prefix(part.size());
    }
    if (page_weight_ < least_page_weight || agrees()) return 0.0;
    const bool url_contradicts = url_.says_much && !url_.words.any_found();
    if (!is_comparable()) return url_contradicts && entry_.found_weight() == 0 && has_names() ? unsure : 0.0;
    if (page_weight_ < thin_page_weight) return url_contradicts && entry_.found_weight() == 0 ? unsure : 0.0;
    const bool moved_away = ends_on_other_domain();
    const double more = (url_contradicts ? tenth : 0.0) + (moved_away ? tenth / 2 : 0.0);
    if (!is_short()) return has_few_entry_words() ? likely + more : 0.0;
    // Two or three words of a sentence ("contact the maintainers") may be missing on the page.
    return url_contradicts || (moved_away && !url_names_entry()) ? unsure + more : 0.0;
  }

  std::size_t words() const { return entry_.size(); }
  std::size_t words_on_page() const { return entry_.found(); }

 private:
  static constexpr double unsure = 0.5;
  static constexpr double likely = 0.65;
  static constexpr double tenth = 0.1;
  static constexpr std::size_t read_at_once = std::size_t{4} << 10;
  static constexpr std::size_t least_weight_for_language = 1000;

  void read(std::string_view text) {
    for_each_word(text, [this](const Word& word) {
      page_weight_ += weight_of(word);
      if (page_weight_ <= least_weight_for_language) page_language_.add(word);
      if (const std::size_t at = url_.words.index_of(word); at < url_.words.size()) url_.words.words()[at].found = true;
      const std::size_t at = entry_.index_of(word);
      if (at < entry_.size()) {
        in_row_ = (at == last_ + 1 ? in_row_ : 0) + entry_.words()[at].weight;
        entry_.words()[at].found = true;
        has_phrase_ = has_phrase_ || is_phrase(in_row_);
        last_ = at;
      } else if (last_ < entry_.size() && is_specific(word)) {
        last_ = entry_.size();
      }
    });
    last_ = entry_.size();
  }

  bool is_short() const { return entry_.weight() < long_weight; }

  bool agrees() const {
    return has_phrase_ || entry_.found_weight() * 2 > entry_.weight() || (is_short() && entry_.any_found());
  }

  // Returns true for enough consecutive words of the entry: at least two, or five characters, and more than a third of
  // a long entry.
  bool is_phrase(std::size_t weight) const {
    constexpr std::size_t least = 4;
    return weight >= least && weight * 3 > entry_.weight();
  }

  // Translations have few words in common. The language of a short text in Latin script is unknown.
  bool is_comparable() const {
    const Language page = page_language_.of_page();
    if (language_ == page) return true;
    if (language_ == Language::unknown) {
      return page == Language::english || (!is_short() && page < Language::chinese);
    }
    return page == Language::unknown && language_ < Language::chinese;
  }

  // Words that a page in any language would contain: those in its own script, or names.
  bool has_names() const {
    const auto names = std::ranges::count(entry_.words(), word_weight, &SearchWords::SearchWord::weight);
    return names >= 2;
  }

  // A page about the same subject has some of the words in its title or many in its text.
  bool has_few_entry_words() const { return !in_title_ || entry_.found_weight() * 4 <= entry_.weight(); }

  bool ends_on_other_domain() const {
    const auto there = parser::Url::parse(page_.final_url);
    return there.has_value() && parser::registrable_domain(*there) != parser::registrable_domain(page_.asked);
  }

  bool url_names_entry() const {
    SearchWords words = entry_;
    find_within(parser::letters_of(page_.asked.host()), words);
    find_within(parser::letters_of(page_.asked.path().substr(0, longest_path)), words);
    return words.any_found();
  }

  SearchWords entry_;
  Language language_;
  const AnsweringPage& page_;
  UrlWords url_;
  LanguageGuess page_language_;
  std::size_t page_weight_ = 0;
  std::size_t last_ = most_words;  // the last entry word read, if no other word followed
  std::size_t in_row_ = 0;
  bool has_phrase_ = false;
  bool in_title_ = false;
};

// Login pages of single sign-on services: the page behind them is unknown.
bool is_sign_on(std::string_view final_url) {
  constexpr std::array<std::string_view, 8> words{"login",  "signin",     "sign_in", "sign-in",
                                                  "/oauth", "/authorize", "consent", "passport"};
  const std::string url = parser::to_ascii_lower(final_url.substr(0, longest_path));
  return std::ranges::any_of(words, [&url](std::string_view word) { return url.find(word) != std::string::npos; });
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 120;
  const std::string_view start = truncate_utf8(text, longest);
  return fmt::format("\"{}{}\"", start, start.size() < text.size() ? "…" : "");
}

}  // namespace

std::optional<Contradiction> contradiction(const std::vector<parser::LinkOccurrence>& entries,
                                           const AnsweringPage& page) {
  if (page.visible.text.empty() || (page.final_url != page.asked.href() && is_sign_on(page.final_url))) {
    return std::nullopt;
  }
  std::optional<Contradiction> clearest;
  for (std::size_t i = 0; i < std::min(entries.size(), most_entries); ++i) {
    const parser::LinkOccurrence& entry = entries[i];
    const std::string_view text = truncate_utf8(entry.text, longest_entry);
    if (!is_compared(entry) || is_address(text)) continue;
    SearchWords words;
    LanguageGuess language;
    for_each_word(text, [&](const Word& word) {
      language.add(word);
      if (is_specific(word)) words.add(word);
    });
    if (words.size() < 2 || words.weight() < least_weight) continue;
    Comparison comparison(std::move(words), language.of_entry(), page);
    if (comparison.agrees_by_title()) return std::nullopt;
    const double confidence = comparison.confidence();
    if (confidence == 0.0) {
      if (comparison.words_on_page() > 0) return std::nullopt;  // one matching entry is enough
      continue;
    }
    if (clearest && clearest->confidence >= confidence) continue;
    clearest = {std::string(text), comparison.words(), comparison.words_on_page(), confidence};
  }
  return clearest;
}

storage::Verdict OtherContent::judge(const storage::Verdict& there, const Contradiction& found,
                                     const parser::Url& asked, std::string_view title) {
  constexpr double each_other = 0.05;
  constexpr double most = 0.85;
  static_assert(most < storage::sure_of_death);
  std::string_view answer = there.evidence;
  if (answer.ends_with('.')) answer.remove_suffix(1);
  storage::Verdict verdict{
      .health = storage::Health::suspect,
      .reason = std::string(storage::reason::other_content),
      .rule = "entry",
      .evidence = fmt::format("{}, but the entry says {} and the page {}: {} of the entry's {} words on it.", answer,
                              in_quotes(found.entry), title.empty() ? "has no title" : "is titled " + in_quotes(title),
                              found.on_page == 0 ? "none" : fmt::format("only {}", found.on_page), found.words),
      .confidence = found.confidence};
  std::string name = parser::registrable_domain(asked);
  if (domains_.size() >= most_domains && !domains_.contains(name)) return verdict;
  Domain& domain = domains_[std::move(name)];
  const std::size_t hash = std::hash<std::string_view>()(title);
  if (domain.contradictions == 0) domain.first_title = hash;
  if (domain.first_title == hash) ++domain.with_first_title;
  ++domain.contradictions;
  if (domain.contradictions > 1) {
    verdict.evidence +=
        fmt::format(" So far {} links to this domain are like that{}.", domain.contradictions,
                    domain.with_first_title == domain.contradictions ? ", all with the same title" : "");
    verdict.confidence = std::min(most, verdict.confidence + each_other * (domain.contradictions - 1));
  }
  return verdict;
}

}  // namespace linkherd::crawler
