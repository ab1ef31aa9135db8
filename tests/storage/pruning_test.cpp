// Tests what a store prunes and that it prunes nothing else.
#include "storage/pruning.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "storage/key_value_store.h"
#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/verification.h"
#include "tests/storage/samples.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;

const Timestamp end_of_time = sample_time(1000 * day);

// Returns a check of link `number` on day `on_day`.
CheckedLink look(std::uint64_t number, std::int64_t on_day, Health health, const std::string& body) {
  CheckedLink link = sample_link(number);
  link.state.snapshot.fetched_at = sample_time(on_day * day);
  link.state.snapshot.verdict.health = health;
  link.state.snapshot.status = health == Health::alive ? 200 : 404;
  link.state.snapshot.body_digest = content_digest(body);
  link.result.verdict = link.state.snapshot.verdict;
  return link;
}

struct Looked {
  CheckedLink link;
  std::string body;
};

Run put_run(Store& store, std::string_view identity, std::int64_t on_day, const std::vector<Looked>& looks,
            RunState state = RunState::complete) {
  Run run = store.begin_run(identity, {"list.md"}, sample_time(on_day * day));
  for (const Looked& one : looks) put_link(store, run, one.link, one.body);
  run.state = state;
  if (state != RunState::open) run.finished_at = sample_time(on_day * day + 1);
  store.put_run(run);
  return run;
}

// Creates `days` daily runs over the same two links. The second link is only in the lists of the first run.
std::vector<Run> put_daily_runs(Store& store, std::int64_t days) {
  std::vector<Run> runs;
  for (std::int64_t on_day = 1; on_day <= days; ++on_day) {
    std::vector<Looked> looks{{look(1, on_day, Health::alive, sample_body(1)), sample_body(1)}};
    if (on_day == 1) looks.push_back({look(2, on_day, Health::alive, sample_body(2)), sample_body(2)});
    runs.push_back(put_run(store, "daily", on_day, looks));
  }
  return runs;
}

std::vector<std::uint64_t> numbers_of(const Store& store) {
  std::vector<std::uint64_t> numbers;
  for (const Run& run : store.runs()) numbers.push_back(run.number);
  return numbers;
}

TEST_CASE("an old run is pruned together with the data that only it needs") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const std::vector<Run> runs = put_daily_runs(*store, 5);
  const Run other = put_run(*store, "other", 6, {{look(3, 6, Health::alive, sample_body(3)), sample_body(3)}});
  CHECK(store->rows().row_count(Family::occurrences) == 3);

  const PruneResult pruned = prune(store->rows(), {.keep_runs = 2}, sample_time(7 * day));
  CHECK(pruned.runs == 3);
  CHECK(pruned.bodies == 0);
  CHECK(pruned.is_complete);
  CHECK(numbers_of(*store) == std::vector<std::uint64_t>{6, 5, 4});
  CHECK(store->rows().row_count(Family::run) == 6);          // three runs with one result each
  CHECK(store->rows().row_count(Family::occurrences) == 2);  // the second link is no longer in any run
  CHECK_FALSE(RunResults(*store, runs[0]).find(sample_link(1).result.id));
  CHECK(RunResults(*store, runs[4]).find(sample_link(1).result.id)->occurrences == sample_link(1).result.occurrences);
  CHECK(LinkHistory(*store).state(sample_link(2).result.id));  // the link state is kept
  CHECK(LinkHistory(*store).body(content_digest(sample_body(2))) == sample_body(2));
  CHECK(store->begin_run("daily", {}, sample_time(8 * day)).number == 7);
}

TEST_CASE("an unlisted link is pruned after a long time without checks") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  put_daily_runs(*store, 5);
  // The second and the third link have the same page.
  put_run(*store, "other", 6, {{look(3, 6, Health::alive, sample_body(2)), sample_body(2)}});
  const auto links_pruned = [&store](std::int64_t on_day) {
    return prune(store->rows(), {.keep_runs = 2, .keep_days = 10}, sample_time(on_day * day)).links;
  };
  CHECK(links_pruned(8) == 0);
  CHECK(prune(store->rows(), {.keep_runs = 2, .keep_days = 0}, end_of_time).links == 0);
  CHECK(LinkHistory(*store).state(sample_link(2).result.id));
  CHECK(links_pruned(12) == 1);
  CHECK_FALSE(LinkHistory(*store).state(sample_link(2).result.id));
  CHECK(LinkHistory(*store).snapshots(sample_link(2).result.id, 10).empty());
  CHECK(LinkHistory(*store).body(content_digest(sample_body(2))) == sample_body(2));
  CHECK(links_pruned(1000) == 0);  // the newest run of each list is kept with its links
  CHECK(LinkHistory(*store).state(sample_link(1).result.id));
  CHECK(LinkHistory(*store).state(sample_link(3).result.id));
  const Verification found = verify(*store);
  for (const std::string& problem : found.problems) FAIL_CHECK(problem);

  CHECK(forget(store->rows(), {sample_link(3).result.id}) == 1);
  CHECK_FALSE(LinkHistory(*store).body(content_digest(sample_body(2))));
}

TEST_CASE("a resumable run and the newest complete run of its inputs are kept") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  put_daily_runs(*store, 2);
  put_run(*store, "rare", 3, {});
  const Run open =
      put_run(*store, "daily", 4, {{look(1, 4, Health::alive, sample_body(1)), {}}}, RunState::interrupted);
  prune(store->rows(), {.keep_runs = 1, .keep_days = 1}, end_of_time);
  CHECK(numbers_of(*store) == std::vector<std::uint64_t>{4, 3, 2});
  CHECK(store->begin_run("daily", {}, end_of_time).number == open.number);
  CHECK(RunResults(*store, open).find(sample_link(1).result.id)->finished);
}

TEST_CASE("the newest body and the last one before death and shared ones are kept") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const std::vector<std::string> versions{sample_body(10), sample_body(11), sample_body(12), sample_body(13)};
  for (std::int64_t version = 0; version < 3; ++version) {
    const std::string& body = versions[static_cast<std::size_t>(version)];
    put_run(*store, "daily", version + 1, {{look(1, version + 1, Health::alive, body), body}});
  }
  put_run(
      *store, "daily", 4,
      {{look(1, 4, Health::dead, versions[3]), versions[3]}, {look(2, 4, Health::alive, versions[0]), versions[0]}});
  const auto kept = [&] {
    std::vector<bool> all;
    for (const std::string& body : versions) all.push_back(LinkHistory(*store).body(content_digest(body)).has_value());
    return all;
  };
  CHECK(prune(store->rows(), {.bodies = KeptBodies::all}, sample_time(5 * day)).bodies == 0);
  CHECK(kept() == std::vector{true, true, true, true});
  CHECK(prune(store->rows(), {}, sample_time(5 * day)).bodies == 1);
  CHECK(kept() == std::vector{true, false, true, true});
  CHECK(prune(store->rows(), {}, sample_time(5 * day)).bodies == 0);
  CHECK(LinkHistory(*store).snapshots(sample_link(1).result.id, 10).size() == 4);
}

TEST_CASE("the body of the latest check is kept even after a clock went backwards") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const std::vector<std::string> versions{sample_body(10), sample_body(11)};
  put_run(*store, "daily", 9, {{look(1, 9, Health::alive, versions[0]), versions[0]}});
  put_run(*store, "daily", 1, {{look(1, 1, Health::alive, versions[1]), versions[1]}});
  prune(store->rows(), {}, sample_time(10 * day));
  const std::string latest = LinkHistory(*store).state(sample_link(1).result.id)->snapshot.body_digest;
  CHECK(latest == content_digest(versions[1]));
  CHECK(LinkHistory(*store).body(latest) == versions[1]);
  CHECK(verify(*store).problem_count == 0);
}

TEST_CASE("a pruned body is not reported as lost and another missing one is") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  for (std::int64_t on_day = 1; on_day <= 4; ++on_day) {
    const std::string body = sample_body(static_cast<std::uint64_t>(on_day));
    put_run(*store, "daily", on_day, {{look(1, on_day, Health::alive, body), body}});
  }
  CHECK(prune(store->rows(), {}, sample_time(5 * day)).bodies == 3);
  CHECK(verify(*store).problem_count == 0);
  CHECK(verify(*store).bodies == 1);
  const std::string again = sample_body(1);
  put_run(*store, "daily", 6, {{look(1, 6, Health::alive, again), again}});
  CHECK(LinkHistory(*store).body(content_digest(again)) == again);
  CHECK(verify(*store).bodies == 2);
  CHECK(verify(*store).problem_count == 0);
}

TEST_CASE("an interrupted pruning hides whole runs and the next one continues") {
  const TempDir dir;
  {
    const auto store = Store::open(dir / "store");
    put_daily_runs(*store, 6);
    const std::uint64_t rows = store->rows().row_count(Family::run);
    const PruneResult pruned =
        prune(store->rows(), {.keep_runs = 2}, sample_time(7 * day), std::chrono::steady_clock::now());
    CHECK_FALSE(pruned.is_complete);
    CHECK(numbers_of(*store) == std::vector<std::uint64_t>{6, 5});
    CHECK(store->rows().row_count(Family::run) == rows);
  }
  const auto store = Store::open(dir / "store");
  CHECK(numbers_of(*store) == std::vector<std::uint64_t>{6, 5});
  CHECK(prune(store->rows(), {.keep_runs = 2}, sample_time(7 * day)).is_complete);
  CHECK(store->rows().row_count(Family::run) == 4);
}

TEST_CASE("large old data is compacted while there is time") {
  const TempDir dir;
  Store::open(dir / "store").reset();
  const auto open = [&dir] { return KeyValueStore::open_for_writing(dir / "store", dir / "store" / "db"); };
  for (const std::string_view value : {"old", "new"}) {  // each link in a separate table
    KeyValueStore::Batch batch;
    batch.put(Family::history, "key", value);
    open()->write(batch);
  }
  const auto store = open();
  const std::uint64_t bytes = store->uncompacted_bytes(Family::history);
  CHECK(bytes > 0);
  const auto now = std::chrono::steady_clock::now();
  CHECK_FALSE(compact_new_tables(*store, now + std::chrono::hours(1)));  // less than 64 MiB
  compact_new_tables(*store, now, 0);
  CHECK(store->uncompacted_bytes(Family::history) == bytes);
  CHECK(compact_new_tables(*store, now + std::chrono::hours(1), 0));
  CHECK(store->uncompacted_bytes(Family::history) == 0);
  CHECK(store->get(Family::history, "key") == "new");
}

TEST_CASE("a store above its size limit prunes more runs and says if that does not help") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  put_daily_runs(*store, 9);
  store->publish();
  CHECK(prune(store->rows(), {.max_bytes = std::uint64_t{1} << 30}, sample_time(10 * day)).runs == 0);
  const PruneResult pruned = prune(store->rows(), {.max_bytes = 1}, sample_time(10 * day));
  CHECK(pruned.runs == 8);
  CHECK_FALSE(pruned.is_small_enough);
  CHECK(numbers_of(*store) == std::vector<std::uint64_t>{9});
}

TEST_CASE("a forgotten link is removed everywhere") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const std::string own = sample_body(20);
  const std::string shared = sample_body(21);
  Run run =
      put_run(*store, "daily", 1, {{look(1, 1, Health::alive, own), own}, {look(2, 1, Health::alive, shared), shared}});
  put_run(*store, "other", 2, {{look(1, 2, Health::dead, shared), {}}});
  run.by_health = {{Health::alive, 2}};
  store->put_run(run);

  CHECK(forget(store->rows(), {LinkId::of_text("unknown")}) == 0);
  CHECK(forget(store->rows(), {sample_link(1).result.id, LinkId::of_text("unknown")}) == 1);
  CHECK_FALSE(LinkHistory(*store).state(sample_link(1).result.id));
  CHECK(LinkHistory(*store).snapshots(sample_link(1).result.id, 10).empty());
  for (const Run& each : store->runs()) CHECK_FALSE(RunResults(*store, each).find(sample_link(1).result.id));
  CHECK_FALSE(LinkHistory(*store).body(content_digest(own)));
  CHECK(LinkHistory(*store).body(content_digest(shared)) == shared);
  CHECK(store->runs().back().by_health == std::map<Health, std::uint64_t>{{Health::alive, 1}});
  CHECK(store->rows().row_count(Family::occurrences) == 1);
  CHECK(store->rows().row_count(Family::link) == 1);
  CHECK(store->rows().row_count(Family::history) == 1);
}

}  // namespace
}  // namespace linkherd::storage
