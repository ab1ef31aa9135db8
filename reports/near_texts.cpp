#include "reports/near_texts.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <unordered_map>

#include "reports/disjoint_sets.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t bands = 16;
constexpr std::size_t band_values = std::size_t{1} << 16U;
constexpr std::size_t compared_in_bucket =
    48;                                       // the next ones; only a template has more in a bucket of a million texts
constexpr std::size_t pages_of_template = 3;  // that have more pages, with as many titles

std::size_t band_of(const parser::MinHash& minhash, std::size_t band) {
  return minhash[band / 4] >> (band % 4 * 16) & (band_values - 1);
}

// Most pairs are unrelated, and differ too much in the first 64 bits already.
bool are_near(const parser::MinHash& one, const parser::MinHash& other) {
  constexpr auto most = static_cast<int>((1 - near_similarity) * 128);  // see parser::similarity()
  int differing = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    differing += std::popcount(one[i] ^ other[i]);
    if (differing > most) return false;
  }
  return true;
}

// The positions of the texts, sorted by their value of one band.
class Buckets {
 public:
  explicit Buckets(std::size_t size) : ends_(band_values + 1), order_(size) {}

  void fill(const std::vector<NearText>& texts, std::size_t band) {
    std::ranges::fill(ends_, 0);
    for (const NearText& text : texts) ++ends_[band_of(text.minhash, band) + 1];
    for (std::size_t value = 1; value < ends_.size(); ++value) ends_[value] += ends_[value - 1];
    // From here on the start of each bucket moves to its end.
    for (std::uint32_t i = 0; i < texts.size(); ++i) order_[ends_[band_of(texts[i].minhash, band)]++] = i;
  }
  std::size_t end_of(std::size_t value) const { return ends_[value]; }
  std::uint32_t operator[](std::size_t place) const { return order_[place]; }

 private:
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint32_t> order_;
};

class NearTexts {
 public:
  explicit NearTexts(const std::vector<NearText>& texts)
      : texts_(texts), sets_(texts.size()), least_(texts.size(), 1.0F) {
    Buckets buckets(texts.size());
    for (std::size_t band = 0; band < bands; ++band) {
      buckets.fill(texts_, band);
      std::size_t begin = 0;
      for (std::size_t value = 0; value < band_values; ++value) {
        compare(buckets, begin, buckets.end_of(value));
        begin = buckets.end_of(value);
      }
    }
  }

  std::vector<NearGroup> groups() {
    std::vector<std::uint32_t> sizes(texts_.size(), 0);
    for (std::size_t i = 0; i < texts_.size(); ++i) ++sizes[sets_.find(i)];
    std::vector<NearGroup> groups;
    std::unordered_map<std::size_t, std::size_t> by_root;
    for (std::uint32_t i = 0; i < texts_.size(); ++i) {
      const std::size_t root = sets_.find(i);
      if (sizes[root] < 2) continue;
      const auto [group, is_new] = by_root.try_emplace(root, groups.size());
      if (is_new) groups.push_back({{}, static_cast<double>(least_[root])});
      groups[group->second].texts.push_back(i);
    }
    std::erase_if(groups, [this](const NearGroup& group) { return is_template(group); });
    return groups;
  }

 private:
  void compare(const Buckets& buckets, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t last = std::min(end, i + 1 + compared_in_bucket);
      for (std::size_t j = i + 1; j < last; ++j) compare(buckets[i], buckets[j]);
    }
  }

  void compare(std::uint32_t a, std::uint32_t b) {
    const NearText& one = texts_[a];
    const NearText& other = texts_[b];
    if (!are_near(one.minhash, other.minhash) || (one.host == other.host && one.title != other.title)) return;
    const double similarity = parser::similarity(one.minhash, other.minhash);
    const float least = std::min({least_[sets_.find(a)], least_[sets_.find(b)], static_cast<float>(similarity)});
    if (sets_.find(a) != sets_.find(b)) least_[sets_.join(a, b)] = least;
  }

  bool is_template(const NearGroup& group) const {
    const auto different = [&](std::uint32_t NearText::*member) {
      std::vector<std::uint32_t> values;
      for (const std::uint32_t text : group.texts) values.push_back(texts_[text].*member);
      std::ranges::sort(values);
      return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
    };
    return different(&NearText::page) > pages_of_template && different(&NearText::title) > pages_of_template;
  }

  const std::vector<NearText>& texts_;
  DisjointSets sets_;
  std::vector<float> least_;  // by root: the least similarity of two texts that were joined
};

}  // namespace

std::vector<NearGroup> find_near_texts(const std::vector<NearText>& texts) { return NearTexts(texts).groups(); }

}  // namespace linkherd::reports
