// Shows the progress of a run: on terminals as one line that is updated in place, elsewhere as one line per minute.
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

// "[1m5s] 123/241 links, 3 failed, 38/s; good.herd: 429, asked to wait 30 s, 8 left; github.com: 4 left". Hosts that do
// not fit into `columns` are left out.
std::string progress_text(const CrawlProgress& progress, const ProgressFigures& figures, std::size_t columns);

// "dead        https://gone.herd/x (http_404, 43 ms)".
std::string finished_text(const FinishedLink& link);

// The links that are done and have one of these states.
std::size_t count_failures(const CrawlProgress& progress, const std::vector<storage::Health>& fail_on);

class ProgressLine {
 public:
  ProgressLine(std::ostream& err, std::vector<storage::Health> fail_on);
  ~ProgressLine();  // erases the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const CrawlProgress& progress);
  void print_above(std::string_view text);  // one line, above the progress

 private:
  std::ostream& err_;
  std::vector<storage::Health> fail_on_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::size_t done_at_start_ = 0;
  std::string text_;
};

// Moves the cursor to an empty line if a ProgressLine is shown on stderr: for other writers. Empty if none is shown.
std::string_view line_start_beside_progress();

// For logs: prints nothing about a run that ends within a minute.
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
