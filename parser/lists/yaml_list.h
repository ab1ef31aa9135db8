// The links of YAML: every URL in a scalar of any style, with the title of the mapping it stands in. Comments are none
// of it. By lines and indentation, not by a parser that stops at the first mistake.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_yaml_list(std::string_view text);

}  // namespace linkherd::parser
