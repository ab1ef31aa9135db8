#include "crawler/lookups/address_ranking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "crawler/classify/words.h"
#include "parser/ascii.h"
#include "parser/url/canonical.h"
#include "parser/url/host_labels.h"
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_segments = 16;              // of a path that are compared
constexpr std::size_t max_segment_bytes = 160;        // of a segment that are compared
constexpr std::size_t max_compared_text_bytes = 512;  // of a title or link text that are compared
constexpr double min_confident_score = 1.3;
constexpr double min_confident_lead = 0.35;
constexpr std::size_t max_scored = 256;  // addresses of a long listing that are scored exactly, per page
// How much the words of a page count at most: of its slug, of the rest of its path, and of its title and link texts.
constexpr double slug_share = 0.9;
constexpr double path_share = 0.35;
constexpr double text_share = 0.9;

constexpr std::array<std::string_view, 5> default_pages = {"index", "default", "home", "mainpage", "welcome"};
constexpr std::array<std::string_view, 16> page_extensions = {
    "html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cfm", "cgi", "md", "rst", "txt", "pdf", "do", "xml"};

// Returns the letters and digits in lower case, without punctuation: "How-to_Jekyll" becomes "howtojekyll".
std::string squeeze(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (parser::is_ascii_alphanumeric(c) || parser::is_not_ascii(c)) letters += parser::ascii_lower(c);
  }
  return letters;
}

std::string_view without_extension(std::string_view segment) {
  const std::size_t dot = segment.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return segment;
  const std::string extension = parser::to_ascii_lower(segment.substr(dot + 1));
  return parser::is_one_of(page_extensions, extension) ? segment.substr(0, dot) : segment;
}

// Separates the words of "GettingStarted" by a space.
std::string split_camel_case(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_upper = text[i] >= 'A' && text[i] <= 'Z';
    const bool follows_lower =
        i > 0 && parser::is_ascii_alphanumeric(text[i - 1]) && !(text[i - 1] >= 'A' && text[i - 1] <= 'Z');
    if (is_upper && follows_lower) words += ' ';
    words += text[i];
  }
  return words;
}

using Stems = std::vector<std::uint64_t>;  // sorted and distinct, after sort_distinct()

template <class T>
void sort_distinct(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void add_stems(std::string_view text, Stems& stems) {
  for_each_word(truncate_utf8(text, max_compared_text_bytes),
                [&stems](const Word& word) { stems.push_back(word.stem); });
}

void add_specific_stems(std::string_view text, Stems& stems) {
  for_each_word(truncate_utf8(text, max_compared_text_bytes), [&stems](const Word& word) {
    if (is_specific(word)) stems.push_back(word.stem);
  });
}

// The sorted, distinct runs of three bytes, with a mark at both ends.
std::vector<std::uint32_t> trigrams(std::string_view squeezed) {
  std::vector<std::uint32_t> runs;
  std::uint32_t run = '^';
  const auto add = [&](char c) {
    run = (run << 8U | static_cast<unsigned char>(c)) & 0xFFFFFFU;
    runs.push_back(run);
  };
  for (const char c : squeezed) add(c);
  add('$');
  sort_distinct(runs);
  return runs;
}

// The compared parts of an address.
struct AddressParts {
  std::vector<std::string> segments;  // decoded, without page extensions and without a default page at the end
  std::vector<std::string> squeezed;  // the same, squeezed
  std::string query;                  // decoded
};

AddressParts read_parts(const parser::Url& url) {
  AddressParts parts;
  std::string_view path = url.path();
  while (!path.empty() && parts.segments.size() < max_segments) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string segment = parser::percent_decode(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
    const std::string_view name = truncate_utf8(without_extension(segment), max_segment_bytes);
    if (!name.empty()) parts.segments.emplace_back(name);
  }
  while (!parts.segments.empty() && parser::is_one_of(default_pages, squeeze(parts.segments.back())))
    parts.segments.pop_back();
  for (const std::string& segment : parts.segments) parts.squeezed.push_back(squeeze(segment));
  parts.query = std::string(truncate_utf8(parser::percent_decode(url.query()), max_compared_text_bytes));
  return parts;
}

// Adds the parts that look like identifiers: at least four digits, or three in six characters. Years do not count.
void add_identifiers(std::string_view text, std::vector<std::string>& identifiers) {
  const auto is_year = [](std::string_view part) {
    return part.size() == 4 && (part.starts_with("19") || part.starts_with("20"));
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    std::size_t digits = 0;
    for (; i < text.size() && parser::is_ascii_alphanumeric(text[i]); ++i)
      digits += parser::is_ascii_digit(text[i]) ? 1U : 0U;
    const std::string_view part = text.substr(begin, i - begin);
    if ((digits >= 4 || (digits >= 3 && part.size() >= 6)) && !is_year(part))
      identifiers.push_back(parser::to_ascii_lower(part));
    if (i == begin) ++i;
  }
}

std::vector<std::string> identifiers_of(const AddressParts& parts) {
  std::vector<std::string> identifiers;
  for (const std::string& segment : parts.segments) add_identifiers(segment, identifiers);
  add_identifiers(parts.query, identifiers);
  return identifiers;
}

std::uint64_t hash_of_identifier(std::string_view identifier) { return std::hash<std::string_view>()(identifier); }

// Returns the part of the address that names the page: the last segment with a specific word, else the last segment,
// else the name of the host.
std::string slug_of(const parser::Url& url, const AddressParts& parts) {
  for (std::size_t i = parts.segments.size(); i-- > 0;) {
    Stems specific;
    add_specific_stems(split_camel_case(parts.segments[i]), specific);
    if (!specific.empty()) return parts.segments[i];
  }
  if (!parts.segments.empty()) return parts.segments.back();
  const std::string_view host = parser::without_www(url.host());
  return std::string(host.substr(0, host.find('.')));
}

// Counts equal elements from one end of two sequences.
template <class Iterator>
std::size_t count_equal(Iterator one, Iterator one_end, Iterator other, Iterator other_end) {
  std::size_t count = 0;
  for (; one != one_end && other != other_end && *one == *other; ++one, ++other) ++count;
  return count;
}

// For each value, such as a word, the addresses that have it.
using Postings = std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>;

// The words of the listing. A word weighs the more, the fewer addresses have it.
class WordWeights {
 public:
  WordWeights(const Postings& words, std::size_t addresses)
      : words_(words), addresses_(static_cast<double>(addresses)) {}

  double weight(std::uint64_t stem) const {
    const auto found = words_.find(stem);
    const double count = found == words_.end() ? 0.0 : static_cast<double>(found->second.size());
    return std::max(std::log((addresses_ + 1.0) / (count + 0.5)), 0.0);
  }

  // Returns the share of the words that `present` has, from 0 to 1, by weight.
  double share(const Stems& words, const Stems& present) const {
    double found = 0.0;
    for (const std::uint64_t stem : words) {
      if (std::ranges::binary_search(present, stem)) found += weight(stem);
    }
    const double all = sum(words);
    return all == 0.0 ? 0.0 : found / all;
  }

  double sum(const Stems& words) const {
    double all = 0.0;
    for (const std::uint64_t stem : words) all += weight(stem);
    return all;
  }

 private:
  const Postings& words_;
  double addresses_;
};

// The page that is looked for, prepared for the comparison with many addresses.
class Target {
 public:
  explicit Target(const MovedPage& page)
      : parts_(read_parts(page.url)),
        slug_(squeeze(slug_of(page.url, parts_))),
        slug_trigrams_(trigrams(slug_)),
        identifiers_(identifiers_of(parts_)) {
    add_stems(split_camel_case(slug_of(page.url, parts_)), slug_words_);
    for (const std::string& segment : parts_.segments) add_stems(split_camel_case(segment), path_words_);
    add_specific_stems(page.title, text_words_);
    for (const std::string& text : page.texts) add_specific_stems(text, text_words_);
    for (Stems* words : {&slug_words_, &path_words_, &text_words_}) sort_distinct(*words);
    std::erase_if(path_words_, [this](std::uint64_t stem) { return std::ranges::binary_search(slug_words_, stem); });
  }

  // Calls `take` with each value that promises a part of the score if an address has it, and with the promised part.
  // Words and identifiers are in `words`, and runs of letters in `letters`.
  template <class Take>
  void for_each_promise(const WordWeights& weights, const Postings& words, const Postings& letters, Take take) const {
    const auto add_words = [&](const Stems& stems, double share) {
      const double all = weights.sum(stems);
      for (const std::uint64_t stem : stems) take(words, stem, all == 0.0 ? 0.0 : share * weights.weight(stem) / all);
    };
    add_words(slug_words_, slug_share);
    add_words(path_words_, path_share);
    add_words(text_words_, text_share);
    for (const std::string& identifier : identifiers_) take(words, hash_of_identifier(identifier), 1.0);
    for (const std::uint32_t run : slug_trigrams_) take(letters, run, 1.0 / static_cast<double>(slug_trigrams_.size()));
  }

  double score(const AddressParts& address, const Stems& words, const WordWeights& weights) const {
    double score = name_similarity(address) + slug_share * weights.share(slug_words_, words) +
                   path_share * weights.share(path_words_, words) + text_share * weights.share(text_words_, words) +
                   identifier_score(address) + position_score(address);
    if (!parts_.query.empty() && parts_.query == address.query) score += 0.3;
    return score;
  }

 private:
  // Compares the segments of the address with the slug. Segments before the last one count a little less.
  double name_similarity(const AddressParts& address) const {
    double best = 0.0;
    for (std::size_t i = 0; i < address.squeezed.size(); ++i) {
      const std::string& name = address.squeezed[i];
      if (name.empty()) continue;
      double value = name == slug_ ? 1.0 : letter_similarity(name);
      if (i + 1 < address.squeezed.size()) value *= 0.85;
      best = std::max(best, value);
    }
    return best;
  }

  double letter_similarity(const std::string& name) const {
    constexpr std::size_t min_contained = 4;  // shorter names are part of too many others
    const std::vector<std::uint32_t> runs = trigrams(name);
    std::vector<std::uint32_t> shared;
    std::ranges::set_intersection(runs, slug_trigrams_, std::back_inserter(shared));
    const auto common = static_cast<double>(shared.size());
    const auto sum = static_cast<double>(runs.size() + slug_trigrams_.size());
    const double jaccard = common / (sum - common);
    if (std::min(name.size(), slug_.size()) < min_contained) return jaccard;
    const auto smaller = static_cast<double>(std::min(runs.size(), slug_trigrams_.size()));
    return std::max(jaccard, 0.8 * common / smaller);
  }

  double identifier_score(const AddressParts& address) const {
    if (identifiers_.empty()) return 0.0;
    const std::vector<std::string> others = identifiers_of(address);
    if (others.empty()) return 0.0;
    const bool shares = std::ranges::any_of(identifiers_, [&](const std::string& identifier) {
      return std::ranges::find(others, identifier) != others.end();
    });
    return shares ? 1.0 : -0.3;
  }

  // Rewards the same folders and the same end of the path. A home page is only the new address of a home page.
  double position_score(const AddressParts& address) const {
    const std::vector<std::string>& one = parts_.squeezed;
    const std::vector<std::string>& other = address.squeezed;
    if (one.empty() && other.empty()) return 1.0;
    if (other.empty()) return -0.3;
    const auto folders_end = [](const std::vector<std::string>& names) {
      return names.empty() ? names.end() : names.end() - 1;
    };
    const std::size_t same_begin = count_equal(one.begin(), folders_end(one), other.begin(), folders_end(other));
    const std::size_t same_end = count_equal(one.rbegin(), one.rend(), other.rbegin(), other.rend());
    const std::size_t folders = std::max({one.size(), other.size(), std::size_t{2}}) - 1;
    const double length_difference = std::abs(static_cast<double>(one.size()) - static_cast<double>(other.size()));
    return 0.15 * static_cast<double>(same_begin) / static_cast<double>(folders) +
           0.2 * static_cast<double>(std::min<std::size_t>(same_end, 3)) /
               static_cast<double>(std::max<std::size_t>(one.size(), 1)) -
           0.02 * length_difference;
  }

  AddressParts parts_;
  std::string slug_;
  std::vector<std::uint32_t> slug_trigrams_;
  std::vector<std::string> identifiers_;
  Stems slug_words_;
  Stems path_words_;  // of the other segments
  Stems text_words_;  // of the title and the texts of links
};

}  // namespace

struct AddressRanker::Index {
  explicit Index(const std::vector<ListedAddress>& listing) {
    std::unordered_set<std::string> known;
    for (std::size_t i = 0; i < listing.size(); ++i) {
      if (!known.insert(parser::canonical_form(listing[i].url, parser::CanonicalLayer::equivalent).url).second)
        continue;
      AddressParts address = read_parts(listing[i].url);
      Stems stems;
      for (const std::string& segment : address.segments) add_stems(split_camel_case(segment), stems);
      add_stems(address.query, stems);
      add_stems(listing[i].text, stems);
      sort_distinct(stems);
      indices.push_back(i);
      parts.push_back(std::move(address));
      stems_of.push_back(std::move(stems));
    }
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      for (const std::uint64_t stem : stems_of[i]) words[stem].push_back(i);
    }
    if (parts.size() <= max_scored) return;
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      std::vector<std::uint32_t> runs;
      for (const std::string& name : parts[i].squeezed) {
        for (const std::uint32_t run : trigrams(name)) runs.push_back(run);
      }
      sort_distinct(runs);
      for (const std::uint32_t run : runs) letters[run].push_back(i);
      for (const std::string& identifier : identifiers_of(parts[i])) {
        std::vector<std::uint32_t>& addresses = words[hash_of_identifier(identifier)];
        if (addresses.empty() || addresses.back() != i) addresses.push_back(i);
      }
    }
  }

  // Returns the addresses that are worth an exact score, in the order of the listing.
  std::vector<std::uint32_t> find_promising(const Target& target, const WordWeights& weights) const {
    std::vector<std::uint32_t> promising;
    if (parts.size() <= max_scored) {
      for (std::uint32_t i = 0; i < parts.size(); ++i) promising.push_back(i);
      return promising;
    }
    std::vector<float> promised(parts.size());
    target.for_each_promise(weights, words, letters, [&](const Postings& postings, std::uint64_t value, double part) {
      const auto found = postings.find(value);
      if (found == postings.end()) return;
      for (const std::uint32_t address : found->second) promised[address] += static_cast<float>(part);
    });
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      if (promised[i] > 0.0F) promising.push_back(i);
    }
    if (promising.size() > max_scored) {
      std::ranges::nth_element(promising, promising.begin() + max_scored, [&](std::uint32_t one, std::uint32_t other) {
        return std::pair(-promised[one], one) < std::pair(-promised[other], other);
      });
      promising.resize(max_scored);
      std::ranges::sort(promising);
    }
    return promising;
  }

  std::vector<std::size_t> indices;  // of the addresses in the listing
  std::vector<AddressParts> parts;
  std::vector<Stems> stems_of;
  Postings words;    // and identifiers
  Postings letters;  // runs of three letters; empty if the listing is short
};

AddressRanker::AddressRanker(const std::vector<ListedAddress>& listing)
    : index_(std::make_unique<const Index>(listing)) {}
AddressRanker::AddressRanker(AddressRanker&&) noexcept = default;
AddressRanker& AddressRanker::operator=(AddressRanker&&) noexcept = default;
AddressRanker::~AddressRanker() = default;

AddressRanking AddressRanker::rank(const MovedPage& page, std::size_t max_addresses) const {
  const WordWeights weights(index_->words, index_->parts.size());
  const Target target(page);
  AddressRanking ranking;
  for (const std::uint32_t i : index_->find_promising(target, weights))
    ranking.best.push_back({index_->indices[i], target.score(index_->parts[i], index_->stems_of[i], weights)});
  std::ranges::stable_sort(ranking.best, std::ranges::greater(), &RankedAddress::score);
  if (!ranking.best.empty()) {
    const double lead = ranking.best.size() > 1 ? ranking.best[0].score - ranking.best[1].score : min_confident_lead;
    ranking.is_confident = ranking.best[0].score >= min_confident_score && lead >= min_confident_lead;
  }
  if (ranking.best.size() > max_addresses) ranking.best.resize(max_addresses);
  return ranking;
}

AddressRanking rank_addresses(const MovedPage& page, const std::vector<ListedAddress>& listing,
                              std::size_t max_addresses) {
  return AddressRanker(listing).rank(page, max_addresses);
}

}  // namespace linkherd::crawler
