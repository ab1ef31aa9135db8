// Writes the summary view, the default form of the text report. It has at most 40 lines, whatever the run found.
#pragma once

#include <string>
#include <vector>

#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

// `next` lists commands that show more, one per line.
void write_summary_view(TextWriter& writer, const Report& report, GroupBy by, const std::vector<std::string>& next);

}  // namespace linkherd::reports
