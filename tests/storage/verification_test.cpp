// Tests that verify() finds lost data and that backups restore it.
#include "storage/verification.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "parser/url/url.h"
#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/pruning.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;
using tests::TempDir;

Verification verified(const fs::path& path) { return verify(*Store::open_for_reading(path)); }

bool mentions(const Verification& found, std::string_view words) {
  return std::ranges::any_of(found.problems,
                             [words](const std::string& line) { return line.find(words) != std::string::npos; });
}

// Erases or replaces a row without the knowledge of the store, and publishes the result.
void replace_row(const fs::path& path, Family family, std::string_view key, std::optional<std::string_view> value) {
  {
    const auto rows = KeyValueStore::open_for_writing(path, path / "db");
    REQUIRE(rows->contains(family, key));
    KeyValueStore::Batch batch;
    if (value) {
      batch.put(family, key, *value);
    } else {
      batch.erase(family, key);
    }
    rows->write(batch);
  }
  Store::open(path)->publish();
}
void lose_row(const fs::path& path, Family family, std::string_view key) { replace_row(path, family, key, {}); }

TEST_CASE("a whole store has no problem even after rechecks and pruning") {
  const TempDir dir;
  {
    const auto store = Store::open(dir / "store");
    for (std::int64_t day = 0; day < 5; ++day) {
      Run run = store->begin_run("identity", {"list.md"}, sample_time(day * 86'400));
      for (std::uint64_t number = 0; number < 10; ++number) {
        CheckedLink link = sample_link(number);
        link.state.snapshot.fetched_at = sample_time(day * 86'400 + 60);
        const std::string body = sample_body(number == 0 ? 100 + static_cast<std::uint64_t>(day) : number);
        link.state.snapshot.body_digest = content_digest(body);
        put_link(*store, run, link, body);
      }
      run.state = RunState::complete;
      run.finished_at = sample_time(day * 86'400 + 100);
      run.by_health = {{Health::alive, 10}};
      store->put_run(run);
    }
    prune(store->rows(), {.keep_runs = 2}, sample_time(0));
    store->publish();
  }
  const Verification found = verified(dir / "store");
  for (const std::string& problem : found.problems) FAIL_CHECK(problem);
  CHECK(found.problem_count == 0);
  CHECK(found.links == 10);
  CHECK(found.history_rows == 14);
  CHECK(found.bodies == 10);
  CHECK(found.runs == 2);
  CHECK(found.entries == 20);
}

TEST_CASE("lost data is named") {
  struct Row {
    Family family;
    std::string key;
    std::string_view words;
  };
  const CheckedLink link = sample_link(3);
  const LinkId& id = link.result.id;
  for (const Row& row :
       {Row{Family::link, link_key(id), "the link is lost"},
        Row{Family::history, history_key(id, link.state.snapshot.fetched_at), "its last snapshot is lost"},
        Row{Family::body, *body_key(link.state.snapshot.body_digest), "its page"},
        Row{Family::occurrences, OccurrencesKeys("identity").of(id), "its occurrences are lost"}}) {
    CAPTURE(row.words);
    const TempDir dir;
    make_store(dir / "store");
    CHECK(verified(dir / "store").problem_count == 0);
    lose_row(dir / "store", row.family, row.key);
    const Verification found = verified(dir / "store");
    CHECK(found.problem_count == 1);
    CHECK(mentions(found, row.words));
  }
}

TEST_CASE("an unreadable row is named") {
  const CheckedLink link = sample_link(3);
  const LinkId& id = link.result.id;
  for (const auto& [family, key] : {std::pair(Family::link, link_key(id)),
                                    std::pair(Family::history, history_key(id, link.state.snapshot.fetched_at)),
                                    std::pair(Family::run, result_key(1, id)),
                                    std::pair(Family::occurrences, OccurrencesKeys("identity").of(id))}) {
    CAPTURE(static_cast<int>(family));
    const TempDir dir;
    make_store(dir / "store");
    replace_row(dir / "store", family, key, "\x01\x0a\x7f");
    CHECK(mentions(verified(dir / "store"), id.to_hex()));
  }
}

TEST_CASE("a link with lost history keeps the state of its row however it is read") {
  for (const Health health : {Health::alive, Health::dead}) {
    CAPTURE(enum_name(health_names, health));
    const TempDir dir;
    CheckedLink link = sample_link(3);
    link.result.verdict.health = health;
    link.state.snapshot.verdict = link.result.verdict;
    {
      const auto store = Store::open(dir / "store");
      put_link(*store, store->begin_run("identity", {"list.md"}, sample_time(0)), link, {});
    }
    lose_row(dir / "store", Family::history, history_key(link.result.id, link.state.snapshot.fetched_at));
    const auto store = Store::open_for_reading(dir / "store");
    const Run run = store->runs().front();
    const Verdict read = RunResults(*store, run).link(link.result.id).result.verdict;
    CHECK(read == link.result.verdict);
    CHECK(RunResults(*store, run).link(link.result.id).state.snapshot == Snapshot());
    std::size_t links = 0;
    RunResults(*store, run).for_each(IdRange(), [&](LinkResult&& result) {
      ++links;
      CHECK(result.verdict == link.result.verdict);
    });
    CHECK(links == 1);
  }
}

// Adds two checks of link 1 with different pages and publishes them. `older` and `newer` are the digests of the pages.
void make_two_checks(const fs::path& path) {
  const auto store = Store::open(path);
  const Run run = store->begin_run("identity", {"list.md"}, sample_time(0));
  for (const std::uint64_t number : {1U, 2U}) {
    CheckedLink link = sample_link(1);
    link.state.snapshot.fetched_at = sample_time(static_cast<std::int64_t>(number) * 86'400);
    link.state.snapshot.body_digest = content_digest(sample_body(number));
    put_link(*store, run, link, sample_body(number));
  }
  store->publish();
}

TEST_CASE("a lost or wrong page of an older check is a problem") {
  const TempDir dir;
  make_two_checks(dir / "lost");
  CHECK(verified(dir / "lost").bodies == 2);
  lose_row(dir / "lost", Family::body, *body_key(content_digest(sample_body(1))));
  CHECK(mentions(verified(dir / "lost"), "is lost"));

  make_two_checks(dir / "other");
  {
    const auto rows = KeyValueStore::open_for_writing(dir / "other", dir / "other" / "db");
    KeyValueStore::Batch batch;
    batch.put(Family::body, *body_key(content_digest(sample_body(1))), "\x01", sample_body(4));
    rows->write(batch);
  }
  Store::open(dir / "other")->publish();
  CHECK(mentions(verified(dir / "other"), "is not the one that was stored"));
}

TEST_CASE("database damage is found although the checkpoint is intact") {
  const TempDir dir;
  make_store(dir / "store");
  {
    const auto store = Store::open(dir / "store");
    const Run run = store->begin_run("identity", {}, sample_time(0));
    put_link(*store, run, sample_link(50), sample_body(50));
    store->publish();
    put_link(*store, run, sample_link(51), sample_body(51));
    store->sync();
  }
  const Verification before = verified(dir / "store");
  CHECK(before.has_read_database);
  for (const std::string& problem : before.problems) FAIL_CHECK(problem);
  fs::remove(dir / "store" / "db" / "CURRENT");
  CHECK(mentions(verified(dir / "store"), "the database db: "));
}

TEST_CASE("a page in a damaged blob file is named and a backup restores it") {
  const TempDir dir;
  make_store(dir / "store");
  Store::open(dir / "store")->rows().back_up(dir / "copies", 1);
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(fs::canonical(dir / "store" / "reports" / "latest"))) {
    if (file.path().extension() != ".blob") continue;
    ++files;
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(file.file_size() / 2));
    bytes.put('\x55').put('\xAA').put('\x55');
  }
  REQUIRE(files > 0);
  const Verification found = verified(dir / "store");
  CHECK(mentions(found, "its page "));
  CHECK(mentions(found, " cannot be read: "));
  CHECK(found.links == 10);  // the remaining links are verified
  CHECK(Store::restore(dir / "copies", dir / "store").replaced_database == "damaged-1");
  Store::open(dir / "store")->publish();
  CHECK(verified(dir / "store").problem_count == 0);
}

TEST_CASE("a count that does not match the entries of a run is a problem") {
  const TempDir dir;
  make_store(dir / "store");
  {
    const auto store = Store::open(dir / "store");
    Run run = store->latest_run().value();
    run.by_health = {{Health::alive, 9}, {Health::dead, 1}};
    store->put_run(run);
    store->publish();
  }
  CHECK(mentions(verified(dir / "store"), "run 1: its links do not match the count"));
}

TEST_CASE("a page with wrong bytes is a problem") {
  const TempDir dir;
  make_store(dir / "store");
  {
    const auto rows = KeyValueStore::open_for_writing(dir / "store", dir / "store" / "db");
    KeyValueStore::Batch batch;
    batch.put(Family::body, *body_key(sample_link(3).state.snapshot.body_digest), "\x01", sample_body(4));
    rows->write(batch);
  }
  Store::open(dir / "store")->publish();
  CHECK(mentions(verified(dir / "store"), "is not the one that was stored"));
}

TEST_CASE("a backup is incremental and restores a lost store") {
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
  Store::open(dir / "store")->rows().back_up(dir / "copies", 2);
  const std::size_t once = tables();
  CHECK(once > 0);
  Store::open(dir / "store")->rows().back_up(dir / "copies", 2);
  CHECK(tables() == once);
  CHECK((fs::status(dir / "copies").permissions() & fs::perms::others_all) == fs::perms::none);

  fs::remove_all(dir / "store");
  const Restored restored = Store::restore(dir / "copies", dir / "store");
  CHECK(restored.replaced_database.empty());
  CHECK(restored.backup == 2);
  CHECK(restored.made_at > Timestamp{});
  Store::open(dir / "store")->publish();
  CHECK(verified(dir / "store").problem_count == 0);
  CHECK(LinkHistory(*Store::open_for_reading(dir / "store")).state(sample_link(5).result.id) == sample_link(5).state);
}

TEST_CASE("a database replaced by a backup is kept aside and a run continues from the backup") {
  const TempDir dir;
  make_store(dir / "store");
  Store::open(dir / "store")->rows().back_up(dir / "copies", 1);
  lose_row(dir / "store", Family::link, link_key(sample_link(3).result.id));
  CHECK(Store::restore(dir / "copies", dir / "store").replaced_database == "damaged-1");
  CHECK(fs::exists(dir / "store" / "damaged-1"));
  const auto store = Store::open(dir / "store");
  CHECK(store->losses().empty());
  CHECK(LinkHistory(*store).state(sample_link(3).result.id) == sample_link(3).state);
  CHECK(store->begin_run("another", {}, sample_time(0)).number == 2);
}

TEST_CASE("a folder that is no backup is an error and changes nothing") {
  const TempDir dir;
  make_store(dir / "store");
  fs::create_directory(dir / "empty");
  check_error(dir / "store", "there is no backup in", [&] { Store::restore(dir / "empty", dir / "store"); });
  CHECK(message_of([&] { Store::restore(dir / "missing", dir / "store"); }) != "no StoreError");
  CHECK_FALSE(fs::exists(dir / "missing"));
  CHECK(LinkHistory(*Store::open(dir / "store")).state(sample_link(3).result.id) == sample_link(3).state);
}

TEST_CASE("a folder with other content is refused for backups and loses nothing") {
  const TempDir dir;
  make_store(dir / "store");
  make_store(dir / "other");
  dir.write("photos/shared_checksum/photo.jpg", "a photo");
  const auto refused = [&](const fs::path& folder, std::string_view words) {
    const std::string message = message_of([&] { Store::open(dir / "store")->rows().back_up(folder, 1); });
    CAPTURE(message);
    CHECK(message.starts_with("backup folder "));
    CHECK(message.find(words) != std::string::npos);
  };
  refused(dir / "photos", "contains other files");
  fs::create_directory_symlink(dir / "photos", dir / "link");
  refused(dir / "link", "symbolic link");
  refused(fs::path((dir / "link").string() + "/"), "symbolic link");
  dir.write("file", "");
  refused(dir / "file", "");
  Store::open(dir / "other")->rows().back_up(dir / "others", 1);
  refused(dir / "others", "of another store");
  Store::open(dir / "store")->rows().back_up(dir / "copies", 1);
  fs::rename(dir / "copies" / "shared_checksum", dir / "moved");
  fs::create_directory_symlink(dir / "photos" / "shared_checksum", dir / "copies" / "shared_checksum");
  refused(dir / "copies", "neither a file nor a folder");
  CHECK(tests::read_file(dir / "photos" / "shared_checksum" / "photo.jpg") == "a photo");
}

TEST_CASE("a backup folder is private and a restored store can use it") {
  const TempDir dir;
  make_store(dir / "store");
  fs::create_directory(dir / "copies");
  fs::permissions(dir / "copies", fs::perms::owner_all | fs::perms::others_all);
  Store::open(dir / "store")->rows().back_up(dir / "copies", 5);
  CHECK(fs::status(dir / "copies").permissions() == fs::perms::owner_all);
  fs::remove_all(dir / "store");
  Store::restore(dir / "copies", dir / "store");
  Store::open(dir / "store")->rows().back_up(dir / "copies", 5);
  CHECK(Store::restore(dir / "copies", dir / "store").backup == 2);
}

// Flips a byte in the middle of every file below the folder with this extension.
void damage(const fs::path& folder, const std::string& ending) {
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file() || !file.path().filename().string().ends_with(ending)) continue;
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<std::streamoff>(file.file_size() / 2);
    bytes.seekg(middle);
    const int byte = bytes.get();
    bytes.seekp(middle);
    bytes.put(static_cast<char>(byte ^ 0x55));
  }
}

TEST_CASE("a damaged backup is reported and an older one can be selected by number") {
  const TempDir dir;
  make_store(dir / "store");
  Store::open(dir / "store")->rows().back_up(dir / "copies", 5);
  {
    const auto store = Store::open(dir / "store");
    const Run run = store->begin_run("identity", {}, sample_time(0));
    put_link(*store, run, sample_link(50), sample_body(50));
    store->rows().back_up(dir / "copies", 5);
  }
  damage(dir / "copies" / "private" / "2", "");
  check_error(dir / "new", "the newest backup 2 in", [&] { Store::restore(dir / "copies", dir / "new"); });
  const std::string message = message_of([&] { Store::restore(dir / "copies", dir / "new"); });
  CAPTURE(message);
  CHECK(message.find("use --backup 1 to restore the one from") != std::string::npos);
  CHECK(message.find("private/2/") != std::string::npos);
  CHECK_FALSE(fs::exists(dir / "new"));
  check_error(dir / "new", "no backup 9 in", [&] { Store::restore(dir / "copies", dir / "new", 9); });
  CHECK(Store::restore(dir / "copies", dir / "new", 1).backup == 1);
  CHECK(LinkHistory(*Store::open(dir / "new")).state(sample_link(5).result.id) == sample_link(5).state);
}

TEST_CASE("a damaged file shared by several backups is an error of the folder") {
  const TempDir dir;
  make_store(dir / "store");
  Store::open(dir / "store")->rows().back_up(dir / "copies", 5);
  damage(dir / "copies" / "shared_checksum", "");
  const std::string message = message_of([&] { Store::open(dir / "store")->rows().back_up(dir / "copies", 5); });
  CAPTURE(message);
  CHECK(message.starts_with("backup folder " + (dir / "copies").string() + " is damaged"));
  CHECK(message.find("shared_checksum/") != std::string::npos);
  CHECK_FALSE(fs::exists(dir / "copies" / "meta" / "2"));
  check_error(dir / "store", "no older backup is intact", [&] { Store::restore(dir / "copies", dir / "store"); });
  CHECK_FALSE(fs::exists(dir / "store" / "db.new"));
  CHECK(LinkHistory(*Store::open(dir / "store")).state(sample_link(3).result.id) == sample_link(3).state);
}

}  // namespace
}  // namespace linkherd::storage
