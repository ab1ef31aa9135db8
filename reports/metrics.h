// Counts in the text format of Prometheus, for the textfile collector of its node exporter: those of a run, and the
// writer of them.
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

  // All samples have the labels `common`, because several jobs may write to one folder. The stream outlives this.
  MetricsWriter(std::ostream& out, const Labels& common);

  // What the next samples are. Names begin with "linkherd_", which is not to be given.
  void family(std::string_view name, std::string_view help);
  void sample(double value, const Labels& labels = {});
  void single(std::string_view name, std::string_view help, double value);

 private:
  std::ostream& out_;
  std::string common_;
  std::string_view name_;
};

// `was_notified`: whether everybody was told of the changes; nullopt: that was not wanted.
void write_metrics(std::ostream& out, const Report& report, std::optional<bool> was_notified);

}  // namespace linkherd::reports
