// The human-readable report: short by default, with all details on request.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace linkherd::reports {

struct TextOptions {
  bool color = false;
  bool verbose = false;  // also alive links, temporary redirects, each skipped link, and the metadata table
};

void write_text(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace linkherd::reports
