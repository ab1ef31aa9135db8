// Shows the progress of a run. On a terminal it is one line that is updated in place, elsewhere one line per minute.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/run/crawl.h"

namespace linkherd::crawler {

struct ProgressFigures {
  std::chrono::duration<double> elapsed{};
  double links_per_second = 0;
  std::size_t failures = 0;
};

// Returns a line such as "[1m5s] 123/241 links, 3 failed, 38/s; good.herd: 429, asked to wait 30 s, 8 left; github.com:
// 4 left". Hosts that do not fit into `columns` are omitted.
std::string progress_text(const CrawlProgress& progress, const ProgressFigures& figures, std::size_t columns);

// Returns a line such as "dead        https://gone.herd/x (http_404, 43 ms)".
std::string finished_text(const FinishedLink& link);

// Returns the number of finished links with one of these healths.
std::size_t count_failures(const CrawlProgress& progress, const std::vector<storage::Health>& fail_on);

class ProgressLine {
 public:
  ProgressLine(std::ostream& err, std::vector<storage::Health> fail_on);
  ~ProgressLine();  // erases the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const CrawlProgress& progress);
  void print_above(std::string_view text);  // prints one line above the progress

 private:
  std::ostream& err_;
  std::vector<storage::Health> fail_on_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::size_t done_at_start_ = 0;
  std::string text_;
};

// Returns the text that moves the cursor to an empty line if a ProgressLine is shown on stderr. Empty if none is shown.
// For other writers to stderr.
std::string_view line_start_beside_progress();

// Prints progress for logs. Prints nothing if the run ends within a minute.
class ProgressLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ProgressLog(std::ostream& err, Time now, std::vector<storage::Health> fail_on);
  void show(const CrawlProgress& progress, Time now);

 private:
  std::ostream& err_;
  Time started_;
  Time printed_;
  std::vector<storage::Health> fail_on_;
};

}  // namespace linkherd::crawler
