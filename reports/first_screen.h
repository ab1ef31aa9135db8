// The part of the text report that everybody reads: at most 40 lines, whatever was found.
#pragma once

#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

// `next`: what to call for more, a line.
void write_first_screen(TextWriter& writer, const Report& report, GroupBy by, std::string_view next);

}  // namespace linkherd::reports
