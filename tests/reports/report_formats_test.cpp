// Tests that all formats have the same links whatever their titles contain.
#include "reports/report_formats.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parser/url/url.h"
#include "parser/utf8.h"
#include "reports/report_rows.h"
#include "tests/parser/lists/markdown/cmark_oracle.h"
#include "text_report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using boost::json::value;
using storage::Health;

namespace {

using Counts = std::map<std::string, std::size_t>;

void write_page(std::ostream& out, const Report& report) { write_html(out, report); }
void write_screen(std::ostream& out, const Report& report) { write_text(out, report, {}); }

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns two links for every section of links, each with two occurrences, and an alive link.
ReportBuilder one_of_everything() {
  ReportBuilder report = finished();
  struct Row {
    Health health;
    const char* reason;
  };
  constexpr std::array<Row, 9> rows{{{Health::dead, "http_404"},
                                     {Health::insecure, "tls_expired"},
                                     {Health::suspect, "parked"},
                                     {Health::suspect, "content_changed"},
                                     {Health::redirected, "moved_permanently"},
                                     {Health::blocked, "http_403"},
                                     {Health::unreachable, "timeout"},
                                     {Health::deferred, "rate_limited"},
                                     {Health::skipped, "placeholder"}}};
  unsigned number = 0;
  for (const Row& row : rows) {
    for (int i = 0; i < 2; ++i) {
      ++number;
      const std::string url = fmt::format("https://host-{}.example/{}", number, row.reason);
      report.links.push_back(
          with_location(link("a.md", number, url, verdict(row.health, row.reason)), "docs/b.md", number, 3));
      report.links.back().result.occurrences[0].text = "The entry";
    }
  }
  report.links.push_back(alive("a.md", 90, "https://fine.example/"));
  report.links.push_back(alive("a.md", 91, "https://fine.example/"));
  report.links.back().state.snapshot.facts = {{"archived", "the repository is archived"}};
  return report;
}

Counts expected_counts(const Report& report) {
  Counts counts;
  for (const auto& [section, name] : section_names) {
    const bool is_counted = section != Section::fine && section != Section::noted && section != Section::certificates &&
                            section != Section::duplicates;
    if (is_counted && size_of(report, section) > 0) counts[std::string(name)] = size_of(report, section);
  }
  return counts;
}

// Counts the different links of each section.
class LinksBySection {
 public:
  void add(std::string_view section, std::string_view link) {
    if (section != "fine" && section != "noted" && section != "repeated") links_[std::string(section)].emplace(link);
  }
  Counts counts() const {
    Counts counts;
    for (const auto& [section, links] : links_) counts[section] = links.size();
    return counts;
  }

 private:
  std::map<std::string, std::set<std::string>> links_;
};

std::string_view text_at(const value& object, const char* key) { return std::string_view(object.at(key).as_string()); }

Counts counts_of_jsonl(const Report& report) {
  LinksBySection links;
  for (const std::string& line : split_lines(written(write_jsonl, report))) {
    const value link = boost::json::parse(line);
    links.add(text_at(link, "section"), text_at(link, "url"));
  }
  return links.counts();
}

Counts counts_of_sarif(const Report& report) {
  LinksBySection links;
  const value run = boost::json::parse(written(write_sarif, report)).at("runs").at(0);
  const auto& rules = run.at("tool").at("driver").at("rules").as_array();
  for (const value& result : run.at("results").as_array()) {
    const value& properties = result.at("properties");
    CHECK(rules.at(result.at("ruleIndex").to_number<std::size_t>()).at("id") == result.at("ruleId"));
    CHECK_FALSE(result.at("locations").as_array().empty());
    if (properties.as_object().contains("url")) links.add(text_at(properties, "section"), text_at(properties, "url"));
  }
  return links.counts();
}

Counts counts_of_csv(const Report& report) {
  LinksBySection links;
  std::vector<std::string> rows = split_lines(written(write_csv, report));
  const auto columns = std::count(rows.at(0).begin(), rows.at(0).end(), ',');
  rows.erase(rows.begin());
  for (const std::string& row : rows) {
    CHECK(row.ends_with('\r'));
    CHECK(std::count(row.begin(), row.end(), ',') >= columns);
    links.add(row.substr(0, row.find(',')), row);
  }
  return links.counts();
}

// Counts by the section that these formats name in each message.
Counts counts_of_diagnostics(Writer write, const Report& report,
                             const std::function<void(LinksBySection&, const value&)>& add) {
  LinksBySection links;
  const value all = boost::json::parse(written(write, report));
  for (const value& one : all.is_array() ? all.as_array() : all.at("diagnostics").as_array()) add(links, one);
  return links.counts();
}

Counts counts_of_rdjson(const Report& report) {
  return counts_of_diagnostics(write_rdjson, report, [](LinksBySection& links, const value& one) {
    links.add(text_at(one, "original_output"), text_at(one, "message"));
  });
}

Counts counts_of_gitlab(const Report& report) {
  std::set<std::string> fingerprints;
  return counts_of_diagnostics(write_gitlab, report, [&fingerprints](LinksBySection& links, const value& one) {
    const std::string_view name = text_at(one, "check_name");
    CHECK(fingerprints.emplace(text_at(one, "fingerprint")).second);
    links.add(name.substr(0, name.find('/')), text_at(one, "description"));
  });
}

std::string between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t at = text.find(open);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + open.size());
  return std::string(text.substr(0, text.find(close)));
}

Counts counts_of_junit(const Report& report) {
  LinksBySection links;
  for (const std::string& line : split_lines(written(write_junit, report))) {
    if (contains(line, "<testcase ")) links.add(between(line, "classname=\"", "\""), line);
  }
  return links.counts();
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Counts the lines below "::group::dead (2)", "### dead (2)" and "<summary>moved (2)</summary>", which must match the
// number.
Counts counts_of_groups(const std::string& text, std::string_view opening, std::string_view item) {
  Counts counts;
  std::string section;
  for (const std::string& line : split_lines(text)) {
    if (contains(line, opening)) {
      const std::string title = line.substr(line.find(opening) + opening.size());
      section = title.substr(0, title.find(' '));
    } else if (section != "noted" && section != "repeated" && !section.empty() && line.starts_with(item) &&
               !line.starts_with("::")) {
      ++counts[section];
    } else if (line.starts_with("::endgroup")) {
      section.clear();
    }
  }
  return counts;
}

// Counts from the data blocks of the page, whose rows contain the index of the section.
Counts counts_of_html(const Report& report) {
  const std::string html = written(write_page, report);
  const value header = boost::json::parse(between(html, "id=\"report\">", "</script>"));
  const value rows = boost::json::parse(between(html, "class=\"rows\">", "</script>"));
  LinksBySection links;
  for (const value& row : rows.as_array())
    links.add(std::string_view(header.at("sections").at(row.at(1).to_number<std::size_t>()).as_string()),
              boost::json::serialize(row));
  return links.counts();
}

}  // namespace

TEST_CASE("all formats have the same links in the same sections") {
  const ReportBuilder made = one_of_everything();
  const Report report = made.report();
  const Counts expected = expected_counts(report);
  REQUIRE(expected.size() == 9);
  CHECK(counts_of_jsonl(report) == expected);
  CHECK(counts_of_csv(report) == expected);
  CHECK(counts_of_html(report) == expected);
  CHECK(counts_of_sarif(report) == expected);
  CHECK(counts_of_rdjson(report) == expected);
  CHECK(counts_of_gitlab(report) == expected);
  CHECK(counts_of_junit(report) == expected);
  CHECK(counts_of_groups(written(write_github, report), "::group::", "") == expected);
  Counts markdown = counts_of_groups(written(write_markdown, report), "### ", "- ");
  // Collapsed sections follow the others.
  const std::string folded = written(write_markdown, report);
  markdown.erase("drift");
  for (const auto& [section, number] : counts_of_groups(folded.substr(folded.find("<details>")), "<summary>", "- "))
    markdown[section] = number;
  markdown["drift"] = expected.at("drift");
  CHECK(markdown == expected);
  const value json = boost::json::parse(written(write_json, report));
  for (const auto& [section, number] : expected) CHECK(json.at("summary").at("sections").at(section) == number);
  const std::string text = text_of(made, {.all = true});
  for (const char* title : {"Dead (2)", "Insecure (2)", "Suspect (2)", "Drift (2)", "Moved (2)", "Access denied (2)",
                            "No answer (2)", "Not checked yet (2)", "Skipped (2)"}) {
    CHECK(contains(text, title));
  }
  const value lychee = boost::json::parse(written(write_lychee_json, report));  // this format counts occurrences
  CHECK(lychee.at("total") == report.summary.occurrences);
  CHECK(lychee.at("errors") == 2 * report.summary.broken());
  CHECK(lychee.at("error_map").at("a.md").as_array().size() == report.summary.broken());
  CHECK(lychee.at("error_map").at("docs/b.md").at(0).at("status").as_object().contains("text"));
  CHECK(lychee.at("redirects") == 4);
  CHECK(lychee.at("timeouts") == 4);
}

TEST_CASE("repeated entries are in every format at each repeated occurrence") {
  ReportBuilder made = finished();
  made.links.push_back(with_location(alive("a.md", 3, "https://a.example/"), "b.md", 7, 2));
  made.links.back() = with_location(made.links.back(), "b.md", 9, 2);
  made.duplicates = find_duplicates(made.links, DuplicateScope::across);
  const Report report = made.report();
  REQUIRE(report.duplicates.size() == 1);
  const std::string words = "the same page is listed at a.md:3:1 (same address)";
  for (const Writer write : {write_markdown, write_github, write_sarif, write_rdjson, write_gitlab})
    CHECK(contains(written(write, report), words));
  const value lychee = boost::json::parse(written(write_lychee_json, report)).at("repeated_map").at("b.md");
  REQUIRE(lychee.as_array().size() == 2);
  CHECK(lychee.at(0).at("status").at("text") == value(words));
  CHECK(lychee.at(0).at("span").at("line") == 7);
  const value gitlab = boost::json::parse(written(write_gitlab, report));
  REQUIRE(gitlab.as_array().size() == 2);
  CHECK(gitlab.at(0).at("location").at("lines").at("begin") == 7);
  CHECK(gitlab.at(0).at("fingerprint") != gitlab.at(1).at("fingerprint"));
  CHECK(boost::json::parse(written(write_rdjson, report)).at("diagnostics").as_array().size() == 2);
  CHECK(contains(written(write_github, report), "::group::repeated (1)\nb.md:7:2 the same page"));
  CHECK(boost::json::parse(written(write_json, report)).at("summary").at("sections").at("repeated") == 1);
}

TEST_CASE("only what fails the run is an error") {
  const ReportBuilder made = one_of_everything();
  Report report = made.report();
  const auto failures = [&report] {
    std::map<std::string, std::size_t> found;
    for_each_row(report, [&found](const ReportRow& row, const storage::CheckedLink& /*link*/) {
      if (row.level == Level::error) ++found[std::string(enum_name(section_names, row.section))];
    });
    return found;
  };
  CHECK(failures() == Counts{{"dead", 2}, {"insecure", 2}});
  CHECK(contains(written(write_junit, report), "<testsuites name=\"linkherd\" tests=\"20\" failures=\"4\""));
  report.policy.fail_on = {Health::dead, Health::blocked};
  CHECK(failures() == Counts{{"blocked", 2}, {"dead", 2}});
  report.policy.fail_on.clear();
  CHECK(failures().empty());
  CHECK(contains(written(write_junit, report), "failures=\"0\""));
  CHECK(contains(written(write_github, report), "::warning file=a.md,line=1,col=1,title=404 or 410::"));
}

TEST_CASE("a failing link is an error in every format whatever its section") {
  struct Row {
    Health health;
    const char* reason;
    const char* section;
    const char* needing;
  };
  for (const Row& row : {Row{Health::blocked, "http_403", "blocked", "(0 broken, 1 blocked)"},
                         {Health::unreachable, "timeout", "unreachable", "(0 broken, 1 unreachable)"},
                         {Health::skipped, "placeholder", "skipped", "(0 broken, 1 skipped)"},
                         {Health::redirected, "moved_temporarily", "fine", "(0 broken, 1 redirected)"},
                         {Health::alive, "ok", "fine", "(0 broken, 1 alive)"}}) {
    CAPTURE(row.section);
    ReportBuilder made = finished();
    made.links.push_back(link("a.md", 1, "https://a.example/", verdict(row.health, row.reason)));
    Report report = made.report();
    report.policy.fail_on = {row.health};
    CHECK(summary_line(report).starts_with(fmt::format("1 of 1 link needs attention {} · 1 occurrence", row.needing)));
    CHECK(contains(written(write_screen, report), "    a.md:1:1"));
    const std::string github = written(write_github, report);
    CHECK(contains(github, "::error file=a.md,line=1,col=1,"));
    CHECK(contains(github, fmt::format("::group::{} (1)\na.md:1:1 ", row.section)));
    const value result = boost::json::parse(written(write_sarif, report)).at("runs").at(0).at("results").at(0);
    CHECK(result.at("level") == "error");
    CHECK(result.at("kind") == "fail");
    CHECK(contains(written(write_markdown, report), fmt::format("\n### {} (1)\n\n- [ ] a.md:1:1 ", row.section)));
    const value lychee = boost::json::parse(written(write_lychee_json, report));
    CHECK(lychee.at("errors") == 1);
    CHECK(lychee.at("error_map").at("a.md").as_array().size() == 1);
    CHECK(contains(written(write_junit, report), "failures=\"1\""));
    CHECK(contains(written(write_rdjson, report), "ERROR"));
    CHECK(contains(written(write_gitlab, report), "major"));
    report.policy.fail_on = {Health::dead};
    CHECK((summary_line(report).starts_with("No broken links (1 link) ·") ||
           summary_line(report).starts_with("All links are fine (1) ·")));
    CHECK_FALSE(contains(written(write_screen, report), "a.md:1:1"));
    CHECK_FALSE(contains(written(write_github, report), "::error"));
    CHECK_FALSE(contains(written(write_markdown, report), "- [ ]"));
  }
}

TEST_CASE("the summary view shows fine links only if they fail the run") {
  ReportBuilder made = finished();
  made.links.push_back(alive("a.md", 1, "https://a.example/"));
  made.links.push_back(link("a.md", 2, "https://b.example/", verdict(Health::redirected, "moved_temporarily")));
  Report report = made.report();
  report.policy.fail_on = {Health::alive};
  const std::string text = written(write_screen, report);
  CHECK(text.starts_with("1 of 2 links needs attention (0 broken, 1 alive) · 1 fine"));
  CHECK(contains(text, "a.md:1:1"));
  CHECK_FALSE(contains(text, "a.md:2:1"));
}

TEST_CASE("a run that does not end by its links says why") {
  ReportBuilder made = finished();
  made.links.push_back(alive("a.md", 1, "https://a.example/"));
  for (const int code : {1, 4}) {
    made.outcome = {code, "b.md: cannot be read"};
    CHECK(contains(text_of(made), fmt::format(" s\nExit code {}: b.md: cannot be read\n", code)));
    CHECK(written(write_github, made.report()).starts_with("::error title=linkherd::b.md: cannot be read\n"));
    const std::string junit = written(write_junit, made.report());
    CHECK(contains(junit, "<testsuites name=\"linkherd\" tests=\"2\" failures=\"0\" errors=\"1\""));
    CHECK(contains(junit, "<error message=\"b.md: cannot be read\">"));
  }
  for (const int code : {0, 2}) {
    made.outcome = {code, "3 broken links"};
    CHECK_FALSE(contains(text_of(made), "Exit code"));
    CHECK_FALSE(contains(written(write_github, made.report()), "::error"));
    CHECK_FALSE(contains(written(write_junit, made.report()), "<error"));
  }
}

TEST_CASE("an issue lists the failures with their date and says when to close it") {
  ReportBuilder made = finished();
  made.links.push_back(alive("a.md", 1, "https://a.example/"));
  CHECK(written(write_issue, made.report()).starts_with("**All links are fine** (1 link, checked on "));
  made.links.push_back(link("a.md", 2, "https://b.example/", verdict(Health::suspect, "soft_404")));
  Report report = made.report();
  const std::string well = written(write_issue, report);
  CHECK(well.starts_with("**No broken links** (2 links, checked on "));
  CHECK(contains(well, ". You can close this issue.\n\n<details><summary>Worth a look"));
  CHECK(contains(well, "- [ ] a.md:2:1 "));

  made.links.push_back(link("a.md", 3, "https://c.example/", verdict(Health::dead, "http_404")));
  made.links.back().state.first_failed = parse_timestamp("2026-02-03T04:05:06Z").value();
  made.links.push_back(link("a.md", 4, "https://d.example/[x](y)", verdict(Health::dead, "http_404")));
  report = made.report();
  std::string issue = written(write_issue, report);
  CHECK(issue.starts_with("**2 of 4 links need attention** (checked on "));
  CHECK(contains(issue, "). Close this issue when none is left.\n\n- [ ] a.md:3:1 "));
  CHECK(contains(issue, " (since 2026-02-03)\n"));
  CHECK_FALSE(contains(issue, "[x](y)"));
  CHECK(contains(issue, "<details>"));

  report.outcome = {4, "inconclusive: half of the links are put off"};
  issue = written(write_issue, report);
  CHECK(issue.starts_with("**The check of 4 links is not complete** (checked on "));
  CHECK(contains(issue, "Leave this issue as it is."));

  for (unsigned i = 0; i < 2000; ++i)
    made.links.push_back(
        link("a.md", i + 10, fmt::format("https://{}.example/", i), verdict(Health::dead, "http_404")));
  report = made.report();
  issue = written(write_issue, report);
  CHECK(issue.size() < 60'000);
  CHECK(contains(issue, " more links\n"));
}

TEST_CASE("SARIF has at most 25000 results with errors first and the number of omitted ones") {
  ReportBuilder made = finished();
  for (unsigned i = 1; i <= 25'010; ++i)
    made.links.push_back(
        link("a.md", i, "https://a.example/" + std::to_string(i), verdict(Health::skipped, "placeholder")));
  made.links.push_back(link("a.md", 1, "https://b.example/", verdict(Health::unreachable, "timeout")));
  Report report = made.report();
  report.policy.fail_on = {Health::unreachable};
  const value run = boost::json::parse(written(write_sarif, report)).at("runs").at(0);
  CHECK(run.at("results").as_array().size() == 25'000);
  CHECK(run.at("results").at(0).at("level") == "error");
  const value& message = run.at("invocations").at(0).at("toolExecutionNotifications").at(0).at("message").at("text");
  CHECK(std::string_view(message.as_string()).starts_with("11 results omitted"));
  CHECK(run.at("tool").at("driver").at("rules").at(0).at("fullDescription").as_object().contains("text"));
  const value few = boost::json::parse(written(write_sarif, one_of_everything().report())).at("runs").at(0);
  CHECK_FALSE(few.at("invocations").at(0).as_object().contains("toolExecutionNotifications"));
}

TEST_CASE("annotations respect the limit of GitHub and the last one counts the rest") {
  ReportBuilder report = finished();
  for (unsigned i = 1; i <= 38; ++i)
    report.links.push_back(
        link("a.md", i, "https://a.example/" + std::to_string(i), verdict(Health::dead, "http_404")));
  const auto errors = [&report] {
    std::vector<std::string> lines;
    for (const std::string& line : split_lines(written(write_github, report.report()))) {
      if (line.starts_with("::error")) lines.push_back(line);
    }
    return lines;
  };
  REQUIRE(errors().size() == 10);
  CHECK(errors().back() == "::error title=linkherd::… and 29 more links: see the log");
  report.links.resize(10);
  REQUIRE(errors().size() == 10);
  CHECK(contains(errors().back(), "https://a.example/10"));
  report.outcome = {1, "b.md: cannot be read"};
  REQUIRE(errors().size() == 10);
  CHECK(errors().back() == "::error title=linkherd::… and 2 more links: see the log");
  for (storage::CheckedLink& one : report.links)
    one = redirected("a.md", 1, "https://a.example/", "https://b.example/");
  std::size_t notices = 0;
  for (const std::string& line : split_lines(written(write_github, report.report())))
    notices += line.starts_with("::notice") ? 1U : 0U;
  CHECK(notices == 10);  // including the totals
}

TEST_CASE("a report row keeps its fingerprint when its list is edited above it") {
  ReportBuilder report = finished();
  report.links.push_back(link("a.md", 3, "https://a.example/", verdict(Health::dead, "http_404")));
  const auto prints = [&report] {
    const value sarif = boost::json::parse(written(write_sarif, report.report()));
    const value gitlab = boost::json::parse(written(write_gitlab, report.report()));
    return std::pair(sarif.at("runs").at(0).at("results").at(0).at("partialFingerprints"),
                     gitlab.at(0).at("fingerprint"));
  };
  const auto before = prints();
  report.links[0].result.occurrences[0].line = 33;
  CHECK(prints() == before);
  report.links[0].result.occurrences[0].file = "b.md";
  CHECK_FALSE(prints() == before);
}

TEST_CASE("hostile texts break no format and execute nothing") {
  std::string bad =
      "]]><script>alert(1)</script>|`x`\n::error::owned\r\n=cmd()\x1b]0;x\x07\"'&\\\xff\xed\xa0\x80 ##[error]x";
  append_utf8(bad, 0x202E);
  append_utf8(bad, 0x200B);
  append_utf8(bad, 0xFFFE);
  const std::string megabyte(1'000'000, 'y');
  for (const std::string& text :
       std::vector<std::string>{bad, "=cmd()" + bad, "::error::x", "-->", "https://x.example/\n- [x]"}) {
    ReportBuilder made = one_of_everything();
    for (storage::CheckedLink& link : made.links) {
      link.result.verdict.evidence = text;
      link.state.snapshot.metadata.title = {text, "html", 0.5};
      for (parser::LinkOccurrence& occurrence : link.result.occurrences) occurrence.text = occurrence.file = text;
      link.result.occurrences.front().url += text;
      link.state.snapshot.final_url += text;
      if (!link.state.snapshot.facts.empty()) link.state.snapshot.facts[0].text = text;
    }
    made.links[0].state.relocation = storage::Relocation{
        .url = "https://new.example/" + text, .level = storage::RelocationLevel::sure, .evidence = text + megabyte};
    made.links[1].state.relocation = storage::Relocation{.url = text, .evidence = text};
    made.links[0].result.occurrences[0].text += megabyte;
    made.links[4].state.snapshot.metadata.title->value += megabyte;
    made.outcome.why = text + megabyte;
    made.duplicates = {{.shared_value = text + megabyte, .entries = {{}, {}}}};
    const Report report = made.report();
    for (const Writer write : {write_json, write_jsonl, write_csv, write_markdown, write_github, write_junit,
                               write_sarif, write_rdjson, write_gitlab, write_lychee_json, write_page}) {
      const std::string out = written(write, report);
      CHECK(is_valid_utf8(out));
      const bool has_control =
          std::ranges::any_of(out, [](char c) { return (c >= 0 && c < 0x20 && c != '\n' && c != '\r') || c == 0x7F; });
      CHECK_FALSE(has_control);
      CHECK_FALSE(contains(out, "\u202e"));
      CHECK_FALSE(contains(out, "\u200b"));
      if (write == write_github) continue;  // this format consists of commands, whose texts are tested below
      CHECK_FALSE(contains(out, "##["));
      for (const std::string& line : split_lines(out)) CHECK_FALSE(line.starts_with("::"));
    }
    CHECK(counts_of_sarif(report).size() == 9);
    CHECK(counts_of_gitlab(report).size() == 9);
    CHECK(counts_of_jsonl(report).size() == 9);
    CHECK(split_lines(written(write_csv, report)).size() == 22);
    for (const std::string& line : split_lines(written(write_csv, report))) CHECK_FALSE(contains(line, ",=cmd"));
    for (const std::string& line : split_lines(written(write_github, report))) {
      CHECK_FALSE(line.starts_with("::error::"));
      CHECK_FALSE(line.starts_with(" ::"));
    }
    const std::string junit = written(write_junit, report);
    CHECK_FALSE(contains(junit, "<script"));
    CHECK_FALSE(contains(junit, "]]>"));
    CHECK(junit.size() < 100'000);
    const std::string markdown = written(write_markdown, report);
    CHECK(count_of(markdown, "<script") == count_of(markdown, "\\<script"));
    CHECK(markdown.size() < 65'536);
  }
}

TEST_CASE("messages in every format name the new address of a dead page") {
  ReportBuilder made = finished();
  made.links.push_back(relocated("a.md", 1, "https://gone.example/", "https://new.example/guide"));
  const Report report = made.report();
  const std::string words =
      "404 Not Found; moved to https://new.example/guide (same title, about 97 % of the text; found in the site's "
      "sitemap)";
  for (const Writer write : {write_sarif, write_rdjson, write_gitlab, write_junit, write_github}) {
    CAPTURE(written(write, report));
    const std::string text = written(write, report);
    CHECK((contains(text, words) || contains(text, "moved to https://new.example/guide (same title, about 97 %25 of") ||
           contains(text, "found in the site&apos;s sitemap)") || contains(text, "found in the site&#39;s sitemap)")));
  }
  CHECK(contains(written(write_markdown, report), "](https://new.example/guide) (same title, about 97 % of the text"));
  CHECK(contains(written(write_issue, report), "](https://new.example/guide) (same title"));
  const std::vector<std::string> csv = split_lines(written(write_csv, report));
  CHECK(contains(csv.at(0), ",archived_copy,relocated,relocation_level,facts,"));
  CHECK(contains(csv.at(1), ",,https://new.example/guide,sure,,"));
}

TEST_CASE("SARIF offers a fix where a page moved for sure and the text of the link is known") {
  ReportBuilder made = finished();
  made.links.push_back(relocated("a.md", 3, "https://gone.example/教", "https://new.example/guide"));
  parser::LinkOccurrence second = made.links[0].result.occurrences[0];
  second.line = 9;
  second.column = 5;
  second.href += "#part";
  second.url += "#part";
  second.length += 5;
  made.links[0].result.occurrences.push_back(second);
  const auto result = [&made] {
    return boost::json::parse(written(write_sarif, made.report())).at("runs").at(0).at("results").at(0).as_object();
  };
  const value fix = result().at("fixes").at(0);
  CHECK(contains(std::string(text_at(fix.at("description"), "text")), "moved to new.example/guide"));
  REQUIRE(fix.at("artifactChanges").as_array().size() == 1);
  const value& change = fix.at("artifactChanges").at(0);
  CHECK(change.at("artifactLocation").at("uri") == "a.md");
  REQUIRE(change.at("replacements").as_array().size() == 2);
  CHECK(change.at("replacements").at(0).at("deletedRegion") ==
        boost::json::parse(R"({"startLine":3,"startColumn":1,"endColumn":23})"));
  CHECK(change.at("replacements").at(0).at("insertedContent").at("text") == "https://new.example/guide");
  CHECK(change.at("replacements").at(1).at("insertedContent").at("text") == "https://new.example/guide#part");
  made.links[0].result.occurrences.resize(1);

  const storage::CheckedLink usable = made.links[0];
  const auto has_fix = [&](const auto& edit) {
    made.links[0] = usable;
    edit(made.links[0]);
    return result().contains("fixes");
  };
  CHECK(has_fix([](storage::CheckedLink&) {}));
  CHECK_FALSE(
      has_fix([](storage::CheckedLink& link) { link.state.relocation->level = storage::RelocationLevel::probably; }));
  CHECK_FALSE(
      has_fix([](storage::CheckedLink& link) { ++link.result.occurrences[0].length; }));  // written with escapes
  CHECK_FALSE(has_fix([](storage::CheckedLink& link) { link.result.occurrences[0].url = "/relative"; }));
  CHECK_FALSE(has_fix([](storage::CheckedLink& link) { link.result.occurrences[0].ignored_by = "linkherd-ignore"; }));
  CHECK_FALSE(has_fix([](storage::CheckedLink& link) { link.result.occurrences[0].file = "https://a.example/"; }));
  CHECK_FALSE(
      has_fix([](storage::CheckedLink& link) { link.result.occurrences[0].element = parser::LinkElement::resource; }));
  for (const char* const url : {"https://new.example/a(b)", "https://new.example/?a=1&b=2", "javascript:x", "x y"})
    CHECK_FALSE(has_fix([url](storage::CheckedLink& link) { link.state.relocation->url = url; }));
}

TEST_CASE("reports without links are valid in every format") {
  const ReportBuilder made;
  const Report report = made.report();
  for (const Writer write : {write_json, write_sarif, write_rdjson, write_gitlab, write_lychee_json})
    CHECK_NOTHROW(boost::json::parse(written(write, report)));
  CHECK(contains(written(write_junit, report), "<testsuites name=\"linkherd\" tests=\"0\""));
  CHECK(split_lines(written(write_csv, report)).size() == 1);
  CHECK(contains(written(write_markdown, report), "No links found"));
}

namespace {

std::string joined(const std::set<std::string>& texts) { return fmt::format("{}", fmt::join(texts, "\n")); }

}  // namespace

TEST_CASE("URLs in Markdown and issues are clickable and lead to the link") {
  const std::string odd = "https://odd.example/a_(b)_[c]*d*?q=`x`|y&copy;=1#:~:text=<e>";
  ReportBuilder made = finished();
  made.links = {link("a.md", 1, "https://gone.example/x_y_z", verdict(Health::dead, "http_404")),
                link("docs/[a](b).md", 2, odd, verdict(Health::dead, "http_404")),
                link("a.md", 3, "https://old.example/", verdict(Health::redirected, "moved_permanently")),
                link("a.md", 4, "missing_file.md", verdict(Health::dead, "file_not_found"))};
  made.links[1].result.occurrences[0].text =
      "a ](https://evil.example) `b` **c** https://in-words.example/ www.in-words.example";
  made.links[2].state.snapshot.final_url = "https://new.example/a(b)";
  const std::string serialised(parser::Url::parse(odd).value().href());
  const Report report = made.report();
  std::set<std::string> expected{"https://gone.example/x_y_z", "https://old.example/", "https://new.example/a(b)",
                                 std::string(serialised)};
  const auto without_case_of_backtick = [](std::set<std::string> targets) {
    std::set<std::string> same;
    for (std::string target : targets) {
      for (std::size_t at = target.find('`'); at != std::string::npos; at = target.find('`'))
        target.replace(at, 1, "%60");
      same.insert(std::move(target));
    }
    return same;
  };
  for (const bool autolinks : {false, true}) {
    CAPTURE(written(write_markdown, report));
    CHECK(joined(parser::cmark_targets(written(write_markdown, report), autolinks)) ==
          joined(without_case_of_backtick(expected)));
    std::set<std::string> open = expected;
    open.erase("https://old.example/");  // does not fail the run
    open.erase("https://new.example/a(b)");
    CHECK(joined(parser::cmark_targets(written(write_issue, report), autolinks)) ==
          joined(without_case_of_backtick(open)));
  }
}

TEST_CASE("a JUnit case is named by location and URL whatever the verdict") {
  std::set<std::string> names;
  for (const auto& [health, reason] :
       {std::pair(Health::dead, "http_404"), std::pair(Health::blocked, "http_403"), std::pair(Health::alive, "ok")}) {
    ReportBuilder made = finished();
    made.links = {link("a.md", 1, "https://a.example/x", verdict(health, reason))};
    made.links[0].result.occurrences[0].text = "The entry";
    const std::string junit = written(write_junit, made.report());
    names.insert(std::string(between(junit, "<testcase name=\"", "\"")));
  }
  CHECK(names == std::set<std::string>{"a.md:1:1 https://a.example/x"});
}
