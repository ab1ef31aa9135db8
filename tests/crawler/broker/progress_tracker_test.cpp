#include "crawler/broker/progress_tracker.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;
using std::chrono::seconds;

namespace {

const Timestamp progress_start = parse_timestamp("2026-03-05T10:00:00Z").value();
const std::chrono::steady_clock::time_point steady_start(std::chrono::hours(1));

}  // namespace

TEST_CASE("progress is due every two seconds and its rate is that of the last minute") {
  ProgressTracker tracker(progress_start);
  CHECK_FALSE(tracker.take_due(progress_start, steady_start));  // the number of links is not known
  tracker.set_links(1000, 0);
  const auto first = tracker.take_due(progress_start + seconds(5), steady_start);
  REQUIRE(first);
  CHECK(first->started_at == progress_start);
  CHECK(first->at == progress_start + seconds(5));
  CHECK(first->planned == 1000);
  CHECK(first->rate == 0);
  CHECK_FALSE(tracker.take_due(progress_start, steady_start + seconds(1)));

  tracker.set_links(1000, 20);
  const auto second = tracker.take_due(progress_start, steady_start + seconds(2));
  REQUIRE(second);
  CHECK(second->done == 20);
  CHECK(second->rate == doctest::Approx(10));
  tracker.set_links(1000, 620);
  const auto later = tracker.take_due(progress_start, steady_start + seconds(62));
  REQUIRE(later);
  CHECK(later->rate == doctest::Approx(10));  // 600 links in the last 60 seconds
}

TEST_CASE("progress names the hosts that wait longest and counts all of them") {
  ProgressTracker tracker(progress_start);
  tracker.set_links(1000, 0);
  for (int number = 1; number <= 150; ++number) {
    storage::HostState host;
    host.origin = fmt::format("https://h{}.cn", number);
    host.not_before = progress_start + seconds(number);
    tracker.note_host(host, progress_start);
  }
  storage::HostState back;
  back.origin = "https://h150.cn";
  tracker.note_host(back, progress_start);  // no longer waits
  const auto progress = tracker.take_due(progress_start + seconds(9), steady_start);
  REQUIRE(progress);
  CHECK(progress->all_waiting == 140);
  REQUIRE(progress->waiting.size() == 100);
  CHECK(progress->waiting.front().origin == "https://h149.cn");
  CHECK(progress->waiting.back().until == progress_start + seconds(50));
}
