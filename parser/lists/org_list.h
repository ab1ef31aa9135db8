// The links of Org: [[target][text]], <target>, link abbreviations (#+LINK), bare URLs.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_org_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
