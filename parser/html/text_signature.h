// Computes hashes that compare a text with others after the text itself is discarded. Case, punctuation and spaces do
// not matter. In scripts without spaces (Chinese, Japanese, Thai) each character counts as a word. The values are
// stored: DO NOT CHANGE the algorithms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace linkherd::parser {

// Like std::popcount(), which is a function call if the processor may lack the instruction. Millions of signatures are
// compared.
constexpr int count_bits(std::uint64_t bits) {
  bits -= bits >> 1U & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + (bits >> 2U & 0x3333333333333333U);
  bits = (bits + (bits >> 4U)) & 0x0f0f0f0f0f0f0f0fU;
  return static_cast<int>(bits * 0x0101010101010101U >> 56U);
}

// Returns the SimHash of the pairs of adjacent words. Texts that share most of their words, in the same order, differ
// in few bits. Returns 0 if the text has no words.
std::uint64_t simhash(std::string_view text);

// Returns how many of the 64 bits differ, about 32 for unrelated texts.
inline int simhash_distance(std::uint64_t one, std::uint64_t other) { return count_bits(one ^ other); }

// Returns the hashes of the runs of three adjacent words without numbers, sorted and distinct.
std::vector<std::uint64_t> word_runs(std::string_view text);

// Returns the Jaccard similarity of two sets of runs, 0 to 1. Both must be sorted and distinct.
double similarity(std::span<const std::uint64_t> one, std::span<const std::uint64_t> other);

// MinHash of the runs of three adjacent words, with one bit for each of 256 minima. If two texts have the same minimum,
// they have the same bit. If their minima differ, the bits are equal by chance in half of the cases.
using MinHash = std::array<std::uint64_t, 4>;

// Estimates the similarity of the two sets of runs. The standard error is 0.06, and 0.04 at a similarity of
// 0.8.
double similarity(const MinHash& one, const MinHash& other);

struct TextSignature {
  std::uint64_t digest = 0;  // of the words without numbers, which are often counters and dates; 0 if no text was read
  std::uint64_t simhash = 0;
  std::uint64_t length = 0;  // in code points
  MinHash minhash{};         // without numbers; zero if the text has fewer than `min_shingles` different runs

  bool was_read() const { return digest != 0; }
  bool is_comparable() const { return minhash != MinHash{}; }
  bool operator==(const TextSignature&) const = default;
};
inline constexpr std::size_t min_shingles = 50;

TextSignature compute_signature(std::string_view text);

}  // namespace linkherd::parser
