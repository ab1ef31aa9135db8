#include "reports/near_texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "reports/disjoint_sets.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t bands = 16;
constexpr std::size_t compared_in_bucket =
    48;                                       // the next ones; only a template has more in a bucket of a million texts
constexpr std::size_t pages_of_template = 3;  // that have more pages, with as many titles

std::uint16_t band_of(const parser::MinHash& minhash, std::size_t band) {
  return static_cast<std::uint16_t>(minhash[band / 4] >> (band % 4 * 16));
}

constexpr auto most_differing = static_cast<int>((1 - near_similarity) * 128);  // bits; see parser::similarity()

bool are_near(const parser::MinHash& one, const parser::MinHash& other) {
  int differing = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differing += std::popcount(one[i] ^ other[i]);
  return differing <= most_differing;
}

// The positions of the texts, sorted by their value of one band, in two passes of a byte each.
class Buckets {
 public:
  struct Place {
    // 80 bits of the signature, of which the band has none: nearly all pairs are unrelated and differ too much in these
    // already, and they stand here in the order in which they are compared.
    std::uint64_t bits = 0;
    std::uint16_t more_bits = 0;
    std::uint16_t value = 0;
    std::uint32_t text = 0;

    bool may_be_near(const Place& other) const {
      const int differing = std::popcount(bits ^ other.bits);
      if (differing > most_differing) return false;
      return differing + std::popcount(static_cast<unsigned>(more_bits ^ other.more_bits)) <= most_differing;
    }
  };

  void fill(const std::vector<NearText>& texts, std::size_t band) {
    places_.resize(texts.size());
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      const parser::MinHash& minhash = texts[i].minhash;
      places_[i] = {minhash[(band / 4 + 1) % minhash.size()], band_of(minhash, (band + 8) % bands),
                    band_of(minhash, band), i};
    }
    sort_by_byte(0);
    sort_by_byte(8);
  }
  std::size_t size() const { return places_.size(); }
  const Place& operator[](std::size_t place) const { return places_[place]; }
  // Where the bucket ends that begins there.
  std::size_t end_of(std::size_t begin) const {
    std::size_t end = begin;
    while (end < places_.size() && places_[end].value == places_[begin].value) ++end;
    return end;
  }

 private:
  static constexpr std::size_t bytes = 256;

  // Those with the same byte stay in their order.
  void sort_by_byte(unsigned shift) {
    const auto byte_of = [shift](const Place& place) { return std::size_t{place.value} >> shift & (bytes - 1); };
    std::array<std::size_t, bytes + 1> starts{};
    for (const Place& place : places_) ++starts[byte_of(place) + 1];
    for (std::size_t byte = 1; byte < starts.size(); ++byte) starts[byte] += starts[byte - 1];
    sorted_.resize(places_.size());
    for (const Place& place : places_) sorted_[starts[byte_of(place)]++] = place;
    places_.swap(sorted_);
  }

  std::vector<Place> places_, sorted_;
};

class NearTexts {
 public:
  explicit NearTexts(const std::vector<NearText>& texts)
      : texts_(texts), sets_(texts.size()), least_(texts.size(), 1.0F) {
    Buckets buckets;
    for (std::size_t band = 0; band < bands; ++band) {
      buckets.fill(texts_, band);
      for (std::size_t begin = 0; begin < buckets.size();) {
        const std::size_t end = buckets.end_of(begin);
        compare(buckets, begin, end);
        begin = end;
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
      for (std::size_t j = i + 1; j < last; ++j) {
        if (buckets[i].may_be_near(buckets[j])) compare(buckets[i].text, buckets[j].text);
      }
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
