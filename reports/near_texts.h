// Finds the texts that are nearly the same among many, by their MinHash signatures (locality-sensitive hashing).
#pragma once

#include <cstdint>
#include <vector>

#include "parser/html/text_signature.h"

namespace linkherd::reports {

struct NearText {
  parser::MinHash minhash{};
  std::uint32_t link = 0;
  std::uint32_t page = 0;   // the same for all addresses of a page
  std::uint32_t host = 0;   // hash
  std::uint32_t title = 0;  // hash of its letters
};

// So much of two texts must be in common, estimated from the signatures. The texts themselves are not compared: of most
// pages no body is kept, and a report of a million links could not read them. The standard error is 0.04 there.
inline constexpr double near_similarity = 0.8;

struct NearGroup {
  std::vector<std::uint32_t> texts;  // positions in the list, ascending; at least two
  double similarity = 1.0;           // the least of those that hold the group together
};

// Texts that share one of 16 bands of their signatures are compared: of pairs with a similarity of 0.8, 0.85 and 0.9
// these are 96, 99.6 and 99.99 %, of a million unrelated texts some 250 a text. Pages of one host with different titles
// are no duplicates of each other, and a group of many pages with different titles is a template. Time is linear in the
// number of texts, but for some comparisons: at most 48 a text and band.
std::vector<NearGroup> find_near_texts(const std::vector<NearText>& texts);

}  // namespace linkherd::reports
