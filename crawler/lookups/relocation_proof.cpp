#include "crawler/lookups/relocation_proof.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "crawler/classify/usable_target.h"
#include "crawler/classify/words.h"
#include "parser/ascii.h"
#include "parser/html/text_signature.h"
#include "parser/join.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"
#include "parser/utf8.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

namespace {

using Numbers = std::set<std::string>;

constexpr double min_same_text = 0.8;
constexpr double min_same_text_elsewhere = 0.9;  // on another domain, without a redirect of the old host
constexpr double min_similar_text = 0.5;
constexpr double min_lead = 0.1;             // over rivals; two standard errors of an estimate
constexpr std::size_t min_sure_words = 100;  // of the main text
constexpr std::size_t min_rule_moves = 3;
constexpr std::size_t max_title_bytes = 1024;
constexpr std::size_t max_compared_main_text_bytes = 65'536;
constexpr std::size_t min_shared_words = 2;  // of titles, for the weakest level

constexpr std::array<std::string_view, 20> number_words{
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "ii",    "iii",    "iv",    "vi",     "vii",   "viii",  "ix",      "xi",     "xii",   "xiii"};

std::string_view title_of(const storage::Snapshot& snapshot) {
  return snapshot.metadata.title ? truncate_utf8(snapshot.metadata.title->value, max_title_bytes) : std::string_view();
}

// Returns numbers, years and versions of a text: "Kiln 2.1, second edition (2019)" has 2.1, second and 2019.
Numbers numbers_of(std::string_view text) {
  Numbers numbers;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (parser::is_ascii_digit(text[i])) {
      while (i < text.size() && (parser::is_ascii_digit(text[i]) ||
                                 (text[i] == '.' && i + 1 < text.size() && parser::is_ascii_digit(text[i + 1]))))
        ++i;
      numbers.emplace(text.substr(begin, i - begin));
    } else if (parser::is_ascii_letter(text[i])) {
      while (i < text.size() && parser::is_ascii_letter(text[i])) ++i;
      const std::string word = parser::to_ascii_lower(text.substr(begin, i - begin));
      if (parser::is_one_of(number_words, word)) numbers.insert(word);
    } else {
      ++i;
    }
  }
  return numbers;
}

// Compares the numbers that only one of the texts has. A number that is added is higher than none.
bool is_higher(const Numbers& numbers, const Numbers& others) {
  // The components of "2.10", or the position of "second" among the words.
  const auto value_of = [](const std::string& number) {
    std::vector<std::uint64_t> value;
    const auto* word = std::ranges::find(number_words, number);
    if (word != number_words.end()) return std::vector{static_cast<std::uint64_t>(word - number_words.begin())};
    for (const char c : number) {
      if (value.empty() || c == '.') value.push_back(0);
      if (c != '.') value.back() = value.back() * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
  };
  const auto highest = [&](const Numbers& in, const Numbers& without) {
    std::optional<std::vector<std::uint64_t>> best;
    for (const std::string& number : in) {
      if (without.contains(number)) continue;
      std::vector<std::uint64_t> value = value_of(number);
      if (!best || *best < value) best = std::move(value);
    }
    return best;
  };
  const auto one = highest(numbers, others);
  const auto other = highest(others, numbers);
  return one && (!other || *one > *other);
}

// Returns the parts of a path that are versions or years: "v2", "2.1", "3.x", "11", "2019".
Numbers path_versions(const parser::Url& url) {
  Numbers versions;
  std::string_view path = url.path();
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of("/-_"), path.size());
    std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    const bool has_v = part.size() > 1 && parser::ascii_lower(part[0]) == 'v';
    if (has_v) part.remove_prefix(1);
    if (part.ends_with(".x")) part.remove_suffix(2);
    while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    if (part.empty() || !std::ranges::all_of(part, [](char c) { return parser::is_ascii_digit(c) || c == '.'; }))
      continue;
    const bool is_year = part.size() == 4 && (part.starts_with("19") || part.starts_with("20"));
    constexpr std::size_t max_version_digits = 2;  // longer numbers identify pages
    if (has_v || is_year || part.size() <= max_version_digits || part.find('.') != std::string_view::npos)
      versions.emplace(part);
  }
  return versions;
}

// Returns the parts of a path that may be languages: "en", "pt-br".
Numbers path_languages(const parser::Url& url) {
  Numbers languages;
  std::string_view path = url.path();
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    const bool has_region = part.size() >= 5 && part.size() <= 7 && (part[2] == '-' || part[2] == '_');
    if ((part.size() == 2 || has_region) && parser::is_ascii_letter(part[0]) && parser::is_ascii_letter(part[1]))
      languages.insert(parser::to_ascii_lower(part));
  }
  return languages;
}

// Returns true for paths such as /~ada/kiln and /users/ada/kiln of a host that many people share.
bool is_page_of_user(const parser::Url& url) {
  constexpr std::array<std::string_view, 8> folders{"user", "users", "u",     "people",
                                                    "home", "homes", "staff", "members"};
  const std::string_view path = url.path().substr(1);
  const std::string_view folder = path.substr(0, path.find('/'));
  return folder.starts_with('~') || folder.starts_with("%7E") || folder.starts_with("%7e") || folder.starts_with('@') ||
         parser::is_one_of(folders, parser::to_ascii_lower(folder));
}

// Parts that only disappear do not contradict.
bool are_replaced(const Numbers& before, const Numbers& after) {
  return !std::ranges::includes(before, after) && !std::ranges::includes(after, before);
}

struct TitleComparison {
  bool is_same = false;         // the same words, in the same order
  bool is_distinctive = false;  // the old title has words that few pages have, apart from the name of the site
  bool differs_in_numbers = false;
  bool has_higher_number = false;  // the new title has a number, and the old one none or a lower one
  bool is_same_without_numbers = false;
  std::size_t shared_words = 0;  // specific words that both have
};

struct TitleWordList {
  std::vector<std::uint64_t> words;  // without numbers
  std::unordered_set<std::uint64_t> specific;
};

TitleWordList read_title(const storage::Snapshot& snapshot) {
  TitleWordList list;
  for_each_word(title_of(snapshot), [&list](const Word& word) {
    if (word.has_digit || parser::is_one_of(number_words, parser::to_ascii_lower(word.text))) return;
    list.words.push_back(word.hash);
    if (is_specific(word) && !is_common(word)) list.specific.insert(word.stem);
  });
  return list;
}

TitleComparison compare_titles(const storage::Snapshot& before, const storage::Snapshot& after) {
  TitleComparison result;
  if (title_of(before).empty() || title_of(after).empty()) return result;
  const TitleWordList old_title = read_title(before);
  const TitleWordList new_title = read_title(after);
  std::unordered_set<std::uint64_t> site;
  if (before.metadata.site_name) {
    for_each_word(truncate_utf8(before.metadata.site_name->value, max_title_bytes),
                  [&site](const Word& word) { site.insert(word.stem); });
  }
  const auto distinctive = static_cast<std::size_t>(
      std::ranges::count_if(old_title.specific, [&site](std::uint64_t stem) { return !site.contains(stem); }));
  result.is_distinctive = distinctive >= 2;
  for (const std::uint64_t stem : old_title.specific) {
    if (!site.contains(stem) && new_title.specific.contains(stem)) ++result.shared_words;
  }
  const Numbers old_numbers = numbers_of(title_of(before));
  const Numbers new_numbers = numbers_of(title_of(after));
  result.differs_in_numbers = old_numbers != new_numbers;
  result.has_higher_number = is_higher(new_numbers, old_numbers);
  result.is_same_without_numbers = !old_title.words.empty() && old_title.words == new_title.words;
  result.is_same = result.is_same_without_numbers && !result.differs_in_numbers;
  return result;
}

bool have_same_author(const storage::Snapshot& before, const storage::Snapshot& after) {
  if (!before.metadata.authors || !after.metadata.authors) return false;
  return std::ranges::any_of(before.metadata.authors->value, [&](const std::string& name) {
    const std::vector<std::string>& others = after.metadata.authors->value;
    return std::ranges::find(others, name) != others.end();
  });
}

bool have_same_date(const storage::Snapshot& before, const storage::Snapshot& after) {
  constexpr std::size_t day_length = 10;  // "2024-03-05"
  if (!before.metadata.published || !after.metadata.published) return false;
  const std::string& one = before.metadata.published->value;
  const std::string& other = after.metadata.published->value;
  return one.size() >= day_length && one.compare(0, day_length, other, 0, day_length) == 0;
}

std::size_t count_words(const PageVersion& page) {
  constexpr std::uint64_t mean_word_length = 7;  // with its space; more than in scripts without spaces
  if (page.main_text.empty()) return page.snapshot.main_text.length / mean_word_length;
  std::size_t count = 0;
  for_each_word(page.main_text, [&count](const Word&) { ++count; });
  return count;
}

// Returns the shared part of the numbers of two texts. Two timetables of one template share few. Returns 1 if a text
// has no or few numbers.
double shared_text_numbers(const PageVersion& one, const PageVersion& other) {
  constexpr std::size_t min_numbers = 3;
  const Numbers first = numbers_of(truncate_utf8(one.main_text, max_compared_main_text_bytes));
  const Numbers second = numbers_of(truncate_utf8(other.main_text, max_compared_main_text_bytes));
  if (first.size() < min_numbers || second.size() < min_numbers) return 1.0;
  std::vector<std::string> shared;
  std::ranges::set_intersection(first, second, std::back_inserter(shared));
  return static_cast<double>(shared.size()) / static_cast<double>(std::min(first.size(), second.size()));
}

// Returns the part of the words that have digits.
double share_of_numbers(std::string_view text) {
  std::size_t words = 0;
  std::size_t numbers = 0;
  for_each_word(truncate_utf8(text, max_compared_main_text_bytes), [&](const Word& word) {
    ++words;
    if (word.has_digit) ++numbers;
  });
  return words == 0 ? 0.0 : static_cast<double>(numbers) / static_cast<double>(words);
}

// Returns true if the old text has a word of the old file name, and the candidate has none of these words in its
// address, title and text. For example, berlin.html is not the page about Munich.
bool lacks_words_of_name(const PageVersion& old_page, const PageVersion& candidate) {
  constexpr std::size_t min_word_bytes = 4;
  std::string_view path = old_page.url.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  path.remove_prefix(path.rfind('/') + 1);
  std::unordered_set<std::uint64_t> name;
  for_each_word(parser::percent_decode(path.substr(0, path.rfind('.'))), [&name](const Word& word) {
    if (word.text.size() >= min_word_bytes && !word.has_digit) name.insert(word.stem);
  });
  const auto has_any = [&name](std::string_view text) {
    bool has = false;
    for_each_word(truncate_utf8(text, max_compared_main_text_bytes),
                  [&](const Word& word) { has = has || name.contains(word.stem); });
    return has;
  };
  return (has_any(old_page.main_text) || has_any(title_of(old_page.snapshot))) &&
         !has_any(parser::percent_decode(candidate.url.path())) && !has_any(title_of(candidate.snapshot)) &&
         !has_any(candidate.main_text);
}

std::string percent(double share) { return fmt::format("{:.0f} %", std::floor(share * 100.0)); }

class Comparison {
 public:
  Comparison(const PageVersion& old_page, const PageVersion& candidate, const RelocationContext& context)
      : old_page_(old_page),
        candidate_(candidate),
        context_(context),
        similarity_(context.similarity == nullptr ? text_similarity(old_page, candidate) : *context.similarity),
        titles_(compare_titles(old_page.snapshot, candidate.snapshot)),
        same_author_(have_same_author(old_page.snapshot, candidate.snapshot)),
        same_date_(have_same_date(old_page.snapshot, candidate.snapshot)),
        versions_replaced_(are_replaced(path_versions(old_page.url), path_versions(candidate.url))) {}

  std::optional<RelocationProof> prove() const {
    std::optional<RelocationLevel> level = find_level();
    if (!level) return std::nullopt;
    // The entry has both addresses already.
    const bool is_in_entry = context_.source == storage::RelocationSource::entry;
    if (is_in_entry && *level >= RelocationLevel::probably) level = RelocationLevel::possibly;
    return RelocationProof{*level, similarity_, describe(*level)};
  }

 private:
  double similarity() const { return similarity_.value_or(0.0); }

  bool contradicts() const {
    constexpr double min_shared_numbers = 0.5;
    return titles_.differs_in_numbers || versions_replaced_ ||
           are_replaced(path_languages(old_page_.url), path_languages(candidate_.url)) ||
           shared_text_numbers(old_page_, candidate_) < min_shared_numbers ||
           lacks_words_of_name(old_page_, candidate_);
  }

  // Without the old text, its numbers are not known. In a text that has many, they may all differ.
  bool has_same_numbers() const {
    constexpr double min_shared_numbers = 0.75;
    constexpr double max_unknown_numbers = 0.05;
    if (old_page_.main_text.empty()) return share_of_numbers(candidate_.main_text) <= max_unknown_numbers;
    return shared_text_numbers(old_page_, candidate_) >= min_shared_numbers;
  }

  bool is_same_domain() const {
    return parser::registrable_domain(old_page_.url) == parser::registrable_domain(candidate_.url);
  }
  bool is_same_site() const { return context_.has_redirect || is_same_domain(); }

  // Readers may have written a link on the old page, and users of a shared host move one by one.
  bool may_be_elsewhere() const {
    if (context_.source == storage::RelocationSource::other_pages)
      return context_.explaining_moves > 1 || !is_page_of_user(old_page_.url);
    return context_.source != storage::RelocationSource::old_page;
  }

  bool has_same_name() const { return titles_.is_same || context_.is_only_file_of_name; }

  bool is_ahead() const { return similarity() - context_.rival_similarity >= min_lead; }

  bool is_sure() const {
    if (similarity() < (is_same_site() ? min_same_text : min_same_text_elsewhere)) return false;
    if (std::min(count_words(old_page_), count_words(candidate_)) < min_sure_words) return false;
    if (!usable_target(old_page_.url, candidate_.url.href())) return false;
    if ((!is_same_site() && !may_be_elsewhere()) || !has_same_numbers()) return false;
    return (has_same_name() || same_author_ || same_date_) && !contradicts() && is_ahead() && !context_.is_shared;
  }

  bool is_probable() const {
    if (contradicts() || context_.is_shared) return false;
    const bool is_distinctive = titles_.is_distinctive || context_.is_only_file_of_name;
    if (has_same_name() && is_distinctive && similarity() >= min_similar_text && is_ahead()) return true;
    if (context_.has_redirect && titles_.is_same) return true;
    return context_.explaining_moves >= min_rule_moves && titles_.shared_words >= min_shared_words;
  }

  bool is_newer() const {
    if (!titles_.is_distinctive || !titles_.is_same_without_numbers) return false;
    if (titles_.differs_in_numbers) return titles_.has_higher_number;
    return versions_replaced_ && is_higher(path_versions(candidate_.url), path_versions(old_page_.url));
  }

  std::optional<RelocationLevel> find_level() const {
    if (is_sure()) return RelocationLevel::sure;
    if (is_probable()) return RelocationLevel::probably;
    if (is_newer()) return RelocationLevel::newer;
    if (context_.is_same_project) return RelocationLevel::project;
    const bool has_similar_text = similarity() >= min_similar_text && is_ahead();
    if (titles_.is_same || titles_.shared_words >= min_shared_words || has_similar_text)
      return RelocationLevel::possibly;
    return std::nullopt;
  }

  std::string describe(RelocationLevel level) const {
    std::vector<std::string> parts;
    if (level == RelocationLevel::newer) {
      parts.emplace_back("same title apart from numbers or the version");
    } else if (titles_.is_same) {
      parts.emplace_back("same title");
    } else if (titles_.shared_words > 0) {
      parts.push_back(fmt::format("{} words of the title", titles_.shared_words));
    }
    if (same_author_) parts.emplace_back("same author");
    if (same_date_) parts.emplace_back("same date");
    if (similarity_)
      parts.push_back(
          fmt::format("{}{} of the text", old_page_.main_text.empty() ? "about " : "", percent(*similarity_)));
    if (context_.is_only_file_of_name) parts.emplace_back("the only file of this name in the repository");
    if (context_.is_same_project)
      parts.emplace_back("a site and a repository of the same name that link to each other");
    if (context_.has_redirect) parts.emplace_back("a redirect of its host");
    if (!is_same_domain()) parts.emplace_back("on another domain");
    if (context_.explaining_moves > 0)
      parts.push_back(fmt::format("as {} other {} of its host", context_.explaining_moves,
                                  context_.explaining_moves == 1 ? "page" : "pages"));
    return join(parts, ", ");
  }

  const PageVersion& old_page_;
  const PageVersion& candidate_;
  const RelocationContext& context_;
  std::optional<double> similarity_;
  TitleComparison titles_;
  bool same_author_;
  bool same_date_;
  bool versions_replaced_;
};

}  // namespace

std::optional<double> text_similarity(const PageVersion& one, const PageVersion& other) {
  if (!one.main_text.empty() && !other.main_text.empty()) {
    const std::vector<std::uint64_t> first =
        parser::word_runs(truncate_utf8(one.main_text, max_compared_main_text_bytes));
    const std::vector<std::uint64_t> second =
        parser::word_runs(truncate_utf8(other.main_text, max_compared_main_text_bytes));
    if (std::min(first.size(), second.size()) < parser::min_shingles) return std::nullopt;
    return parser::similarity(first, second);
  }
  if (!one.snapshot.main_text.is_comparable() || !other.snapshot.main_text.is_comparable()) return std::nullopt;
  return parser::similarity(one.snapshot.main_text.minhash, other.snapshot.main_text.minhash);
}

std::optional<RelocationProof> prove_relocation(const PageVersion& old_page, const PageVersion& candidate,
                                                const RelocationContext& context) {
  if (!storage::page_exists(candidate.snapshot.verdict)) return std::nullopt;
  const auto is_home = [](const parser::Url& url) { return url.path().size() <= 1 && !url.has_query(); };
  if (is_home(candidate.url) && !is_home(old_page.url) && !context.is_same_project) return std::nullopt;
  return Comparison(old_page, candidate, context).prove();
}

}  // namespace linkherd::crawler
