// Finds nearly equal texts among many, by their MinHash signatures (locality-sensitive hashing, LSH).
//
// A signature has 256 bits. Two texts with the Jaccard similarity s agree in about (1 + s) / 2 of them, and differ in
// 128 * (1 - s). LSH cuts each signature into 16 bands of 16 bits, and compares only texts that have one band in
// common.
//
// Example: two copies of a page with s = 0.9 differ in about 13 of 256 bits. About 7 of their 16 bands are equal, so
// the pair is compared; 13 is at most 25, so the texts are near. Two unrelated texts differ in about 128 bits and share
// a given band with a probability of 1 in 65,536, so most such pairs are never compared.
#pragma once

#include <cstdint>
#include <vector>

#include "parser/html/text_signature.h"

namespace linkherd::reports {

struct NearText {
  parser::MinHash minhash{};
  std::uint32_t link = 0;
  std::uint32_t page = 0;   // equal for all addresses of a page
  std::uint32_t host = 0;   // hash
  std::uint32_t title = 0;  // hash of its letters
};

// The minimum Jaccard similarity of near texts, estimated from their signatures. The texts themselves are not compared:
// most bodies are not kept, and a report of a million links could not read them. The standard error of the estimate is
// 0.04 at this similarity.
inline constexpr double near_similarity = 0.8;

struct NearGroup {
  std::vector<std::uint32_t> texts;  // indices into the list of texts, ascending; at least two
  double similarity = 1.0;           // lowest similarity among the pairs that connect the group
};

// Returns groups of near texts. It compares texts that share one of 16 bands of their signatures. These are 96, 99.6
// and 99.99 % of the pairs with a similarity of 0.8, 0.85 and 0.9. Among a million unrelated texts, each is compared
// with about 250 others.
//
// Pages of one host with different titles are not duplicates of each other, and a group of many pages with different
// titles is a template. Time is linear in the number of texts, except for the comparisons: at most 48 per text and
// band.
std::vector<NearGroup> find_near_texts(const std::vector<NearText>& texts);

}  // namespace linkherd::reports
