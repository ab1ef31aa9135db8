// verify() finds what is lost, and backups bring it back.
#include "storage/verification.h"

#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/store.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;
using tests::TempDir;

Verification verified(const fs::path& path) { return Store::open_for_reading(path)->verify(); }

bool tells(const Verification& found, std::string_view words) {
  return std::ranges::any_of(found.problems,
                             [words](const std::string& line) { return line.find(words) != std::string::npos; });
}

// Erases a row behind the store's back, and publishes that.
void lose_row(const fs::path& path, Family family, std::string_view key) {
  {
    const auto rows = KeyValueStore::open_for_writing(path, path / "db");
    REQUIRE(rows->contains(family, key));
    KeyValueStore::Batch batch;
    batch.erase(*rows, family, key);
    rows->write(batch);
  }
  Store::open(path)->publish();
}

TEST_CASE("A whole store has no problem, also after links were looked at again and runs given up") {
  const TempDir dir;
  {
    const auto store = Store::open(dir / "store");
    for (std::int64_t day = 0; day < 5; ++day) {
      Run run = store->begin_run("identity", {"list.md"}, sample_time(day * 86'400));
      for (std::uint64_t number = 0; number < 10; ++number) {
        CheckedLink link = sample_link(number);
        link.record.snapshot.fetched_at = sample_time(day * 86'400 + 60);
        const std::string body = sample_body(number == 0 ? 100 + static_cast<std::uint64_t>(day) : number);
        link.record.snapshot.body_digest = content_digest(body);
        store->put_link(run, link, body);
      }
      run.state = RunState::complete;
      run.finished_at = sample_time(day * 86'400 + 100);
      run.by_health = {{Health::alive, 10}};
      store->put_run(run);
    }
    store->clean_up({.keep_runs = 2}, sample_time(0), std::nullopt);
    store->publish();
  }
  const Verification found = verified(dir / "store");
  for (const std::string& problem : found.problems) FAIL_CHECK(problem);
  CHECK(found.problem_count == 0);
  CHECK(found.links == 10);
  CHECK(found.looks == 14);
  CHECK(found.bodies == 10);
  CHECK(found.runs == 2);
  CHECK(found.entries == 20);
}

TEST_CASE("What is lost is named") {
  struct Row {
    Family family;
    std::string key;
    std::string_view words;
  };
  const CheckedLink link = sample_link(3);
  const LinkId& id = link.entry.id;
  for (const Row& row :
       {Row{Family::link, link_key(id), "the link is lost"},
        Row{Family::history, history_key(id, link.record.snapshot.fetched_at), "its last snapshot is lost"},
        Row{Family::body, *body_key(link.record.snapshot.body_digest), "its page"},
        Row{Family::occurrences, occurrences_key("identity", id), "where it stands in the lists is lost"}}) {
    CAPTURE(row.words);
    const TempDir dir;
    make_store(dir / "store");
    CHECK(verified(dir / "store").problem_count == 0);
    lose_row(dir / "store", row.family, row.key);
    const Verification found = verified(dir / "store");
    CHECK(found.problem_count == 1);
    CHECK(tells(found, row.words));
  }
}

TEST_CASE("A count that the entries of a run do not bear out is a problem") {
  const TempDir dir;
  make_store(dir / "store");
  {
    const auto store = Store::open(dir / "store");
    Run run = store->latest_run().value();
    run.by_health = {{Health::alive, 9}, {Health::dead, 1}};
    store->put_run(run);
    store->publish();
  }
  CHECK(tells(verified(dir / "store"), "run 1: its links are not those that it counted"));
}

TEST_CASE("A page whose bytes are others is a problem") {
  const TempDir dir;
  make_store(dir / "store");
  {
    const auto rows = KeyValueStore::open_for_writing(dir / "store", dir / "store" / "db");
    KeyValueStore::Batch batch;
    batch.put(*rows, Family::body, *body_key(sample_link(3).record.snapshot.body_digest), "\x01", sample_body(4));
    rows->write(batch);
  }
  Store::open(dir / "store")->publish();
  CHECK(tells(verified(dir / "store"), "is another one"));
}

TEST_CASE("A backup is incremental and brings a lost store back") {
  const TempDir dir;
  make_store(dir / "store");
  const auto tables = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(dir / "copies")) {
      const fs::path extension = entry.path().extension();
      count += extension == ".sst" || extension == ".blob" ? 1U : 0U;
    }
    return count;
  };
  Store::open(dir / "store")->back_up(dir / "copies", 2);
  const std::size_t once = tables();
  CHECK(once > 0);
  Store::open(dir / "store")->back_up(dir / "copies", 2);
  CHECK(tables() == once);
  CHECK((fs::status(dir / "copies").permissions() & fs::perms::others_all) == fs::perms::none);

  fs::remove_all(dir / "store");
  CHECK(Store::restore(dir / "copies", dir / "store").empty());
  Store::open(dir / "store")->publish();
  CHECK(verified(dir / "store").problem_count == 0);
  CHECK(Store::open_for_reading(dir / "store")->link(sample_link(5).entry.id) == sample_link(5).record);
}

TEST_CASE("What a backup replaces is kept and a run goes on from it") {
  const TempDir dir;
  make_store(dir / "store");
  Store::open(dir / "store")->back_up(dir / "copies", 1);
  lose_row(dir / "store", Family::link, link_key(sample_link(3).entry.id));
  CHECK(Store::restore(dir / "copies", dir / "store") == "damaged-1");
  CHECK(fs::exists(dir / "store" / "damaged-1"));
  const auto store = Store::open(dir / "store");
  CHECK(store->losses().empty());
  CHECK(store->link(sample_link(3).entry.id) == sample_link(3).record);
  CHECK(store->begin_run("another", {}, sample_time(0)).number == 2);
}

TEST_CASE("What is no backup is an error and changes nothing") {
  const TempDir dir;
  make_store(dir / "store");
  fs::create_directory(dir / "empty");
  check_error(dir / "store", "there is no backup in", [&] { Store::restore(dir / "empty", dir / "store"); });
  CHECK(message_of([&] { Store::restore(dir / "missing", dir / "store"); }) != "no StoreError");
  CHECK_FALSE(fs::exists(dir / "missing"));
  CHECK(Store::open(dir / "store")->link(sample_link(3).entry.id) == sample_link(3).record);
}

}  // namespace
}  // namespace linkherd::storage
