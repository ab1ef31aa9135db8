#include "crawler/classify/content_drift.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "crawler/classify/words.h"
#include "parser/ascii.h"
#include "parser/html/text_signature.h"
#include "parser/metadata/text_values.h"
#include "parser/url/registrable_domain.h"
#include "parser/utf8.h"
#include "storage/stored_times.h"

namespace linkherd::crawler {

namespace {

using storage::Snapshot;

constexpr double max_similarity = 0.2;  // three standard errors of the estimate
constexpr int min_differing_bits = 12;  // of the SimHash; texts in one language share their short words
constexpr double likely_drift = 0.8;
constexpr double in_another_language = 0.7;
constexpr std::size_t max_compared_bytes = 1024;  // longer texts are compared by their start

std::string_view value_of(const std::optional<parser::Field<std::string>>& field) {
  return field ? truncate_utf8(field->value, max_compared_bytes) : std::string_view();
}

// The distinct words of a short text, as stems.
class TitleWords {
 public:
  void add(std::string_view text) {
    for_each_word(text, [this](const Word& word) {
      if (!is_specific(word) || has(word.stem)) return;
      stems_.push_back(word.stem);
    });
  }
  bool has(std::uint64_t stem) const { return std::ranges::find(stems_, stem) != stems_.end(); }
  void remove(const TitleWords& others) {
    std::erase_if(stems_, [&others](std::uint64_t stem) { return others.has(stem); });
  }
  bool empty() const { return stems_.empty(); }
  std::size_t size() const { return stems_.size(); }
  std::size_t found_in(std::string_view text) const {
    TitleWords missing = *this;
    for_each_word(text, [&missing](const Word& word) { std::erase(missing.stems_, word.stem); });
    return size() - missing.size();
  }

 private:
  std::vector<std::uint64_t> stems_;
};

TitleWords title_words(std::string_view text) {
  TitleWords words;
  words.add(text);
  return words;
}

// The name of a site is in the titles of all its pages, so it is removed, unless nothing else remains.
TitleWords without_names(const TitleWords& words, const TitleWords& names) {
  TitleWords rest = words;
  rest.remove(names);
  return rest.empty() ? words : rest;
}

std::string primary_language(const Snapshot& snapshot) {
  const std::string_view tag = value_of(snapshot.metadata.language);
  return parser::to_ascii_lower(tag.substr(0, tag.find_first_of("-_")));
}

Language language_of_title(std::string_view title) {
  LanguageGuess guess;
  for_each_word(title, [&guess](const Word& word) { guess.add(word); });
  return guess.of_entry();
}

bool are_in_two_languages(const Snapshot& first, const Snapshot& now) {
  const std::string one = primary_language(first);
  const std::string other = primary_language(now);
  if (!one.empty() && !other.empty() && one != other) return true;
  const Language first_title = language_of_title(value_of(first.metadata.title));
  const Language title = language_of_title(value_of(now.metadata.title));
  return first_title != title && first_title != Language::unknown && title != Language::unknown;
}

// The metadata of a page, and its visible text.
struct PageWords {
  std::string about;
  std::string_view visible;
};

// The name of a site: its words, and the letters of its domain ("quarryquill"), which may be written as two words.
struct SiteName {
  TitleWords words;
  std::string letters;

  bool stands_in(std::string_view text) const {
    constexpr std::size_t min_bytes = 4;  // shorter names may be words of any text
    return words.found_in(text) > 0 ||
           (letters.size() >= min_bytes && parser::extract_letters(text).find(letters) != std::string::npos);
  }
};

SiteName name_of_site(const Snapshot& first, const parser::Url& requested) {
  const std::string domain = parser::registrable_domain(requested);
  const std::string_view label = std::string_view(domain).substr(0, domain.find('.'));
  SiteName site{title_words(value_of(first.metadata.site_name)), parser::extract_letters(label)};
  site.words.add(label);
  return site;
}

// Returns true if the page still has the words of its first title or, in another language, the name of the site. It is
// then the same page.
bool names_first_title(const TitleWords& first_title, const SiteName& site, const PageWords& page, bool two_languages) {
  const std::size_t found = std::max(first_title.found_in(page.about), first_title.found_in(page.visible));
  if (two_languages) return found > 0 || site.stands_in(page.about);
  return found * 2 >= first_title.size();
}

}  // namespace

bool is_comparable(const Snapshot& snapshot) {
  return storage::page_exists(snapshot.verdict) && snapshot.metadata.title && snapshot.main_text.is_comparable();
}

std::optional<storage::Verdict> find_content_drift(const Snapshot& first, const LaterCheck& now) {
  if (!is_comparable(first) || !is_comparable(now.snapshot) || is_sign_on(now.snapshot.final_url)) return std::nullopt;
  const double same = parser::similarity(first.main_text.minhash, now.snapshot.main_text.minhash);
  const int bits = parser::simhash_distance(first.main_text.simhash, now.snapshot.main_text.simhash);
  if (same >= max_similarity || bits < min_differing_bits) return std::nullopt;

  const std::string_view first_title = value_of(first.metadata.title);
  const std::string_view title = value_of(now.snapshot.metadata.title);
  const SiteName site = name_of_site(first, now.requested);
  TitleWords names = site.words;
  names.add(value_of(now.snapshot.metadata.site_name));
  const TitleWords before = without_names(title_words(first_title), names);
  const TitleWords after = without_names(title_words(title), names);
  if (before.empty() || after.empty() || before.found_in(title) > 0) return std::nullopt;

  const bool two_languages = are_in_two_languages(first, now.snapshot);
  const PageWords page{
      fmt::format("{}\n{}\n{}\n{}", title, now.visible.title, value_of(now.snapshot.metadata.site_name),
                  value_of(now.snapshot.metadata.description)),
      now.visible.text};
  if (names_first_title(before, site, page, two_languages)) return std::nullopt;
  std::string_view answer = now.snapshot.verdict.evidence;
  if (answer.ends_with('.')) answer.remove_suffix(1);
  return storage::Verdict{
      .health = storage::Health::suspect,
      .reason = std::string(storage::reason::content_changed),
      .rule = "drift",
      .evidence = fmt::format("{}, but it was a different page when first read on {}: titled {}, now {}; {:.0f}% of "
                              "its text is the same, and {} of 64 bits of its SimHash differ.",
                              answer, format_timestamp(first.fetched_at).substr(0, 10), in_quotes(first_title),
                              in_quotes(title), same * 100, bits),
      .confidence = two_languages ? in_another_language : likely_drift};
}

}  // namespace linkherd::crawler
