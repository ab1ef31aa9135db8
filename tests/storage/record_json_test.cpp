#include "storage/record_json.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "parser/utf8.h"
#include "tests/storage/samples.h"

namespace linkherd::storage {
namespace {

namespace json = boost::json;

template <class T>
std::string text_of(const T& noun) {
  std::string text;
  JsonWriter writer(text);
  write_json(writer, noun);
  return text;
}

// Converts a value to text and back.
template <class T>
T round_trip(const T& noun, Result<T> (*read)(const json::value&)) {
  const std::string text = text_of(noun);
  REQUIRE(is_valid_utf8(text));
  const Result<T> back = read(json::parse(text));
  REQUIRE_MESSAGE(back.has_value(), back.error().message);
  return *back;
}

TEST_CASE("metadata and runs survive JSON") {
  RandomSamples random(20260301);
  for (int i = 0; i < 300; ++i) {
    const parser::Metadata metadata = random.metadata();
    CHECK(round_trip(metadata, metadata_from_json) == metadata);
    const Run run = random.run();
    CHECK(round_trip(run, run_from_json) == run);
  }
}

TEST_CASE("empty metadata and an empty run survive JSON") {
  CHECK(round_trip(parser::Metadata{}, metadata_from_json) == parser::Metadata{});
  CHECK(round_trip(Run{}, run_from_json) == Run{});
}

TEST_CASE("JSON text equals that of Boost.JSON except for decimals without exponent") {
  std::string every_byte;
  for (int c = 0; c < 0x80; ++c) every_byte += static_cast<char>(c);
  every_byte += "é李\xF0\x9F\x98\x80";
  CHECK(text_of(every_byte) == json::serialize(json::value(every_byte)));
  CHECK(text_of(std::string()) == R"("")");
  for (const std::string_view number : {"0", "1", "0.5", "0.95", "0.333333", "12345.678", "-2.5", "100"}) {
    CHECK(text_of(std::stod(std::string(number))) == number);
  }
  for (const double number : {1e-6, 1e22, 0.1 + 0.2}) {
    CHECK(json::parse(text_of(number)).to_number<double>() == number);
  }
  CHECK(text_of(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(text_of(-7) == "-7");
  RandomSamples random(20260302);
  for (int i = 0; i < 100; ++i) {
    boost::system::error_code problem;
    json::parse(text_of(random.snapshot()), problem);
    CHECK_FALSE(problem);
  }
}

TEST_CASE("metadata has the flat JSON form of the contract") {
  parser::Metadata metadata;
  metadata.title = {"On links", "meta:og:title", 0.5};
  metadata.authors = {{"Ada", "李四"}, "json_ld", 0.25};
  CHECK(json::parse(text_of(metadata)) ==
        json::parse(R"({"title":"On links","authors":["Ada","李四"],"published":null,"modified":null,
      "language":null,"site_name":null,"description":null,"canonical":null,"doi":null,"arxiv":null,"isbn":null,
      "sources":{"title":"meta:og:title","authors":"json_ld"},"confidence":{"title":0.5,"authors":0.25}})"));
  CHECK(json::parse(text_of(parser::Metadata{})).at("authors") == json::array());
}

TEST_CASE("an occurrence has the JSON form of the contract") {
  parser::LinkOccurrence occurrence;
  occurrence.file = "list.md";
  occurrence.line = 3;
  occurrence.column = 7;
  occurrence.offset = 40;
  occurrence.length = 11;
  occurrence.url = "../up.md";
  occurrence.element = parser::LinkElement::image;
  occurrence.headings = {"Title", "Part"};
  occurrence.entry = 7;
  occurrence.role = parser::LinkRole::secondary;
  occurrence.notes = {parser::LinkNote::relative};
  CHECK(json::parse(text_of(occurrence)) ==
        json::parse(R"({"file":"list.md","line":3,"column":7,"offset":40,"length":11,"url":"../up.md",
      "href":null,"text":"","element":"image","entry":7,"role":"secondary",
      "heading":"Part","headings":["Title","Part"],"rel":"","ignored_by":null,"notes":["relative"]})"));
  occurrence.tags = {"fish"};
  occurrence.added = Timestamp(std::chrono::seconds(1'600'000'000));
  const json::value bookmark = json::parse(text_of(occurrence));
  CHECK(bookmark.at("tags") == json::parse(R"(["fish"])"));
  CHECK(bookmark.at("added") == "2020-09-13T12:26:40Z");
}

TEST_CASE("a verdict is written with names") {
  const Verdict verdict{Health::dead, "http_404", "status", "HTTP 404", 1.0};
  CHECK(json::parse(text_of(verdict)) ==
        json::parse(R"({"health":"dead","reason":"http_404","rule":"status","evidence":"HTTP 404","confidence":1})"));
}

TEST_CASE("Non-UTF-8 bytes never reach the JSON text") {
  Snapshot snapshot;
  snapshot.content_type = "text/html; charset=\xC4\xE3";
  snapshot.remote_address = std::string("\x80\0\xFF", 3);
  snapshot.redirects.push_back({"https://a.example/\xFF", 301, "/\xC4\xE3"});
  snapshot.etag = "\"\xFF\"";
  snapshot.last_modified = "Tue, 03 M\xE4rz 2026";
  snapshot.certificate = Certificate{"CN=\xFC", "O=\xED\xA0\x80", std::nullopt};
  const std::string text = text_of(snapshot);
  REQUIRE(is_valid_utf8(text));
  const json::value back = json::parse(text);
  CHECK(back.at("content_type") == json::value(to_valid_utf8(snapshot.content_type)));
  CHECK(back.at("remote_address") == json::value(to_valid_utf8(snapshot.remote_address)));
  CHECK(back.at_pointer("/redirects/0/to") == json::value(to_valid_utf8(snapshot.redirects.at(0).to)));
  CHECK(back.at_pointer("/certificate/subject") == json::value(to_valid_utf8(snapshot.certificate->subject)));
  // A validator that was altered would validate nothing.
  CHECK(back.at("etag").is_null());
  CHECK(back.at("last_modified").is_null());
}

TEST_CASE("times and numbers beyond JSON stay readable") {
  Snapshot snapshot;
  snapshot.certificate = Certificate{"s", "i", Timestamp::max()};
  const auto expires = [&snapshot] { return json::parse(text_of(snapshot)).at_pointer("/certificate/expires"); };
  CHECK(expires() == "9999-12-31T23:59:59.999999Z");
  snapshot.certificate->expires = Timestamp::min();
  CHECK(expires() == "1970-01-01T00:00:00Z");
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    CHECK(json::parse(text_of(Verdict{Health::alive, "ok", "", "", odd})).at("confidence") == 0);
  }
}

TEST_CASE("unknown fields are ignored and missing ones have defaults") {
  const Result<Run> run = run_from_json(
      json::parse(R"({"started_at":"2026-03-05T10:20:00Z","state":"open","strikes":null,"deep":[{"x":[]}]})"));
  REQUIRE(run.has_value());
  CHECK(run->strikes == 0);
  CHECK_FALSE(run->is_partial);
}

template <class T>
void check_refused(Result<T> (*read)(const json::value&), std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    CAPTURE(text);
    const Result<T> noun = read(json::parse(text));
    REQUIRE(noun.has_error());
    CHECK_FALSE(noun.error().message.empty());
  }
}

TEST_CASE("malformed JSON is an error") {
  check_refused(metadata_from_json, {"[]", "null", "1", R"({"title":1})", R"({"authors":"Ada"})", R"({"authors":[1]})",
                                     R"({"title":"t","sources":[]})", R"({"title":"t","sources":{"title":1}})",
                                     R"({"title":"t","confidence":{"title":"high"}})"});
  check_refused(run_from_json, {"{}", R"({"started_at":"yesterday","state":"open"})", R"({"started_at":"2026-03-05"})",
                                R"({"started_at":"2026-03-05","state":"done"})",
                                R"({"started_at":"2026-03-05","state":"open","inputs":[null]})",
                                R"({"started_at":"2026-03-05","state":"open","inputs":"list.md"})",
                                R"({"started_at":"2026-03-05","state":"open","partial":0})",
                                R"({"started_at":"2026-03-05","state":"open","number":-1})",
                                R"({"started_at":"2026-03-05","state":"open","number":1.5})",
                                R"({"started_at":"2026-03-05","state":"open","strikes":4294967296})"});
  const Result<Run> run = run_from_json(json::parse(R"({"started_at":"2026-03-05","state":"done"})"));
  REQUIRE(run.has_error());
  CHECK(run.error().message == "run: 'state' is not a value that this version supports");
}

}  // namespace
}  // namespace linkherd::storage
