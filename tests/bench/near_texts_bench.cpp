// Finds near duplicates among a million texts. Prints the time per text and the number of planted pairs found.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "reports/near_texts.h"

namespace {

using linkherd::parser::MinHash;
using linkherd::reports::NearText;

constexpr std::uint32_t texts = 1'000'000;
constexpr std::uint32_t pairs_of_each = 10'000;
constexpr std::array<double, 3> similarities{0.82, 0.85, 0.9};

std::mt19937_64 random_bits(20261122);

MinHash unrelated() { return {random_bits(), random_bits(), random_bits(), random_bits()}; }

MinHash changed(MinHash minhash, double similarity) {
  const auto bits = static_cast<std::size_t>((1 - similarity) * 128);
  std::set<std::size_t> indexes;
  while (indexes.size() < bits) indexes.insert(random_bits() % 256);
  for (const std::size_t index : indexes) minhash[index / 64] ^= std::uint64_t{1} << index % 64;
  return minhash;
}

}  // namespace

int main() {
  std::vector<NearText> all;
  for (std::uint32_t i = 0; i < texts; ++i) all.push_back({unrelated(), i, i, i, i});
  for (std::size_t kind = 0; kind < similarities.size(); ++kind) {
    for (std::uint32_t i = 0; i < pairs_of_each; ++i) {
      const std::size_t one = kind * pairs_of_each + i;
      all[texts - 1 - one].minhash = changed(all[one].minhash, similarities[kind]);
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<linkherd::reports::NearGroup> groups = linkherd::reports::find_near_texts(all);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::array<std::size_t, similarities.size()> found{};
  std::size_t others = 0;
  for (const auto& group : groups) {
    const std::uint32_t first = group.texts.front();
    const bool is_planted = group.texts.size() == 2 && group.texts.back() == texts - 1 - first;
    if (is_planted && first / pairs_of_each < found.size()) {
      ++found[first / pairs_of_each];
    } else {
      ++others;
    }
  }
  fmt::print("{} texts: {:.2f} s, {:.4f} ms a text (bar: 1 ms)\n", texts, took.count(), took.count() * 1e3 / texts);
  for (std::size_t kind = 0; kind < found.size(); ++kind) {
    fmt::print("similarity {}: {:.1f} % of {} pairs found\n", similarities[kind],
               100.0 * static_cast<double>(found[kind]) / pairs_of_each, pairs_of_each);
  }
  fmt::print("{} groups that were not planted\n", others);
  return 0;
}
