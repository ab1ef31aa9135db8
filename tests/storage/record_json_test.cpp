#include "storage/record_json.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "parser/utf8.h"
#include "storage/value_format.h"
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

TEST_CASE("every type survives JSON") {
  RandomSamples random(20260301);
  for (int i = 0; i < 300; ++i) {
    const parser::LinkOccurrence occurrence = random.occurrence();
    CHECK(round_trip(occurrence, link_occurrence_from_json) == occurrence);
    const parser::Metadata metadata = random.metadata();
    CHECK(round_trip(metadata, metadata_from_json) == metadata);
    const Verdict verdict = random.verdict();
    CHECK(round_trip(verdict, verdict_from_json) == verdict);
    const Snapshot snapshot = random.snapshot();
    CHECK(round_trip(snapshot, snapshot_from_json) == snapshot);
    const LinkRecord record = random.record();
    CHECK(round_trip(record, link_record_from_json) == record);
    const Run run = random.run();
    CHECK(round_trip(run, run_from_json) == run);
  }
}

TEST_CASE("empty values of every type survive JSON") {
  CHECK(round_trip(parser::LinkOccurrence{}, link_occurrence_from_json) == parser::LinkOccurrence{});
  CHECK(round_trip(parser::Metadata{}, metadata_from_json) == parser::Metadata{});
  CHECK(round_trip(Verdict{}, verdict_from_json) == Verdict{});
  CHECK(round_trip(Snapshot{}, snapshot_from_json) == Snapshot{});
  CHECK(round_trip(LinkRecord{}, link_record_from_json) == LinkRecord{});
  CHECK(round_trip(Run{}, run_from_json) == Run{});
}

// Returns the form of version 1.
json::object version_1_of(const RunEntry& entry) {
  json::array occurrences;
  for (const parser::LinkOccurrence& occurrence : entry.occurrences)
    occurrences.push_back(json::parse(text_of(occurrence)));
  return {{"id", entry.id.to_hex()},
          {"occurrences", std::move(occurrences)},
          {"finished", entry.finished},
          {"from_store", entry.is_from_store},
          {"verdict", json::parse(text_of(entry.verdict))}};
}

TEST_CASE("entries and hosts of version 1 are read") {
  RunEntry entry = sample_link(1).entry;
  for (const bool flag : {true, false}) {
    entry.finished = flag;
    entry.is_from_store = !flag;
    const auto read = run_entry_from_json(version_1_of(entry));
    REQUIRE(read.has_value());
    CHECK(*read == entry);
  }

  const auto host = host_state_from_json(json::parse(
      R"({"origin":"https://a.example","not_before":"2026-03-05T10:00:00Z","concurrency":2.5,"robots":"User-agent: *",
          "robots_at":"2026-03-04T10:00:00Z","silence":{"since":"2026-03-01T10:00:00Z","last":"2026-03-02T10:00:00Z",
          "strikes":2,"last_strike":"2026-03-02T11:00:00Z"}})"));
  REQUIRE(host.has_value());
  const UnresponsivePeriod unresponsive{*parse_timestamp("2026-03-01T10:00:00Z"),
                                        *parse_timestamp("2026-03-02T10:00:00Z"), 2,
                                        *parse_timestamp("2026-03-02T11:00:00Z")};
  CHECK(*host == HostState{"https://a.example", *parse_timestamp("2026-03-05T10:00:00Z"), 2.5, "User-agent: *",
                           *parse_timestamp("2026-03-04T10:00:00Z"), unresponsive});
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
    json::parse(text_of(random.record()), problem);
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

TEST_CASE("a doubtful dead verdict of an older version is read as suspect") {
  const auto read = [](std::string_view reason, double confidence) {
    return round_trip(Verdict{Health::dead, std::string(reason), "", "", confidence}, verdict_from_json).health;
  };
  CHECK(read("soft_404", 0.85) == Health::suspect);
  CHECK(read("parked", 0.89) == Health::suspect);
  CHECK(read("soft_404", 0.9) == Health::dead);
  CHECK(read("http_404", 0.5) == Health::dead);
  CHECK(round_trip(Verdict{Health::suspect, "parked", "", "", 0.8}, verdict_from_json).health == Health::suspect);
}

TEST_CASE("Non-UTF-8 bytes never reach the JSON text") {
  Snapshot snapshot;
  snapshot.content_type = "text/html; charset=\xC4\xE3";
  snapshot.remote_address = std::string("\x80\0\xFF", 3);
  snapshot.redirects.push_back({"https://a.example/\xFF", 301, "/\xC4\xE3"});
  snapshot.etag = "\"\xFF\"";
  snapshot.last_modified = "Tue, 03 M\xE4rz 2026";
  snapshot.certificate = Certificate{"CN=\xFC", "O=\xED\xA0\x80", std::nullopt};
  const Snapshot back = round_trip(snapshot, snapshot_from_json);
  CHECK(back.content_type == to_valid_utf8(snapshot.content_type));
  CHECK(back.remote_address == to_valid_utf8(snapshot.remote_address));
  CHECK(back.redirects.at(0).to == to_valid_utf8(snapshot.redirects.at(0).to));
  REQUIRE(back.certificate.has_value());
  CHECK(back.certificate->subject == to_valid_utf8(snapshot.certificate->subject));
  // A modified validator would never match.
  CHECK(back.etag.empty());
  CHECK(back.last_modified.empty());
}

TEST_CASE("times and numbers beyond JSON stay readable") {
  Snapshot snapshot;
  snapshot.certificate = Certificate{"s", "i", Timestamp::max()};
  Snapshot back = round_trip(snapshot, snapshot_from_json);
  CHECK(format_timestamp(*back.certificate->expires) == "9999-12-31T23:59:59.999999Z");
  snapshot.certificate->expires = Timestamp::min();
  back = round_trip(snapshot, snapshot_from_json);
  CHECK(*back.certificate->expires == Timestamp{});
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    CHECK(round_trip(Verdict{Health::alive, "ok", "", "", odd}, verdict_from_json).confidence == 0.0);
  }
}

TEST_CASE("unknown fields of a later version are ignored and missing ones have defaults") {
  const Result<Verdict> verdict =
      verdict_from_json(json::parse(R"({"health":"alive","colour":"green","deep":[{"x":[]}]})"));
  REQUIRE(verdict.has_value());
  CHECK(*verdict == Verdict{Health::alive, "", "", "", 1.0});
  const Result<Snapshot> snapshot =
      snapshot_from_json(json::parse(R"({"fetched_at":"2026-03-05T10:20:00Z","status":null})"));
  REQUIRE(snapshot.has_value());
  CHECK(snapshot->status == 0);
  CHECK(snapshot->is_body_complete);
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
  check_refused(verdict_from_json, {"null", "[]", "1", R"("alive")", "{}", R"({"health":"fine"})", R"({"health":1})",
                                    R"({"health":"alive","reason":1})", R"({"health":"alive","confidence":"high"})"});
  check_refused(link_occurrence_from_json,
                {"{}", R"({"element":"paragraph"})", R"({"element":"link","line":-1})",
                 R"({"element":"link","line":4294967296})", R"({"element":"link","line":1.5})",
                 R"({"element":"link","notes":"relative"})", R"({"element":"link","notes":["strange"]})",
                 R"({"element":"link","notes":[1]})", R"({"element":"link","offset":1e30})"});
  check_refused(metadata_from_json,
                {"[]", R"({"title":1})", R"({"authors":"Ada"})", R"({"authors":[1]})", R"({"title":"t","sources":[]})",
                 R"({"title":"t","sources":{"title":1}})", R"({"title":"t","confidence":{"title":"high"}})"});
  check_refused(
      snapshot_from_json,
      {"{}", R"({"fetched_at":"yesterday"})", R"({"fetched_at":1})", R"({"fetched_at":"2026-03-05","verdict":[]})",
       R"({"fetched_at":"2026-03-05","verdict":{"health":"x"}})", R"({"fetched_at":"2026-03-05","status":-1})",
       R"({"fetched_at":"2026-03-05","status":99999999999})", R"({"fetched_at":"2026-03-05","redirects":{}})",
       R"({"fetched_at":"2026-03-05","redirects":[1]})", R"({"fetched_at":"2026-03-05","attempts":[{}]})",
       R"({"fetched_at":"2026-03-05","certificate":true})", R"({"fetched_at":"2026-03-05","body_complete":0})",
       R"({"fetched_at":"2026-03-05","metadata":[]})"});
  check_refused(link_record_from_json,
                {"{}", R"({"id":"00","first_seen":"2026-03-05"})", R"({"id":"0f115db062b7c0dd030b16878c99dea5"})",
                 R"({"id":"0f115db062b7c0dd030b16878c99dea5","first_seen":"2026-03-05","strikes":"3"})",
                 R"({"id":"0f115db062b7c0dd030b16878c99dea5","first_seen":"2026-03-05","snapshot":{}})"});
  check_refused(host_state_from_json, {"{}", R"({"origin":""})", R"({"origin":"https://a.example","not_before":"x"})",
                                       R"({"origin":"https://a.example","concurrency":[]})"});
  check_refused(run_from_json, {"{}", R"({"started_at":"2026-03-05"})", R"({"started_at":"2026-03-05","state":"done"})",
                                R"({"started_at":"2026-03-05","state":"open","inputs":[null]})",
                                R"({"started_at":"2026-03-05","state":"open","number":-1})"});
  check_refused(run_entry_from_json, {"{}", R"({"id":"0f115db062b7c0dd030b16878c99dea5","occurrences":[{}]})",
                                      R"({"id":"0f115db062b7c0dd030b16878c99dea5","finished":"yes"})",
                                      R"({"id":"0f115db062b7c0dd030b16878c99dea5","verdict":{"health":null}})"});
}

TEST_CASE("passwords from an older store are masked when read") {
  CheckedLink link = sample_link(1);
  const std::string url = "https://me:s3cret@a.test/";
  link.record.url = link.record.snapshot.final_url = url;
  link.record.snapshot.redirects = {{url, 301, url}};
  link.record.snapshot.attempts = {{sample_time(1), url, 301, "", 5}};
  link.record.snapshot.verdict.evidence = "HTTP 404 at " + url + " after 1 redirect.";
  link.entry.verdict = link.record.snapshot.verdict;
  REQUIRE_FALSE(link.entry.occurrences.empty());
  for (parser::LinkOccurrence& occurrence : link.entry.occurrences) {
    occurrence.url = occurrence.href = url;
    occurrence.text = "see " + url;
    occurrence.headings = {"see " + url};
  }
  Run run;
  run.inputs = {url};
  const auto entry = run_entry_from_json(version_1_of(link.entry));
  REQUIRE(entry.has_value());
  const std::string text = text_of(round_trip(link.record, link_record_from_json)) +
                           json::serialize(version_1_of(*entry)) + text_of(round_trip(run, run_from_json));
  CHECK(text.find("s3cret") == std::string::npos);
  CHECK(text.find("https://me:***@a.test/") != std::string::npos);
}

TEST_CASE("an error names the path of the field") {
  const auto error = link_record_from_json(json::parse(
      R"({"id":"0f115db062b7c0dd030b16878c99dea5","first_seen":"2026-03-05",
          "snapshot":{"fetched_at":"2026-03-05","verdict":{"health":"fine"}}})"));
  REQUIRE(error.has_error());
  CHECK(error.error().message == "link: snapshot: verdict: 'health' is not a value that this version supports");
}

TEST_CASE("a stored value with an invalid version or text is refused") {
  CHECK(decode_value(encode_value({{"a", 1}})).has_value());
  for (const std::string& bytes :
       {std::string(), std::string("{}"), std::string("\x02{}"), std::string("\x01"), std::string("\x01{"),
        std::string("\x01{} x"), std::string("\x01\"\xFF\""), std::string("\x01nul"),
        "\x01" + std::string(1'000'000, '['), std::string(100, '\0')}) {
    CHECK(decode_value(bytes).has_error());
  }
  CHECK(decode_value("\x09{}").error().message.find(
            "value version 9 is not supported: this linkherd supports version 2") == 0);
  CHECK(after_version(encode_value({})).has_value());
  CHECK(after_version("").has_error());
}

}  // namespace
}  // namespace linkherd::storage
