#include "reports/near_texts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <future>
#include <span>
#include <unordered_map>
#include <utility>

#include "reports/disjoint_sets.h"

namespace linkherd::reports {
namespace {

constexpr std::size_t bands = 16;
// Only the next texts of a bucket are compared; among a million texts, only a template has a larger bucket.
constexpr std::size_t compared_in_bucket = 48;
constexpr std::size_t pages_of_template = 3;  // a template has more pages, and as many titles

std::uint16_t band_of(const parser::MinHash& minhash, std::size_t band) {
  return static_cast<std::uint16_t>(minhash[band / 4] >> (band % 4 * 16));
}

constexpr auto max_differing_bits = static_cast<int>((1 - near_similarity) * 128);  // of 256; see parser::similarity()

bool are_near(const parser::MinHash& one, const parser::MinHash& other) {
  int differing = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differing += parser::count_bits(one[i] ^ other[i]);
  return differing <= max_differing_bits;
}

// Sorts texts by the value of one band. Buckets are formed by the upper half of the value first, because such a bucket
// fits into the processor's cache, unlike all texts together.
class Buckets {
 public:
  struct Item {
    // 80 bits of the signature that are not part of the band. Nearly all pairs in a bucket are unrelated and already
    // differ too much in these bits. Storing them here, in comparison order, avoids reading the signatures.
    std::uint64_t bits = 0;
    std::uint16_t more_bits = 0;
    std::uint16_t value = 0;  // value of the band
    std::uint32_t text = 0;   // index of the text

    bool may_be_near(const Item& other) const {
      const int differing = parser::count_bits(bits ^ other.bits);
      if (differing > max_differing_bits) return false;
      return differing + parser::count_bits(static_cast<std::uint64_t>(more_bits ^ other.more_bits)) <=
             max_differing_bits;
    }
  };

  explicit Buckets(std::size_t texts) : items_(texts) {}

  void fill(const std::vector<NearText>& texts, std::size_t band) {
    ends_ = {};
    for (const NearText& text : texts) ++ends_[upper_half(band_of(text.minhash, band))];
    make_begins(ends_);
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      const parser::MinHash& minhash = texts[i].minhash;
      const std::uint16_t value = band_of(minhash, band);
      items_[ends_[upper_half(value)]++] = {minhash[(band / 4 + 1) % minhash.size()],
                                            band_of(minhash, (band + 8) % bands), value, i};
    }
  }
  // Calls `visit` with the texts of each bucket, in their order.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t upper = 0; upper < ends_.size(); ++upper) {
      const std::size_t begin = upper == 0 ? 0 : ends_[upper - 1];
      const std::span some(items_.data() + begin, ends_[upper] - begin);
      if (some.size() < 2) continue;
      sorted_.resize(some.size());
      Ends ends{};
      for (const Item& item : some) ++ends[lower_half(item.value)];
      make_begins(ends);
      for (const Item& item : some) sorted_[ends[lower_half(item.value)]++] = item;
      for (std::size_t lower = 0; lower < ends.size(); ++lower) {
        const std::size_t first = lower == 0 ? 0 : ends[lower - 1];
        visit(std::span<const Item>(sorted_.data() + first, ends[lower] - first));
      }
    }
  }

 private:
  using Ends = std::array<std::uint32_t, 256>;  // by half of a value: the end of the items with that value

  static std::size_t upper_half(std::uint16_t value) { return value >> 8U; }
  static std::size_t lower_half(std::uint16_t value) { return value & 0xffU; }
  // Turns counts into begin offsets.
  static void make_begins(Ends& counts) {
    std::uint32_t begin = 0;
    for (std::uint32_t& count : counts) begin += std::exchange(count, begin);
  }

  std::vector<Item> items_, sorted_;
  Ends ends_{};
};

// Two near texts.
struct NearPair {
  std::uint32_t one = 0;
  std::uint32_t other = 0;
  float similarity = 1.0F;
};

// Returns the near pairs that share one of these bands. Leaves out pairs that earlier pairs join already.
std::vector<NearPair> near_pairs(const std::vector<NearText>& texts, std::size_t first_band, std::size_t end_band) {
  std::vector<NearPair> pairs;
  DisjointSets sets(texts.size());
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    const NearText& one = texts[a];
    const NearText& other = texts[b];
    if (!are_near(one.minhash, other.minhash) || (one.host == other.host && one.title != other.title)) return;
    if (sets.find(a) == sets.find(b)) return;
    sets.join(a, b);
    pairs.push_back({a, b, static_cast<float>(parser::similarity(one.minhash, other.minhash))});
  };
  const auto compare_bucket = [&](std::span<const Buckets::Item> items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::size_t end = std::min(items.size(), i + 1 + compared_in_bucket);
      for (std::size_t j = i + 1; j < end; ++j) {
        if (items[i].may_be_near(items[j])) compare(items[i].text, items[j].text);
      }
    }
  };
  Buckets buckets(texts.size());
  for (std::size_t band = first_band; band < end_band; ++band) {
    buckets.fill(texts, band);
    buckets.for_each(compare_bucket);
  }
  return pairs;
}

class NearTexts {
 public:
  explicit NearTexts(const std::vector<NearText>& texts)
      : texts_(texts), sets_(texts.size()), lowest_similarity_(texts.size(), 1.0F) {
    auto others = std::async(std::launch::async, [&texts] { return near_pairs(texts, bands / 2, bands); });
    join(near_pairs(texts, 0, bands / 2));
    join(others.get());
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
      if (is_new) groups.push_back({{}, static_cast<double>(lowest_similarity_[root])});
      groups[group->second].texts.push_back(i);
    }
    std::erase_if(groups, [this](const NearGroup& group) { return is_template(group); });
    return groups;
  }

 private:
  void join(const std::vector<NearPair>& pairs) {
    for (const NearPair& pair : pairs) {
      const std::size_t one = sets_.find(pair.one);
      const std::size_t other = sets_.find(pair.other);
      if (one == other) continue;
      const float lowest_similarity = std::min({lowest_similarity_[one], lowest_similarity_[other], pair.similarity});
      lowest_similarity_[sets_.join(one, other)] = lowest_similarity;
    }
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
  std::vector<float> lowest_similarity_;  // by root: lowest similarity of two joined texts
};

}  // namespace

std::vector<NearGroup> find_near_texts(const std::vector<NearText>& texts) {
  if (texts.size() < 2) return {};  // a run with files only: scanning empty buckets took a third of a short run
  return NearTexts(texts).groups();
}

}  // namespace linkherd::reports
