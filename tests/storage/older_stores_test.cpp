// Tests that every later version reads and writes stores of older versions.
#include <filesystem>

#include <doctest/doctest.h>

#include "parser/url/url.h"
#include "storage/store.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;

LinkId id_of(const std::string& url) { return LinkId::of(parser::Url::parse(url).value()); }

std::string health_of(const std::vector<Snapshot>& history, std::size_t index) {
  return std::string(enum_name(health_names, history.at(index).verdict.health));
}

// The results of the two runs.
void check_records(const Store& store) {
  const std::optional<Run> run = store.latest_run();
  REQUIRE(run.has_value());
  CHECK(run->number == 2);
  CHECK(run->state == RunState::complete);
  REQUIRE(run->inputs.size() == 1);
  CHECK(run->inputs.front().ends_with("list.md"));  // next to the store, relative to the folder of the test
  std::size_t links = 0;
  store.for_each_link(*run, [&](const CheckedLink& link) {
    ++links;
    CHECK(link.entry.finished);
    CHECK_FALSE(link.entry.occurrences.empty());
    return true;
  });
  CHECK(links == 11);

  struct Row {
    std::string url;
    std::string first;
    std::string second;
  };
  for (const Row& row :
       {Row{"http://alive.herd/one", "alive", "alive"}, Row{"http://alive.herd/two", "alive", "alive"},
        Row{"http://large.herd/", "alive", "alive"}, Row{"http://moved.herd/old", "redirected", "redirected"},
        Row{"http://dead.herd/missing", "dead", "dead"}, Row{"http://dead.herd/gone", "dead", "dead"},
        Row{"http://nowhere.herd/", "dead", "dead"}, Row{"http://closed.herd/", "unreachable", "unreachable"}}) {
    CAPTURE(row.url);
    const std::vector<Snapshot> history = store.history(id_of(row.url), 10);
    REQUIRE(history.size() == 2);
    CHECK(health_of(history, 0) == row.second);
    CHECK(health_of(history, 1) == row.first);
    CHECK(store.link(id_of(row.url))->snapshot == history.front());
  }
  CHECK(store.link(id_of("http://closed.herd/"))->strikes == 2);
  for (const Snapshot& snapshot : store.history(id_of("http://large.herd/"), 10)) {
    CHECK(store.body(snapshot.body_digest)->size() == snapshot.body_bytes);
  }
}

void check_older_store(const std::string& name) {
  CAPTURE(name);
  const tests::TempDir dir;
  fs::copy(fs::path(LINKHERD_OLDER_STORES) / name, dir / "store",
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  check_records(*Store::open_for_reading(dir / "store"));
  {
    const auto store = Store::open(dir / "store");
    check_records(*store);
    store->publish();
  }
  check_records(*Store::open_for_reading(dir / "store"));
  const auto store = Store::open(dir / "store");
  CHECK(store->begin_run("another", {"list.md"}, *parse_timestamp("2026-03-05T10:00:00Z")).number == 3);
}

TEST_CASE("a store of version 1 is read and written and read again") {
  for (const char* name : {"version_1", "version_1_marked"}) check_older_store(name);
}

}  // namespace
}  // namespace linkherd::storage
