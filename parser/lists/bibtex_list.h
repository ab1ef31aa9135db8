// The links of BibTeX: URLs in any field, and what `doi` names at doi.org, with the title of their entry.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_bibtex_list(std::string_view text);

}  // namespace linkherd::parser
