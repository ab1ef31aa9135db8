// Shows the progress of a run: on terminals as one line that is updated in place, elsewhere as a line a minute.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "crawler/run/crawl.h"

namespace linkherd::crawler {

// "123/241 links, 38/s, waiting for zhuanlan.zhihu.com (61), github.com (4)"; at most `columns` wide.
std::string progress_text(const CrawlProgress& progress, double links_per_second, std::size_t columns);

class ProgressLine {
 public:
  explicit ProgressLine(std::ostream& err);
  ~ProgressLine();  // erases the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const CrawlProgress& progress);

 private:
  std::ostream& err_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::size_t done_at_start_ = 0;
  bool shown_ = false;
};

// For logs: nothing of a run that is over within a minute.
class ProgressLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ProgressLog(std::ostream& err, Time now) : err_(err), started_(now), told_(now) {}
  void show(const CrawlProgress& progress, Time now);

 private:
  std::ostream& err_;
  Time started_;
  Time told_;
};

}  // namespace linkherd::crawler
