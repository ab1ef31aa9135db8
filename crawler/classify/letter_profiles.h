// Estimates the language of a few words in Latin script by their letter sequences. It is meant for texts without stop
// words, such as titles. Pure functions.
//
// Each of seven languages has a list of its most frequent sequences of three letters. A sequence with rank r (from 0)
// counts log2(600 / (r + 10)) bits for the language, and an unlisted one counts none. For example, "the" contains
// "_th", which has rank 0 in English: 5.9 bits.
#pragma once

#include <optional>
#include <string_view>

#include "crawler/classify/words.h"

namespace linkherd::crawler {

// Returns by how many bits another language fits the letters of `text` better than `language`. 0 means that `language`
// fits best. Returns nullopt if `language` has no profile. For names and short texts, small differences mean nothing.
std::optional<double> bits_against(Language language, std::string_view text);

}  // namespace linkherd::crawler
