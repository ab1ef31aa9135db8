#include "storage/checked_links.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <span>

#include <doctest/doctest.h>

#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/stored_values.h"
#include "tests/storage/samples.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;

// Returns link `number` with an occurrence at this position.
CheckedLink placed(std::uint64_t number, const std::string& file, std::uint32_t line, std::uint32_t column) {
  CheckedLink link = sample_link(number);
  parser::LinkOccurrence occurrence = link.result.occurrences.front();
  occurrence.file = file;
  occurrence.line = line;
  occurrence.column = column;
  complete(link, {occurrence});
  return link;
}

TEST_CASE("stored links come in list order however the store keeps them") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  std::vector<CheckedLink> expected;
  for (std::uint32_t i = 0; i < 300; ++i) {
    expected.push_back(placed(i, i < 100 ? "a.md" : "b.md", 1 + i / 3 % 50, 1 + i % 3));
    if (i % 7 != 0) continue;
    std::vector<parser::LinkOccurrence> occurrences = expected.back().result.occurrences;
    occurrences.push_back(expected.front().result.occurrences.front());
    complete(expected.back(), std::move(occurrences));
  }
  const auto position = [](const CheckedLink& link) {
    const parser::LinkOccurrence& first = link.result.occurrences.front();
    return std::tuple(first.file, first.line, first.column, link.result.id);
  };
  std::ranges::sort(expected, {}, position);
  for (std::size_t i = expected.size(); i-- > 0;) put_link(*store, run, expected[i], {});

  const StoredLinks links(*store, run);
  REQUIRE(links.size() == expected.size());
  std::map<std::size_t, CheckedLink> visited;
  links.for_each([&](std::size_t number, const CheckedLink& link) { CHECK(visited.emplace(number, link).second); });
  REQUIRE(visited.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(links.at(i) == expected[i]);
    CHECK(links.occurrences(i) == expected[i].result.occurrences);
    CHECK(visited[i] == expected[i]);
  }
  std::vector<std::size_t> times(expected.size());
  std::mutex counting;
  links.for_each_result([&](std::span<const NumberedResult> batch) {
    const std::lock_guard lock(counting);
    for (const auto& [number, result] : batch) {
      ++times[number];
      LinkResult whole = expected[number].result;
      const bool is_fine_one = is_fine(whole.verdict.health, whole.verdict.reason);
      if (is_fine_one && whole.occurrence_count == 1) whole.occurrences.clear();
      CHECK(result == whole);
    }
  });
  CHECK(std::ranges::count(times, 1U) == std::ssize(expected));
  const std::vector<std::uint32_t> some{299, 0, 17, 16, 150};
  std::size_t seen = 0;
  links.for_each_of(some, [&](std::size_t index, const CheckedLink& link) {
    CHECK(link == expected[some[index]]);
    return ++seen < 4;
  });
  CHECK(seen == 4);
}

TEST_CASE("the results of an earlier run agree with the occurrences that a later run of the same inputs has stored") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  Run earlier = store->begin_run("identity", {}, sample_time(0));
  put_link(*store, earlier, placed(1, "a.md", 3, 1), {});
  earlier.state = RunState::complete;
  store->put_run(earlier);
  const Run later = store->begin_run("identity", {}, sample_time(day));
  CheckedLink moved = placed(1, "a.md", 5, 1);
  std::vector<parser::LinkOccurrence> occurrences(2, moved.result.occurrences.front());
  occurrences.back().line = 7;
  complete(moved, occurrences);
  put_link(*store, later, moved, {});
  for (const Run& run : {earlier, later}) {
    const StoredLinks links(*store, run);
    CHECK(links.occurrences(0) == occurrences);
    links.for_each_result([&](std::span<const NumberedResult> batch) {
      REQUIRE(batch.size() == 1);
      CHECK(batch.front().second.occurrence_count == 2);
      CHECK(batch.front().second.first.line == 5);
      CHECK(batch.front().second.occurrences == occurrences);
    });
  }
}

TEST_CASE("the recent checks of a stored link are those before the end of the run") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  Run run = store->begin_run("identity", {}, sample_time(0));
  CheckedLink link = placed(1, "a.md", 3, 1);
  const auto check_at = [&](int time, Health health) {
    link.state.snapshot.fetched_at = sample_time(time);
    link.state.snapshot.verdict.health = link.result.verdict.health = health;
    put_link(*store, run, link, {});
  };
  check_at(10, Health::alive);
  run.finished_at = sample_time(20);
  check_at(30, Health::dead);

  CHECK(StoredLinks(*store, run).checks(0) == std::vector<CheckOutcome>{{sample_time(10), Health::alive}});
  run.finished_at.reset();
  CHECK(StoredLinks(*store, run).checks(0) ==
        std::vector<CheckOutcome>{{sample_time(10), Health::alive}, {sample_time(30), Health::dead}});
}

TEST_CASE("an unfinished stored link has its location and URL and one without occurrence is omitted") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  CheckedLink planned = placed(1, "a.md", 3, 1);
  planned.state = {};
  planned.result.occurrences[0].href = "https://example.org/1#part";
  complete(planned, planned.result.occurrences);
  CheckedLink nowhere = sample_link(2);
  set_occurrences(nowhere.result, {});
  RunResults(*store, run).put(std::vector<LinkResult>{planned.result, nowhere.result});

  const StoredLinks links(*store, run);
  REQUIRE(links.size() == 1);
  CHECK(links.at(0).result == planned.result);
  CHECK(links.at(0).state.url == "https://example.org/1");
  CHECK(links.at(0).state.id == planned.result.id);
  links.for_each([&](std::size_t number, const CheckedLink& link) {
    CHECK(number == 0);
    CHECK(link == links.at(0));
  });
  CHECK_THROWS_AS(RunResults(*store, run).link(LinkId::of_text("unknown")), StoreError);
}

}  // namespace
}  // namespace linkherd::storage
