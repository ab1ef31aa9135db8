// Formats a link for the text report: the text of its entry, the URL as written, and what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reports/link_groups.h"
#include "reports/report.h"
#include "reports/text_writer.h"

namespace linkherd::reports {

enum class Detail : std::uint8_t {
  brief,   // for the summary view: one or two lines
  normal,  // all occurrences, and everything needed to fix the link
  all,     // also the evidence, each redirect, and the requested URL
};

// `columns` is the width for texts that must be short; 0: unknown.
TextEntry link_entry(const Report& report, const ReportRow& row, const RowGroup& group, Detail detail,
                     std::size_t columns = 0);

}  // namespace linkherd::reports
