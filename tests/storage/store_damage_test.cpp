// Stores that are broken, foreign, newer or not to be written: each a StoreError of one line, never a crash, never a
// silent loss.
#include <algorithm>
#include <cstdio>
#include <functional>

#include <boost/json/object.hpp>
#include <doctest/doctest.h>
#include <rocksdb/db.h>
#include <unistd.h>

#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/store.h"
#include "storage/value_format.h"
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

TEST_CASE("Damaged files are an error that says so") {
  struct Row {
    std::string_view file;
    std::string_view damage;
  };
  for (const Row& row :
       {Row{"CURRENT", "garbage"}, Row{"CURRENT", "empty"}, Row{"CURRENT", "missing"}, Row{"CURRENT", "halved"},
        Row{"MANIFEST", "garbage"}, Row{"MANIFEST", "empty"}, Row{"MANIFEST", "missing"}, Row{".sst", "garbage"},
        Row{".sst", "empty"}, Row{".sst", "missing"}, Row{".sst", "halved"}, Row{".blob", "garbage"},
        Row{".blob", "empty"}, Row{".blob", "missing"}, Row{".blob", "halved"}}) {
    CAPTURE(row.file);
    CAPTURE(row.damage);
    const TempDir dir;
    make_store(dir / "store");
    const std::vector<fs::path> files = files_like(dir / "store" / "db", row.file);
    REQUIRE_FALSE(files.empty());
    for (const fs::path& file : files) {
      const auto size = fs::file_size(file);
      fs::remove(file);  // the checkpoint's hard link to it stays whole
      if (row.damage == "garbage") overwrite(file, std::string(size, 'g'));
      if (row.damage == "empty") overwrite(file, "");
      if (row.damage == "halved") overwrite(file, std::string(size / 2, '\0'));
    }
    check_error(dir / "store", "is damaged; move it away and run again",
                [&] { read_all(*Store::open(dir / "store")); });
    read_all(*Store::open_for_reading(dir / "store"));  // the report before is still there
  }
}

TEST_CASE("A damaged checkpoint is an error that says so") {
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

TEST_CASE("A torn write-ahead log keeps what came before the tear") {
  const TempDir dir;
  make_store(dir / "store", false);
  for (const fs::path& log : files_like(dir / "store" / "db", ".log")) {
    if (fs::file_size(log) > 20'000) fs::resize_file(log, fs::file_size(log) - 10'000);
  }
  const auto store = Store::open(dir / "store");
  CHECK(store->link(sample_link(0).entry.id) == sample_link(0).record);
  CHECK_FALSE(store->link(sample_link(9).entry.id).has_value());
  read_all(*store);
}

void put_raw(const fs::path& path, Family family, std::string_view key, std::string_view value) {
  const auto store = KeyValueStore::open_for_writing(path, path / "db");
  KeyValueStore::Batch batch;
  batch.put(*store, family, key, value);
  store->write(batch);
}

TEST_CASE("A value that cannot be read is an error that names its kind") {
  const CheckedLink link = sample_link(3);
  struct Row {
    std::string_view kind;
    Family family;
    std::string key;
  };
  const std::vector<Row> rows = {
      {"link", Family::link, link_key(link.entry.id)},
      {"snapshot", Family::history, history_key(link.entry.id, link.record.snapshot.fetched_at)},
      {"run entry", Family::run, run_entry_key(1, link.entry.id)},
      {"run", Family::run, run_key(1)},
      {"host", Family::host, "https://example.org"},
      {"body", Family::body, body_key(link.record.snapshot.body_digest).value()},
  };
  const std::string newer = "\x07{}";
  for (const Row& row : rows) {
    CAPTURE(row.kind);
    const TempDir dir;
    make_store(dir / "store");
    const std::string named = "has a " + std::string(row.kind) + " that cannot be read";
    for (const std::string& value :
         {std::string(), std::string("\0\0", 2), newer, std::string("\x01{\"id\":"), std::string("\x01[]"),
          "\x01" + std::string(100'000, '{'), std::string("\x01{\"state\":\"\xFF\"}")}) {
      if (row.kind == "body" && value.starts_with('\x01')) continue;  // any payload is a body
      put_raw(dir / "store", row.family, row.key, value);
      check_error(dir / "store", named, [&] { read_all(*Store::open(dir / "store")); });
    }
    put_raw(dir / "store", row.family, row.key, newer);
    check_error(dir / "store", "value version 7, this linkherd knows version 1; use the newer linkherd",
                [&] { read_all(*Store::open(dir / "store")); });
    if (row.kind == "link") CHECK(Store::open(dir / "store")->link(sample_link(4).entry.id) == sample_link(4).record);
  }
}

TEST_CASE("A store of a newer schema is left alone") {
  const TempDir dir;
  make_store(dir / "store");
  put_raw(dir / "store", Family::meta, schema_key, encode_value({{"version", 2}}));
  check_error(dir / "store", "was made by a newer linkherd (schema 2, this one knows 1)",
              [&] { Store::open(dir / "store"); });
  for (const std::string& value :
       {std::string("\x01{}"), std::string("\x01{\"version\":0}"), std::string("\x01 1"), std::string()}) {
    put_raw(dir / "store", Family::meta, schema_key, value);
    check_error(dir / "store", "schema version that cannot be read", [&] { Store::open(dir / "store"); });
  }
}

TEST_CASE("Families that a later version added stay as they are") {
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
    store->put_link(run, sample_link(20), sample_body(20));
    store->publish();
  }
  CHECK(Store::open_for_reading(dir / "store")->link(sample_link(20).entry.id).has_value());
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const auto database = open_raw(handles);
  std::string value;
  for (auto* handle : handles) {
    if (handle->GetName() == "due") CHECK(database->Get({}, handle, "key", &value).ok());
  }
  CHECK(value == "value");
  for (auto* handle : handles) database->DestroyColumnFamilyHandle(handle);
}

TEST_CASE("What is no store is never written into") {
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
  SUBCASE("a folder of something else") {
    dir.write("store/README.md", "mine");
    check_error(dir / "store", "holds other things", [&] { Store::open(dir / "store"); });
    CHECK(std::distance(fs::directory_iterator(dir / "store"), {}) == 1);
  }
  SUBCASE("a folder whose db is something else") {
    dir.write("store/db/schema.sql", "mine");
    check_error(dir / "store", "holds other things", [&] { Store::open(dir / "store"); });
    CHECK(std::distance(fs::directory_iterator(dir / "store" / "db"), {}) == 1);
  }
  SUBCASE("an empty folder becomes one") {
    fs::create_directory(dir / "store");
    Store::open(dir / "store");
  }
  SUBCASE("a folder in which a new store was interrupted becomes one") {
    dir.write("store/.gitignore", "*\n");
    Store::open(dir / "store");
    dir.write("other/db/LOCK", "");
    Store::open(dir / "other");
  }
}

TEST_CASE("A folder that may not be written is named") {
  if (::geteuid() == 0) return;  // root may write everywhere
  const TempDir dir;
  make_store(dir / "store");
  fs::permissions(dir / "store" / "db", fs::perms::owner_write, fs::perm_options::remove);
  check_error(dir / "store", "must be writable and is not", [&] { Store::open(dir / "store"); });
  read_all(*Store::open_for_reading(dir / "store"));
  fs::permissions(dir / "store" / "db", fs::perms::owner_write, fs::perm_options::add);
  fs::create_directory(dir / "closed");
  fs::permissions(dir / "closed", fs::perms::owner_write, fs::perm_options::remove);
  check_error(dir / "closed" / "store", "must be writable and is not", [&] { Store::open(dir / "closed" / "store"); });
}

}  // namespace
}  // namespace linkherd::storage
