#include "reports/summary.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using storage::Health;
using storage::RunState;

namespace {

ReportBuilder report_of(const std::vector<storage::Verdict>& verdicts, RunState state = RunState::complete) {
  ReportBuilder report;
  report.run.state = state;
  unsigned line = 0;
  for (const storage::Verdict& evaluated : verdicts) {
    ++line;
    report.links.push_back(link("a.md", line, "https://h" + std::to_string(line) + ".example/", evaluated));
  }
  return report;
}

std::vector<storage::Verdict> many(std::size_t number, const storage::Verdict& evaluated) {
  std::vector<storage::Verdict> verdicts(number, evaluated);
  return verdicts;
}

std::vector<storage::Verdict> operator+(std::vector<storage::Verdict> some, const std::vector<storage::Verdict>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

const storage::Verdict fine = verdict(Health::alive, "ok");
const storage::Verdict gone = verdict(Health::dead, "http_404");
const storage::Verdict missing = verdict(Health::dead, "file_not_found");
const storage::Verdict expired = verdict(Health::insecure, "tls_expired");
const storage::Verdict refused = verdict(Health::blocked, "http_403");
const storage::Verdict put_off = verdict(Health::deferred, "rate_limited");

}  // namespace

TEST_CASE("the summary counts occurrences and links and hosts") {
  ReportBuilder report = report_of({fine, gone});
  report.links.push_back(alive("b.md", 1, "https://h1.example/other"));
  report.links.back().result.occurrences.push_back(occurrence("b.md", 9, 1, "https://h1.example/other"));
  report.links.push_back(link("b.md", 2, "https://example.com/{x}", verdict(Health::skipped, "placeholder")));
  report.links.push_back(link("b.md", 3, "not a url", verdict(Health::dead, "invalid_url")));
  const Summary summary = report.report().summary;
  CHECK(summary.occurrences == 6);
  CHECK(summary.links == 5);
  CHECK(summary.hosts == 2);  // not that of the placeholder
  CHECK(summary.count(Health::alive) == 2);
  CHECK(summary.count(Health::dead) == 2);
  CHECK(summary.count(Health::skipped) == 1);
  CHECK(summary.count(Health::blocked) == 0);
}

TEST_CASE("the outcome follows the documented exit codes") {
  struct Row {
    const char* name;
    ReportBuilder report;
    OutcomePolicy policy;
    int exit_code;
    const char* why;
  };
  const OutcomePolicy usual;
  const OutcomePolicy strict{{Health::dead, Health::insecure, Health::blocked}, 0.05};
  const std::vector<Row> rows = {
      {"nothing at all", report_of({}), usual, 0, "nothing broken"},
      {"all fine", report_of(many(3, fine)), usual, 0, "nothing broken"},
      {"one dead", report_of({fine, gone}), usual, 2, "1 broken link"},
      {"dead and insecure", report_of({gone, fine, expired, gone}), usual, 2, "3 broken links"},
      {"refused does not fail", report_of({refused}), usual, 0, "nothing broken"},
      {"refused fails on request", report_of({refused, gone}), strict, 2, "1 broken link, 1 blocked link"},
      {"dead not asked for",
       report_of({gone}),
       {{Health::insecure}, 0.05},
       0,
       "1 broken link, none of them in --fail-on"},
      {"one of the broken kinds not asked for",
       report_of({gone, expired, expired, refused, verdict(Health::suspect, "parked", 0.8)}),
       {{Health::dead, Health::blocked}, 0.05},
       2,
       "3 broken links, 1 blocked link, 1 suspect link, 2 of them in --fail-on"},
      {"only others are asked for",
       report_of({gone, refused}),
       {{Health::blocked}, 0.05},
       2,
       "1 broken link, 1 blocked link, 1 of them in --fail-on"},
      {"nothing is asked for", report_of({gone}), {{}, 0.05}, 0, "1 broken link, none of them in --fail-on"},
      {"suspect does not fail", report_of({fine, verdict(Health::suspect, "soft_404", 0.8)}), usual, 0,
       "nothing broken, 1 suspect link"},
      {"several are suspect", report_of(many(2, verdict(Health::suspect, "parked", 0.89))), usual, 0,
       "nothing broken, 2 suspect links"},
      {"suspect fails on request",
       report_of({gone, verdict(Health::suspect, "parked", 0.89)}),
       {{Health::dead, Health::suspect}, 0.05},
       2,
       "1 broken link, 1 suspect link"},
      {"sure soft 404 fails", report_of({verdict(Health::dead, "soft_404", 0.9)}), usual, 2, "1 broken link"},
      {"unsure 404 fails", report_of({verdict(Health::dead, "http_404", 0.5)}), usual, 2, "1 broken link"},
      {"five of a hundred put off", report_of(many(95, fine) + many(5, put_off)), usual, 0, "nothing broken"},
      {"six of a hundred put off", report_of(many(94, gone) + many(6, put_off)), usual, 4,
       "inconclusive: 6 of 100 links could not be checked"},
      {"none may be put off",
       report_of(many(99, fine) + many(1, put_off)),
       {{Health::dead}, 0.0},
       4,
       "inconclusive: 1 of 100 links could not be checked"},
      {"none put off where none may be", report_of({fine}), {{Health::dead}, 0.0}, 0, "nothing broken"},
      {"all may be put off", report_of({put_off}), {{Health::dead}, 1.0}, 0, "nothing broken"},
      {"links of a host that is down are not counted",
       report_of(many(10, fine) + many(89, verdict(Health::deferred, "host_unavailable"))), usual, 0,
       "nothing broken, 89 links not checked because their hosts do not answer"},
      {"beside them too many are put off",
       report_of(many(80, fine) + many(14, verdict(Health::deferred, "host_unavailable")) + many(6, put_off)), usual, 4,
       "inconclusive: 6 of 100 links could not be checked"},
      {"outage before what the network said", report_of({gone}, RunState::outage), usual, 4,
       "nothing could be checked: your network seems to be down"},
      {"a missing file before an outage", report_of({gone, missing}, RunState::outage), usual, 2,
       "1 broken link found without the network; nothing could be checked: your network seems to be down"},
      {"a missing file nobody asked for in an outage",
       report_of({missing}, RunState::outage),
       {{Health::insecure}, 0.05},
       4,
       "nothing could be checked: your network seems to be down"},
      {"killed before anything was stored", report_of({}, RunState::open), usual, 4,
       "inconclusive: the run was ended before it stored a link"},
      {"killed later", report_of({fine}, RunState::open), usual, 0, "nothing broken"},
      {"a list without links", report_of({}), usual, 0, "nothing broken"},
      {"a missing anchor before what was put off",
       report_of(many(2, put_off) + many(1, verdict(Health::dead, "anchor_not_found"))), usual, 2,
       "1 broken link found without the network; inconclusive: 2 of 3 links could not be checked"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Outcome result = outcome(row.report.report().summary, row.report.run.state, row.policy);
    CHECK(result.exit_code == row.exit_code);
    CHECK(result.why == row.why);
  }
}
