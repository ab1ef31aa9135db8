// The part of the text report that everybody reads: at most 40 lines, whatever was found.
#pragma once

#include <string>
#include <vector>

#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

// `next`: the commands that show more, one per line.
void write_summary_view(TextWriter& writer, const Report& report, GroupBy by, const std::vector<std::string>& next);

}  // namespace linkherd::reports
