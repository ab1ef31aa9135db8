// The human-readable report: a first screen that says what to do, or sections with all their links.
#pragma once

#include <iosfwd>
#include <vector>

#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

struct TextOptions {
  TextStyle style = {};
  bool all = false;                    // every section, and all that is known of each link
  std::vector<Section> sections = {};  // these, each with all its links; empty: the first screen
  GroupBy group_by = GroupBy::cause;
  bool changes = false;  // what changed since the earlier run, in place of the first screen
};

void write_text(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace linkherd::reports
