// Rows of Markdown tables that have more cells than the table has columns: md4c drops those cells, links and all.
#pragma once

#include <string>

namespace linkherd::parser {

// Makes the bars that are too many dashes, in what md4c reads; the length of the text stays what it is.
void keep_table_cells(std::string& text);

}  // namespace linkherd::parser
