// Tests stores that are damaged, foreign, newer or unwritable: each is a StoreError of one line, never a crash or a
// silent loss.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <unistd.h>

#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/link_history.h"
#include "storage/link_writer.h"
#include "storage/merge.h"
#include "storage/store.h"
#include "storage/store_directory.h"
#include "storage/verification.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;
using tests::TempDir;

std::vector<fs::path> files_like(const fs::path& folder, std::string_view part) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().find(part) != std::string::npos) files.push_back(entry.path());
  }
  return files;
}

void overwrite(const fs::path& file, std::string_view bytes) {
  std::FILE* out = std::fopen(file.c_str(), "wb");
  REQUIRE(out != nullptr);
  std::fwrite(bytes.data(), 1, bytes.size(), out);
  std::fclose(out);
}

void damage_file(const fs::path& file, std::string_view damage) {
  const auto size = fs::file_size(file);
  fs::remove(file);  // the hard link in the checkpoint is intact
  if (damage == "garbage") overwrite(file, std::string(size, 'g'));
  if (damage == "empty") overwrite(file, "");
  if (damage == "halved") overwrite(file, std::string(size / 2, '\0'));
}

void flip_byte(const fs::path& file, std::size_t offset, unsigned char bits = 0x40) {
  std::string bytes = tests::read_file(file);
  bytes.at(offset) = static_cast<char>(bytes.at(offset) ^ bits);
  fs::remove(file);
  overwrite(file, bytes);
}

bool any_holds(const std::vector<std::string>& lines, std::string_view words) {
  return std::ranges::any_of(lines, [words](const std::string& line) { return line.find(words) != std::string::npos; });
}

struct ListDamage {
  std::string_view file;
  std::string_view damage;
};

constexpr std::array<ListDamage, 7> list_damages = {{{"CURRENT", "garbage"},
                                                     {"CURRENT", "empty"},
                                                     {"CURRENT", "missing"},
                                                     {"CURRENT", "halved"},
                                                     {"MANIFEST", "garbage"},
                                                     {"MANIFEST", "empty"},
                                                     {"MANIFEST", "missing"}}};

void damage_list(const fs::path& store, const ListDamage& damage) {
  const std::vector<fs::path> files = files_like(store / "db", damage.file);
  REQUIRE_FALSE(files.empty());
  for (const fs::path& file : files) damage_file(file, damage.damage);
}

TEST_CASE("a damaged MANIFEST or CURRENT is an error if there is no checkpoint") {
  for (const ListDamage& row : list_damages) {
    CAPTURE(row.file);
    CAPTURE(row.damage);
    const TempDir dir;
    make_store(dir / "store", false);
    damage_list(dir / "store", row);
    check_error(dir / "store", "is damaged; move it elsewhere and run again", [&] { Store::open(dir / "store"); });
    CHECK(files_like(dir / "store", "damaged-").empty());
  }
}

// Creates a store of two runs whose data are in different tables.
void make_store_of_two_runs(const fs::path& path) {
  make_store(path);
  const auto store = Store::open(path);
  const Run run = store->begin_run("another", {"list.md"}, sample_time(100'000));
  for (std::uint64_t number = 10; number < 15; ++number)
    put_link(*store, run, sample_link(number), sample_body(number));
  store->publish();
}

std::size_t links_left(const Store& store) {
  std::size_t left = 0;
  for (std::uint64_t number = 0; number < 15; ++number) {
    const CheckedLink expected = sample_link(number);
    if (auto state = LinkHistory(store).state(expected.result.id)) {
      // The link is complete, or it lacks its snapshot, which is in another table.
      if (state->snapshot.fetched_at == Timestamp{}) state->snapshot = expected.state.snapshot;
      CHECK(*state == expected.state);
      ++left;
    }
  }
  return left;
}

// Checks that the store has all data of the checkpoint of make_store_of_two_runs() and that new runs can be added.
void check_restored(const fs::path& path) {
  {
    const auto store = Store::open(path);
    REQUIRE(store->losses().size() == 1);
    CHECK(any_holds(store->losses(), "it was replaced with its latest checkpoint"));
    CHECK(links_left(*store) == 15);
    for (std::uint64_t number = 0; number < 15; ++number) {
      const CheckedLink link = sample_link(number);
      CHECK(LinkHistory(*store).snapshots(link.result.id, 10).size() == 1);
      CHECK((LinkHistory(*store).body(link.state.snapshot.body_digest) == sample_body(number)));
    }
    const Run next = store->begin_run("a third", {}, sample_time(200'000));
    CHECK(next.number == 3);
    put_link(*store, next, sample_link(30), sample_body(30));
    store->publish();
  }
  const auto store = Store::open(path);
  CHECK(store->losses().empty());
  CHECK(links_left(*store) == 15);
  CHECK(LinkHistory(*store).state(sample_link(30).result.id) == sample_link(30).state);
  read_all(*Store::open_for_reading(path));
}

TEST_CASE("a database with damaged MANIFEST or CURRENT is replaced by the latest checkpoint") {
  for (const ListDamage& row : list_damages) {
    CAPTURE(row.file);
    CAPTURE(row.damage);
    const TempDir dir;
    make_store_of_two_runs(dir / "store");
    damage_list(dir / "store", row);
    check_restored(dir / "store");
    CHECK(fs::is_directory(dir / "store" / "damaged-1"));
    damage_list(dir / "store", row);
    CHECK(any_holds(Store::open(dir / "store")->losses(), "the damaged database is kept as damaged-2"));
    CHECK(fs::is_directory(dir / "store" / "damaged-1"));
  }
}

TEST_CASE("a restored store reports what was written after its checkpoint") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  {
    const auto store = Store::open(dir / "store");
    put_link(*store, store->begin_run("a third", {}, sample_time(200'000)), sample_link(30), sample_body(30));
    store->sync();
  }
  damage_list(dir / "store", {"MANIFEST", "garbage"});
  const auto store = Store::open(dir / "store");
  CHECK(any_holds(store->losses(), "it was replaced with its latest checkpoint"));
  CHECK(any_holds(store->losses(), "its latest changes are lost"));
  CHECK(links_left(*store) == 15);
  CHECK_FALSE(LinkHistory(*store).state(sample_link(30).result.id).has_value());
  CHECK(store->begin_run("a fourth", {}, sample_time(300'000)).number == 4);  // no run number is used twice
}

TEST_CASE("an interrupted restore is completed") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  SUBCASE("while files are copied") {
    damage_list(dir / "store", {"CURRENT", "garbage"});
    dir.write("store/db.new/000009.sst", "half");
    dir.write("store/db.new/MANIFEST-000005", "");
  }
  SUBCASE("between the two renames") { fs::rename(dir / "store" / "db", dir / "store" / "damaged-1"); }
  SUBCASE("by deletion of the database") { fs::remove_all(dir / "store" / "db"); }
  check_restored(dir / "store");
  CHECK_FALSE(fs::exists(dir / "store" / "db.new"));
}

TEST_CASE("a restore follows no symbolic link and overwrites no foreign file") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  damage_list(dir / "store", {"CURRENT", "garbage"});
  dir.write("victim/000009.sst", "mine");
  SUBCASE("a symbolic link") { fs::create_directory_symlink(dir / "victim", dir / "store" / "db.new"); }
  SUBCASE("a folder") {
    fs::rename(dir / "victim", dir / "store" / "db.new");
    dir.write("store/db.new/mine", "mine");
  }
  const std::string message = message_of([&] { Store::open(dir / "store"); });
  CHECK(message.starts_with("store " + (dir / "store").string() + " "));
  CHECK(tests::read_file(dir / (fs::exists(dir / "victim") ? "victim" : "store/db.new") / "000009.sst") == "mine");
}

TEST_CASE("a damaged checkpoint replaces nothing") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  damage_list(dir / "store", {"MANIFEST", "garbage"});
  const fs::path latest = fs::canonical(dir / "store" / "reports" / "latest");
  for (const fs::path& file : files_like(latest, "MANIFEST")) damage_file(file, "garbage");
  check_error(dir / "store", "is damaged; move it elsewhere and run again", [&] { Store::open(dir / "store"); });
  CHECK(fs::is_directory(latest));
  CHECK(files_like(dir / "store", "damaged-").empty());
}

// Creates a store with a damaged file and no checkpoint that has an intact copy.
void copy_without_checkpoint(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  fs::remove_all(to / "reports");
}

TEST_CASE("a lost or damaged file is taken from the latest checkpoint if intact there") {
  for (const std::string_view damage : {"garbage", "empty", "missing", "halved", "one byte"}) {
    CAPTURE(damage);
    for (const std::string_view kind : {".sst", ".blob"}) {
      const TempDir dir;
      make_store_of_two_runs(dir / "store");
      {
        // A killed run leaves data that no checkpoint has.
        const auto store = Store::open(dir / "store");
        put_link(*store, store->begin_run("a third", {}, sample_time(200'000)), sample_link(30), sample_body(30));
      }
      std::size_t damaged = 0;
      for (const fs::path& file : files_like(fs::canonical(dir / "store" / "reports" / "latest"), kind)) {
        const fs::path own = dir / "store" / "db" / file.filename();
        if (!fs::exists(own)) continue;
        // Damage inside a blob file is detected only when the body is read.
        if (kind == ".blob" && (damage == "garbage" || damage == "one byte")) continue;
        ++damaged;
        if (damage == "one byte") {
          flip_byte(own, 20);
        } else {
          damage_file(own, damage);
        }
      }
      if (damaged == 0) continue;
      {
        const auto store = Store::open(dir / "store");
        REQUIRE(store->losses().size() == 1);
        CHECK(any_holds(
            store->losses(),
            fmt::format(": {} of its files were missing or damaged and were restored from its latest checkpoint",
                        damaged)));
        CHECK(links_left(*store) == 15);
        for (const std::uint64_t number : {0U, 9U, 14U, 30U}) {
          const CheckedLink link = sample_link(number);
          CHECK(LinkHistory(*store).state(link.result.id) == link.state);  // also data from after the checkpoint
          CHECK(LinkHistory(*store).snapshots(link.result.id, 10).size() == 1);
          CHECK((LinkHistory(*store).body(link.state.snapshot.body_digest) == sample_body(number)));
        }
        store->publish();
      }
      CHECK(Store::open(dir / "store")->losses().empty());
    }
  }
}

TEST_CASE("rows of a lost table are taken from other tables of the latest checkpoint") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  {
    const auto rocks = KeyValueStore::open_for_writing(dir / "store", dir / "store" / "db");
    for (const EnumName<Family>& family : family_names) rocks->compact(family.value);
  }
  for (const std::string_view kind : {".sst", ".blob"}) {
    for (const fs::path& file : files_like(dir / "store" / "db", kind)) fs::remove(file);
  }
  {
    const auto store = Store::open(dir / "store");
    CHECK(any_holds(store->losses(), "cannot be read and were left out"));
    CHECK(any_holds(store->losses(), "were restored from its latest checkpoint"));
    CHECK(store->latest_run()->number == 2);
    CHECK(links_left(*store) == 15);
    for (std::uint64_t number = 0; number < 15; ++number) {
      const CheckedLink link = sample_link(number);
      CHECK(LinkHistory(*store).snapshots(link.result.id, 10).size() == 1);
      CHECK((LinkHistory(*store).body(link.state.snapshot.body_digest) == sample_body(number)));
    }
    store->publish();
  }
  CHECK(Store::open(dir / "store")->losses().empty());
}

TEST_CASE("an unreadable table is left out and all other data stays") {
  for (const std::string_view damage : {"garbage", "empty", "missing", "halved", "one byte"}) {
    CAPTURE(damage);
    const TempDir whole;
    make_store_of_two_runs(whole / "store");
    for (const fs::path& table : files_like(whole / "store" / "db", ".sst")) {
      const std::string name = table.filename().string();
      CAPTURE(name);
      const TempDir dir;
      copy_without_checkpoint(whole / "store", dir / "store");
      if (damage == "one byte") {
        flip_byte(dir / "store" / "db" / name, 20);
      } else {
        damage_file(dir / "store" / "db" / name, damage);
      }
      {
        const auto store = Store::open(dir / "store");
        REQUIRE(store->losses().size() == 1);
        CHECK(store->losses().front().starts_with("store " + (dir / "store").string() + ": 1 of its tables (of "));
        read_all(*store);
        CHECK(links_left(*store) >= 5);  // the links of the other table
        const Run next = store->begin_run("a third", {}, sample_time(200'000));
        CHECK(next.number == 3);
        put_link(*store, next, sample_link(30), sample_body(30));
        store->publish();
      }
      const auto store = Store::open(dir / "store");
      CHECK(store->losses().empty());
      CHECK(LinkHistory(*store).state(sample_link(30).result.id) == sample_link(30).state);
      read_all(*Store::open_for_reading(dir / "store"));
    }
  }
}

TEST_CASE("one damaged byte in a table makes no read or write throw") {
  const TempDir whole;
  make_store_of_two_runs(whole / "store");
  const fs::path table = files_like(whole / "store" / "db", ".sst").back();
  for (std::size_t offset = 0; offset < fs::file_size(table); offset += 97) {
    CAPTURE(offset);
    const TempDir dir;
    copy_without_checkpoint(whole / "store", dir / "store");
    flip_byte(dir / "store" / "db" / table.filename(), offset);
    const auto store = Store::open(dir / "store");
    read_all(*store);
    put_link(*store, store->begin_run("a third", {}, sample_time(200'000)), sample_link(30), sample_body(30));
    store->publish();
  }
}

// RocksDB parses the properties of a table before it compares their checksum, and aborts on some damage.
TEST_CASE("damaged properties of a table are found before RocksDB parses them") {
  const TempDir whole;
  make_store_of_two_runs(whole / "store");
  std::vector<fs::path> tables = files_like(whole / "store" / "db", ".sst");
  std::ranges::sort(tables);
  const fs::path& table = tables.front();
  // The properties end shortly before the index that names them: their last bytes are the number of restart points.
  const std::size_t end = tests::read_file(table).rfind("rocksdb.properties");
  REQUIRE(end != std::string::npos);
  for (std::size_t offset = end - 100; offset < end; ++offset) {
    CAPTURE(offset);
    const TempDir dir;
    copy_without_checkpoint(whole / "store", dir / "store");
    flip_byte(dir / "store" / "db" / table.filename(), offset, 0xFF);
    const auto store = Store::open(dir / "store");
    CHECK(store->losses().size() == 1);
    read_all(*store);
  }
}

TEST_CASE("unreadable bodies are left out and stored again") {
  for (const std::string_view damage : {"garbage", "empty", "missing", "halved", "one byte"}) {
    CAPTURE(damage);
    const TempDir dir;
    make_store(dir / "store");
    fs::remove_all(dir / "store" / "reports");
    const std::vector<fs::path> files = files_like(dir / "store" / "db", ".blob");
    REQUIRE_FALSE(files.empty());
    for (const fs::path& file : files) {
      if (damage == "one byte") {
        flip_byte(file, fs::file_size(file) / 2);
      } else {
        damage_file(file, damage);
      }
    }
    std::size_t lost = 0;
    {
      const auto store = Store::open(dir / "store");
      // Damage inside a file is detected only when a body is read.
      const bool shows_later = damage == "one byte" || damage == "garbage";
      if (!shows_later) CHECK(any_holds(store->losses(), "of its stored pages cannot be read and were left out"));
      const Run run = store->begin_run("another", {}, sample_time(100'000));
      for (std::uint64_t number = 0; number < 10; ++number) {
        const CheckedLink link = sample_link(number);
        CHECK(LinkHistory(*store).state(link.result.id) == link.state);
        std::optional<std::string> body;
        const std::string problem =
            message_of([&] { body = LinkHistory(*store).body(link.state.snapshot.body_digest); });
        if (body != sample_body(number)) ++lost;
        CHECK((problem == "no StoreError" || shows_later));
        put_link(*store, run, link, sample_body(number));
        CHECK((LinkHistory(*store).body(link.state.snapshot.body_digest) == sample_body(number)));
      }
      CHECK(lost > 0);
      store->publish();
    }
    CHECK(Store::open(dir / "store")->losses().empty());
    read_all(*Store::open_for_reading(dir / "store"));
  }
}

TEST_CASE("a truncated MANIFEST costs nothing that the latest checkpoint has") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  const std::vector<fs::path> lists = files_like(dir / "store" / "db", "MANIFEST");
  REQUIRE(lists.size() == 1);
  const auto size = fs::file_size(lists.front());
  std::size_t restored = 0;
  for (std::uintmax_t cut = 1; cut <= size; cut += 20) {
    CAPTURE(cut);
    const TempDir copy;
    fs::copy(dir / "store", copy / "store", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::resize_file(copy / "store" / "db" / lists.front().filename(), size - cut);
    const auto store = Store::open(copy / "store");
    CHECK(store->latest_run()->number == 2);
    CHECK(links_left(*store) == 15);
    for (std::uint64_t number = 0; number < 15; ++number) {
      CHECK(LinkHistory(*store).snapshots(sample_link(number).result.id, 10).size() == 1);
    }
    if (any_holds(store->losses(), "it was replaced with its latest checkpoint")) ++restored;
    store->publish();
    CHECK(links_left(*Store::open_for_reading(copy / "store")) == 15);
  }
  CHECK(restored > 0);
}

TEST_CASE("a truncated MANIFEST without checkpoint gives an older state and is reported") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  const std::vector<fs::path> lists = files_like(dir / "store" / "db", "MANIFEST");
  REQUIRE(lists.size() == 1);
  const auto size = fs::file_size(lists.front());
  bool older = false;
  for (std::uintmax_t cut = 0; cut < size && !older; cut += 20) {
    CAPTURE(cut);
    const TempDir copy;
    fs::copy(dir / "store", copy / "store", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::remove_all(copy / "store" / "reports");
    fs::resize_file(copy / "store" / "db" / lists.front().filename(), size - cut);
    const auto store = Store::open(copy / "store");
    older = store->latest_run()->number < 2 || links_left(*store) < 15;
    if (!older) continue;
    CHECK(any_holds(store->losses(), "its latest changes are lost"));
    store->begin_run("a third", {}, sample_time(200'000));
  }
  CHECK(older);
}

TEST_CASE("a loss is reported once whoever opens the store first") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  fs::remove_all(dir / "store" / "reports");
  for (const fs::path& table : files_like(dir / "store" / "db", ".sst")) fs::remove(table);
  Store::open(dir / "store")->publish();  // sends no notifications
  CHECK(Store::open(dir / "store")->losses().empty());
  const auto check_losses = [](const Store& store) {
    const std::vector<std::string> lines = store.take_losses();
    REQUIRE(lines.size() == 1);
    CHECK(lines.front().find("of its tables (of body, history, host, link, meta, occurrences, run) cannot be read") !=
          std::string::npos);
    CHECK(store.take_losses().empty());
  };
  SUBCASE("a writer") { check_losses(*Store::open(dir / "store")); }
  SUBCASE("a reader") { check_losses(*Store::open_for_reading(dir / "store")); }
  CHECK(Store::open(dir / "store")->take_losses().empty());
  CHECK_FALSE(fs::exists(dir / "store" / losses_file));
}

TEST_CASE("a store without database and checkpoints starts empty") {
  const TempDir dir;
  make_store_of_two_runs(dir / "store");
  fs::remove_all(dir / "store" / "db");
  fs::remove_all(dir / "store" / "reports");
  check_error(dir / "store", "contains no runs yet; run `linkherd check` first",
              [&] { Store::open_for_reading(dir / "store"); });
  {
    const auto store = Store::open(dir / "store");
    REQUIRE(store->losses().size() == 1);
    CHECK(any_holds(store->losses(), "its database is missing and has no checkpoint: the store starts from scratch"));
  }
  const auto store = Store::open(dir / "store");
  CHECK(store->losses().empty());
  CHECK(store->begin_run("a third", {}, sample_time(200'000)).number == 3);  // no run number is used twice
  store->publish();
  CHECK(Store::open_for_reading(dir / "store")->losses().empty());
}

TEST_CASE("a damaged checkpoint is an error that says so") {
  for (const std::string_view part : {"CURRENT", "MANIFEST", ".sst"}) {
    CAPTURE(part);
    const TempDir dir;
    make_store(dir / "store");
    const fs::path latest = fs::canonical(dir / "store" / "reports" / "latest");
    for (const fs::path& file : files_like(latest, part)) {
      fs::remove(file);
      overwrite(file, "garbage");
    }
    check_error(dir / "store", "is damaged", [&] { read_all(*Store::open_for_reading(dir / "store")); });
  }
}

TEST_CASE("a torn write-ahead log keeps the data before the tear") {
  const TempDir dir;
  make_store(dir / "store", false);
  for (const fs::path& log : files_like(dir / "store" / "db", ".log")) {
    if (fs::file_size(log) > 20'000) fs::resize_file(log, fs::file_size(log) - 10'000);
  }
  const auto store = Store::open(dir / "store");
  CHECK(LinkHistory(*store).state(sample_link(0).result.id) == sample_link(0).state);
  CHECK_FALSE(LinkHistory(*store).state(sample_link(9).result.id).has_value());
  read_all(*store);
}

TEST_CASE("a damaged byte in a write-ahead log is reported and the data before it stays") {
  const TempDir dir;
  make_store(dir / "store", false);
  const auto is_longer = [](const fs::path& one, const fs::path& other) {
    return fs::file_size(one) < fs::file_size(other);
  };
  const std::vector<fs::path> logs = files_like(dir / "store" / "db", ".log");
  const fs::path log = *std::ranges::max_element(logs, is_longer);
  const std::uintmax_t size = fs::file_size(log);
  REQUIRE(size > 40'000);
  for (const std::uintmax_t offset : {std::uintmax_t{20'000}, size - 30'000, size - 100}) {
    CAPTURE(offset);
    const TempDir copy;
    fs::copy(dir / "store", copy / "store", fs::copy_options::recursive);
    // This is the state after a run is killed between two calls of sync().
    fs::remove(copy / "store" / "state");
    flip_byte(copy / "store" / "db" / log.filename(), offset);
    const std::string loss = "its file " + log.filename().string() + " is damaged";
    SUBCASE("a writer") {
      const auto store = Store::open(copy / "store");
      CHECK(any_holds(store->losses(), loss));
      CHECK(links_left(*store) < 10);
      CHECK((offset < size / 2 || links_left(*store) > 0));
      read_all(*store);
      store->publish();
    }
    SUBCASE("a reader and verification") {
      const auto store = Store::open_for_reading(copy / "store");
      CHECK(any_holds(store->losses(), loss));
      const Verification found = verify(*store);
      CHECK(any_holds(found.problems, loss));
    }
    CHECK(Store::open(copy / "store")->losses().empty());
  }
}

void put_raw(const fs::path& path, Family family, std::string_view key, std::string_view value) {
  const auto store = KeyValueStore::open_for_writing(path, path / "db");
  KeyValueStore::Batch batch;
  batch.put(family, key, value);
  store->write(batch);
}

TEST_CASE("an unreadable value is an error that names its kind") {
  const CheckedLink link = sample_link(3);
  struct Row {
    std::string_view kind;
    Family family;
    std::string key;
  };
  const std::vector<Row> rows = {
      {"link", Family::link, link_key(link.result.id)},
      {"snapshot", Family::history, history_key(link.result.id, link.state.snapshot.fetched_at)},
      {"link result", Family::run, result_key(1, link.result.id)},
      {"list of occurrences", Family::occurrences, OccurrencesKeys("identity").of(link.result.id)},
      {"run", Family::run, run_key(1)},
      {"host", Family::host, "https://example.org"},
      {"body", Family::body, body_key(link.state.snapshot.body_digest).value()},
  };
  const std::string newer = "\x07{}";
  for (const Row& row : rows) {
    CAPTURE(row.kind);
    const TempDir dir;
    make_store(dir / "store");
    const std::string named = "has a " + std::string(row.kind) + " that cannot be read";
    for (const std::string& value :
         {std::string(), std::string("\0\0", 2), newer, std::string("\x01{\"id\":"), std::string("\x01[]"),
          "\x01" + std::string(100'000, '{'), std::string("\x01{\"state\":\"\xFF\"}"), std::string("\x01\x0A\x7F"),
          "\x01" + std::string(1000, '\xFF')}) {
      if (row.kind == "body" && value.size() > 2) continue;  // any payload is a body
      put_raw(dir / "store", row.family, row.key, value);
      check_error(dir / "store", named, [&] { read_all(*Store::open(dir / "store")); });
      if (value == newer) continue;
      // The error says what to do and names the link, whatever the damage is.
      check_error(dir / "store", "move the store elsewhere and run again",
                  [&] { read_all(*Store::open(dir / "store")); });
      if (row.kind == "run" || row.kind == "host" || row.kind == "body") continue;
      check_error(dir / "store", link.result.id.to_hex(), [&] { read_all(*Store::open(dir / "store")); });
    }
    put_raw(dir / "store", row.family, row.key, newer);
    check_error(dir / "store",
                "value version 7 is not supported: this linkherd supports version 1; use the newer linkherd",
                [&] { read_all(*Store::open(dir / "store")); });
    if (row.kind == "link")
      CHECK(LinkHistory(*Store::open(dir / "store")).state(sample_link(4).result.id) == sample_link(4).state);
  }
}

TEST_CASE("a store of another schema is refused") {
  for (const std::string_view value : {"2", "0", "", "\x01{\"version\":1}"}) {
    CAPTURE(value);
    const TempDir dir;
    make_store(dir / "store");
    make_store(dir / "own");
    put_raw(dir / "store", Family::meta, schema_key, value);
    constexpr std::string_view refused = "was created by another version of linkherd; move it elsewhere and run again";
    check_error(dir / "store", refused, [&] { Store::open(dir / "store"); });
    {
      const auto rows = KeyValueStore::open_for_writing(dir / "store", dir / "store" / "db");
      const StoreDirectory folder(dir / "store");
      const fs::path checkpoint = folder.new_checkpoint();
      rows->checkpoint(checkpoint);
      folder.publish(checkpoint);
    }
    check_error(dir / "store", refused, [&] { Store::open_for_reading(dir / "store"); });
    check_error(dir / "store", refused, [&] { merge(*Store::open(dir / "own"), {dir / "store"}); });
  }
}

TEST_CASE("a checkpoint without one of the column families is damaged") {
  const TempDir dir;
  make_store(dir / "store");
  {
    const std::string path = fs::canonical(dir / "store" / "reports" / "latest").string();
    std::vector<std::string> names;
    REQUIRE(rocksdb::DB::ListColumnFamilies({}, path, &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(names.size());
    for (const std::string& name : names) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* database = nullptr;
    REQUIRE(rocksdb::DB::Open({}, path, families, &handles, &database).ok());
    for (rocksdb::ColumnFamilyHandle* handle : handles) {
      if (handle->GetName() == "occurrences") CHECK(database->DropColumnFamily(handle).ok());
      CHECK(database->DestroyColumnFamilyHandle(handle).ok());
    }
    delete database;
  }
  check_error(dir / "store", "is damaged", [&] { Store::open_for_reading(dir / "store"); });
}

TEST_CASE("column families of a later version stay unchanged") {
  const TempDir dir;
  make_store(dir / "store");
  const std::string path = (dir / "store" / "db").string();
  const auto open_raw = [&](std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
    std::vector<std::string> names;
    REQUIRE(rocksdb::DB::ListColumnFamilies({}, path, &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(names.size());
    for (const std::string& name : names) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    rocksdb::DB* database = nullptr;
    REQUIRE(rocksdb::DB::Open({}, path, families, &handles, &database).ok());
    return std::unique_ptr<rocksdb::DB>(database);
  };
  {
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const auto database = open_raw(handles);
    rocksdb::ColumnFamilyHandle* added = nullptr;
    REQUIRE(database->CreateColumnFamily({}, "due", &added).ok());
    REQUIRE(database->Put({}, added, "key", "value").ok());
    handles.push_back(added);
    for (auto* handle : handles) database->DestroyColumnFamilyHandle(handle);
  }
  {
    const auto store = Store::open(dir / "store");
    read_all(*store);
    const Run run = store->begin_run("another", {}, sample_time(100));
    put_link(*store, run, sample_link(20), sample_body(20));
    store->publish();
  }
  CHECK(LinkHistory(*Store::open_for_reading(dir / "store")).state(sample_link(20).result.id).has_value());
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const auto database = open_raw(handles);
  std::string value;
  for (auto* handle : handles) {
    if (handle->GetName() == "due") CHECK(database->Get({}, handle, "key", &value).ok());
  }
  CHECK(value == "value");
  for (auto* handle : handles) database->DestroyColumnFamilyHandle(handle);
}

TEST_CASE("a folder that is no store is never written to") {
  const TempDir dir;
  SUBCASE("a file") {
    const fs::path file = dir.write("store", "text");
    check_error(file, "is a file, not a folder", [&] { Store::open(file); });
    check_error(file, "is a file, not a folder", [&] { Store::open_for_reading(file); });
    CHECK(tests::read_file(file) == "text");
  }
  SUBCASE("below a file") {
    dir.write("file", "text");
    check_error(dir / "file" / "store", "failed to open", [&] { Store::open(dir / "file" / "store"); });
  }
  SUBCASE("a folder with other content") {
    dir.write("store/README.md", "mine");
    check_error(dir / "store", "contains other files", [&] { Store::open(dir / "store"); });
    CHECK(std::distance(fs::directory_iterator(dir / "store"), {}) == 1);
  }
  SUBCASE("a folder whose db is something else") {
    dir.write("store/db/schema.sql", "mine");
    check_error(dir / "store", "contains other files", [&] { Store::open(dir / "store"); });
    CHECK(std::distance(fs::directory_iterator(dir / "store" / "db"), {}) == 1);
  }
  SUBCASE("an empty folder becomes one") {
    fs::create_directory(dir / "store");
    Store::open(dir / "store");
  }
  SUBCASE("an interrupted new store becomes one") {
    dir.write("store/linkherd-store.new", "");
    Store::open(dir / "store");
    fs::remove_all(dir / "store" / "db");
    Store::open(dir / "store");
  }
}

TEST_CASE("an unwritable folder is named") {
  if (::geteuid() == 0) return;  // root can write everywhere
  const TempDir dir;
  make_store(dir / "store");
  fs::permissions(dir / "store" / "db", fs::perms::owner_write, fs::perm_options::remove);
  check_error(dir / "store", "is not writable", [&] { Store::open(dir / "store"); });
  read_all(*Store::open_for_reading(dir / "store"));
  fs::permissions(dir / "store" / "db", fs::perms::owner_write, fs::perm_options::add);
  fs::create_directory(dir / "closed");
  fs::permissions(dir / "closed", fs::perms::owner_write, fs::perm_options::remove);
  check_error(dir / "closed" / "store", "is not writable", [&] { Store::open(dir / "closed" / "store"); });
}

}  // namespace
}  // namespace linkherd::storage
