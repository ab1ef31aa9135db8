#include "storage/checked_links.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <span>

#include <doctest/doctest.h>

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
  link.entry.occurrences.resize(1);
  link.entry.occurrences[0].file = file;
  link.entry.occurrences[0].line = line;
  link.entry.occurrences[0].column = column;
  return link;
}

TEST_CASE("stored links come in list order however the store keeps them") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const Run run = store->begin_run("identity", {}, sample_time(0));
  std::vector<CheckedLink> expected;
  for (std::uint32_t i = 0; i < 300; ++i) {
    expected.push_back(placed(i, i < 100 ? "a.md" : "b.md", 1 + i / 3 % 50, 1 + i % 3));
    if (i % 7 == 0) expected.back().entry.occurrences.push_back(expected.front().entry.occurrences.front());
  }
  const auto position = [](const CheckedLink& link) {
    const parser::LinkOccurrence& first = link.entry.occurrences.front();
    return std::tuple(first.file, first.line, first.column, link.entry.id);
  };
  std::ranges::sort(expected, {}, position);
  for (std::size_t i = expected.size(); i-- > 0;) store->put_link(run, expected[i], {});

  const StoredLinks links(*store, run);
  REQUIRE(links.size() == expected.size());
  std::map<std::size_t, CheckedLink> visited;
  links.for_each([&](std::size_t number, const CheckedLink& link) { CHECK(visited.emplace(number, link).second); });
  REQUIRE(visited.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(links.at(i) == expected[i]);
    CHECK(links.occurrences(i) == expected[i].entry.occurrences);
    CHECK(visited[i] == expected[i]);
  }
  std::vector<std::size_t> times(expected.size());
  std::mutex counting;
  links.for_each_first([&](std::span<const NumberedLink> batch) {
    const std::lock_guard lock(counting);
    for (const NumberedLink& seen : batch) {
      const CheckedLink& whole = expected[seen.number];
      ++times[seen.number];
      CHECK(seen.link->entry.id == whole.entry.id);
      const bool is_fine_one = is_fine(whole.entry.verdict.health, whole.entry.verdict.reason);
      if (is_fine_one && whole.entry.occurrences.size() == 1) {
        REQUIRE(seen.link->entry.occurrences.size() == 1);
        FirstOccurrence first = first_occurrence(whole.entry.occurrences);
        first.line = first.column = 1;
        CHECK(first_occurrence(seen.link->entry.occurrences) == first);
      } else {
        CHECK(seen.link->entry.occurrences == whole.entry.occurrences);
      }
      CHECK(seen.link->entry.verdict.health == whole.entry.verdict.health);
      CHECK(seen.link->entry.verdict.reason == whole.entry.verdict.reason);
      CHECK(seen.link->record.url == whole.record.url);
      CHECK(*seen.excerpt == make_excerpt(whole.record.snapshot));
      if (!is_fine_one) CHECK(*seen.link == whole);
      CHECK(seen.occurrences == whole.entry.occurrences.size());
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

TEST_CASE("the recent checks of a stored link are those before the end of the run") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  Run run = store->begin_run("identity", {}, sample_time(0));
  CheckedLink link = placed(1, "a.md", 3, 1);
  const auto check_at = [&](int time, Health health) {
    link.record.snapshot.fetched_at = sample_time(time);
    link.record.snapshot.verdict.health = link.entry.verdict.health = health;
    store->put_link(run, link, {});
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
  planned.entry.occurrences[0].href = "https://example.org/1#part";
  CheckedLink nowhere = sample_link(2);
  nowhere.entry.occurrences.clear();
  store->put_run_entries(run, {planned.entry, nowhere.entry});

  const StoredLinks links(*store, run);
  REQUIRE(links.size() == 1);
  CHECK(links.at(0).entry == planned.entry);
  CHECK(links.at(0).record.url == "https://example.org/1");
  CHECK(links.at(0).record.id == planned.entry.id);
  links.for_each([&](std::size_t number, const CheckedLink& link) {
    CHECK(number == 0);
    CHECK(link == links.at(0));
  });
  CHECK_THROWS_AS(store->checked_link(run, LinkId::of_text("unknown")), StoreError);
}

}  // namespace
}  // namespace linkherd::storage
