#include "parser/timestamp.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

using namespace std::literals;
using namespace linkherd;
using namespace std::chrono;

TEST_CASE("timestamps are read and written in UTC") {
  struct Row {
    std::string_view text;
    std::string_view formatted;
  };
  const Row rows[] = {
      {"2026-03-05T10:20:00Z", "2026-03-05T10:20:00Z"},
      {"2026-03-05", "2026-03-05T00:00:00Z"},
      {"2026-03-05t10:20:00z", "2026-03-05T10:20:00Z"},
      {"2026-03-05 10:20:00Z", "2026-03-05T10:20:00Z"},
      {"2026-03-05T10:20:00+08:00", "2026-03-05T02:20:00Z"},
      {"2026-03-05T10:20:00-00:30", "2026-03-05T10:50:00Z"},
      {"2026-01-01T00:00:00+00:01", "2025-12-31T23:59:00Z"},
      {"2026-03-05T10:20:00.25Z", "2026-03-05T10:20:00.25Z"},
      {"2026-03-05T10:20:09.000001Z", "2026-03-05T10:20:09.000001Z"},
      {"2026-03-05T10:20:00.1234567Z", "2026-03-05T10:20:00.123456Z"},
      {"2026-03-05T10:20:00.000Z", "2026-03-05T10:20:00Z"},
      {"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"},
      {"2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"},
      {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Result<Timestamp> time = parse_timestamp(row.text);
    REQUIRE(time.has_value());
    CHECK(format_timestamp(*time) == row.formatted);
    CHECK(parse_timestamp(row.formatted).value() == *time);
  }
}

TEST_CASE("an invalid timestamp is an error that quotes the text") {
  const std::string_view rows[] = {
      "",
      "yesterday",
      "2026",
      "2026-03",
      "2026-3-5",
      "2026-02-30",
      "2025-02-29",
      "2026-13-01",
      "2026-00-01",
      "2026-03-05T",
      "2026-03-05T10:20Z",
      "2026-03-05T10:20:00",
      "2026-03-05T24:00:00Z",
      "2026-03-05T10:60:00Z",
      "2026-03-05T10:20:61Z",
      "2026-03-05T10:20:00.Z",
      "2026-03-05T10:20:00+8:00",
      "2026-03-05T10:20:00+0800",
      "2026-03-05T10:20:00+24:00",
      "2026-03-05T10:20:00Zz",
      " 2026-03-05",
      "2026-03-05 ",
      "2026-03-05\0"sv,
      "02026-03-05",
      "-026-03-05",
      "1969-12-31T23:59:59Z",
      "1970-01-01T00:00:00+08:00",
      "9999-12-31T23:59:59-01:00",
  };
  for (const std::string_view text : rows) {
    CAPTURE(text);
    const Result<Timestamp> time = parse_timestamp(text);
    REQUIRE(time.has_error());
    CHECK(time.error().message.find('"' + std::string(text) + '"') != std::string::npos);
  }
}

TEST_CASE("a huge invalid timestamp is not quoted whole") {
  const std::string digits(1 << 20, '9');
  REQUIRE(parse_timestamp(digits).has_error());
  CHECK(parse_timestamp(digits).error().message.size() < 200);
  REQUIRE(parse_duration(digits).has_error());
  CHECK(parse_duration(digits).error().message.size() < 200);
  REQUIRE(parse_duration("\xFF\xFE").has_error());
  CHECK(parse_duration("\xFF\xFE").error().message.starts_with("\"\uFFFD\uFFFD\""));
}

TEST_CASE("durations are parsed exactly and written in their shortest form") {
  struct Row {
    std::string_view text;
    Duration duration;
    std::string_view formatted;
  };
  const Row rows[] = {
      {"50ms", 50ms, "50ms"},
      {"5s", 5s, "5s"},
      {"1m30s", 90s, "1m30s"},
      {"90s", 90s, "1m30s"},
      {"20h", 20h, "20h"},
      {"1d", 24h, "1d"},
      {"36h", 36h, "1d12h"},
      {"90m", 90min, "1h30m"},
      {"1d2h3m4s5ms6us", 24h + 2h + 3min + 4s + 5ms + 6us, "1d2h3m4.005006s"},
      {"20", 20s, "20s"},
      {"0.25", 250ms, "250ms"},
      {"1.5", 1500ms, "1.5s"},
      {"1.5h", 90min, "1h30m"},
      {"0.5d", 12h, "12h"},
      {"0.00000000625d", 540us, "540us"},
      {"1.500000000000000000s", 1500ms, "1.5s"},
      {"1500us", 1500us, "1.5ms"},
      {"1m250ms", 1min + 250ms, "1m250ms"},
      {"0", 0s, "0s"},
      {"0s", 0s, "0s"},
      {"007s", 7s, "7s"},
      {"10000d", days(10'000), "10000d"},
      {"864000000", days(10'000), "10000d"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Result<Duration> duration = parse_duration(row.text);
    REQUIRE(duration.has_value());
    CHECK(*duration == row.duration);
    CHECK(format_duration(row.duration) == row.formatted);
    CHECK(parse_duration(row.formatted).value() == *duration);
  }
}

TEST_CASE("an invalid duration is an error") {
  const std::string_view rows[] = {
      "",          "s",         "-5s",
      "+5s",       "5 s",       " 5s",
      "5s ",       "5S",        "5sec",
      "5w",        "1m30",      "30s1m",
      "5s5s",      "1.s",       ".5s",
      "1..5s",     "1e3",       "0x10",
      "five",      "5s\0"sv,    "10001d",
      "10000d1us", "864000001", "99999999999999999999",
      "0.0000001", "0.5us",     "0.333333333333333h",
  };
  for (const std::string_view text : rows) {
    CAPTURE(text);
    CHECK(parse_duration(text).has_error());
  }
}
