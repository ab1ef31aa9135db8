#include "crawler/cli/progress_line.h"

#include <chrono>
#include <sstream>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;
using storage::Health;

namespace {

const std::vector<Health> fail_on{Health::dead, Health::insecure};

HostBacklog waiting(const char* origin, std::size_t pending, HostWait wait = {}) { return {origin, pending, wait}; }

}  // namespace

TEST_CASE("the progress line gives the reasons of waits and fits the width") {
  CrawlProgress progress;
  progress.done = 12;
  progress.total = 241;
  progress.pool.biggest_backlogs = {
      waiting("https://zhuanlan.zhihu.com", 61),
      waiting("https://good.herd", 8, {.reason = WaitReason::host_pause, .status = 429, .time = 30s})};
  const ProgressFigures figures{.elapsed = 65s, .links_per_second = 37.6, .failures = 3};
  CHECK(progress_text(progress, figures, 200) ==
        "[1m5s] 12/241 links, 3 failed, 38/s; good.herd: 429, asked to wait 30 s, 8 left; zhuanlan.zhihu.com: 61 left");
  CHECK(progress_text(progress, figures, 80) ==
        "[1m5s] 12/241 links, 3 failed, 38/s; good.herd: 429, asked to wait 30 s, 8 left");
  CHECK(progress_text(progress, figures, 60) == "[1m5s] 12/241 links, 3 failed, 38/s; good.herd: 8 left");
  CHECK(progress_text(progress, figures, 10).size() < 10);
}

TEST_CASE("every wait reason has a text") {
  const auto said = [](HostWait wait) {
    CrawlProgress progress;
    progress.pool.biggest_backlogs = {waiting("https://a.herd", 2, wait)};
    const std::string text = progress_text(progress, {}, 200);
    return text.substr(text.find("; ") + 2);
  };
  CHECK(said({.reason = WaitReason::own_pause, .status = 429, .time = 4s}) == "a.herd: 429, waiting 4 s, 2 left");
  CHECK(said({.reason = WaitReason::host_pause, .time = 90s}) == "a.herd: asked to wait 90 s, 2 left");
  CHECK(said({.reason = WaitReason::crawl_delay, .time = 10s}) ==
        "a.herd: robots.txt asks for one request per 10 s, 2 left");
  CHECK(said({.reason = WaitReason::no_answer}) == "a.herd: no answer, 2 left");
  CHECK(said({.reason = WaitReason::confirmation, .time = 8s}) == "a.herd: second check in 8 s, 2 left");
  CHECK(said({.reason = WaitReason::retry, .time = 1500ms}) == "a.herd: retry in 2 s, 2 left");
}

TEST_CASE("a host name cannot send escape sequences to the terminal") {
  CrawlProgress progress;
  progress.pool.biggest_backlogs = {waiting("https://\x1b[31mred", 1)};
  CHECK(progress_text(progress, {}, 200).find('\x1b') == std::string::npos);
}

TEST_CASE("failures are links in a --fail-on state") {
  CrawlProgress progress;
  progress.by_health = {{Health::alive, 7}, {Health::dead, 2}, {Health::insecure, 1}, {Health::unreachable, 4}};
  CHECK(count_failures(progress, fail_on) == 3);
  CHECK(count_failures(progress, {Health::unreachable}) == 4);
  CHECK(count_failures(progress, {}) == 0);
}

TEST_CASE("a finished link is one line with its health and URL and reason and duration") {
  CHECK(finished_text({"https://gone.herd/x", Health::dead, "http_404", 43ms, false}) ==
        "dead        https://gone.herd/x (http_404, 43 ms)");
  CHECK(finished_text({"https://fast.herd/", Health::alive, "ok", std::chrono::microseconds(400), false}) ==
        "alive       https://fast.herd/ (ok, under 1 ms)");
  CHECK(finished_text({"https://a.herd/", Health::redirected, "moved_permanently", std::nullopt, true}) ==
        "redirected  https://a.herd/ (moved_permanently, from the store)");
  CHECK(finished_text({"mailto:\x1b[31m", Health::skipped, "unsupported_scheme", std::nullopt, false}) ==
        "skipped     mailto:\\u{1b}[31m (unsupported_scheme)");
}

TEST_CASE("the progress line erases itself") {
  std::ostringstream err;
  {
    ProgressLine line(err, fail_on);
    line.show({});
    CHECK(line_start_beside_progress() == "\r\x1b[K");
  }
  CHECK(err.str().ends_with("\r\x1b[K"));
  CHECK(line_start_beside_progress().empty());
}

TEST_CASE("lines are printed above the progress line") {
  std::ostringstream err;
  ProgressLine line(err, fail_on);
  line.print_above("first");
  CHECK(err.str() == "first\n");
  line.show({});
  err.str("");
  line.print_above("second");
  CHECK(err.str() == "\r\x1b[Ksecond\n[0s] 0/0 links, 0 failed, 0/s");
}

TEST_CASE("without a terminal a run prints one line per minute") {
  std::ostringstream err;
  const ProgressLog::Time start{};
  ProgressLog log(err, start, fail_on);
  CrawlProgress progress;
  progress.total = 241;
  progress.done = 60;
  progress.by_health = {{Health::alive, 58}, {Health::dead, 2}};
  log.show(progress, start + 59s);
  CHECK(err.str().empty());
  log.show(progress, start + 60s);
  CHECK(err.str() == "linkherd: [1m] 60/241 links, 2 failed, 1/s\n");
  progress.done = 240;
  log.show(progress, start + 119s);
  log.show(progress, start + 120s);
  CHECK(err.str() == "linkherd: [1m] 60/241 links, 2 failed, 1/s\nlinkherd: [2m] 240/241 links, 2 failed, 2/s\n");
}
