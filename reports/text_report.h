// The report for people: short by default, with all details on request.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace linkherd::reports {

struct TextOptions {
  bool color = false;
  bool verbose = false;  // also what is fine, temporary redirects, each skipped link, and the table of metadata
};

void write_text(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace linkherd::reports
