
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/utf8.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "text_report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using storage::CheckedLink;
using storage::Health;

namespace {

CheckedLink with_page(CheckedLink link, std::string title, std::vector<std::string> authors, std::string published) {
  parser::Metadata& metadata = link.state.snapshot.metadata;
  metadata.title = {std::move(title), "json_ld", 0.9};
  if (!authors.empty()) metadata.authors = {std::move(authors), "json_ld", 0.9};
  if (!published.empty()) metadata.published = {std::move(published), "json_ld", 0.9};
  return link;
}

// Returns a report with a link in every section.
ReportBuilder representative() {
  ReportBuilder report = finished();
  LinksInMemory& links = report.links;
  links.push_back(
      with_location(link("lists/resources.md", 12, "https://gone.example/post", verdict(Health::dead, "http_404")),
                    "lists/bookmarks.txt", 7, 1));
  links.push_back(link("lists/resources.md", 20, "https://nowhere.example/", verdict(Health::dead, "dns_not_found")));
  links.push_back(link("lists/资源.md", 3, "https://old.example/", verdict(Health::insecure, "tls_expired")));
  links.back().state.snapshot.certificate = storage::Certificate{"old.example", "CA", at("2024-05-01")};
  links.push_back(redirected("lists/resources.md", 30, "http://moved.example/a", "https://moved.example/a"));
  links.push_back(redirected("lists/resources.md", 31, "http://moved.example/b", "https://moved.example/"));
  links.push_back(redirected("lists/resources.md", 32, "https://short.example/x", "https://long.example/x", 302));
  links.push_back(with_page(alive("lists/资源.md", 9, "https://zhuanlan.example/p/622212228"),
                            "图解大模型系列之：张量模型并行", {"猛猿"}, "2023-04-16T10:20:00+08:00"));
  links.back() = with_location(links.back(), "lists/bookmarks.txt", 151, 1);
  links.push_back(alive("lists/bookmarks.txt", 160, "https://zhuanlan.example/p/622212228?utm_source=wechat"));
  for (unsigned i = 1; i <= 5; ++i) {
    links.push_back(link("lists/resources.md", 100 + i, "https://wall.example/" + std::to_string(i),
                         verdict(Health::blocked, "http_403")));
  }
  links.push_back(
      link("lists/resources.md", 120, "https://www.linkedin.example/in/x", verdict(Health::blocked, "http_999")));
  links.push_back(
      link("lists/resources.md", 121, "https://www.linkedin.example/in/y", verdict(Health::blocked, "login_required")));
  links.push_back(link("lists/resources.md", 130, "https://slow.example/", verdict(Health::unreachable, "timeout")));
  links.back().state.strikes = 1;
  links.push_back(link("lists/resources.md", 140, "https://api.example/1", verdict(Health::deferred, "rate_limited")));
  links.back().result.verdict.evidence = "The host asked to wait until 2026-03-05T12:00:00Z.";
  links.push_back(link("lists/resources.md", 150, "https://example.com/{x}", verdict(Health::skipped, "placeholder")));
  links.push_back(
      link("lists/resources.md", 151, "mailto:me@a.example", verdict(Health::skipped, "unsupported_scheme")));
  links.push_back(link("lists/resources.md", 152, "https://example.org/", verdict(Health::skipped, "placeholder")));
  links.push_back(link("lists/resources.md", 160, "https://parked.example/", verdict(Health::suspect, "parked", 0.7)));
  report.duplicates = find_duplicates(links, DuplicateScope::across);
  return report;
}

}  // namespace

TEST_CASE("the summary view of a run with one link of every kind is as expected") {
  CHECK(text_of(representative()) ==
        R"(4 of 21 links need attention (3 broken, 1 suspect) · 3 fine · 23 occurrences, 11 hosts, 48 s

  404 or 410 (1)           find the new address, or remove the entry
    lists/resources.md:12:1   https://gone.example/post  (also lists/bookmarks.txt:7:1)
  No such host (1)         the name no longer exists: replace or remove the link
    lists/resources.md:20:1   https://nowhere.example/
  Invalid certificate (1)  tell the owner of the site; the page exists
    lists/资源.md:3:1         https://old.example/   certificate expired on 2024-05-01
  Probably the domain is parked or for sale (1)  find the new address or remove the link
    lists/resources.md:160:1  https://parked.example/

Worth a look: 2 moved · 2 listed more than once
Could not be verified: 7 access denied (wall.example, www.linkedin.example) · 1 no answer (dead after 3 failed checks)
Not checked: 1 deferred (too many requests: 1) · 3 skipped (placeholder address: 2, not a web address: 1)
Next: linkherd report --section broken
      linkherd report --section moved
      linkherd fix --dry-run
      linkherd report --all
)");
}

TEST_CASE("the section of moved links has a heading of its own") {
  const std::string text = text_of(representative(), {.sections = {Section::moved}});
  CHECK(text.find("\nMoved (2) ") != std::string::npos);
  CHECK(text.find("\n  Moved permanently (1) ") != std::string::npos);
  CHECK(text.find("Moved permanently") == text.rfind("Moved permanently"));
}

TEST_CASE("the full report has every section with all links and their details") {
  ReportBuilder report = representative();
  report.links[5].state.snapshot.redirects = {{"https://short.example/x", 301, "https://mid.example/x"},
                                              {"https://mid.example/x", 302, "https://long.example/x"}};
  report.links[0].result.verdict.evidence = "HTTP 404, twice, 10 s apart";
  report.links[7].result.is_from_store = true;
  CHECK(text_of(report, {.all = true}) ==
        R"(4 of 21 links need attention (3 broken, 1 suspect) · 3 fine · 23 occurrences, 11 hosts, 48 s

Dead (2)
  404 or 410 (1)           find the new address, or remove the entry
    lists/resources.md:12:1  https://gone.example/post
                             404 Not Found
                             HTTP 404, twice, 10 s apart
                             also at lists/bookmarks.txt:7:1
  No such host (1)         the name no longer exists: replace or remove the link
    lists/resources.md:20:1  https://nowhere.example/

Insecure (1)             works, but its certificate is invalid
  Invalid certificate (1)  tell the owner of the site; the page exists
    lists/资源.md:3:1  https://old.example/
                       certificate expired on 2024-05-01

Suspect (1)              may be broken; the next run checks again
  Probably the domain is parked or for sale (1)  find the new address or remove the link
    lists/resources.md:160:1  https://parked.example/

Moved (2)                permanently, to a new address
  Moved permanently (1)    update to the new address
    lists/resources.md:30:1  http://moved.example/a
                             301 → https://moved.example/a
  Moved to the front page (1)  leads only to the front page: check whether the page still exists
    lists/resources.md:31:1  http://moved.example/b
                             301 → https://moved.example/

Listed more than once (2)  entries for the same page
  same address
    lists/resources.md:12:1  https://gone.example/post
                             also at lists/bookmarks.txt:7:1
  equivalent address, possibly
    lists/资源.md:9:1  https://zhuanlan.example/p/622212228
                       also at lists/bookmarks.txt:151:1
                       also at lists/bookmarks.txt:160:1  https://zhuanlan.example/p/622212228?utm_source=wechat

Access denied (7)        could not be verified; these do not fail the check
  403 Forbidden (5)        open it in a browser to make sure
    lists/resources.md:101:1  https://wall.example/1
    lists/resources.md:102:1  https://wall.example/2
    lists/resources.md:103:1  https://wall.example/3
    lists/resources.md:104:1  https://wall.example/4
    lists/resources.md:105:1  https://wall.example/5
  999 Request Denied (1)   open it in a browser to make sure
    lists/resources.md:120:1  https://www.linkedin.example/in/x
  Requires a login (1)     open it in a browser to make sure
    lists/resources.md:121:1  https://www.linkedin.example/in/y

No answer (1)            not yet considered dead
  Timed out (1)
    lists/resources.md:130:1  https://slow.example/
                              timed out (failed check 1 of 3)

Not checked yet (1)      the next run checks them
  Too many requests (1)    check it again later
    lists/resources.md:140:1  https://api.example/1
                              the host asked to wait until 2026-03-05T12:00:00Z

Skipped (3)
  Placeholder address (2)
    lists/resources.md:150:1  https://example.com/{x}
    lists/resources.md:152:1  https://example.org/
  Not a web address (1)
    lists/resources.md:151:1  mailto:me@a.example

Fine (3)
  The page exists (2)
    lists/资源.md:9:1          https://zhuanlan.example/p/622212228
                               also at lists/bookmarks.txt:151:1
    lists/bookmarks.txt:160:1  https://zhuanlan.example/p/622212228?utm_source=wechat
                               not checked again, last checked on 2026-03-05 10:20 UTC
  Redirected temporarily (1)
    lists/resources.md:32:1  https://short.example/x
                             301 → https://mid.example/x
                             302 → https://long.example/x

Metadata of 1 page: 1 title, 1 author, 1 date
  date        title                                             authors                   address
  2023-04-16  图解大模型系列之：张量模型并行                    猛猿                      https://zhuanlan.example/p/622212228
)");
}

TEST_CASE("the metadata table stays aligned whatever it contains") {
  ReportBuilder report = finished();
  const std::string long_title = "一个非常非常非常非常非常非常非常非常非常非常非常长的标题";
  report.links.push_back(with_page(alive("a.md", 1, "https://a.example/"), long_title, {"A", "B"}, "2024"));
  report.links.push_back(with_page(alive("a.md", 2, "https://b.example/"), "\x1b[2Jshort\n", {}, ""));
  const std::string text = text_of(report, {.all = true});
  CHECK(contains(text,
                 "  2024        一个非常非常非常非常非常非常非常非常非常非常非…   A, B                      "
                 "https://a.example/\n"));
  CHECK(contains(text,
                 "  -           \\u{1b}[2Jshort                                    -                         "
                 "https://b.example/\n"));
  CHECK(contains(text, "Metadata of 2 pages: 2 titles, 1 author, 1 date\n"));
}

TEST_CASE("a run without findings is reported in three lines") {
  ReportBuilder report = finished();
  report.store.clear();
  report.elapsed = std::chrono::milliseconds(340);
  report.links.push_back(alive("a.md", 1, "https://a.example/"));
  CHECK(text_of(report) ==
        "All links are fine (1) · 1 occurrence, 1 host, 0.3 s\n\n"
        "Next: run the same command with --all\n");
  report.links.push_back(link("a.md", 2, "https://a.example/gone", verdict(storage::Health::dead, "http_404")));
  CHECK(contains(text_of(report), "\nNext: run the same command with --section broken, or with --all\n"));
}

TEST_CASE("a run on links to files names no hosts") {
  ReportBuilder report = finished();
  report.links.push_back(alive("a.md", 1, "b.md"));
  CHECK(contains(text_of(report), "All links are fine (1) · 1 occurrence, 48 s\n"));
}

TEST_CASE("the hosts that made a run long are named") {
  ReportBuilder report;
  report.links.push_back(alive("a.md", 1, "https://a.example/"));
  report.slowest_hosts.push_back({"a.example", 400, std::chrono::milliseconds(100)});
  const auto said = [&report](Duration elapsed, bool all) {
    report.elapsed = elapsed;
    std::ostringstream out;
    write_text(out, report.report(), {.all = all});
    return out.str().find("Slowed down on purpose: a.example, 40 s: 400 links at 10 per second\n") != std::string::npos;
  };
  CHECK(said(std::chrono::seconds(45), false));
  CHECK_FALSE(said(std::chrono::seconds(5), false));
  CHECK(said(std::chrono::seconds(5), true));
  std::ostringstream json;
  write_json(json, report.report());
  CHECK(contains(json.str(),
                 R"("pace":[{"host":"a.example","links":400,"interval_seconds":0.1,"interval_from":"settings",)"
                 R"("paused_seconds":0,"pause_from":"none","pause_status":0,"at_least_seconds":40}])"));
}

TEST_CASE("a report from the store has date and inputs of the run and the other runs") {
  ReportBuilder report = finished();
  report.elapsed.reset();
  report.run.inputs = {"a.md", "b\x1b.md"};
  report.links.push_back(alive("a.md", 1, "https://a.example/"));
  CHECK(
      text_of(report).starts_with("All links are fine (1) · 1 occurrence, 1 host\n"
                                  "Run 12 of 2026-03-05 10:20 UTC, a.md, b\\u{1b}.md\n"));
  CHECK_FALSE(contains(text_of(report), "Not shown"));

  Report with_others = report.report();
  with_others.other_runs.assign(4, report.run);
  with_others.other_runs.front().inputs.clear();
  std::ostringstream text;
  write_text(text, with_others, {});
  CHECK(contains(text.str(), "Not shown: runs of inputs listed in a file (run 12 of 2026-03-05); a.md, b"));
  CHECK(contains(text.str(), "; and 1 more. Use linkherd report INPUT... to see them.\n"));
}

TEST_CASE("a store at another location is named in the suggested command") {
  ReportBuilder report = finished();
  report.store = "/var/lib/links";
  CHECK(contains(text_of(report), "linkherd report --store /var/lib/links --all\n"));
}

TEST_CASE("an outage is one clear line without the failures of the network") {
  ReportBuilder report = representative();
  report.run.state = storage::RunState::outage;
  report.links.push_back(link("a.md", 7, "docs/lost.md", verdict(Health::dead, "file_not_found")));
  const std::string text = text_of(report);
  CAPTURE(text);
  CHECK(contains(text,
                 "\nThis says nothing about the links on the web. Check your network, DNS and proxy, then run linkherd "
                 "again.\n\n  Files and anchors (1)"));
  CHECK(text.starts_with(
      "1 of 22 links needs attention, and the rest could not be checked: your network seems to be down"));
  report.links.pop_back();
  CHECK(text_of(report).starts_with("Nothing could be checked: your network seems to be down (21 links)"));
  CHECK(contains(text, "docs/lost.md"));
  CHECK_FALSE(contains(text, "404"));
  CHECK_FALSE(contains(text, "Could not be verified"));
  CHECK(contains(text_of(report, {.all = true}), "Not checked yet (1)"));
}

TEST_CASE("an interrupted run says so at the top with the number of missing links") {
  ReportBuilder report = representative();
  report.run.state = storage::RunState::interrupted;
  for (std::size_t i = 0; i < 4; ++i) report.links[i].result.verdict = verdict(Health::deferred, "interrupted");
  const std::string text = text_of(report);
  CHECK(contains(text, " s\nInterrupted: 4 of 21 links not checked. The same command continues the run.\n"));
  CHECK(contains(text, "5 deferred (not checked before the interruption: 4, too many requests: 1)"));
  const std::string put_off = text_of(report, {.sections = {Section::deferred}});
  CHECK(contains(put_off, "\nNot checked yet (5)"));
  CHECK(contains(put_off, "the host asked to wait until 2026-03-05T12:00:00Z\n"));
  report.run.state = storage::RunState::open;  // a killed run could not record its end
  CHECK(contains(text_of(report), "\nInterrupted: 4 of 21"));
  report.store.clear();  // no store from which another run could continue
  CHECK(contains(text_of(report), "\nInterrupted: 4 of 21 links not checked.\n"));
}

TEST_CASE("strikes are counted against the limit of the run") {
  ReportBuilder report = finished();
  report.links.push_back(link("a.md", 1, "https://slow.example/", verdict(Health::unreachable, "timeout")));
  report.links[0].state.strikes = 4;
  report.run.strikes = 5;
  const FormatOptions silent_hosts{.sections = {Section::unreachable}};
  CHECK(contains(text_of(report, silent_hosts), "timed out (failed check 4 of 5)"));
  CHECK(contains(text_of(report), "1 no answer (dead after 5 failed checks)"));
  report.run.strikes = 0;  // an older store without this value
  CHECK(contains(text_of(report, silent_hosts), "(failed check 4)"));
}

TEST_CASE("a link dead by strikes has the date of its first strike") {
  ReportBuilder report = finished();
  report.links.push_back(link("a.md", 1, "https://slow.example/", verdict(Health::dead, "timeout")));
  report.links[0].result.verdict.rule = "strikes";
  report.links[0].state.strikes = 3;
  report.links[0].state.first_failed = at("2026-03-01T08:00:00Z");
  CHECK(contains(text_of(report), "  No answer in several runs (1)  replace the link, or remove it"));
  CHECK(contains(text_of(report), "https://slow.example/   timed out, in 3 runs since 2026-03-01\n"));
}

TEST_CASE("a broken link shows its redirect chain") {
  ReportBuilder report = finished();
  report.links.push_back(redirected("a.md", 1, "http://a.example/x", "https://a.example/x"));
  report.links[0].result.verdict = verdict(Health::dead, "http_404");
  CHECK(contains(text_of(report), "    a.md:1:1  http://a.example/x\n              → https://a.example/x\n"));
}

TEST_CASE("a broken target without scheme on a web page gets the intended URL") {
  const auto text = [](const char* written, Health health = Health::dead) {
    ReportBuilder report = finished();
    report.links.push_back(
        link("https://a.herd/list", 1, "https://a.herd/www.python.org", verdict(health, "http_404")));
    report.links[0].result.occurrences[0].url = written;
    report.links[0].result.occurrences[0].href = "https://a.herd/www.python.org";
    FormatOptions options;
    options.all = true;
    return text_of(report, options);
  };
  CHECK(contains(text("www.python.org"), "did you mean https://www.python.org?"));
  CHECK(contains(text("python.org/x"), "did you mean https://python.org/x?"));
  for (const char* const other : {"https://a.herd/www.python.org", "guide.md", "/www.python.org", "docs/python.org"})
    CHECK_FALSE(contains(text(other), "did you mean"));
  CHECK_FALSE(contains(text("www.python.org", Health::alive), "did you mean"));
}

TEST_CASE("a broken link names its archived copy and its new branch") {
  ReportBuilder report = finished();
  report.links.push_back(link("a.md", 1, "https://gone.example/", verdict(Health::dead, "http_404")));
  report.links[0].state.archived_copy = {"https://archive.example/\x1b[1m", at("2019-03-06"), at("2026-03-05")};
  report.links.push_back(link("a.md", 2, "https://git.example/", verdict(Health::dead, "http_404")));
  report.links[1].state.snapshot.facts = {{"branch_renamed", "the branch master is now main: https://git.example/x"}};
  const std::string text = text_of(report);
  CHECK(contains(text, "archived on 2019-03-06: https://archive.example/\\u{1b}[1m\n"));
  CHECK(contains(text, "  the branch master is now main: https://git.example/x\n"));
}

TEST_CASE("a dead link names its new address before its archived copy") {
  ReportBuilder report = finished();
  report.links.push_back(relocated("a.md", 1, "https://gone.example/", "https://docs.good.herd/guide",
                                   storage::RelocationLevel::probably));
  report.links[0].state.archived_copy = {"https://archive.example/", at("2019-03-06"), at("2026-03-05")};
  const std::string words =
      "probably moved to docs.good.herd/guide: same title, about 97 % of the text; found in the site's sitemap\n";
  for (const bool all : {false, true}) {
    const std::string text = text_of(report, {.all = all});
    REQUIRE(contains(text, "  " + words));
    CHECK(text.find(words) < text.find("archived on 2019-03-06"));
  }
  storage::Relocation& relocation = *report.links[0].state.relocation;
  relocation.url = "https://evil.example/\x1b[1m";
  relocation.evidence = "same title \x1b]0;owned\x07\n::error::";
  const std::string text = text_of(report);
  CHECK(contains(text, "probably moved to evil.example/\\u{1b}[1m: same title \\u{1b}]0;owned\\u{7} ::error::; found"));
  relocation.url = "https://evil.example/" + std::string(100'000, 'x');
  CHECK(text_of(report).size() < 2000);
}

TEST_CASE("colours are added on request and change no word") {
  const ReportBuilder report = representative();
  std::string colored = text_of(report, {.style = {.color = true}});
  CHECK(contains(colored, "  \x1b[1;31m404 or 410 (1)\x1b[0m"));
  for (std::size_t start = colored.find('\x1b'); start != std::string::npos; start = colored.find('\x1b')) {
    colored.erase(start, colored.find('m', start) - start + 1);
  }
  CHECK(colored == text_of(report));
}

TEST_CASE("no foreign control sequence reaches the terminal") {
  std::string bad = "\x1b]0;owned\x07\x1b[2J\r\n\x9b\xff";
  append_utf8(bad, 0x202E);  // right-to-left override
  bad += "evil\x7f";
  ReportBuilder report = representative();
  report.store = bad;
  for (CheckedLink& link : report.links) {
    link.state.url += bad;
    link.result.verdict.evidence = bad;
    link.state.snapshot.final_url += bad;
    link.state.snapshot.metadata.title = {bad, bad, 1.0};
    link.state.snapshot.metadata.authors = {{bad}, bad, 1.0};
    link.state.snapshot.metadata.published = {bad, bad, 1.0};
    for (storage::Redirect& redirect : link.state.snapshot.redirects) redirect.to += bad;
    for (parser::LinkOccurrence& occurrence : link.result.occurrences) {
      occurrence.file += bad;
      occurrence.url += bad;
    }
  }
  report.links[0].result.verdict.reason = bad;
  for (const bool all : {false, true}) {
    const std::string text = text_of(report, {.all = all});
    CHECK(is_valid_utf8(text));
    CHECK(contains(text, "evil"));
    for (std::size_t i = 0; i < text.size();) {
      const CodePoint point = decode_utf8(text, i);
      const bool is_harmless =
          point.value == U'\n' || (point.value >= 0x20 && (point.value < 0x7f || point.value > 0x9f));
      REQUIRE(is_harmless);
      REQUIRE(point.value != char32_t{0x202e});
      i += point.length;
    }
  }
}

TEST_CASE("an empty report does not crash") {
  CHECK(contains(text_of(ReportBuilder()), "0 of 0 links"));
  CHECK(contains(text_of(ReportBuilder(), {.all = true}), "0 of 0 links"));
}

TEST_CASE("expiring certificates have a section with one line per host") {
  CHECK(contains(text_of(report_with_certificates()),
                 "Worth a look: 1 moved · 2 certificates expire soon (soon.example on 2026-03-07)\n"));
  const std::string text = text_of(report_with_certificates(), {.sections = {Section::certificates}});
  CAPTURE(text);
  CHECK(contains(text, "Certificates (2)"));
  CHECK(contains(text, "soon.example: the certificate expires on 2026-03-07, in 1 day (2 links)"));
  CHECK(contains(text, "later.example: the certificate expires on 2026-03-14, in 8 days (1 link)"));
  CHECK_FALSE(contains(text, "safe.example"));
  CHECK_FALSE(contains(text, "gone.example: the certificate"));
  CHECK_FALSE(contains(text_of(finished()), "ertificates"));
}

TEST_CASE("a certificate without its intermediate is a note under certificates") {
  ReportBuilder made = report_with_certificates();
  for (storage::CheckedLink& row : made.links) {
    if (row.state.snapshot.certificate) row.state.snapshot.certificate->is_chain_incomplete = true;
  }
  const std::string text = text_of(made, {.sections = {Section::certificates}});
  CAPTURE(text);
  CHECK(contains(text, "soon.example: the certificate expires on 2026-03-07, in 1 day; the server omits"));
  CHECK(contains(text, "safe.example: the server omits its intermediate certificate; browsers look it up"));
  CHECK_FALSE(contains(text, "gone.example: the"));
  CHECK(contains(text_of(made), "2 certificates expire soon (soon.example on 2026-03-07) · "));
  CHECK(contains(text_of(made), " without the intermediate certificate"));
}

TEST_CASE("a certificate error is described as the run found it") {
  ReportBuilder report = finished();
  report.links.push_back(link("a.md", 1, "https://wrong.example/", verdict(Health::insecure, "tls_wrong_host")));
  report.links.back().result.verdict.evidence =
      "Certificate is for another host: a.example; without verification the server answers HTTP 200.";
  CHECK(contains(text_of(report), "certificate is for another host: a.example\n"));
}

TEST_CASE("a URL without scheme that is read as https is marked") {
  ReportBuilder report = finished();
  report.links.push_back(link("list.txt", 3, "https://plain-host.com/x", verdict(Health::dead, "http_404")));
  report.links.push_back(link("list.md", 4, "file:///r/plain-file.com", verdict(Health::dead, "file_not_found")));
  for (storage::CheckedLink& row : report.links)
    row.result.occurrences[0].notes.push_back(parser::LinkNote::missing_scheme);
  report.links[1].result.occurrences[0].href.clear();  // a file has no URL
  const std::string all = text_of(report, {.all = true});
  CAPTURE(all);
  constexpr std::string_view line = "written without a scheme, read as https\n";
  const std::size_t at = all.find(line);
  CHECK(at != std::string::npos);
  CHECK(all.find("https://plain-host.com/x") < at);
  CHECK(all.find(line, at + 1) == std::string::npos);

  report.links[0].result.occurrences[0].notes.clear();
  CHECK_FALSE(contains(text_of(report, {.all = true}), line));
}

TEST_CASE("an entry is shown with its own text and a readable URL") {
  ReportBuilder report = finished();
  report.links.push_back(link("docs/指南.md", 47,
                              "https://xn--fiq228c.example/%E6%95%99%E7%A8%8B/%E2%80%AE%20x%2Fy%C4%E3",
                              verdict(Health::dead, "http_404")));
  report.links[0].result.occurrences[0].text = "已失效的教程\n（第三章）";
  const std::string text = text_of(report);
  CAPTURE(text);
  CHECK(contains(text,
                 "    docs/指南.md:47:1  已失效的教程 （第三章）\n"
                 "                       https://中文.example/教程/%E2%80%AE%20x%2Fy%C4%E3\n"));
  CHECK_FALSE(contains(text, "xn--"));
  const std::string all = text_of(report, {.all = true});
  CHECK(contains(all, "requested as https://xn--fiq228c.example/%E6%95%99%E7%A8%8B/%E2%80%AE%20x%2Fy%C4%E3\n"));

  // An occurrence that is an entry is shown first.
  parser::LinkOccurrence mention = report.links[0].result.occurrences[0];
  mention.file = "README.md";
  mention.text = "here";
  mention.role = parser::LinkRole::mention;
  report.links[0].result.occurrences.insert(report.links[0].result.occurrences.begin(), mention);
  CHECK(contains(text_of(report), "%C4%E3  (also README.md:47:1)\n"));
}

TEST_CASE("a host name that imitates another one stays punycode") {
  CHECK(readable_url("https://xn--80ak6aa92e.com/") ==
        "https://xn--80ak6aa92e.com/");  // all Cyrillic, looks like apple
  CHECK(readable_url("https://xn--fiq228c.example/") == "https://中文.example/");
  CHECK(readable_url("not a url %E6%95%99") == "not a url 教");
  CHECK(readable_url("https://a.example/100%25%") == "https://a.example/100%25%");
}

TEST_CASE("hyperlinks are complete even on a cut line") {
  ReportBuilder report = finished();
  report.links.push_back(
      link("a.md", 1, "https://a.example/%E6%95%99" + std::string(60, 'x'), verdict(Health::dead, "http_404")));
  report.links.push_back(link("a.md", 2, "docs/lost.md", verdict(Health::dead, "file_not_found")));
  const std::string text = text_of(report, {.style = {.hyperlinks = true, .columns = 60}});
  CAPTURE(text);
  const std::string target = ";https://a.example/%E6%95%99" + std::string(60, 'x') + "\x1b\\";
  const std::size_t first = text.find(target);
  REQUIRE(first != std::string::npos);
  CHECK(text.find(target, first + 1) != std::string::npos);  // the second piece
  CHECK(contains(text, "\x1b]8;;\x1b\\\n"));
  CHECK_FALSE(contains(text, "lost.md\x1b"));
  CHECK_FALSE(contains(text_of(report), "\x1b"));
}

TEST_CASE("links can be grouped by file and by host") {
  ReportBuilder report = finished();
  report.links.push_back(link("a.md", 1, "https://one.example/1", verdict(Health::dead, "http_404")));
  report.links.push_back(link("b.md", 1, "https://two.example/2", verdict(Health::dead, "http_410")));
  report.links.push_back(link("b.md", 2, "https://one.example/3", verdict(Health::insecure, "tls_expired")));
  const std::string by_file = text_of(report, {.group_by = GroupBy::file});
  CHECK(contains(by_file, "\n  b.md (2)\n"));
  CHECK(contains(by_file, "https://two.example/2   410 Gone — find the new address, or remove the entry\n"));
  CHECK(by_file.find("b.md (2)") < by_file.find("a.md (1)"));
  const std::string by_host =
      text_of(report, {.sections = {Section::dead, Section::insecure}, .group_by = GroupBy::host});
  CHECK(contains(by_host, "\nDead (2)\n  one.example (1)\n"));
  CHECK(contains(by_host, "\nInsecure (1)"));
}
