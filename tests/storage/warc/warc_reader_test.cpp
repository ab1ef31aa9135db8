#include "storage/warc/warc_reader.h"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/support/gzip_compress.h"

namespace linkherd::storage {
namespace {

using tests::gzip_compress;

std::string warc_record(const std::string& uri, const std::string& block, const std::string& length = {}) {
  return fmt::format("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nContent-Length: {}\r\n\r\n{}\r\n\r\n",
                     uri, length.empty() ? std::to_string(block.size()) : length, block);
}

struct Read {
  std::vector<std::string> records;  // "URI block"
  std::vector<std::uint64_t> problems;
};

Read read_all(const std::string& file) {
  std::istringstream in(file);
  WarcReader reader(in);
  Read read;
  while (const auto record = reader.next()) {
    std::string text = std::string(record->target_uri()) + " " + reader.read_block(SIZE_MAX);
    if (reader.finish_record()) read.records.push_back(text);
  }
  for (const WarcReader::Problem& problem : reader.problems()) read.problems.push_back(problem.offset);
  return read;
}

const std::string one = warc_record("http://a.cn/", "one");
const std::string two = warc_record("<http://b.cn/>", "two");
const std::string three = warc_record("http://c.cn/", "three");
const std::vector<std::string> all{"http://a.cn/ one", "http://b.cn/ two", "http://c.cn/ three"};
const std::vector<std::string> first_and_last{all[0], all[2]};

TEST_CASE("records are read from plain files and from gzip with one or many members") {
  CHECK(read_all(one + two + three).records == all);
  CHECK(read_all(gzip_compress(one) + gzip_compress(two) + gzip_compress(three)).records == all);
  CHECK(read_all(gzip_compress(one + two + three)).records == all);
  CHECK(read_all(gzip_compress(one + two) + gzip_compress(three) + std::string(512, '\0')).records == all);
  CHECK(read_all({}).records.empty());
}

TEST_CASE("a version line among fields begins another record") {
  const Read read = read_all("WARC/1.0\r\nWARC-Type: response\r\n" + one + "WARC/1.0\r\n" + two);
  CHECK(read.records == std::vector<std::string>{all[0], all[1]});
  CHECK(read.problems == std::vector<std::uint64_t>{0, 31 + one.size()});
}

TEST_CASE("plain records and gzip members may alternate in one file") {
  const std::string four = warc_record("http://d.cn/", std::string(200'000, 'd'));
  for (const std::string& file :
       {gzip_compress(one) + two + gzip_compress(three) + four, one + gzip_compress(two) + three + gzip_compress(four),
        gzip_compress(one + two) + three + four, one + two + gzip_compress(three) + gzip_compress(four)}) {
    const Read read = read_all(file);
    CHECK(read.problems.empty());
    REQUIRE(read.records.size() == 4);
    CHECK(std::vector(read.records.begin(), read.records.end() - 1) == all);
  }
  const Read damaged = read_all(gzip_compress(one) + "rubbish" + two + gzip_compress(three));
  CHECK(damaged.records == first_and_last);
  CHECK(damaged.problems == std::vector<std::uint64_t>{gzip_compress(one).size()});
}

TEST_CASE("a record is found again at its offset") {
  for (const std::string& file : {one + two + three, gzip_compress(one) + gzip_compress(two) + gzip_compress(three),
                                  gzip_compress(one + two + three)}) {
    std::istringstream in(file);
    WarcReader reader(in);
    std::vector<WarcRecord> records;
    while (const auto record = reader.next()) records.push_back(*record);
    REQUIRE(records.size() == 3);
    CHECK(reader.problems().empty());
    for (std::size_t i = 3; i-- > 0;) {
      std::istringstream again(file);
      WarcReader there(again, records[i].offset, records[i].skip);
      const auto record = there.next();
      REQUIRE(record);
      CHECK(record->fields == records[i].fields);
      CHECK(all[i].ends_with(" " + there.read_block(1000)));
    }
  }
}

TEST_CASE("dates are read in every precision") {
  const std::vector<std::pair<std::string, std::string>> dates{
      {"2024-02-03T04:05:06Z", "2024-02-03T04:05:06Z"},
      {"2024-02-03T04:05:06.123456789Z", "2024-02-03T04:05:06.123456Z"},
      {"2024-02-03T04:05Z", "2024-02-03T04:05:00Z"},
      {"2024-02-03T04:05:06", "2024-02-03T04:05:06Z"},
      {"2024-02-03", "2024-02-03T00:00:00Z"},
      {"2024-02", "2024-02-01T00:00:00Z"},
      {"2024", "2024-01-01T00:00:00Z"},
      {"20240203040506", "2024-02-03T04:05:06Z"}};
  WarcRecord record;
  for (const auto& [written, meant] : dates) {
    CAPTURE(written);
    record.fields = {{"warc-date", written}};
    REQUIRE(record.date());
    CHECK(format_timestamp(*record.date()) == meant);
  }
  for (const char* wrong : {"", "yesterday", "2024-13", "20240203", "99999999999999"}) {
    CAPTURE(wrong);
    record.fields = {{"warc-date", wrong}};
    CHECK_FALSE(record.date());
  }
}

TEST_CASE("a block is read in pieces and the rest is skipped") {
  const std::string long_block(300'000, 'x');
  for (const bool is_gzipped : {false, true}) {
    const std::string record = warc_record("http://a.cn/", long_block);
    std::istringstream in(is_gzipped ? gzip_compress(record) + gzip_compress(two) : record + two);
    WarcReader reader(in);
    REQUIRE(reader.next());
    CHECK(reader.read_block(10) == std::string(10, 'x'));
    CHECK(reader.read_block(100'000).size() == 100'000);
    const auto next = reader.next();
    REQUIRE(next);
    CHECK(next->target_uri() == "http://b.cn/");
    CHECK(reader.problems().empty());
  }
}

TEST_CASE("damage is noted with its offset and the rest is read") {
  const std::string wrong_lengths[] = {"1", "100", "99999999999999999", "-1", "x", ""};
  for (const std::string& length : wrong_lengths) {
    CAPTURE(length);
    const std::string bad = length.empty() ? "WARC/1.0\r\nWARC-Type: response\r\n\r\ntwo\r\n\r\n"
                                           : warc_record("http://b.cn/", "two", length);
    const Read plain = read_all(one + bad + three);
    CHECK(plain.records == first_and_last);
    CHECK(plain.problems == std::vector<std::uint64_t>{one.size()});
    const Read zipped = read_all(gzip_compress(one) + gzip_compress(bad) + gzip_compress(three));
    CHECK(zipped.records == first_and_last);
    CHECK(zipped.problems == std::vector<std::uint64_t>{gzip_compress(one).size()});
  }
}

TEST_CASE("a gzip member that is broken or cut or followed by garbage hides no later member") {
  const std::string a = gzip_compress(one);
  const std::string c = gzip_compress(three);
  std::string flipped = gzip_compress(warc_record("http://b.cn/", std::string(1000, 'x') + "two"));
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  std::string wrong_checksum = gzip_compress(two);
  wrong_checksum[wrong_checksum.size() - 6] = static_cast<char>(wrong_checksum[wrong_checksum.size() - 6] ^ 1);
  for (const std::string& bad :
       {flipped, wrong_checksum, gzip_compress(two).substr(0, 40), std::string("no gzip at all"),
        std::string("\x1f\x8b\x08 but no gzip"), gzip_compress("no record")}) {
    const Read read = read_all(a + bad + c);
    CHECK(read.records == first_and_last);
    CHECK(read.problems == std::vector<std::uint64_t>{a.size()});
  }
  const Read cut = read_all(a + c.substr(0, c.size() - 9));
  CHECK(cut.records == std::vector{all[0]});
  CHECK(cut.problems == std::vector<std::uint64_t>{a.size()});
  const Read plain_cut = read_all(one + three.substr(0, three.size() - 6));
  CHECK(plain_cut.records == std::vector{all[0]});
  CHECK(plain_cut.problems == std::vector<std::uint64_t>{one.size()});
}

TEST_CASE("endless headers and bombs and damaged files take bounded memory and time") {
  const std::string long_line =
      "WARC/1.0\r\nX: " + std::string(1'000'000, 'x') + "\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
  CHECK(read_all(one + long_line + three).records == first_and_last);
  CHECK(read_all(gzip_compress(one) + gzip_compress(long_line) + gzip_compress(three)).records == first_and_last);

  const std::string bomb = gzip_compress(warc_record("http://b.cn/", std::string(std::size_t{100} << 20, 'x')));
  std::istringstream in(gzip_compress(one) + bomb + gzip_compress(three));
  WarcReader reader(in);
  REQUIRE(reader.next());
  REQUIRE(reader.next());
  CHECK(reader.read_block(10).size() == 10);
  CHECK_FALSE(reader.finish_record());
  const auto last = reader.next();
  REQUIRE(last);
  CHECK(last->target_uri() == "http://c.cn/");
  CHECK(reader.problems().size() == 1);

  std::string nothing;
  for (int i = 0; i < 5000; ++i) nothing += "WARC/1.0\r\nContent-Length: 5\r\n\r\n";
  CHECK(read_all(nothing).records.empty());
  nothing.clear();
  for (int i = 0; i < 2000; ++i) nothing += "WARC/1.0\r\nContent-Length: 5\r\n\r\n" + one;
  const Read given_up = read_all(nothing + three);
  CHECK(given_up.problems.size() == WarcReader::max_problems + 1);
  CHECK(given_up.records.size() <= WarcReader::max_problems);
  nothing.clear();
  for (int i = 0; i < 12'000; ++i) nothing += warc_record("x:", "") + gzip_compress(warc_record("x:", ""));
  CHECK(read_all(nothing).problems.size() == 1);
  nothing.clear();
  for (int i = 0; i < 50'000; ++i) nothing += "\x1f\x8b\x08\x04";
  const Read attempted = read_all(nothing);
  CHECK(attempted.records.empty());
  CHECK(attempted.problems.size() == 2);
}

}  // namespace
}  // namespace linkherd::storage
