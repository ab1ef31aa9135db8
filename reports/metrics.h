// The counts of a run in the text format of Prometheus, for the textfile collector of its node exporter.
#pragma once

#include <iosfwd>
#include <optional>

#include "reports/report.h"

namespace linkherd::reports {

// `was_told`: whether everybody was told of the changes; nullopt: that was not wanted.
void write_metrics(std::ostream& out, const Report& report, std::optional<bool> was_told);

}  // namespace linkherd::reports
