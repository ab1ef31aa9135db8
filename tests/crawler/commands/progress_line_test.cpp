#include "crawler/commands/progress_line.h"

#include <chrono>
#include <sstream>

#include <doctest/doctest.h>

using namespace linkherd::crawler;

TEST_CASE("the progress line names what it waits for and keeps to the width") {
  CrawlProgress progress;
  progress.done = 12;
  progress.total = 241;
  progress.pool.slowest = {{"https://zhuanlan.zhihu.com", 61, std::nullopt}, {"https://github.com", 4, std::nullopt}};
  CHECK(progress_text(progress, 37.6, 200) ==
        "12/241 links, 38/s, waiting for zhuanlan.zhihu.com (61), github.com (4)");
  CHECK(progress_text(progress, 37.6, 60) == "12/241 links, 38/s, waiting for zhuanlan.zhihu.com (61)");
  CHECK(progress_text(progress, 37.6, 10).size() < 10);
}

TEST_CASE("a host name cannot write on the terminal") {
  CrawlProgress progress;
  progress.pool.slowest = {{"https://\x1b[31mred", 1, std::nullopt}};
  CHECK(progress_text(progress, 0, 200).find('\x1b') == std::string::npos);
}

TEST_CASE("the progress line wipes itself") {
  std::ostringstream err;
  {
    ProgressLine line(err);
    line.show({});
  }
  CHECK(err.str().ends_with("\r\x1b[K"));
}

TEST_CASE("without a terminal a run says a line a minute") {
  using namespace std::chrono_literals;
  std::ostringstream err;
  const ProgressLog::Time start{};
  ProgressLog log(err, start);
  CrawlProgress progress;
  progress.total = 241;
  progress.done = 60;
  log.show(progress, start + 59s);
  CHECK(err.str().empty());
  log.show(progress, start + 60s);
  CHECK(err.str() == "linkherd: 60/241 links, 1/s\n");
  progress.done = 240;
  log.show(progress, start + 119s);
  log.show(progress, start + 120s);
  CHECK(err.str() == "linkherd: 60/241 links, 1/s\nlinkherd: 240/241 links, 2/s\n");
}
