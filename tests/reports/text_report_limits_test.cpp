// A first screen stays a first screen, however much there is to say.
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "reports/duplicates.h"
#include "text_report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using storage::Health;

TEST_CASE("long sections are cut on the first screen except what is broken") {
  MadeReport report = finished();
  for (unsigned i = 1; i <= 43; ++i) {
    const std::string n = std::to_string(i);
    report.links.push_back(link("a.md", i, "https://gone.example/" + n, verdict(Health::dead, "http_410")));
    report.links.push_back(redirected("b.md", i, "http://moved.example/" + n, "https://moved.example/" + n));
  }
  const std::string text = text_of(report);
  CHECK(contains(text, "https://gone.example/43\n"));
  CHECK(contains(text, "http://moved.example/20\n"));
  CHECK_FALSE(contains(text, "http://moved.example/21\n"));
  CHECK(contains(text, "\n  … and 23 more (-v shows all)\n"));
  CHECK(contains(text_of(report, {.verbose = true}), "http://moved.example/43\n"));
  report.links.resize(42);  // 21 of each: the line about the last would take its place
  CHECK(contains(text_of(report), "http://moved.example/21\n"));
}

TEST_CASE("refusals of many hosts are cut as well") {
  MadeReport report = finished();
  for (unsigned i = 1; i <= 30; ++i) {
    for (unsigned j = 0; j < (i == 30 ? 9U : 1U); ++j) {
      report.links.push_back(link("a.md", i * 10 + j, "https://h" + std::to_string(i) + ".example/" + std::to_string(j),
                                  verdict(Health::blocked, "http_403")));
    }
  }
  const std::string text = text_of(report);
  CHECK(contains(text, "Could not verify (38): refused us; not failures\n  h30.example (9): 403"));
  CHECK(contains(text, "    … and 6 more (-v shows all)\n  h1.example (1): 403"));
  CHECK(contains(text, "h17.example (1)"));
  CHECK(contains(text, "\n  … and 12 more links on 12 more hosts (-v shows all)\n"));
}

TEST_CASE("many places of one link are all listed in lines of readable length") {
  MadeReport report = finished();
  report.links.push_back(link("a.md", 1, "https://gone.example/", verdict(Health::dead, "http_404")));
  for (unsigned i = 2; i <= 30; ++i) report.links[0] = with_place(report.links[0], "a.md", i, 1);
  const std::string text = text_of(report);
  CHECK(contains(text, "a.md:2:1,"));
  CHECK(contains(text, "a.md:30:1\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() < 110);
}

TEST_CASE("what is too long or too often there to be read is cut on the first screen") {
  MadeReport report = finished();
  const std::string url = "https://gone.example/" + std::string(5'000'000, 'x');
  report.links.push_back(link("a.md", 1, url, verdict(Health::dead, "http_404")));
  for (unsigned line = 2; line <= 500; ++line)
    report.links[0] = with_place(std::move(report.links[0]), "a.md", line, 1);
  const std::string text = text_of(report);
  CHECK(text.size() < 10'000);
  CHECK(contains(text, "xxx…\n"));
  CHECK(contains(text, "… and 399 more (-v shows all)"));
}

TEST_CASE("many repeated entries and parallel lists stay short") {
  MadeReport report = finished();
  report.links.push_back(alive("a.md", 1, "https://a.example/"));
  for (unsigned i = 2; i <= 30; ++i) report.links[0] = with_place(report.links[0], "a.md", i, 1);
  for (unsigned i = 1; i <= 12; ++i) {
    report.links.push_back(alive("en.md", i, "https://p.example/" + std::to_string(i)));
    report.links.back() = with_place(report.links.back(), "zh.md", i, 1);
  }
  report.duplicates = find_duplicates(report.links, DuplicateScope::across);
  const std::string text = text_of(report);
  CHECK(contains(text,
                 "Repeated (2): the same page listed more than once\n"
                 "  parallel lists with 12 links in common: en.md, zh.md\n"
                 "  same address\n"));
  CHECK(contains(text, "… and 19 more (-v shows all)\n"));
  CHECK_FALSE(contains(text, "p.example"));
}
