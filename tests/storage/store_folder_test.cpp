// Tests that foreign files in a store are kept, that no symbolic link in it is followed, and that only its owner can
// read it.
#include <algorithm>
#include <filesystem>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <sys/stat.h>

#include "storage/link_writer.h"
#include "storage/store.h"
#include "storage/store_directory.h"
#include "tests/storage/samples.h"
#include "tests/storage/store_checks.h"
#include "tests/support/temp_dir.h"

namespace linkherd::storage {
namespace {

namespace fs = std::filesystem;
using tests::TempDir;

void write_and_publish(const fs::path& path) {
  const auto store = Store::open(path);
  const Run run = store->begin_run("identity", {}, sample_time(0));
  put_link(*store, run, sample_link(1), sample_body(1));
  store->publish();
}

std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files.insert(entry.path().string());
  return files;
}

void remove_mark(const fs::path& store) {
  fs::remove(store / marker_name);
  fs::remove(store / "state");
}

TEST_CASE("foreign files in the folders of a store are kept") {
  const TempDir dir;
  make_store(dir / "store");
  const std::vector<fs::path> foreign = {
      dir.write("store/notes.txt", "mine"),
      dir.write("store/reports/monday.json", "mine"),
      dir.write("store/reports/archive/january.json", "mine"),
      dir.write("store/reports/checkpoint-500/model.bin", "mine"),
      dir.write("store/reports/checkpoint-501/deeper/CURRENT", "mine"),
      dir.write("store/reports/checkpoint-7x/CURRENT", "mine"),
      dir.write("store/reports/checkpoint-8", "mine"),
      dir.write("victim/CURRENT", "mine"),
  };
  fs::create_directory_symlink(dir / "victim", dir / "store" / "reports" / "checkpoint-9");
  write_and_publish(dir / "store");
  write_and_publish(dir / "store");
  for (const fs::path& file : foreign) {
    CAPTURE(file);
    CHECK(tests::read_file(file) == "mine");
  }
  CHECK(fs::is_symlink(dir / "store" / "reports" / "checkpoint-9"));
  read_all(*Store::open_for_reading(dir / "store"));
}

TEST_CASE("foreign files with names of the store are refused and kept") {
  const TempDir dir;
  make_store(dir / "store");
  for (const std::string_view name : {"latest", "latest.new"}) {
    fs::remove(dir / "store" / "reports" / name);
    const fs::path file = dir.write("store/reports/" + std::string(name), "mine");
    check_error(dir / "store", "contains a file at reports/" + std::string(name),
                [&] { write_and_publish(dir / "store"); });
    CHECK(tests::read_file(file) == "mine");
    fs::remove(file);
  }
}

TEST_CASE("a symbolic link instead of a store folder or file is refused") {
  for (const std::string_view name : {"db", "reports", "db/CURRENT", "db/000999.sst", "linkherd-store", "state"}) {
    CAPTURE(name);
    const TempDir dir;
    make_store(dir / "store");
    const fs::path place = dir / "store" / name;
    const bool folder = fs::is_directory(place);
    const fs::path victim = dir / "victim";
    if (fs::exists(place)) {
      fs::rename(place, victim);
    } else {
      dir.write("victim", "mine");
    }
    if (folder) dir.write("victim/mine.txt", "mine");
    fs::create_symlink(victim, place);
    const auto before = folder ? files_below(victim) : std::set<std::string>();
    const std::string text = folder ? std::string() : tests::read_file(victim);
    const std::string message = message_of([&] { write_and_publish(dir / "store"); });
    CAPTURE(message);
    CHECK(message.starts_with("store " + (dir / "store").string() + " "));
    if (folder) CHECK(files_below(victim) == before);
    if (!folder) CHECK(tests::read_file(victim) == text);
    if (name == "reports") {
      check_error(dir / "store", "contains something else in place of its folder reports",
                  [&] { Store::open_for_reading(dir / "store"); });
    }
  }
}

TEST_CASE("a latest link that leads out of the store is not followed") {
  const TempDir dir;
  make_store(dir / "store");
  make_store(dir / "other");
  const fs::path latest = dir / "store" / "reports" / "latest";
  fs::remove(latest);
  for (const std::string target :
       {"../../other/reports/checkpoint-1", "checkpoint-1/", "checkpoint-", "..", "checkpoint-01x"}) {
    CAPTURE(target);
    fs::create_symlink(target, latest);
    const auto before = files_below(dir / "other");
    read_all(*Store::open_for_reading(dir / "store"));
    write_and_publish(dir / "store");
    CHECK(files_below(dir / "other") == before);
    fs::remove(latest);
  }
}

TEST_CASE("a store without mark is adopted with all its own files") {
  const TempDir dir;
  make_store(dir / "store");
  remove_mark(dir / "store");
  SUBCASE("without changes") {}
  SUBCASE("with an empty mark") { dir.write("store/linkherd-store", ""); }
  SUBCASE("with a damaged mark") { dir.write("store/linkherd-store", "linkherd?store 1\n"); }
  SUBCASE("with its notes") {
    for (const char* name : {"state", "state.new", "damaged", "linkherd-store.new"}) {
      dir.write("store/" + std::string(name), "");
    }
  }
  SUBCASE("with a database that was moved aside") {
    fs::copy(dir / "store" / "db", dir / "store" / "damaged-1");
    fs::create_directory(dir / "store" / "db.new");
  }
  read_all(*Store::open_for_reading(dir / "store"));
  CHECK_FALSE(is_marked_store(dir / "store"));  // reading changes no file
  write_and_publish(dir / "store");
  CHECK(is_marked_store(dir / "store"));
  CHECK(Store::open(dir / "store")->losses().empty());
}

TEST_CASE("a store without mark that contains something else is left alone") {
  const TempDir dir;
  make_store(dir / "store");
  remove_mark(dir / "store");
  fs::path file;
  SUBCASE("with a foreign file") { file = dir.write("store/notes.txt", "mine"); }
  SUBCASE("with a report") { file = dir.write("store/reports/monday.json", "mine"); }
  SUBCASE("with a folder of reports") { file = dir.write("store/reports/checkpoint-3/model.bin", "mine"); }
  SUBCASE("with a folder named like a note") { file = dir.write("store/state/mine.txt", "mine"); }
  SUBCASE("with something moved aside") { file = dir.write("store/damaged-1/mine.txt", "mine"); }
  SUBCASE("with something in db") { file = dir.write("store/db/schema.sql", "mine"); }
  SUBCASE("with a placeholder for git") {
    fs::remove_all(dir / "store");
    file = dir.write("store/.gitignore", "mine");
  }
  const auto before = files_below(dir / "store");
  check_error(dir / "store", "would be in a folder that contains other files",
              [&] { write_and_publish(dir / "store"); });
  CHECK(files_below(dir / "store") == before);
  CHECK(tests::read_file(file) == "mine");
}

TEST_CASE("the mark of another version is not overwritten") {
  const TempDir dir;
  make_store(dir / "store");
  const fs::path mark = dir.write("store/linkherd-store", "linkherd store 12\n");
  check_error(dir / "store", "was created by another version of linkherd", [&] { Store::open(dir / "store"); });
  CHECK(tests::read_file(mark) == "linkherd store 12\n");
}

TEST_CASE("a database of another program is not adopted") {
  const TempDir dir;
  fs::create_directory(dir / "store");
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* database = nullptr;
  REQUIRE(rocksdb::DB::Open(options, (dir / "store" / "db").string(), &database).ok());
  delete database;
  check_error(dir / "store", "would be in a folder that contains other files", [&] { Store::open(dir / "store"); });
}

// Returns the names with permissions for other users, one per line.
std::string open_to_others(const fs::path& store) {
  std::string open;
  const auto look = [&open](const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return;  // removed by RocksDB in the meantime
    if (!S_ISLNK(status.st_mode) && (status.st_mode & 077U) != 0)
      open += fmt::format("{:o} {}\n", status.st_mode, path.string());
  };
  look(store);
  for (const auto& entry : fs::recursive_directory_iterator(store)) look(entry.path());
  return open;
}

TEST_CASE("only the owner can read a store") {
  const TempDir dir;
  const mode_t before = ::umask(0);
  make_store(dir / "store");
  const auto store = Store::open(dir / "store");  // with a write-ahead log in use
  put_link(*store, store->begin_run("another", {}, sample_time(100)), sample_link(20), sample_body(20));
  ::umask(before);
  CHECK(open_to_others(dir / "store") == std::string());
}

TEST_CASE("a store whose mark was lost becomes private when adopted") {
  const TempDir dir;
  make_store(dir / "store");
  remove_mark(dir / "store");
  for (const auto& entry : fs::recursive_directory_iterator(dir / "store")) {
    if (entry.is_symlink()) continue;
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0755) : fs::perms(0644));
  }
  fs::permissions(dir / "store", fs::perms(0755));
  write_and_publish(dir / "store");
  CHECK(open_to_others(dir / "store") == std::string());
}

TEST_CASE("readers see a run that has begun and not ended") {
  const TempDir dir;
  Run run;
  {
    const auto store = Store::open(dir / "store");
    run = store->begin_run("identity", {}, sample_time(0));
    run.state = RunState::complete;
    run.finished_at = sample_time(10);
    store->put_run(run);
    store->publish();
  }
  CHECK_FALSE(Store::open_for_reading(dir / "store")->unfinished_run().has_value());
  const Run second = Store::open(dir / "store")->begin_run("identity", {"list.md"}, sample_time(100));
  const auto reader = Store::open_for_reading(dir / "store");
  CHECK(reader->latest_run() == run);
  CHECK(reader->unfinished_run() == second);
  CHECK_FALSE(reader->is_being_written());
}

}  // namespace
}  // namespace linkherd::storage
