// Tests how links changed since an earlier run and how the formats show it.
#include "reports/changes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "reports/report_formats.h"
#include "reports/report_rows.h"
#include "text_report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using boost::json::value;
using storage::Health;

namespace {

storage::Run earlier() {
  storage::Run run;
  run.number = 3;
  run.state = storage::RunState::complete;
  run.started_at = at("2026-03-04T10:00:00Z");
  run.finished_at = at("2026-03-04T10:20:00Z");
  return run;
}

storage::CheckedLink evaluated(unsigned line, Health health, std::string_view reason) {
  storage::CheckedLink made = link("a.md", line, "https://a.example/" + std::to_string(line), verdict(health, reason));
  made.result.id = storage::LinkId::of_text(made.state.url);
  return made;
}

// Creates one link per kind of change. The earlier run also has a link that was removed from the lists.
ReportBuilder one_of_every_change() {
  struct Row {
    Health health;
    const char* reason;
    std::optional<Health> before;
  };
  static constexpr std::array<Row, 10> rows{{{Health::dead, "http_404", Health::alive},
                                             {Health::insecure, "tls_expired", std::nullopt},
                                             {Health::suspect, "content_changed", Health::alive},
                                             {Health::suspect, "parked", Health::blocked},
                                             {Health::alive, "ok", Health::dead},
                                             {Health::redirected, "moved_permanently", Health::alive},
                                             {Health::dead, "http_410", Health::insecure},
                                             {Health::unreachable, "timeout", Health::alive},
                                             {Health::alive, "ok", std::nullopt},
                                             {Health::alive, "ok", Health::alive}}};
  ReportBuilder made = finished();
  made.since = EarlierRun{earlier(), {{storage::LinkId::of_text("gone from the lists"), Health::alive}}, false, {}};
  unsigned line = 0;
  for (const Row& row : rows) {
    made.links.push_back(evaluated(++line, row.health, row.reason));
    if (row.before) made.since->healths.emplace_back(made.links.back().result.id, *row.before);
  }
  made.links[0].state.first_failed = at("2026-03-05T09:00:00Z");
  std::ranges::sort(made.since->healths);
  return made;
}

value json_of(const ReportBuilder& made) { return boost::json::parse(written(write_json, made.report())); }

}  // namespace

TEST_CASE("the previous health of a link is found from any starting position") {
  EarlierRun before;
  std::vector<storage::LinkId> asked;
  for (int i = 0; i < 2000; ++i) {
    asked.push_back(storage::LinkId::of_text(std::to_string(i)));
    if (i % 3 != 0) before.healths.emplace_back(asked.back(), i % 2 == 0 ? Health::dead : Health::alive);
  }
  std::ranges::sort(before.healths);
  const std::vector<storage::LinkId> unsorted = asked;
  std::ranges::sort(asked);
  std::size_t near = 0;
  std::size_t other_near = before.healths.size() + 5;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto known = std::ranges::find(before.healths, asked[i], [](const auto& one) { return one.first; });
    const auto expected = known == before.healths.end() ? std::nullopt : std::optional(known->second);
    CHECK(before.health(asked[i]) == expected);
    CHECK(before.health(asked[i], near) == expected);
    CHECK(before.health(unsorted[i], other_near) == before.health(unsorted[i]));
  }
  CHECK_FALSE(EarlierRun().health(asked.front()));
}

TEST_CASE("the change of a link follows from its previous and current verdict") {
  struct Row {
    Health health;
    const char* reason;
    std::optional<Health> before;
    Change change;
  };
  for (const Row& row : {Row{Health::dead, "http_404", Health::alive, Change::broken},
                         {Health::dead, "http_404", Health::unreachable, Change::broken},
                         {Health::dead, "http_404", Health::deferred, Change::broken},
                         {Health::dead, "http_404", std::nullopt, Change::broken},
                         {Health::insecure, "tls_expired", Health::redirected, Change::broken},
                         {Health::insecure, "tls_expired", Health::dead, Change::still},
                         {Health::dead, "http_404", Health::suspect, Change::broken},
                         {Health::suspect, "parked", Health::dead, Change::still},
                         {Health::suspect, "parked", Health::alive, Change::suspect},
                         {Health::suspect, "parked", std::nullopt, Change::suspect},
                         {Health::suspect, "content_changed", Health::alive, Change::drifted},
                         {Health::suspect, "content_changed", Health::suspect, Change::still},
                         {Health::alive, "ok", Health::dead, Change::recovered},
                         {Health::alive, "ok", Health::suspect, Change::recovered},
                         {Health::redirected, "moved_permanently", Health::insecure, Change::recovered},
                         {Health::alive, "ok", Health::unreachable, Change::same},
                         {Health::alive, "ok", Health::redirected, Change::same},
                         {Health::redirected, "moved_permanently", Health::alive, Change::moved},
                         {Health::redirected, "moved_temporarily", Health::alive, Change::same},
                         {Health::redirected, "moved_permanently", Health::redirected, Change::same},
                         {Health::redirected, "moved_permanently", Health::blocked, Change::same},
                         {Health::redirected, "moved_permanently", std::nullopt, Change::added},
                         {Health::unreachable, "timeout", Health::alive, Change::inconclusive},
                         {Health::deferred, "interrupted", Health::dead, Change::inconclusive},
                         {Health::blocked, "http_403", Health::unreachable, Change::same},
                         {Health::skipped, "placeholder", Health::skipped, Change::same},
                         {Health::blocked, "http_403", std::nullopt, Change::added}}) {
    CAPTURE(enum_name(storage::health_names, row.health));
    CAPTURE((row.before ? enum_name(storage::health_names, *row.before) : "none"));
    const LinkChange found = change_of(evaluated(1, row.health, row.reason).result, row.before, earlier());
    CHECK(enum_name(change_names, found.change) == enum_name(change_names, row.change));
    CHECK(found.before == row.before);
  }
}

TEST_CASE("a link with another target than in the earlier run has moved again") {
  storage::LinkResult moved = evaluated(1, Health::redirected, "moved_permanently").result;
  moved.moved_at = at("2026-03-04T10:10:00Z");  // as in the earlier run
  CHECK(change_of(moved, Health::redirected, earlier()).change == Change::same);
  moved.moved_at = at("2026-03-05T10:10:00Z");
  CHECK(change_of(moved, Health::redirected, earlier()).change == Change::moved);
}

TEST_CASE("changes are counted including links removed from the lists") {
  const ReportBuilder made = one_of_every_change();
  const Report report = made.report();
  const Changes& changes = report.changes;
  CHECK(changes.count(Change::broken) == 2);
  for (const Change change : {Change::drifted, Change::suspect, Change::recovered, Change::moved, Change::still,
                              Change::inconclusive, Change::added, Change::same})
    CHECK(changes.count(change) == 1);
  CHECK(changes.removed == 1);
  CHECK(changes.news() == 6);
  CHECK(size_of(report, Section::changes) == 6);
}

TEST_CASE("a new link to a listed page is a new repetition") {
  ReportBuilder made = one_of_every_change();
  storage::CheckedLink again = made.links[8];
  again.result.occurrences.front().line = 30;
  made.links[8].result.occurrences.push_back(again.result.occurrences.front());
  EarlierRun since = *made.since;
  const Report report = report_on(made.links, {.duplicates = DuplicateScope::within, .since = &since});
  CHECK(report.duplicates.size() == 1);
  CHECK(report.changes.duplicates == 1);
}

TEST_CASE("without an earlier run no change is reported") {
  ReportBuilder made = one_of_every_change();
  made.since.reset();
  made.only_changes = true;
  const value json = json_of(made);
  CHECK(json.at("changes").is_null());
  CHECK(json.at("links").as_array().size() == 10);
  CHECK(json.at("links").at(0).at("change").is_null());
  CHECK(json.at("links").at(0).at("previous_health").is_null());
  CHECK(
      contains(text_of(made, {.changes = true}), "There is no earlier complete run of these inputs to compare with."));
}

TEST_CASE("JSON has the previous health of a link beside the current one") {
  const value json = json_of(one_of_every_change());
  const auto& links = json.at("links").as_array();
  CHECK(links[0].at("change") == "new");
  CHECK(links[0].at("previous_health") == "alive");
  CHECK(links[1].at("change") == "new");
  CHECK(links[1].at("previous_health").is_null());
  CHECK(links[9].at("change") == "same");
  CHECK(json.at("changes").at("since").at("number") == 3);
  CHECK(json.at("changes").at("new") == 2);
  CHECK(json.at("changes").at("removed") == 1);
}

TEST_CASE("changes are in every format that has a field for them") {
  const ReportBuilder made = one_of_every_change();
  const Report report = made.report();
  const std::string counts =
      "since run 3 from 2026-03-04: 2 newly broken, 1 became another page, 1 newly suspect, 1 works again, "
      "1 newly moved, 1 still broken or suspect, 1 not verified this time, 1 new in your files, "
      "1 no longer in your files";
  const std::string text = text_of(made, {.changes = true});
  CHECK(contains(text, "Changes (6)\n  Changes " + counts));
  CHECK(contains(text, "Newly broken (2)\n    a.md:1:1  https://a.example/1\n"));
  CHECK(contains(text, "was alive, fails since 2026-03-05 09:00 UTC\n"));
  CHECK(contains(text, "Works again (1)\n    a.md:5:1  https://a.example/5\n              was dead\n"));
  CHECK_FALSE(contains(text, "https://a.example/7"));   // still broken, so it is only counted
  CHECK(contains(text_of(made), "Changes " + counts));  // the summary view
  const std::string markdown = written(write_markdown, report);
  CHECK(contains(markdown, "| changes | 6 |"));
  CHECK(contains(markdown, "- works again: a.md:5:1 "));
  const std::string github = written(write_github, report);
  CHECK(contains(github, "::group::changes (6)\nnewly broken: a.md:1:1 "));
  CHECK(contains(written(write_csv, report), ",new,alive\r\n"));
  CHECK(contains(written(write_csv, report), ",added,\r\n"));
  CHECK(contains(written(write_sarif, report), R"("change":"new","previous_health":"alive")"));
  for (const Writer write : {write_rdjson, write_gitlab, write_junit, write_sarif, write_markdown, write_github})
    CHECK(contains(written(write, report), "404 Not Found (was alive)"));
}

TEST_CASE("a report of changes only has only changed links and the counts of the run") {
  ReportBuilder made = one_of_every_change();
  made.only_changes = true;
  const Report report = made.report();
  CHECK(size_of(report, Section::dead) == 1);
  CHECK(size_of(report, Section::fine) == 1);
  CHECK(size_of(report, Section::unreachable) == 0);
  CHECK(report.summary.links == 10);
  const value json = json_of(made);
  CHECK(json.at("links").as_array().size() == 6);
  CHECK(json.at("changes").at("still") == 1);
  CHECK(json.at("summary").at("dead") == 2);
  CHECK(summary_line(report).starts_with("5 of 10 links need attention (3 broken, 2 suspect) · 3 fine"));
}

TEST_CASE("an accepted failure is no change") {
  const ReportBuilder made = one_of_every_change();
  const Acceptance known{"known", "2026-04-01", ""};
  const EarlierRun since = *made.since;
  const Report report = report_on(
      made.links, {.find_acceptance = [&known](const storage::LinkResult&) { return &known; }, .since = &since});
  CHECK(report.changes.count(Change::broken) == 0);
  CHECK(std::ranges::none_of(rows(report, Section::changes),
                             [](const ReportRow& row) { return row.change->change == Change::broken; }));
  CHECK(report.changes.count(Change::recovered) == 1);
}
