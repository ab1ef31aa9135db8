// Writes the human-readable report: a summary view that says what to do, or sections with all their links.
#pragma once

#include <iosfwd>
#include <vector>

#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

struct TextOptions {
  TextStyle style = {};
  bool all = false;                    // every section, and everything known about each link
  std::vector<Section> sections = {};  // only these sections, with all links; empty: the summary view
  GroupBy group_by = GroupBy::cause;
  bool changes = false;  // the changes since the earlier run, instead of the summary view
};

void write_text(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace linkherd::reports
