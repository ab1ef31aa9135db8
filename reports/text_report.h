// The report for people: a first screen that is short and calm, details on request.
#pragma once

#include <iosfwd>

#include "reports/report.h"

namespace linkherd::reports {

struct TextOptions {
  bool color = false;
  bool verbose = false;  // also what is fine, temporary redirects, skips one by one, and the harvested table
};

void write_text(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace linkherd::reports
