// Tests reports that read checkpoints: what a reader sees while writers continue.
#include <algorithm>
#include <atomic>
#include <thread>

#include <doctest/doctest.h>

#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;
using tests::TempDir;

void write_link(const fs::path& path, std::uint64_t number, bool publish) {
  const auto store = Store::open(path);
  const Run run = store->begin_run("identity", {}, sample_time(0));
  put_link(*store, run, sample_link(number), sample_body(number));
  if (publish) store->publish();
}

std::size_t checkpoints(const fs::path& store) {
  return static_cast<std::size_t>(std::ranges::count_if(
      fs::directory_iterator(store / "reports"),
      [](const auto& entry) { return entry.path().filename().string().starts_with("checkpoint-"); }));
}

TEST_CASE("a reader sees the latest checkpoint while a writer continues") {
  const TempDir dir;
  const auto writer = Store::open(dir / "store");
  const Run run = writer->begin_run("identity", {}, sample_time(0));
  put_link(*writer, run, sample_link(1), sample_body(1));
  writer->publish();
  put_link(*writer, run, sample_link(2), sample_body(2));

  const auto first = Store::open_for_reading(dir / "store");
  CHECK(LinkHistory(*first).state(sample_link(1).result.id) == sample_link(1).state);
  CHECK_FALSE(LinkHistory(*first).state(sample_link(2).result.id).has_value());

  // Publishing again neither changes nor removes files that a reader has open, including blob files.
  writer->publish();
  writer->publish();
  CHECK_FALSE(LinkHistory(*first).state(sample_link(2).result.id).has_value());
  CHECK(LinkHistory(*first).body(sample_link(1).state.snapshot.body_digest) == sample_body(1));
  CHECK(first->latest_run() == run);
  const auto second = Store::open_for_reading(dir / "store");
  CHECK(LinkHistory(*second).state(sample_link(2).result.id) == sample_link(2).state);
  CHECK(LinkHistory(*second).body(sample_link(2).state.snapshot.body_digest) == sample_body(2));
  CHECK(LinkHistory(*second).snapshots(sample_link(2).result.id, 5).size() == 1);
}

TEST_CASE("old checkpoints are removed once nobody reads them") {
  const TempDir dir;
  write_link(dir / "store", 1, true);
  const auto writer = Store::open(dir / "store");
  auto reader = Store::open_for_reading(dir / "store");
  writer->publish();
  writer->publish();
  CHECK(checkpoints(dir / "store") == 2);  // the open one and the latest one
  reader.reset();
  writer->publish();
  CHECK(checkpoints(dir / "store") == 1);
}

TEST_CASE("a reader can open at any moment while a writer publishes") {
  const TempDir dir;
  make_store(dir / "store");
  std::atomic<bool> done = false;
  std::atomic<int> opened = 0;
  std::string failure;
  {
    const auto writer = Store::open(dir / "store");
    const std::jthread reader([&] {
      try {
        while (!done) {
          read_all(*Store::open_for_reading(dir / "store"));
          ++opened;
        }
      } catch (const std::exception& error) {
        failure = error.what();
      }
    });
    for (int i = 0; i < 30 || (opened < 10 && i < 1000); ++i) writer->publish();
    done = true;
  }
  CAPTURE(failure);
  CHECK(failure.empty());
  CHECK(opened >= 10);
}

TEST_CASE("the first reader creates a missing checkpoint") {
  const TempDir dir;
  write_link(dir / "store", 1, false);
  CHECK_FALSE(fs::exists(dir / "store" / "reports" / "latest"));
  const auto reader = Store::open_for_reading(dir / "store");
  CHECK(LinkHistory(*reader).state(sample_link(1).result.id) == sample_link(1).state);
  CHECK(fs::exists(dir / "store" / "reports" / "latest" / "CURRENT"));
  Store::open(dir / "store");  // the reader left no lock file
}

TEST_CASE("a reader without checkpoint beside a writer says so") {
  const TempDir dir;
  const auto writer = Store::open(dir / "store");
  const std::string message = message_of([&] { Store::open_for_reading(dir / "store"); });
  CHECK(message.find((dir / "store").string()) != std::string::npos);
  CHECK(message.find("in use by another linkherd") != std::string::npos);
  CHECK(message.find("has not published any results yet") != std::string::npos);
}

TEST_CASE("a reader creates no store") {
  const TempDir dir;
  CHECK(message_of([&] { Store::open_for_reading(dir / "store"); }).find("does not exist yet") != std::string::npos);
  CHECK_FALSE(fs::exists(dir / "store"));
  fs::create_directory(dir / "store");
  CHECK(message_of([&] { Store::open_for_reading(dir / "store"); }).find("contains no runs yet") != std::string::npos);
  CHECK(fs::is_empty(dir / "store"));
}

TEST_CASE("a reader writes nothing") {
  const TempDir dir;
  write_link(dir / "store", 1, true);
  const auto reader = Store::open_for_reading(dir / "store");
  const Run run = *reader->latest_run();
  CHECK_THROWS_AS(reader->put_run(run), StoreError);
  CHECK_THROWS_AS(put_link(*reader, run, sample_link(2), {}), StoreError);
  CHECK_THROWS_AS(RunResults(*reader, run).put(std::vector<LinkResult>{sample_link(2).result}), StoreError);
  CHECK_THROWS_AS(reader->put_hosts({{"https://a.example", std::nullopt, 1.0}}), StoreError);
  CHECK_THROWS_AS(reader->begin_run("x", {}, sample_time(0)), StoreError);
  CHECK_THROWS_AS(reader->sync(), StoreError);
  CHECK_THROWS_AS(reader->publish(), StoreError);
  CHECK(checkpoints(dir / "store") == 1);
  // Reading does not create a log either, because a report must work on a read-only file system.
  for (const auto& entry : fs::directory_iterator(dir / "store" / "reports" / "latest")) {
    CHECK_FALSE(entry.path().filename().string().starts_with("LOG"));
  }
}

TEST_CASE("leftovers of a killed publication are removed") {
  const TempDir dir;
  write_link(dir / "store", 1, true);
  const fs::path reports = dir / "store" / "reports";
  dir.write("store/reports/checkpoint-7.tmp/MANIFEST-000001", "half");
  dir.write("store/reports/checkpoint-9/CURRENT", "half");
  fs::create_directory_symlink("checkpoint-9", reports / "latest.new");
  const auto store = Store::open(dir / "store");
  CHECK(checkpoints(dir / "store") == 1);
  CHECK_FALSE(fs::is_symlink(reports / "latest.new"));
  store->publish();
  CHECK(LinkHistory(*Store::open_for_reading(dir / "store")).state(sample_link(1).result.id).has_value());
}

TEST_CASE("a dangling latest link is no checkpoint") {
  const TempDir dir;
  write_link(dir / "store", 1, true);
  const fs::path reports = dir / "store" / "reports";
  fs::remove_all(reports / fs::read_symlink(reports / "latest"));
  CHECK(LinkHistory(*Store::open_for_reading(dir / "store")).state(sample_link(1).result.id).has_value());
}

TEST_CASE("a store can be moved and opened by a relative path") {
  const TempDir dir;
  write_link(dir / "store", 1, true);
  fs::rename(dir / "store", dir / "moved");
  CHECK(LinkHistory(*Store::open_for_reading(fs::relative(dir / "moved") / ""))
            .state(sample_link(1).result.id)
            .has_value());
  write_link(fs::relative(dir / "moved"), 2, true);
  CHECK(LinkHistory(*Store::open_for_reading(dir / "moved")).state(sample_link(2).result.id).has_value());
}

}  // namespace
}  // namespace linkherd::storage
