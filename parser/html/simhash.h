// SimHash of a text: texts with most of their words in common, in the same order, differ in few bits.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace linkherd::parser {

// Of each pair of neighbouring words, without regard to case. What is written without spaces (Chinese, Japanese, Thai)
// counts as a word a character. 0 where there is no word. The values are stored: the same text gives the same for ever.
std::uint64_t simhash(std::string_view text);

// In how many of the 64 bits they differ. Texts that have nothing in common: some 32.
inline int simhash_distance(std::uint64_t one, std::uint64_t other) { return std::popcount(one ^ other); }

}  // namespace linkherd::parser
