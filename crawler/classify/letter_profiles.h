// Tells which languages in Latin script a few words may be in, by their sequences of letters. For texts without stop
// words, such as titles. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "crawler/classify/words.h"

namespace linkherd::crawler {

// Returns by how many bits another language explains the letters of `text` better than `language` does: 0 if none.
// nullopt if there is no profile of the language. Names and short texts give small differences, in any direction.
std::optional<double> bits_against(Language language, std::string_view text);

}  // namespace linkherd::crawler
