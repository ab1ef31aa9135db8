#include "storage/retention.h"

#include <doctest/doctest.h>

#include "tests/storage/samples.h"

namespace linkherd::storage {
namespace {

Run run_of(std::uint64_t number, std::string identity, RunState state = RunState::complete) {
  const Timestamp at = sample_time(static_cast<std::int64_t>(number) * day);
  Run run;
  run.number = number;
  run.identity = std::move(identity);
  run.started_at = at;
  run.state = state;
  if (state != RunState::open) run.finished_at = at;
  return run;
}

using Numbers = std::vector<std::uint64_t>;

TEST_CASE("the latest run and the newest complete run of each input set are never removable") {
  const std::vector<Run> runs{run_of(7, "a", RunState::open),
                              run_of(6, "b", RunState::interrupted),
                              run_of(5, "c", RunState::outage),
                              run_of(4, "b"),
                              run_of(3, "a"),
                              run_of(2, "b"),
                              run_of(1, "a", RunState::interrupted)};
  CHECK(removable_runs(runs) == Numbers{1, 2, 5, 6});
  CHECK(removable_runs({}).empty());
  CHECK(removable_runs({run_of(1, "a", RunState::outage)}).empty());
}

TEST_CASE("the newest notified run is not removable however many came later") {
  std::vector<Run> runs{run_of(5, "a"), run_of(4, "a"), run_of(3, "a"), run_of(2, "a"), run_of(1, "a")};
  runs[1].subscriber_digest = "them";
  runs[2].subscriber_digest = "us";
  runs[3].subscriber_digest = "us";
  CHECK(removable_runs(runs) == Numbers{1, 2});
  CHECK(expired_runs(runs, {.keep_runs = 1}, sample_time(400 * day)) == Numbers{1, 2});
}

TEST_CASE("runs are counted per input set and settings") {
  const std::vector<Run> runs{run_of(6, "a"), run_of(5, "b"), run_of(4, "a"),
                              run_of(3, "a"), run_of(2, "b"), run_of(1, "c")};
  const auto expired = [&runs](std::size_t keep) {
    return expired_runs(runs, {.keep_runs = keep}, sample_time(7 * day));
  };
  CHECK(expired(50).empty());
  CHECK(expired(2) == Numbers{3});
  CHECK(expired(1) == Numbers{2, 3, 4});
}

TEST_CASE("the age of a run counts from its end and protected runs are kept") {
  const std::vector<Run> runs{run_of(400, "a"), run_of(30, "b"), run_of(20, "a"), run_of(10, "a")};
  const auto expired = [&runs](int days) { return expired_runs(runs, {.keep_days = days}, sample_time(400 * day)); };
  CHECK(expired(390).empty());
  CHECK(expired(385) == Numbers{10});
  CHECK(expired(1) == Numbers{10, 20});
  CHECK(expired(0).empty());
}

}  // namespace
}  // namespace linkherd::storage
