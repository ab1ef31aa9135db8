// Bare e-mail addresses, as GFM sees them in running text.
#pragma once

#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

std::vector<TextRange> mail_addresses(std::string_view text);

}  // namespace linkherd::parser
