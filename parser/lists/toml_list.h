// The links of TOML: every URL in a string, with the title of the table it stands in. Comments are none of it.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_toml_list(std::string_view text);

}  // namespace linkherd::parser
