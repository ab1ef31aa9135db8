// Tests the files in which a worker leaves bodies for its run.
#include "crawler/broker/body_writer.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "storage/link_id.h"
#include "storage/warc/warc_reader.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace linkherd::tests;

namespace {

storage::Snapshot snapshot_with(const std::string& body) {
  storage::Snapshot snapshot;
  snapshot.status = 200;
  snapshot.final_url = "https://a.example/page?q=1#part";
  snapshot.headers = {{"content-type", "text/html"}, {"content-encoding", "gzip"}, {"content-length", "7"}};
  snapshot.body_digest = storage::content_digest(body);
  snapshot.body_bytes = body.size();
  return snapshot;
}

const std::string long_body =
    std::string(20'000, 'x') + std::string("\0\r\n\r\nWARC/1.1\r\n", 15) + std::string(300, 'y');

}  // namespace

TEST_CASE("bodies written by several workers are read back") {
  const TempDir folder;
  const Clock clock;
  BodyWriter one(folder.path(), "run", clock);
  BodyWriter other(folder.path(), "run", clock);
  std::vector<std::pair<BodyLocation, std::string>> written;
  for (int i = 0; i < 20; ++i) {
    const std::string body = long_body + std::to_string(i);
    const std::optional<BodyLocation> location = (i % 2 == 0 ? one : other).write(snapshot_with(body), body);
    REQUIRE(location);
    written.emplace_back(*location, body);
  }
  one.sync();
  other.sync();
  CHECK(written[0].first.file != written[1].first.file);
  CHECK(written[0].first.file == written[2].first.file);
  for (const auto& [location, body] : written)
    CHECK(read_body(folder.path(), location, snapshot_with(body)).value() == body);
  const std::string headless = "without headers";
  storage::Snapshot snapshot = snapshot_with(headless);
  snapshot.headers.clear();
  CHECK(read_body(folder.path(), one.write(snapshot, headless).value(), snapshot).value() == headless);
}

TEST_CASE("a body location that does not match the snapshot is refused") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder.path(), "run", clock);
  const std::optional<BodyLocation> first = writer.write(snapshot_with(long_body), long_body);
  const std::optional<BodyLocation> second = writer.write(snapshot_with("short"), "short");
  REQUIRE(first);
  REQUIRE(second);
  const storage::Snapshot snapshot = snapshot_with(long_body);
  CHECK(read_body(folder.path(), *first, snapshot).value() == long_body);
  CHECK(read_body(folder.path(), *second, snapshot).has_error());  // another page's
  CHECK(read_body(folder.path(), {first->file, 0}, snapshot).has_error());
  CHECK(read_body(folder.path(), {first->file, first->offset + 1}, snapshot).has_error());
  CHECK(read_body(folder.path(), {first->file, UINT64_MAX}, snapshot).has_error());
  CHECK(read_body(folder.path(), {"missing", 0}, snapshot).has_error());
  storage::Snapshot huge = snapshot;
  huge.body_bytes = UINT64_MAX;
  CHECK(read_body(folder.path(), *first, huge).has_error());
  storage::Snapshot longer = snapshot;
  longer.body_digest = storage::content_digest("something else");
  CHECK(read_body(folder.path(), *first, longer).has_error());

  std::filesystem::create_directory(folder / "sub");
  std::filesystem::rename(folder / first->file, folder / "sub" / first->file);
  for (const std::string& name :
       {"sub/" + first->file, "../" + folder.path().filename().string() + "/sub/" + first->file, std::string(),
        std::string("."), std::string("sub"), std::string(300, 'a')}) {
    CAPTURE(name);
    CHECK(read_body(folder.path(), {name, first->offset}, snapshot).has_error());
  }
}

TEST_CASE("a truncated body file loses only the bodies after the cut") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder.path(), "run", clock);
  const BodyLocation first = writer.write(snapshot_with(long_body), long_body).value();
  const BodyLocation second = writer.write(snapshot_with(long_body + "2"), long_body + "2").value();
  writer.sync();
  std::filesystem::resize_file(folder / second.file, second.offset + 20);
  CHECK(read_body(folder.path(), first, snapshot_with(long_body)).value() == long_body);
  CHECK(read_body(folder.path(), second, snapshot_with(long_body + "2")).has_error());
}

TEST_CASE("a worker with an unwritable folder sends bodies to the broker") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder / "missing", "run", clock);
  CHECK_FALSE(writer.write(snapshot_with(long_body), long_body));
  std::filesystem::create_directory(folder / "missing");
  CHECK(writer.write(snapshot_with(long_body), long_body));
}

TEST_CASE("a full disk keeps the body file valid and sends bodies to the broker") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder.path(), "run", clock);
  const BodyLocation first = writer.write(snapshot_with(long_body), long_body).value();
  std::string noise;  // that gzip cannot make small
  std::minstd_rand random(1);
  for (int i = 0; i < 100'000; ++i) noise.push_back(static_cast<char>(random() >> 8U));
  {
    const FileSizeLimit full(50'000);
    CHECK_FALSE(writer.write(snapshot_with(noise), noise));
  }
  std::ifstream in(folder / first.file, std::ios::binary);
  storage::WarcReader reader(in);
  int records = 0;
  while (reader.next()) ++records;
  CHECK(records == 2);
  CHECK(reader.problems().empty());
  const BodyLocation next = writer.write(snapshot_with(noise), noise).value();
  CHECK(next.file != first.file);
  CHECK(read_body(folder.path(), next, snapshot_with(noise)).value() == noise);
}
