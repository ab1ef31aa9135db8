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
#include "parser/url/percent_encoding.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

constexpr std::size_t max_segments = 16;              // of a path that are compared
constexpr std::size_t max_segment_bytes = 160;        // of a segment that are compared
constexpr std::size_t max_compared_text_bytes = 512;  // of a title or link text that are compared
constexpr double min_confident_score = 1.3;
constexpr double min_confident_lead = 0.35;

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

using Stems = std::unordered_set<std::uint64_t>;

void add_stems(std::string_view text, Stems& stems) {
  for_each_word(truncate_utf8(text, max_compared_text_bytes), [&stems](const Word& word) { stems.insert(word.stem); });
}

void add_specific_stems(std::string_view text, Stems& stems) {
  for_each_word(truncate_utf8(text, max_compared_text_bytes), [&stems](const Word& word) {
    if (is_specific(word)) stems.insert(word.stem);
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
  std::ranges::sort(runs);
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
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

// Adds the parts that look like identifiers: at least four digits, or three in six characters. A year is none.
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

// Returns the part of the address that names the page: the last segment with a specific word, else the last segment,
// else the name of the host.
std::string slug_of(const parser::Url& url, const AddressParts& parts) {
  for (std::size_t i = parts.segments.size(); i-- > 0;) {
    Stems specific;
    add_specific_stems(split_camel_case(parts.segments[i]), specific);
    if (!specific.empty()) return parts.segments[i];
  }
  if (!parts.segments.empty()) return parts.segments.back();
  std::string_view host = url.host();
  if (host.starts_with("www.")) host.remove_prefix(4);
  return std::string(host.substr(0, host.find('.')));
}

// Counts equal elements from one end of two sequences.
template <class Iterator>
std::size_t count_equal(Iterator one, Iterator one_end, Iterator other, Iterator other_end) {
  std::size_t count = 0;
  for (; one != one_end && other != other_end && *one == *other; ++one, ++other) ++count;
  return count;
}

// The words of the listing: how many of its addresses have each.
class WordWeights {
 public:
  explicit WordWeights(const std::vector<Stems>& addresses) : addresses_(static_cast<double>(addresses.size())) {
    for (const Stems& stems : addresses) {
      for (const std::uint64_t stem : stems) ++counts_[stem];
    }
  }

  double weight(std::uint64_t stem) const {
    const auto found = counts_.find(stem);
    const double count = found == counts_.end() ? 0.0 : static_cast<double>(found->second);
    return std::log((addresses_ + 1.0) / (count + 0.5));
  }

  // Returns the share of the words that `present` has, from 0 to 1, by weight.
  double share(const Stems& words, const Stems& present) const {
    double all = 0.0;
    double found = 0.0;
    for (const std::uint64_t stem : words) {
      const double value = std::max(weight(stem), 0.0);
      all += value;
      if (present.contains(stem)) found += value;
    }
    return all == 0.0 ? 0.0 : found / all;
  }

 private:
  double addresses_;
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
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
    for (const std::uint64_t stem : slug_words_) path_words_.erase(stem);
    add_specific_stems(page.title, text_words_);
    for (const std::string& text : page.texts) add_specific_stems(text, text_words_);
  }

  double score(const AddressParts& address, const Stems& words, const WordWeights& weights) const {
    double score = name_similarity(address) + 0.9 * weights.share(slug_words_, words) +
                   0.35 * weights.share(path_words_, words) + 0.9 * weights.share(text_words_, words) +
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

AddressRanking rank_addresses(const MovedPage& page, const std::vector<ListedAddress>& listing,
                              std::size_t max_addresses) {
  std::vector<std::size_t> indices;
  std::vector<AddressParts> parts;
  std::vector<Stems> words;
  std::unordered_set<std::string> known;
  for (std::size_t i = 0; i < listing.size(); ++i) {
    if (!known.insert(parser::canonical_form(listing[i].url, parser::CanonicalLayer::equivalent).url).second) continue;
    AddressParts address = read_parts(listing[i].url);
    Stems stems;
    for (const std::string& segment : address.segments) add_stems(split_camel_case(segment), stems);
    add_stems(address.query, stems);
    add_stems(listing[i].text, stems);
    indices.push_back(i);
    parts.push_back(std::move(address));
    words.push_back(std::move(stems));
  }
  const WordWeights weights(words);
  const Target target(page);
  AddressRanking ranking;
  for (std::size_t i = 0; i < indices.size(); ++i)
    ranking.best.push_back({indices[i], target.score(parts[i], words[i], weights)});
  std::ranges::stable_sort(ranking.best, std::ranges::greater(), &RankedAddress::score);
  if (!ranking.best.empty()) {
    const double lead = ranking.best.size() > 1 ? ranking.best[0].score - ranking.best[1].score : min_confident_lead;
    ranking.is_confident = ranking.best[0].score >= min_confident_score && lead >= min_confident_lead;
  }
  if (ranking.best.size() > max_addresses) ranking.best.resize(max_addresses);
  return ranking;
}

}  // namespace linkherd::crawler
