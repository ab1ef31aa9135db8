// Tests a full disk: every later write is an error, the process survives, and acknowledged data stays.
#include <doctest/doctest.h>

#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/store.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

using tests::FileSizeLimit;
using tests::TempDir;

TEST_CASE("a backup or restore that fails on a full disk names its folder and leaves nothing half done") {
  const TempDir dir;
  {
    const auto store = Store::open(dir / "store");
    const Run run = store->begin_run("identity", {}, sample_time(0));
    for (std::uint64_t number = 0; number < 50; ++number)
      put_link(*store, run, sample_link(number), sample_body(number));
    store->publish();
  }
  Store::open(dir / "store")->rows().back_up(dir / "copies", 5);
  {
    const auto store = Store::open(dir / "store");
    const FileSizeLimit full(4 << 10);
    const std::string message = message_of([&] { store->rows().back_up(dir / "other", 5); });
    CAPTURE(message);
    CHECK(message.starts_with("backup folder " + (dir / "other").string() + " cannot be written"));
  }
  {
    const FileSizeLimit full(4 << 10);
    CHECK(message_of([&] { Store::restore(dir / "copies", dir / "new"); }) != "no StoreError");
    CHECK(message_of([&] { Store::restore(dir / "copies", dir / "store"); }) != "no StoreError");
  }
  CHECK_FALSE(std::filesystem::exists(dir / "new"));
  CHECK_FALSE(std::filesystem::exists(dir / "store" / "db.new"));
  CHECK(LinkHistory(*Store::open(dir / "store")).state(sample_link(1).result.id) == sample_link(1).state);
}

TEST_CASE("a write that fails on a full disk is an error and acknowledged data stays") {
  const TempDir dir;
  std::uint64_t refused = 0;
  {
    auto store = Store::open(dir / "store");
    const Run run = store->begin_run("identity", {}, sample_time(0));
    const FileSizeLimit full(64 << 10);
    std::string failure;
    while (failure.empty() && refused < 100) {
      ++refused;
      failure = message_of([&] {
        put_link(*store, run, sample_link(refused), sample_body(refused));
        throw StoreError("");
      });
    }
    CHECK(failure.starts_with("store " + (dir / "store").string() +
                              " cannot be written because one of its files has reached"));
    // From now on every write fails with an error, and the process survives.
    CHECK_THROWS_AS(put_link(*store, run, sample_link(200), sample_body(200)), StoreError);
    CHECK_THROWS_AS(store->put_run(run), StoreError);
    CHECK_THROWS_AS(store->sync(), StoreError);
    CHECK_THROWS_AS(store->publish(), StoreError);
    CHECK(LinkHistory(*store).state(sample_link(1).result.id) == sample_link(1).state);
    store.reset();
  }
  REQUIRE(refused > 1);
  const auto store = Store::open(dir / "store");
  for (std::uint64_t number = 1; number < refused; ++number) {
    CHECK(LinkHistory(*store).state(sample_link(number).result.id) == sample_link(number).state);
  }
  CHECK_FALSE(LinkHistory(*store).state(sample_link(200).result.id).has_value());
}

TEST_CASE("a full disk on open or publish is an error") {
  const TempDir dir;
  {
    const FileSizeLimit full(0);
    check_error(dir / "new", "cannot be written", [&] { Store::open(dir / "new"); });
    CHECK_THROWS_AS(Store::open(dir / "new"), StoreFull);
  }
  make_store(dir / "store");
  {
    const FileSizeLimit full(0);
    check_error(dir / "store", "cannot be written", [&] { Store::open(dir / "store"); });
    CHECK_THROWS_AS(Store::open(dir / "store"), StoreFull);
  }
  {
    const auto store = Store::open(dir / "store");
    const Run run = store->begin_run("another", {}, sample_time(100));
    put_link(*store, run, sample_link(20), sample_body(20));
    const FileSizeLimit full(100);
    check_error(dir / "store", "cannot be written", [&] { store->publish(); });
  }
  read_all(*Store::open_for_reading(dir / "store"));
  CHECK(LinkHistory(*Store::open(dir / "store")).state(sample_link(20).result.id).has_value());
}

}  // namespace
}  // namespace linkherd::storage
