// Tests what a store prunes and that it prunes nothing else.
#include "storage/pruning.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "storage/key_value_store.h"
#include "storage/store.h"
#include "tests/storage/samples.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;

const Timestamp end_of_time = sample_time(1000 * day);

// Returns a check of link `number` on day `on_day`.
CheckedLink look(std::uint64_t number, std::int64_t on_day, Health health, const std::string& body) {
  CheckedLink link = sample_link(number);
  link.record.snapshot.fetched_at = sample_time(on_day * day);
  link.record.snapshot.verdict.health = health;
  link.record.snapshot.status = health == Health::alive ? 200 : 404;
  link.record.snapshot.body_digest = content_digest(body);
  link.entry.verdict = link.record.snapshot.verdict;
  return link;
}

struct Looked {
  CheckedLink link;
  std::string body;
};

Run put_run(Store& store, std::string_view identity, std::int64_t on_day, const std::vector<Looked>& looks,
            RunState state = RunState::complete) {
  Run run = store.begin_run(identity, {"list.md"}, sample_time(on_day * day));
  for (const Looked& one : looks) store.put_link(run, one.link, one.body);
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

std::uint64_t rows_of(const Store& store, std::string_view family) {
  for (const FamilyUse& use : store.use().families) {
    if (use.name == family) return use.rows;
  }
  return 0;
}

TEST_CASE("an old run is pruned together with the data that only it needs") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const std::vector<Run> runs = put_daily_runs(*store, 5);
  const Run other = put_run(*store, "other", 6, {{look(3, 6, Health::alive, sample_body(3)), sample_body(3)}});
  CHECK(rows_of(*store, "occurrences") == 3);

  const PruneResult pruned = store->prune({.keep_runs = 2}, sample_time(7 * day), std::nullopt);
  CHECK(pruned.runs == 3);
  CHECK(pruned.bodies == 0);
  CHECK(pruned.is_complete);
  CHECK(numbers_of(*store) == std::vector<std::uint64_t>{6, 5, 4});
  CHECK(rows_of(*store, "run") == 6);          // three runs with one result each
  CHECK(rows_of(*store, "occurrences") == 2);  // the second link is no longer in any run
  CHECK_FALSE(store->result(runs[0], sample_link(1).entry.id));
  CHECK(store->result(runs[4], sample_link(1).entry.id)->occurrences == sample_link(1).entry.occurrences);
  CHECK(store->link(sample_link(2).entry.id));  // the link state is kept
  CHECK(store->body(content_digest(sample_body(2))) == sample_body(2));
  CHECK(store->begin_run("daily", {}, sample_time(8 * day)).number == 7);
}

TEST_CASE("an unlisted link is pruned after a long time without checks") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  put_daily_runs(*store, 5);
  // The second and the third link have the same page.
  put_run(*store, "other", 6, {{look(3, 6, Health::alive, sample_body(2)), sample_body(2)}});
  const auto prune = [&store](std::int64_t on_day) {
    return store->prune({.keep_runs = 2, .keep_days = 10}, sample_time(on_day * day), std::nullopt).links;
  };
  CHECK(prune(8) == 0);
  CHECK(store->prune({.keep_runs = 2, .keep_days = 0}, end_of_time, std::nullopt).links == 0);
  CHECK(store->link(sample_link(2).entry.id));
  CHECK(prune(12) == 1);
  CHECK_FALSE(store->link(sample_link(2).entry.id));
  CHECK(store->history(sample_link(2).entry.id, 10).empty());
  CHECK(store->body(content_digest(sample_body(2))) == sample_body(2));
  CHECK(prune(1000) == 0);  // the newest run of each list is kept with its links
  CHECK(store->link(sample_link(1).entry.id));
  CHECK(store->link(sample_link(3).entry.id));
  const Verification found = store->verify();
  for (const std::string& problem : found.problems) FAIL_CHECK(problem);

  CHECK(store->forget({sample_link(3).entry.id}) == 1);
  CHECK_FALSE(store->body(content_digest(sample_body(2))));
}

TEST_CASE("a resumable run and the newest complete run of its inputs are kept") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  put_daily_runs(*store, 2);
  put_run(*store, "rare", 3, {});
  const Run open =
      put_run(*store, "daily", 4, {{look(1, 4, Health::alive, sample_body(1)), {}}}, RunState::interrupted);
  store->prune({.keep_runs = 1, .keep_days = 1}, end_of_time, std::nullopt);
  CHECK(numbers_of(*store) == std::vector<std::uint64_t>{4, 3, 2});
  CHECK(store->begin_run("daily", {}, end_of_time).number == open.number);
  CHECK(store->result(open, sample_link(1).entry.id)->finished);
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
    for (const std::string& body : versions) all.push_back(store->body(content_digest(body)).has_value());
    return all;
  };
  CHECK(store->prune({.bodies = KeptBodies::all}, sample_time(5 * day), std::nullopt).bodies == 0);
  CHECK(kept() == std::vector{true, true, true, true});
  CHECK(store->prune({}, sample_time(5 * day), std::nullopt).bodies == 1);
  CHECK(kept() == std::vector{true, false, true, true});
  CHECK(store->prune({}, sample_time(5 * day), std::nullopt).bodies == 0);
  CHECK(store->history(sample_link(1).entry.id, 10).size() == 4);
}

TEST_CASE("the body of the latest check is kept even after a clock went backwards") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  const std::vector<std::string> versions{sample_body(10), sample_body(11)};
  put_run(*store, "daily", 9, {{look(1, 9, Health::alive, versions[0]), versions[0]}});
  put_run(*store, "daily", 1, {{look(1, 1, Health::alive, versions[1]), versions[1]}});
  store->prune({}, sample_time(10 * day), std::nullopt);
  const std::string latest = store->link(sample_link(1).entry.id)->snapshot.body_digest;
  CHECK(latest == content_digest(versions[1]));
  CHECK(store->body(latest) == versions[1]);
  CHECK(store->verify().problem_count == 0);
}

TEST_CASE("a pruned body is not reported as lost and another missing one is") {
  const TempDir dir;
  const auto store = Store::open(dir / "store");
  for (std::int64_t on_day = 1; on_day <= 4; ++on_day) {
    const std::string body = sample_body(static_cast<std::uint64_t>(on_day));
    put_run(*store, "daily", on_day, {{look(1, on_day, Health::alive, body), body}});
  }
  CHECK(store->prune({}, sample_time(5 * day), std::nullopt).bodies == 3);
  CHECK(store->verify().problem_count == 0);
  CHECK(store->verify().bodies == 1);
  const std::string again = sample_body(1);
  put_run(*store, "daily", 6, {{look(1, 6, Health::alive, again), again}});
  CHECK(store->body(content_digest(again)) == again);
  CHECK(store->verify().bodies == 2);
  CHECK(store->verify().problem_count == 0);
}

TEST_CASE("an interrupted pruning hides whole runs and the next one continues") {
  const TempDir dir;
  {
    const auto store = Store::open(dir / "store");
    put_daily_runs(*store, 6);
    const std::uint64_t rows = rows_of(*store, "run");
    const PruneResult pruned = store->prune({.keep_runs = 2}, sample_time(7 * day), Duration::zero());
    CHECK_FALSE(pruned.is_complete);
    CHECK(numbers_of(*store) == std::vector<std::uint64_t>{6, 5});
    CHECK(rows_of(*store, "run") == rows);
  }
  const auto store = Store::open(dir / "store");
  CHECK(numbers_of(*store) == std::vector<std::uint64_t>{6, 5});
  CHECK(store->prune({.keep_runs = 2}, sample_time(7 * day), std::nullopt).is_complete);
  CHECK(rows_of(*store, "run") == 4);
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
  CHECK(store->prune({.max_bytes = std::uint64_t{1} << 30}, sample_time(10 * day), std::nullopt).runs == 0);
  const PruneResult pruned = store->prune({.max_bytes = 1}, sample_time(10 * day), std::nullopt);
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

  CHECK(store->forget({LinkId::of_text("unknown")}) == 0);
  CHECK(store->forget({sample_link(1).entry.id, LinkId::of_text("unknown")}) == 1);
  CHECK_FALSE(store->link(sample_link(1).entry.id));
  CHECK(store->history(sample_link(1).entry.id, 10).empty());
  for (const Run& each : store->runs()) CHECK_FALSE(store->result(each, sample_link(1).entry.id));
  CHECK_FALSE(store->body(content_digest(own)));
  CHECK(store->body(content_digest(shared)) == shared);
  CHECK(store->runs().back().by_health == std::map<Health, std::uint64_t>{{Health::alive, 1}});
  CHECK(rows_of(*store, "occurrences") == 1);
  CHECK(rows_of(*store, "link") == 1);
  CHECK(rows_of(*store, "history") == 1);
}

}  // namespace
}  // namespace linkherd::storage
