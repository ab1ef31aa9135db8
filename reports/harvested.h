// What the pages say about themselves: one line of figures, or the whole table.
#pragma once

#include <cstddef>
#include <string>

#include "reports/text_writer.h"
#include "storage/checked_links.h"

namespace linkherd::reports {

struct HarvestFigures {
  std::size_t pages = 0;  // that say something
  std::size_t titles = 0;
  std::size_t authors = 0;
  std::size_t dates = 0;

  void add(const storage::CheckedLink& link);
};

// "241 pages harvested: 239 titles, 180 authors, 201 dates"; empty where nothing was harvested.
std::string harvested_in_figures(const HarvestFigures& figures);

// Date, title, authors and URL of each page. Titles and authors are shortened to their column; machine output has them
// whole.
void write_harvested(TextWriter& writer, const storage::CheckedLinks& links, const HarvestFigures& figures);

}  // namespace linkherd::reports
