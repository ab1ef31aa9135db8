// SimHash of a text. Texts that share most of their words, in the same order, differ in few bits.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace linkherd::parser {

// Hashes each pair of adjacent words, ignoring case. In scripts without spaces (Chinese, Japanese, Thai) each
// character counts as a word. Returns 0 if there is no word. The values are stored, so the algorithm must not change.
std::uint64_t simhash(std::string_view text);

// Returns the number of the 64 bits that differ. It is about 32 for unrelated texts.
inline int simhash_distance(std::uint64_t one, std::uint64_t other) { return std::popcount(one ^ other); }

}  // namespace linkherd::parser
