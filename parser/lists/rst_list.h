// The links of reStructuredText: `text <url>`_, targets (.. _name: url), images and their targets, bare URLs.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_rst_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
