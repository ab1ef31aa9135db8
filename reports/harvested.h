// What the pages say about themselves: one line of figures, or the whole table.
#pragma once

#include <string>

#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

// "241 pages harvested: 239 titles, 180 authors, 201 dates"; empty where nothing was harvested.
std::string harvested_in_figures(const Report& report);

// Date, title, authors and URL of each page. Titles and authors are shortened to their column; machine output has them
// whole.
void write_harvested(TextWriter& writer, const Report& report);

}  // namespace linkherd::reports
