// Bodies that a worker leaves in files for its run.
#include "crawler/broker/body_files.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "storage/link_id.h"
#include "storage/warc/warc_reader.h"
#include "tests/support/small_files.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace linkherd::tests;

namespace {

storage::Snapshot look_with(const std::string& body) {
  storage::Snapshot look;
  look.status = 200;
  look.final_url = "https://a.example/page?q=1#part";
  look.headers = {{"content-type", "text/html"}, {"content-encoding", "gzip"}, {"content-length", "7"}};
  look.body_digest = storage::content_digest(body);
  look.body_bytes = body.size();
  return look;
}

const std::string long_body =
    std::string(20'000, 'x') + std::string("\0\r\n\r\nWARC/1.1\r\n", 15) + std::string(300, 'y');

}  // namespace

TEST_CASE("bodies come back from the files of several workers") {
  const TempDir folder;
  const Clock clock;
  BodyWriter one(folder.path(), "run", clock);
  BodyWriter other(folder.path(), "run", clock);
  std::vector<std::pair<BodyPlace, std::string>> written;
  for (int i = 0; i < 20; ++i) {
    const std::string body = long_body + std::to_string(i);
    const std::optional<BodyPlace> place = (i % 2 == 0 ? one : other).write(look_with(body), body);
    REQUIRE(place);
    written.emplace_back(*place, body);
  }
  one.sync();
  other.sync();
  CHECK(written[0].first.file != written[1].first.file);
  CHECK(written[0].first.file == written[2].first.file);
  for (const auto& [place, body] : written) CHECK(read_body(folder.path(), place, look_with(body)).value() == body);
  const std::string headless = "without headers";
  storage::Snapshot look = look_with(headless);
  look.headers.clear();
  CHECK(read_body(folder.path(), one.write(look, headless).value(), look).value() == headless);
}

TEST_CASE("what is not the body of the page is refused") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder.path(), "run", clock);
  const std::optional<BodyPlace> first = writer.write(look_with(long_body), long_body);
  const std::optional<BodyPlace> second = writer.write(look_with("short"), "short");
  REQUIRE(first);
  REQUIRE(second);
  const storage::Snapshot look = look_with(long_body);
  CHECK(read_body(folder.path(), *first, look).value() == long_body);
  CHECK(read_body(folder.path(), *second, look).has_error());  // another page's
  CHECK(read_body(folder.path(), {first->file, 0}, look).has_error());
  CHECK(read_body(folder.path(), {first->file, first->offset + 1}, look).has_error());
  CHECK(read_body(folder.path(), {first->file, UINT64_MAX}, look).has_error());
  CHECK(read_body(folder.path(), {"missing", 0}, look).has_error());
  storage::Snapshot huge = look;
  huge.body_bytes = UINT64_MAX;
  CHECK(read_body(folder.path(), *first, huge).has_error());
  storage::Snapshot longer = look;
  longer.body_digest = storage::content_digest("something else");
  CHECK(read_body(folder.path(), *first, longer).has_error());

  std::filesystem::create_directory(folder / "sub");
  std::filesystem::rename(folder / first->file, folder / "sub" / first->file);
  for (const std::string& name :
       {"sub/" + first->file, "../" + folder.path().filename().string() + "/sub/" + first->file, std::string(),
        std::string("."), std::string("sub"), std::string(300, 'a')}) {
    CAPTURE(name);
    CHECK(read_body(folder.path(), {name, first->offset}, look).has_error());
  }
}

TEST_CASE("a file that is cut short loses only what is behind the cut") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder.path(), "run", clock);
  const BodyPlace first = writer.write(look_with(long_body), long_body).value();
  const BodyPlace second = writer.write(look_with(long_body + "2"), long_body + "2").value();
  writer.sync();
  std::filesystem::resize_file(folder / second.file, second.offset + 20);
  CHECK(read_body(folder.path(), first, look_with(long_body)).value() == long_body);
  CHECK(read_body(folder.path(), second, look_with(long_body + "2")).has_error());
}

TEST_CASE("a folder that cannot be written to leaves the bodies to the broker") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder / "missing", "run", clock);
  CHECK_FALSE(writer.write(look_with(long_body), long_body));
  std::filesystem::create_directory(folder / "missing");
  CHECK(writer.write(look_with(long_body), long_body));
}

TEST_CASE("a full disk leaves the file whole, and the bodies to the broker") {
  const TempDir folder;
  const Clock clock;
  BodyWriter writer(folder.path(), "run", clock);
  const BodyPlace first = writer.write(look_with(long_body), long_body).value();
  std::string noise;  // that gzip cannot make small
  std::minstd_rand random(1);
  for (int i = 0; i < 100'000; ++i) noise.push_back(static_cast<char>(random() >> 8U));
  {
    const SmallFiles full(50'000);
    CHECK_FALSE(writer.write(look_with(noise), noise));
  }
  std::ifstream in(folder / first.file, std::ios::binary);
  storage::WarcReader reader(in);
  int records = 0;
  while (reader.next()) ++records;
  CHECK(records == 2);
  CHECK(reader.problems().empty());
  const BodyPlace next = writer.write(look_with(noise), noise).value();
  CHECK(next.file != first.file);
  CHECK(read_body(folder.path(), next, look_with(noise)).value() == noise);
}
