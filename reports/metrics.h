// Writes the counts of a run in the text format of Prometheus, for the textfile collector of its node exporter.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/report.h"

namespace linkherd::reports {

class MetricsWriter {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  // All samples get the labels `common`, because several jobs may write to one folder. `out` must outlive this object.
  MetricsWriter(std::ostream& out, const Labels& common);

  // Describes the samples that follow. The prefix "linkherd_" is added to `name`.
  void family(std::string_view name, std::string_view help);
  void sample(double value, const Labels& labels = {});
  void single(std::string_view name, std::string_view help, double value);

 private:
  std::ostream& out_;
  std::string common_;
  std::string_view name_;
};

// `was_notified` is true if all subscribers were notified of the changes; nullopt: notifications are off.
void write_metrics(std::ostream& out, const Report& report, std::optional<bool> was_notified);

}  // namespace linkherd::reports
