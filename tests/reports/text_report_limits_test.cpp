// Tests that the summary view stays short however much there is to report.
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "reports/duplicates.h"
#include "text_report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using storage::Health;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns a report with `number` broken links of many causes, hosts and files, and one link in every other section.
ReportBuilder report_with_broken(std::size_t number) {
  constexpr std::array<const char*, 9> reasons = {"http_404",      "http_404", "dns_not_found",
                                                  "http_410",      "soft_404", "parked",
                                                  "redirect_loop", "http_451", "anchor_not_found"};
  ReportBuilder report = finished();
  for (std::size_t i = 0; i < number; ++i) {
    const std::string url = fmt::format("https://host-{}.example/a/rather/long/path/{}", i % 37 + i % 101, i);
    report.links.push_back(link(fmt::format("docs/列表-{}.md", i % 12), static_cast<unsigned>(i), url,
                                verdict(Health::dead, reasons[i % reasons.size()])));
    report.links.back().result.occurrences[0].text = fmt::format("一个非常非常非常长的标题 and some more words {}", i);
  }
  report.links.push_back(alive("a.md", 1, "https://fine.example/"));
  report.links.push_back(redirected("a.md", 2, "https://moved.example/", "https://there.example/"));
  for (unsigned i = 0; i < 9; ++i) {
    const std::string host = "https://" + std::to_string(i) + ".wall.example/";
    report.links.push_back(link("a.md", 10 + i, host, verdict(Health::blocked, "http_403")));
    report.links.push_back(link("a.md", 30 + i, host + "x", verdict(Health::suspect, "content_changed", 0.5)));
  }
  report.links.push_back(link("a.md", 60, "https://slow.example/", verdict(Health::unreachable, "timeout")));
  report.links.push_back(link("a.md", 70, "{x}", verdict(Health::skipped, "placeholder")));
  return report;
}

}  // namespace

TEST_CASE("the summary view has at most 40 lines for any findings and width") {
  for (const std::size_t number : {0U, 5U, 50U, 5000U}) {
    const ReportBuilder report = report_with_broken(number);
    for (const std::size_t columns : {0U, 15U, 20U, 25U, 30U, 40U, 80U, 200U}) {
      for (const GroupBy by : {GroupBy::cause, GroupBy::host, GroupBy::file}) {
        const std::string text = text_of(report, {.style = {.columns = columns}, .group_by = by});
        CAPTURE(text);
        const std::vector<std::string> lines = lines_of(text);
        CHECK(lines.size() <= 40);
        if (number >= 50 && (columns == 0 || columns > 40)) CHECK(lines.size() >= 37);  // the screen is used fully
        for (const std::string& line : lines) {
          if (columns > 0) CHECK(display_width(line) <= columns);
        }
        CHECK(contains(text, std::to_string(number + 9) + " of"));
      }
    }
  }
}

TEST_CASE("a narrow summary view has room for findings and no escape makes a line too wide") {
  ReportBuilder made = report_with_broken(500);
  made.elapsed.reset();
  made.run.state = storage::RunState::interrupted;
  made.run.shard = storage::Shard{1, 4};
  made.run.is_partial = true;
  made.store = std::string(300, 's');
  for (storage::CheckedLink& one : made.links) {
    one.result.occurrences[0].text = "##[a]##[b] ##[c]##[d]##[e] ##[f] ::x ##[g] ##[h]";
    one.result.occurrences[0].file += "##[x]";
    one.result.occurrences[0].url += "###[x]/##[y]##[z]##[y]##[z]##[y]##[z]##[y]##[z]##[y]##[z]##[y]##[z]##[y]##[z]";
    one.result.verdict.evidence = "##[y]##[z]##[y]##[z]##[y] ##[z]##[y]##[z]##[y]##[z]##[y]##[z]##[y]##[z]";
  }
  for (const std::size_t columns : {15U, 17U, 20U, 25U, 30U, 37U, 40U, 60U, 80U, 100U}) {
    const std::string text = text_of(made, {.style = {.columns = columns}});
    CAPTURE(text);
    CHECK(lines_of(text).size() <= 40);
    CHECK(contains(text, "404"));
    for (const bool all : {false, true}) {
      for (const std::string& line : lines_of(text_of(made, {.style = {.columns = columns}, .all = all}))) {
        CAPTURE(line);
        CHECK(display_width(line) <= columns);
      }
    }
  }
}

TEST_CASE("advice is given once per cause and omitted rows are counted") {
  const ReportBuilder report = report_with_broken(5000);
  const std::string text = text_of(report, {.style = {.columns = 100}});
  CAPTURE(text);
  const std::string advice = "find the new address, or remove the entry";
  CHECK(text.find(advice) != std::string::npos);
  CHECK(text.find(advice) == text.rfind(advice));
  CHECK(contains(text, "  404 or 410 (1668)"));
  CHECK(contains(text, " more\n"));
}

TEST_CASE("every broken link has a line up to the limit of 40 lines") {
  ReportBuilder report = finished();
  for (unsigned i = 1; i <= 38; ++i)
    report.links.push_back(link(i < 30 ? "a.md" : "b.md", i, "https://cn.example/" + std::to_string(i),
                                verdict(Health::dead, "http_410")));
  report.links.push_back(link("c.md", 1, "https://other.example/", verdict(Health::dead, "http_404")));
  const std::string text = text_of(report);
  CAPTURE(text);
  CHECK(contains(text, "\n    b.md:33:1  https://cn.example/33\n    … 6 more\n"));
  CHECK(lines_of(text).size() == 40);
  const std::string section = text_of(report, {.sections = {Section::dead}});
  CHECK(contains(section, "https://cn.example/38\n"));
}

TEST_CASE("broken links of a mostly fine host have one line each") {
  ReportBuilder report = finished();
  for (unsigned i = 1; i <= 10; ++i)
    report.links.push_back(link("a.md", i, "https://forge.example/" + std::to_string(i),
                                i <= 5 ? verdict(Health::dead, "http_404") : verdict(Health::alive, "ok")));
  const std::string text = text_of(report);
  CAPTURE(text);
  CHECK(contains(text, "    a.md:5:1  https://forge.example/5\n"));
  CHECK_FALSE(contains(text, "forge.example: "));
}

TEST_CASE("many occurrences of one link are listed in lines of readable length") {
  ReportBuilder report = finished();
  report.links.push_back(link("a.md", 1, "https://gone.example/", verdict(Health::dead, "http_404")));
  for (unsigned i = 2; i <= 30; ++i) report.links[0] = with_location(report.links[0], "a.md", i, 1);
  CHECK(contains(text_of(report), "https://gone.example/  (and 29 more occurrences)\n"));
  const std::string text = text_of(report, {.sections = {Section::dead}});
  CHECK(contains(text, "a.md:2:1,"));
  CHECK(contains(text, "a.md:30:1\n"));
  for (const std::string& line : lines_of(text)) CHECK(line.size() < 110);
}

TEST_CASE("very long or very frequent text is cut") {
  ReportBuilder report = finished();
  const std::string url = "https://gone.example/" + std::string(500'000, 'x');
  report.links.push_back(link("a.md", 1, url, verdict(Health::dead, "http_404")));
  report.links[0].result.occurrences[0].text = std::string(1'000'000, 'w');
  for (unsigned line = 2; line <= 500; ++line)
    report.links[0] = with_location(std::move(report.links[0]), "a.md", line, 1);
  CHECK(text_of(report).size() < 2'000);
  CHECK(lines_of(text_of(report, {.style = {.columns = 80}})).size() < 12);
  const std::string text = text_of(report, {.sections = {Section::dead}});
  CHECK(text.size() < 10'000);
  CHECK(contains(text, "xxx…\n"));
  CHECK(contains(text, "… 399 more (--all shows them)"));
}

TEST_CASE("many repeated entries and parallel lists are listed briefly") {
  ReportBuilder report = finished();
  report.links.push_back(alive("a.md", 1, "https://a.example/"));
  for (unsigned i = 2; i <= 30; ++i) report.links[0] = with_location(report.links[0], "a.md", i, 1);
  for (unsigned i = 1; i <= 12; ++i) {
    report.links.push_back(alive("en.md", i, "https://p.example/" + std::to_string(i)));
    report.links.back() = with_location(report.links.back(), "zh.md", i, 1);
  }
  report.duplicates = find_duplicates(report.links, DuplicateScope::across);
  CHECK(contains(text_of(report), "Worth a look: 2 listed more than once\n"));
  const std::string text = text_of(report, {.sections = {Section::duplicates}});
  CHECK(contains(text,
                 "Listed more than once (2)  entries for the same page\n"
                 "  files with 12 links in common: en.md, zh.md\n"
                 "  same address\n"));
  CHECK(contains(text, "… 19 more (--all shows them)\n"));
  CHECK_FALSE(contains(text, "p.example"));
}
