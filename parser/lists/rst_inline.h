// The inline markup of one block of reStructuredText.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// As references and targets are compared: lower case, one space between words, no escapes.
std::string rst_name(std::string_view text);

// Adds the links of the block, and the names that it refers to.
void read_rst_inline(std::string_view list, TextRange block, bool include_verbatim, FoundLinks& found,
                     std::unordered_set<std::string>& used_names);

}  // namespace linkherd::parser
