// The links of tables in text: values separated by commas, semicolons, tabs or bars, with the title of their row.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

FoundLinks read_csv_list(std::string_view text);

}  // namespace linkherd::parser
