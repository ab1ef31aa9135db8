// Tests merged stores: what wins, what is added, and that nothing is added twice.
#include "storage/merge.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/pruning.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "storage/stored_values.h"
#include "storage/verification.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::TempDir;
namespace fs = std::filesystem;

constexpr std::int64_t hour = 3600;

CheckedLink check_at(std::uint64_t number, std::int64_t seconds, Health health, const std::string& vantage = {}) {
  CheckedLink link = sample_link(number);
  link.state.snapshot.fetched_at = sample_time(seconds);
  link.state.snapshot.verdict.health = health;
  link.state.snapshot.verdict.reason = health == Health::alive ? std::string(reason::ok) : "http_404";
  link.state.snapshot.verdict.evidence = health == Health::alive ? "HTTP 200" : "HTTP 404, twice";
  link.state.snapshot.status = health == Health::alive ? 200 : 404;
  link.state.snapshot.vantage = vantage;
  link.state.first_seen = sample_time(seconds);
  link.state.last_alive.reset();
  if (health == Health::alive) link.state.last_alive = sample_time(seconds);
  if (health != Health::alive) link.state.first_failed = sample_time(seconds);
  link.result.verdict = link.state.snapshot.verdict;
  complete(link, link.result.occurrences);
  return link;
}

// Ends the run two hours after it began.
Run end_run(Store& store, Run run, const std::vector<CheckedLink>& links) {
  for (const CheckedLink& link : links) {
    put_link(store, run, link, {});
    ++run.by_health[link.result.verdict.health];
  }
  run.state = RunState::complete;
  run.finished_at = run.started_at + std::chrono::hours(2);
  store.put_run(run);
  return run;
}

Run add_run(Store& store, const std::string& identity, std::int64_t seconds, const std::vector<CheckedLink>& links,
            const std::string& vantage = {}) {
  Run run = store.begin_run(identity, {"list.md"}, sample_time(seconds));
  run.vantage = vantage;
  return end_run(store, run, links);
}

// A store with one run, closed and published.
fs::path make_source(const fs::path& path, const std::string& identity, std::int64_t seconds,
                     const std::vector<CheckedLink>& links, const std::string& vantage = {}) {
  const auto store = Store::open(path);
  add_run(*store, identity, seconds, links, vantage);
  store->publish();
  return path;
}

fs::path make_shard(const fs::path& path, std::uint32_t number, std::int64_t seconds, std::uint64_t of_links,
                    const std::vector<CheckedLink>& links) {
  const auto store = Store::open(path);
  Run run = store->begin_run("whole, part " + std::to_string(number), {"list.md"}, sample_time(seconds));
  run.shard = {number, 2, "whole", of_links};
  end_run(*store, run, links);
  store->publish();
  return path;
}

// Formats everything that readers see of a store. Run numbers are optional.
std::string text_of(const Store& store, bool with_numbers = true) {
  std::string text;
  for (Run run : store.runs()) {
    const Run as_stored = run;
    if (!with_numbers) run.number = 0;
    text += encode_run(run);
    RunResults(store, as_stored).for_each_link([&](const CheckedLink& link) {
      text += encode_checked_link(link) + encode_occurrences(link.result.occurrences);
      return true;
    });
  }
  LinkHistory(store).for_each_state([&](const LinkState& state) {
    text += encode_checked_link({LinkResult(), state});
    for (const Snapshot& snapshot : LinkHistory(store).snapshots(state.id, 100)) text += encode_snapshot(snapshot);
    return true;
  });
  return text;
}

std::vector<std::pair<Timestamp, Health>> read_checks(const Store& store, std::uint64_t number) {
  std::vector<std::pair<Timestamp, Health>> looks;
  for (const Snapshot& look : LinkHistory(store).snapshots(sample_link(number).result.id, 100))
    looks.emplace_back(look.fetched_at, look.verdict.health);
  return looks;
}

Verdict verdict_in(const Store& store, const Run& run, std::uint64_t number) {
  return RunResults(store, run).link_without_occurrences(sample_link(number).result.id)->result.verdict;
}

void check_sound(Store& store) {
  const Verification found = verify(store);
  CHECK_MESSAGE(found.problem_count == 0, (found.problems.empty() ? "" : found.problems.front()));
}

TEST_CASE("a merge keeps the newest link state and joins histories and is idempotent") {
  const TempDir dir;
  const fs::path early =
      make_source(dir / "early", "early", 0, {check_at(1, hour, Health::alive), check_at(2, hour, Health::alive)});
  {
    const auto store = Store::open(early);
    add_run(*store, "early", 10 * hour, {check_at(1, 11 * hour, Health::alive)});
    store->publish();
  }
  const fs::path late = make_source(dir / "late", "late", 5 * hour,
                                    {check_at(1, 6 * hour, Health::dead), check_at(3, 6 * hour, Health::alive)});
  const auto into = Store::open(dir / "into");
  const Merged merged = merge(*into, {early, late});
  CHECK(merged.new_links == 3);
  CHECK(merged.changed_links == 1);
  CHECK(merged.runs == 3);
  CHECK(merged.notes.empty());

  const std::optional<LinkState> one = LinkHistory(*into).state(sample_link(1).result.id);
  REQUIRE(one);
  CHECK(one->first_seen == sample_time(6 * hour));
  CHECK(one->last_alive == sample_time(11 * hour));
  CHECK(one->snapshot.verdict.health == Health::alive);
  CHECK(read_checks(*into, 1) == std::vector<std::pair<Timestamp, Health>>{{sample_time(11 * hour), Health::alive},
                                                                           {sample_time(6 * hour), Health::dead},
                                                                           {sample_time(hour), Health::alive}});
  const std::vector<Run> runs = into->runs();
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].started_at == sample_time(10 * hour));
  CHECK(runs[1].identity == "late");
  CHECK(verdict_in(*into, runs[1], 1).health == Health::dead);
  CHECK(verdict_in(*into, runs[2], 1).health == Health::alive);
  check_sound(*into);

  const std::string before = text_of(*into);
  const Merged again = merge(*into, {late, early});
  CHECK(again.new_links + again.changed_links + again.history_rows + again.runs == 0);
  CHECK(text_of(*into) == before);

  const auto other_way = Store::open(dir / "other way");
  merge(*other_way, {late});
  merge(*other_way, {early});
  CHECK(text_of(*other_way, false) == text_of(*into, false));
  check_sound(*other_way);
}

TEST_CASE("a merge keeps the later search for a new address") {
  const TempDir dir;
  const auto searched = [](std::int64_t checked, std::int64_t searched_at, const std::string& url) {
    CheckedLink link = check_at(1, checked, Health::dead);
    link.state.relocation =
        Relocation{url, RelocationLevel::sure, RelocationSource::feed, 1.0, "same title", sample_time(searched_at)};
    return link;
  };
  const fs::path early = make_source(dir / "early", "early", 0, {searched(hour, 3 * hour, "https://example.org/new")});
  const fs::path late = make_source(dir / "late", "late", 5 * hour, {searched(6 * hour, 2 * hour, "")});
  const fs::path never = make_source(dir / "never", "never", 8 * hour, {check_at(1, 9 * hour, Health::dead)});
  const auto into = Store::open(dir / "into");
  merge(*into, {late, early, never});
  const std::optional<LinkState> state = LinkHistory(*into).state(sample_link(1).result.id);
  REQUIRE(state);
  REQUIRE(state->relocation);
  CHECK(state->relocation->url == "https://example.org/new");
  CHECK(state->relocation->searched_at == sample_time(3 * hour));
}

TEST_CASE("an interrupted merge is completed by the next one") {
  const TempDir dir;
  const fs::path source =
      make_source(dir / "source", "a", 0, {check_at(1, hour, Health::alive), check_at(2, hour, Health::dead)});
  const auto whole = Store::open(dir / "whole");
  merge(*whole, {source});
  // The store has the link with which the merge begins. It also has an older check of that link.
  const auto broken = Store::open(dir / "broken");
  add_run(*broken, "a", 0, {check_at(1, hour, Health::alive)});
  const Merged merged = merge(*broken, {source});
  CHECK(merged.new_links == 1);
  CHECK(merged.history_rows == 1);
  CHECK(read_checks(*broken, 1) == read_checks(*whole, 1));
  CHECK(read_checks(*broken, 2) == read_checks(*whole, 2));
}

TEST_CASE("a merged run is the latest only if it began last") {
  const TempDir dir;
  const auto into = Store::open(dir / "into");
  const Run own = add_run(*into, "own", 100 * hour, {check_at(1, 101 * hour, Health::alive)});
  const fs::path older = make_source(dir / "older", "older", 0, {check_at(2, hour, Health::alive)});
  const fs::path newer = make_source(dir / "newer", "newer", 200 * hour, {check_at(3, 201 * hour, Health::alive)});
  merge(*into, {older});
  CHECK(into->latest_run() == own);
  merge(*into, {newer});
  CHECK(into->latest_run()->identity == "newer");
  const Run next = add_run(*into, "own", 50 * hour, {});  // the clock was set back, so the run number counts
  CHECK(into->latest_run() == next);
  CHECK(into->runs().size() == 4);
}

TEST_CASE("an unfinished run is not merged and neither are its checks") {
  const TempDir dir;
  {
    const auto store = Store::open(dir / "source");
    Run run = store->begin_run("a", {"list.md"}, sample_time(0));
    put_link(*store, run, check_at(1, hour, Health::alive), {});
    run.state = RunState::interrupted;
    run.finished_at = sample_time(2 * hour);
    store->put_run(run);
    store->publish();
  }
  const auto into = Store::open(dir / "into");
  const Merged merged = merge(*into, {dir / "source"});
  CHECK(merged.runs == 0);
  REQUIRE(merged.notes.size() == 1);
  CHECK(merged.notes.front().find("the run of list.md started 2026-03-01T00:00:00Z has not ended") == 0);
  CHECK(LinkHistory(*into).state(sample_link(1).result.id));
}

TEST_CASE("merged shards become one run and missing shards are named before that") {
  const TempDir dir;
  const fs::path first =
      make_shard(dir / "first", 1, 0, 3, {check_at(1, hour, Health::alive), check_at(2, hour, Health::dead)});
  const fs::path second = make_shard(dir / "second", 2, hour, 3, {check_at(3, 2 * hour, Health::alive)});
  const auto into = Store::open(dir / "into");
  const Merged one = merge(*into, {first});
  CHECK(one.runs == 1);
  REQUIRE(one.notes.size() == 1);
  CHECK(one.notes.front() ==
        "the run of list.md started 2026-03-01T00:00:00Z is not complete yet: of its 2 parts, 2 is missing");
  CHECK(into->latest_run()->shard->number == 1);

  const Merged both = merge(*into, {second});
  CHECK(both.notes.empty());
  const std::vector<Run> runs = into->runs();
  REQUIRE(runs.size() == 1);
  const Run& whole = runs.front();
  CHECK(whole.identity == "whole");
  CHECK_FALSE(whole.shard);
  CHECK(whole.started_at == sample_time(0));
  CHECK(whole.finished_at == sample_time(3 * hour));
  CHECK(whole.by_health == std::map<Health, std::uint64_t>{{Health::alive, 2}, {Health::dead, 1}});
  CHECK(RunResults(*into, whole).count_by_health() == whole.by_health);
  CHECK(RunResults(*into, whole).occurrences(sample_link(3).result.id) == sample_link(3).result.occurrences);
  check_sound(*into);
  prune(into->rows(), {}, sample_time(day));
  check_sound(*into);
  CHECK(RunResults(*into, whole).occurrences(sample_link(1).result.id) == sample_link(1).result.occurrences);

  const std::string before = text_of(*into);
  for (const std::vector<fs::path>& sources : {std::vector<fs::path>{first, second}, {second}}) {
    const Merged again = merge(*into, sources);
    CHECK(again.runs == 0);
    CHECK(again.notes.empty());
    CHECK(text_of(*into) == before);
  }
  const auto at_once = Store::open(dir / "at once");
  merge(*at_once, {second, first});
  CHECK(text_of(*at_once, false) == text_of(*into, false));
}

TEST_CASE("shards of two runs or of different lists are not mixed") {
  const TempDir dir;
  std::vector<fs::path> sources;
  for (std::int64_t night = 0; night < 3; ++night) {
    const std::string name = std::to_string(night);
    sources.push_back(
        make_shard(dir / ("a" + name), 1, night * day, 2, {check_at(1, night * day + hour, Health::alive)}));
    if (night == 1) continue;  // the other part failed that night
    sources.push_back(
        make_shard(dir / ("b" + name), 2, night * day, 2, {check_at(2, night * day + hour, Health::alive)}));
  }
  const auto into = Store::open(dir / "into");
  const Merged merged = merge(*into, sources);
  CHECK(merged.notes.empty());  // the missing part is old
  const std::vector<Run> runs = into->runs();
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].started_at == sample_time(2 * day));
  CHECK_FALSE(runs[0].shard);
  CHECK(runs[1].shard);
  CHECK_FALSE(runs[2].shard);

  const fs::path changed = make_shard(dir / "changed", 1, 9 * day, 7, {check_at(1, 9 * day + hour, Health::alive)});
  const fs::path rest = make_shard(dir / "rest", 2, 9 * day, 2, {check_at(2, 9 * day + hour, Health::alive)});
  const Merged different = merge(*into, {changed, rest});
  REQUIRE(different.notes.size() == 1);
  CHECK(different.notes.front().find("was not merged from its 2 parts") != std::string::npos);
}

TEST_CASE("a link whose vantage points disagree is suspect in the store and in their runs") {
  for (const bool dead_is_later : {false, true}) {
    CAPTURE(dead_is_later);
    const TempDir dir;
    const std::int64_t of_ci = dead_is_later ? 2 : 1;
    const std::int64_t of_home = dead_is_later ? 1 : 2;
    const fs::path ci =
        make_source(dir / "ci", "ci", of_ci * hour, {check_at(1, (of_ci + 1) * hour, Health::dead, "ci")}, "ci");
    const fs::path home = make_source(dir / "home", "home", of_home * hour,
                                      {check_at(1, (of_home + 1) * hour, Health::alive, "home")}, "home");
    const auto into = Store::open(dir / "into");
    merge(*into, {ci});
    merge(*into, {home});
    const LinkId id = sample_link(1).result.id;
    const Verdict verdict = LinkHistory(*into).state(id)->snapshot.verdict;
    CHECK(verdict.health == Health::suspect);
    CHECK(verdict.reason == reason::vantage);
    CHECK(verdict.evidence.find("dead from ci on ") == 0);
    CHECK(verdict.evidence.find("; alive from home on ") != std::string::npos);
    for (const Run& run : into->runs()) {
      CHECK(verdict_in(*into, run, 1) == verdict);
      CHECK(run.by_health == std::map<Health, std::uint64_t>{{Health::suspect, 1}});
    }
    check_sound(*into);
    const std::string before = text_of(*into);
    CHECK(merge(*into, {home, ci}).changed_links == 0);
    CHECK(text_of(*into) == before);

    // A later check that agrees ends the disagreement. Earlier runs are unchanged.
    const fs::path later =
        make_source(dir / "later", "ci", 50 * hour, {check_at(1, 51 * hour, Health::alive, "ci")}, "ci");
    merge(*into, {later});
    CHECK(LinkHistory(*into).state(id)->snapshot.verdict.health == Health::alive);
    CHECK(verdict_in(*into, into->runs().front(), 1).health == Health::alive);
    CHECK(verdict_in(*into, into->runs().back(), 1).health == Health::suspect);
    check_sound(*into);
  }
}

TEST_CASE("a merge without news about a link changes none of its runs") {
  const TempDir dir;
  const fs::path ci = make_source(dir / "ci", "ci", hour, {check_at(1, 2 * hour, Health::dead, "ci")}, "ci");
  const fs::path other = make_source(dir / "other", "other", hour, {check_at(2, 2 * hour, Health::alive, "ci")}, "ci");
  const auto into = Store::open(dir / "into");
  merge(*into, {ci});
  // A check from another vantage point disagrees, which this run records by itself.
  CheckedLink alive = check_at(1, 11 * hour, Health::alive, "home");
  alive.state.vantages = {{"ci", sample_time(2 * hour), check_at(1, 2 * hour, Health::dead, "ci").result.verdict},
                          {"home", sample_time(11 * hour), alive.result.verdict}};
  alive.result.verdict = without_request(Health::suspect, reason::vantage, "vantage", "they disagree");
  alive.state.snapshot.verdict = alive.result.verdict;
  add_run(*into, "home", 10 * hour, {alive}, "home");
  const std::vector<Run> before = into->runs();
  for (const fs::path& source : {other, ci}) {
    merge(*into, {source});
    CHECK(verdict_in(*into, before[0], 1).health == Health::suspect);
    CHECK(verdict_in(*into, before[1], 1).health == Health::dead);
    CHECK(into->runs().back().by_health == before[1].by_health);
    check_sound(*into);
  }
}

TEST_CASE("a merge keeps the later and more polite host state") {
  const TempDir dir;
  const auto host = [](std::int64_t robots_at, std::int64_t not_before, double concurrency) {
    HostState state{"https://a.cn", sample_time(not_before), concurrency, "of " + std::to_string(robots_at),
                    sample_time(robots_at)};
    return state;
  };
  make_source(dir / "source", "a", 0, {});
  {
    const auto store = Store::open(dir / "source");
    HostState silent = host(2, 5, 4);
    silent.unresponsive = {.since = sample_time(0), .last = sample_time(1), .strikes = 2};
    store->put_hosts({silent});
    store->publish();
  }
  const auto into = Store::open(dir / "into");
  into->put_hosts({host(1, 9, 2)});
  merge(*into, {dir / "source"});
  merge(*into, {dir / "source"});
  const std::vector<HostState> hosts = into->hosts();
  REQUIRE(hosts.size() == 1);
  CHECK(hosts[0].not_before == sample_time(9));
  CHECK(hosts[0].concurrency == 2);
  CHECK(hosts[0].robots == "of 2");
  CHECK_FALSE(hosts[0].unresponsive);  // the host has responded to the other machine
}

TEST_CASE("bodies are merged once") {
  const TempDir dir;
  for (const char* name : {"a", "b"}) {
    const auto store = Store::open(dir / name);
    Run run = store->begin_run(name, {}, sample_time(0));
    put_link(*store, run, sample_link(1), sample_body(1));
    run.state = RunState::complete;
    run.finished_at = sample_time(hour);
    store->put_run(run);
    store->publish();
  }
  const auto into = Store::open(dir / "into");
  CHECK(merge(*into, {dir / "a", dir / "b"}).bodies == 1);
  CHECK(LinkHistory(*into).body(content_digest(sample_body(1))) == sample_body(1));
  check_sound(*into);
}

TEST_CASE("an unusable source is named and nothing is written") {
  const TempDir dir;
  const fs::path good = make_source(dir / "good", "a", 0, {check_at(1, hour, Health::alive)});
  const auto into = Store::open(dir / "into");
  fs::create_directory_symlink(good, dir / "link");
  check_error(good, "is given twice", [&] { merge(*into, {good, good}); });
  check_error(dir / "link", "is given twice", [&] { merge(*into, {good, dir / "link"}); });
  check_error(dir / "into", "is the store to merge into, so it cannot also be merged from", [&] {
    merge(*into, {good, dir / "into"});
  });
  check_error(dir / "none", "does not exist", [&] { merge(*into, {good, dir / "none"}); });
  make_store(dir / "cut");
  {
    const auto store = Store::open(dir / "cut");
    store->begin_run("b", {}, sample_time(0));
  }
  check_error(dir / "cut", "contains results that no report shows yet", [&] { merge(*into, {good, dir / "cut"}); });
  make_store(dir / "damaged");
  std::size_t tables = 0;
  for (const auto& file : fs::recursive_directory_iterator(dir / "damaged")) {
    if (file.path().extension() != ".sst") continue;
    fs::resize_file(file.path(), fs::file_size(file.path()) / 2);
    ++tables;
  }
  REQUIRE(tables > 0);
  check_error(dir / "damaged", "", [&] { merge(*into, {good, dir / "damaged"}); });
  CHECK(into->runs().empty());
  CHECK_FALSE(LinkHistory(*into).state(sample_link(1).result.id));
}

}  // namespace
}  // namespace linkherd::storage
