#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include "parser/utf8.h"
#include "report_fixture.h"
#include "reports/report_formats.h"

using namespace linkherd;
using namespace linkherd::reports;
using boost::json::value;
using storage::Health;

namespace {

using Keys = std::vector<std::string>;

Keys keys_of(const value& json) {
  Keys keys;
  for (const auto& pair : json.as_object()) keys.emplace_back(pair.key());
  return keys;
}

const Keys link_keys{"schema", "url",           "final_url",  "section",         "health",      "reason",
                     "rule",   "evidence",      "confidence", "previous_health", "change",      "accepted",
                     "status", "redirects",     "attempts",   "checked_at",      "vantage",     "via",
                     "plain",  "from_store",    "strikes",    "first_failed",    "occurrences", "metadata",
                     "facts",  "archived_copy", "relocated",  "duplicates"};

std::vector<value> parsed_lines(const ReportBuilder& report) {
  std::ostringstream out;
  write_jsonl(out, report.report());
  std::istringstream in(out.str());
  std::vector<value> lines;
  for (std::string line; std::getline(in, line);) {
    REQUIRE(is_valid_utf8(line));
    lines.push_back(boost::json::parse(line));
  }
  return lines;
}

value link_json(const ReportBuilder& report, std::size_t link) { return parsed_lines(report).at(link); }

value parsed_whole(const ReportBuilder& report) {
  std::ostringstream out;
  write_json(out, report.report());
  REQUIRE(is_valid_utf8(out.str()));
  return boost::json::parse(out.str());
}

ReportBuilder small_report() {
  ReportBuilder report;
  report.run.number = 7;
  report.run.state = storage::RunState::complete;
  report.run.started_at = at("2026-03-05T10:19:00Z");
  report.elapsed = std::chrono::milliseconds(1500);
  report.store = ".linkherd";
  report.links.push_back(redirected("a.md", 3, "http://a.example/x", "https://a.example/x"));
  report.links[0].result.occurrences.push_back(occurrence("b.md", 4, 2, "http://a.example/x"));
  report.links[0].state.snapshot.metadata.title = {"图解大模型", "json_ld", 0.9};
  report.links[0].state.snapshot.attempts.push_back({at("2026-03-05T10:20:00Z"), "http://a.example/x", 301, "", 12});
  report.links.push_back(alive("b.md", 9, "https://a.example/x"));
  report.links.push_back(link("c.md", 1, "https://b.example/", verdict(Health::deferred, "interrupted")));
  report.links[2].state.snapshot = {};
  report.duplicates = find_duplicates(report.links, DuplicateScope::across);
  return report;
}

}  // namespace

TEST_CASE("a link has exactly the keys of the contract in their order") {
  const ReportBuilder report = small_report();
  const std::vector<value> lines = parsed_lines(report);
  CHECK(lines.size() == report.links.size());
  for (const value& line : lines) CHECK(keys_of(line) == link_keys);
}

TEST_CASE("a JSON link has the facts of run and page") {
  const value json = link_json(small_report(), 0);
  CHECK(json.at("schema") == json_schema);
  CHECK(json.at("url") == "http://a.example/x");
  CHECK(json.at("final_url") == "https://a.example/x");
  CHECK(json.at("health") == "redirected");
  CHECK(json.at("reason") == "moved_permanently");
  CHECK(json.at("rule") == "test");
  CHECK(json.at("status") == 200);
  CHECK(json.at("checked_at") == "2026-03-05T10:20:00Z");
  CHECK(json.at("from_store") == false);
  CHECK(json.at("strikes") == 0);
  CHECK(json.at("first_failed").is_null());
  CHECK(json.at("redirects").at(0).at("status") == 301);
  CHECK(json.at("redirects").at(0).at("to") == "https://a.example/x");
  CHECK(json.at("attempts").at(0).at("milliseconds") == 12);
  CHECK(json.at("occurrences").as_array().size() == 2);
  CHECK(json.at("occurrences").at(1).at("file") == "b.md");
  CHECK(json.at("occurrences").at(1).at("column") == 2);
  CHECK(json.at("metadata").at("title") == "图解大模型");
  CHECK(json.at("metadata").at("sources").at("title") == "json_ld");
}

TEST_CASE("a dead link names its archived copy") {
  ReportBuilder report = small_report();
  report.links.push_back(link("d.md", 1, "https://gone.example/", verdict(Health::dead, "http_404")));
  report.links[3].state.archived_copy = {"https://archive.example/x", at("2019-03-06T07:15:00Z"), at("2026-03-05")};
  const value json = link_json(report, 3);
  CHECK(keys_of(json.at("archived_copy")) == Keys{"url", "date"});
  CHECK(json.at("archived_copy").at("url") == "https://archive.example/x");
  CHECK(json.at("archived_copy").at("date") == "2019-03-06T07:15:00Z");
  report.links[3].state.archived_copy->url.clear();
  CHECK(link_json(report, 3).at("archived_copy").is_null());
  report.links[1].state.archived_copy = {"https://archive.example/x", at("2019-03-06"), at("2026-03-05")};
  CHECK(link_json(report, 1).at("archived_copy").is_null());
}

TEST_CASE("a dead link names its new address") {
  ReportBuilder report = small_report();
  report.links.push_back(relocated("d.md", 1, "https://gone.example/", "https://new.example/x\x1b"));
  const value json = link_json(report, 3);
  CHECK(keys_of(json.at("relocated")) == Keys{"url", "level", "similarity", "source", "evidence"});
  CHECK(json.at("relocated").at("url") == "https://new.example/x\x1b");
  CHECK(json.at("relocated").at("level") == "sure");
  CHECK(json.at("relocated").at("similarity") == 0.97);
  CHECK(json.at("relocated").at("source") == "sitemap");
  CHECK(json.at("relocated").at("evidence") == "same title, about 97 % of the text");
  report.links[3].state.relocation->similarity.reset();
  CHECK(link_json(report, 3).at("relocated").at("similarity").is_null());
  report.links[3].state.relocation->url.clear();
  CHECK(link_json(report, 3).at("relocated").is_null());
  report.links[1].state.relocation = storage::Relocation{.url = "https://new.example/x"};
  CHECK(link_json(report, 1).at("relocated").is_null());
}

TEST_CASE("the JSON Schema names every level and source of a new address") {
  const value schema = boost::json::parse(json_schema_text(SchemaRoot::report));
  const value& properties = schema.at("$defs").at("relocation").at("properties");
  const auto is_in = [&properties](const char* key, std::string_view name) {
    const boost::json::array& names = properties.at(key).at("enum").as_array();
    return std::ranges::find(names, value(boost::json::string(name))) != names.end();
  };
  for (const auto& [level, name] : storage::relocation_level_names) CHECK(is_in("level", name));
  for (const auto& [source, name] : storage::relocation_source_names) CHECK(is_in("source", name));
}

TEST_CASE("an unfetched link has no page and no time") {
  const value json = link_json(small_report(), 2);
  CHECK(json.at("health") == "deferred");
  CHECK(json.at("reason") == "interrupted");
  CHECK(json.at("final_url").is_null());
  CHECK(json.at("status").is_null());
  CHECK(json.at("checked_at").is_null());
  CHECK(json.at("redirects").as_array().empty());
  CHECK(json.at("duplicates").as_array().empty());
}

TEST_CASE("the verdict of the run is reported even if the page is from an earlier run") {
  ReportBuilder report = small_report();
  report.links[1].result.verdict = verdict(Health::deferred, "rate_limited");
  const value json = link_json(report, 1);
  CHECK(json.at("health") == "deferred");
  CHECK(json.at("status") == 200);
  CHECK(json.at("checked_at") == "2026-03-05T10:20:00Z");
}

TEST_CASE("the duplicates of a link are the other entries of its groups") {
  const ReportBuilder report = small_report();
  REQUIRE(report.duplicates.size() == 1);
  const value first = link_json(report, 0).at("duplicates").at(0);
  CHECK(keys_of(first) == Keys{"layer", "certain", "what", "with"});
  CHECK(first.at("layer") == "equivalent");
  CHECK(first.at("certain") == true);
  CHECK(first.at("what") == "https://a.example/x");
  CHECK(first.at("with").as_array().size() == 2);  // the second occurrence of the link, and the other link
  CHECK(keys_of(first.at("with").at(0)) == Keys{"url", "file", "line", "column"});
  CHECK(first.at("with").at(0).at("file") == "b.md");
  CHECK(first.at("with").at(0).at("line") == 4);
  CHECK(first.at("with").at(1).at("url") == "https://a.example/x");
  const value second = link_json(report, 1).at("duplicates").at(0);
  CHECK(second.at("with").at(0).at("file") == "a.md");
  CHECK(second.at("with").at(1).at("file") == "b.md");
}

TEST_CASE("a very large group is not repeated in each of its links") {
  ReportBuilder report;
  for (unsigned i = 0; i < 500; ++i) {
    report.links.push_back(redirected("a.md", i, "https://a.example/" + std::to_string(i), "https://a.example/home"));
  }
  report.duplicates = find_duplicates(report.links, DuplicateScope::across);
  const value group = link_json(report, 3).at("duplicates").at(0);
  CHECK(group.at("with").as_array().size() == 20);
  CHECK(group.at("more") == 479);
  CHECK(parsed_whole(report).at("duplicates").at(0).at("entries").as_array().size() == 500);
}

TEST_CASE("JSON lines are the links of the whole report one by one") {
  const std::vector<value> lines = parsed_lines(small_report());
  const value whole = parsed_whole(small_report());
  REQUIRE(lines.size() == whole.at("links").as_array().size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(lines[i] == whole.at("links").at(i));
  CHECK(parsed_lines(ReportBuilder()).empty());
}

TEST_CASE("the whole report is one object") {
  const value json = parsed_whole(small_report());
  CHECK(keys_of(json) == Keys{"schema", "run", "summary", "outcome", "changes", "links", "duplicates", "certificates"});
  CHECK(json.at("run").at("number") == 7);
  CHECK(json.at("run").at("state") == "complete");
  CHECK(json.at("run").at("seconds") == 1.5);
  CHECK(json.at("run").at("store") == ".linkherd");
  CHECK(keys_of(json.at("summary")) == Keys{"occurrences", "links", "hosts", "alive", "redirected", "dead", "insecure",
                                            "unreachable", "blocked", "deferred", "skipped", "suspect", "broken",
                                            "accepted", "duplicate_groups", "repeated_mentions", "from_browser",
                                            "sections"});
  CHECK(json.at("summary").at("occurrences") == 4);
  CHECK(json.at("summary").at("links") == 3);
  CHECK(json.at("summary").at("hosts") == 2);
  CHECK(json.at("summary").at("alive") == 1);
  CHECK(json.at("summary").at("dead") == 0);
  CHECK(json.at("links").as_array().size() == 3);
  CHECK(keys_of(json.at("links").at(0)) == link_keys);
  CHECK(keys_of(json.at("duplicates").at(0)) == Keys{"layer", "certain", "what", "entries"});
  CHECK(json.at("duplicates").at(0).at("entries").at(2).at("line") == 9);
}

TEST_CASE("expiring certificates of alive links are listed by host") {
  ReportBuilder made = report_with_certificates();
  const value json = parsed_whole(made);
  const auto& certificates = json.at("certificates").as_array();
  REQUIRE(certificates.size() == 2);
  CHECK(certificates[0].at("host") == "soon.example");
  CHECK(certificates[0].at("expires") == "2026-03-07T00:00:00Z");
  CHECK(certificates[0].at("is_ending") == true);
  CHECK(certificates[0].at("is_chain_incomplete") == false);
  CHECK(certificates[0].at("links") == 2);
  CHECK(certificates[1].at("host") == "later.example");
  made.certificate_days = 3;
  CHECK(parsed_whole(made).at("certificates").as_array().size() == 1);
  made.certificate_days = 0;
  CHECK(parsed_whole(made).at("certificates").as_array().empty());
}

TEST_CASE("an empty report is valid JSON") {
  const value json = parsed_whole(ReportBuilder());
  CHECK(json.at("links").as_array().empty());
  CHECK(json.at("duplicates").as_array().empty());
  CHECK(json.at("run").at("seconds").is_null());
  CHECK(json.at("run").at("store").is_null());
}

TEST_CASE("parallel lists have the number of shared links") {
  ReportBuilder report = small_report();
  report.duplicates[0].parallel_link_count = 12;
  CHECK(parsed_whole(report).at("duplicates").at(0).at("shared_links") == 12);
}

TEST_CASE("non-text bytes become valid text") {
  ReportBuilder report = small_report();
  const std::string bad = "\xff\x9b\x1b[31m\n\"\\" + std::string(1, '\0') + "\xe5\x9b";
  storage::CheckedLink& hostile = report.links[0];
  hostile.state.url = hostile.state.snapshot.final_url = hostile.result.verdict.evidence = bad;
  hostile.result.occurrences[0].file = hostile.result.occurrences[0].url = hostile.result.occurrences[0].text = bad;
  hostile.state.snapshot.metadata.title->value = bad;
  report.run.inputs = {bad};
  report.store = bad;
  report.duplicates[0].shared_value = bad;
  const std::vector<value> lines = parsed_lines(report);
  CHECK(lines[0].at("url").as_string() == std::string_view(to_valid_utf8(bad)));
  CHECK(parsed_whole(report).at("run").at("inputs").at(0).as_string() == std::string_view(to_valid_utf8(bad)));
}
