// Tests `check --include-fragments=web` on the SmallInternet: anchors of pages, of lists and of a crawled site.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/pdf_file.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

using Words = std::vector<std::string>;

const std::string guide = "http://docs.herd/guide";

Page page(const std::string& body) {
  return html_page("<title>A page</title><p>" + std::string(300, 'w') + "</p>" + body);
}

void plant_docs(SmallInternet& internet, const std::string& install) {
  HostScript& docs = internet.host("docs.herd");
  docs.page("/guide", page("<h2 id=" + install + ">Install it</h2><p>Run the <b>tool</b>, then stop.</p>"));
  docs.page("/old", redirect_page(301, "/guide"));
  docs.page("/moved", redirect_page(302, "/guide#install"));
  docs.page("/app", html_page("<title>App</title><script src=app.js></script>"));
  docs.page("/code", page("<table><td id=L1><td id=L2></table>"));
  docs.page("/cut", page(std::string(100'000, 'w')));
  docs.page("/file.pdf", html_page(make_pdf("/Title (Three pages)", "", "", "/Count 3"), "application/pdf"));
}

// Returns the lines of a text.
const std::string list =
    "<http://docs.herd/guide>\n"
    "<http://docs.herd/guide#install>\n"
    "<http://docs.herd/guide#instal>\n"
    "<http://docs.herd/guide#:~:text=the%20tool,stop>\n"
    "<http://docs.herd/guide#:~:text=the%20hammer>\n"
    "<http://docs.herd/old#gone>\n"
    "<http://docs.herd/moved#gone>\n"
    "<http://docs.herd/app#/route>\n"
    "<http://docs.herd/app#part>\n"
    "<http://docs.herd/code#L1-L2>\n"
    "<http://docs.herd/code#L2-L3>\n"
    "<http://docs.herd/cut#gone>\n"
    "<http://docs.herd/file.pdf#page=9> <http://docs.herd/file.pdf#zoom=50&page=3>\n"
    "<http://docs.herd/missing#part>\n"
    "<http://docs.herd/guide#left-out>\n"
    "<http://docs.herd/guide#ignored> <!-- linkherd-ignore-line -->\n"
    "<http://docs.herd/guide#instal>\n";

ProgramResult check_anchors(const TempDir& folder, const SmallInternet& internet, const Words& more) {
  Words words{"--format", "jsonl", "--exclude", "#left-out$", "--max-body", "50KiB", "--include-fragments=web"};
  words.insert(words.end(), more.begin(), more.end());
  return run_linkherd(folder.path(), check_arguments(internet, words));
}

std::vector<std::string> urls_of(const std::vector<CheckedLine>& lines) {
  std::vector<std::string> urls;
  for (const CheckedLine& line : lines) urls.push_back(line.url);
  std::ranges::sort(urls);
  return urls;
}

}  // namespace

TEST_CASE("a page is fetched once for all its fragments and missing fragments are links of their own") {
  const TempDir folder;
  folder.write("list.md", list);
  SmallInternet internet;
  plant_docs(internet, "install");
  const Words stored{"--store", "store", "--bodies", "changed", "list.md"};
  Words first = stored;
  first.insert(first.begin(), {"--now", "2026-11-23T12:00:00Z"});
  const ProgramResult result = check_anchors(folder, internet, first);
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(urls_of(lines) == Words{"http://docs.herd/app", "http://docs.herd/app#part", "http://docs.herd/code",
                                "http://docs.herd/code#L2-L3", "http://docs.herd/cut", "http://docs.herd/file.pdf",
                                "http://docs.herd/file.pdf#page=9", guide, guide + "#:~:text=the%20hammer",
                                guide + "#instal", "http://docs.herd/missing", "http://docs.herd/moved",
                                "http://docs.herd/old#gone"});
  CHECK(internet.count("docs.herd", "/guide") == 3);  // also after two redirects
  CHECK(internet.count("docs.herd", "/code") == 1);
  const CheckedLine& wrong = line_of(lines, guide + "#instal");
  CHECK(wrong.health == "dead");
  CHECK(wrong.reason == "anchor_not_found");
  CHECK(wrong.evidence == guide + " has no anchor \"instal\"; did you mean #install?");
  CHECK(wrong.occurrences == Words{"list.md:3", "list.md:17"});
  CHECK(line_of(lines, guide).health == "alive");
  CHECK(line_of(lines, guide).occurrences == Words{"list.md:1", "list.md:2", "list.md:4", "list.md:15", "list.md:16"});
  CHECK(line_of(lines, "http://docs.herd/old#gone").evidence == guide + " has no anchor \"gone\"");
  CHECK(line_of(lines, "http://docs.herd/app#part").health == "suspect");
  CHECK(line_of(lines, "http://docs.herd/file.pdf#page=9").evidence ==
        "http://docs.herd/file.pdf has no page 9: it ends with page 3");
  CHECK(line_of(lines, "http://docs.herd/missing").reason == "http_404");

  // The report from the store is the same, and so is a run that takes the pages from the store.
  const ProgramResult report = run_linkherd(folder.path(), {"report", "--store", "store", "--format", "jsonl"});
  CHECK(urls_of(checked_lines(report.out)) == urls_of(lines));
  internet.clear_requests();
  Words later = stored;
  later.insert(later.begin(), {"--now", "2026-11-23T13:00:00Z"});
  CHECK(urls_of(checked_lines(check_anchors(folder, internet, later).out)) == urls_of(lines));
  CHECK(internet.count("docs.herd", "/guide") == 0);

  // A restored anchor is reported.
  plant_docs(internet, "instal");
  later = {"--now", "2026-11-26T13:00:00Z"};
  later.insert(later.end(), stored.begin(), stored.end());
  const ProgramResult changed = check_anchors(folder, internet, later);
  CAPTURE(changed.err);
  std::string changes;
  for (const boost::json::object& line : json_lines(changed.out)) {
    const boost::json::value& change = line.at("change");
    if (change != "still" && change != "same")
      changes += std::string(line.at("url").as_string()) + " " + std::string(change.as_string()) + "\n";
  }
  CHECK(changes == guide + "#install new\n" + guide + "#instal recovered\n");
}

TEST_CASE("each missing fragment is a link even without a store and under the option names of lychee") {
  const TempDir folder;
  folder.write("list.md", "[a](" + guide + "#gone) [b](" + guide + "#gone2)\n");
  SmallInternet internet;
  plant_docs(internet, "install");
  const ProgramResult result = check_anchors(folder, internet, {"--include-fragments=full", "--no-store", "list.md"});
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(urls_of(lines) == Words{guide + "#gone", guide + "#gone2"});
  CHECK(line_of(lines, guide + "#gone").health == "dead");
  const ProgramResult fine =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  CHECK(fine.exit_code == 0);
  CHECK(urls_of(checked_lines(fine.out)) == Words{guide});
}

TEST_CASE("anchors of a crawled site are checked") {
  const TempDir folder;
  SmallInternet internet;
  HostScript& site = internet.host("site.herd");
  site.page("/", page("<a id=here href='#here'>self</a><a href='#nowhere'>self</a><a href='/b#two'>b</a>"));
  site.page("/b", page("<p id=one><a href='/#here'>home</a><a href='/#gone'>home</a><a href='/c#late'>c</a>"));
  site.page("/c", page("<p id=late><a href='/b#one'>b</a><a href='/b#three'>b</a>"));
  for (const Words& store : {Words{"--no-store"}, Words{"--store", "store"}}) {
    Words words{"--recursive", "http://site.herd/"};
    words.insert(words.end(), store.begin(), store.end());
    internet.clear_requests();
    const ProgramResult result = check_anchors(folder, internet, words);
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    const std::vector<CheckedLine> lines = checked_lines(result.out);
    CHECK(urls_of(lines) == Words{"http://site.herd/", "http://site.herd/#gone", "http://site.herd/#nowhere",
                                  "http://site.herd/b", "http://site.herd/b#three", "http://site.herd/b#two",
                                  "http://site.herd/c"});
    CHECK(line_of(lines, "http://site.herd/b#three").occurrences == Words{"http://site.herd/c:1"});
    for (const char* target : {"/", "/b", "/c"}) CHECK(internet.count("site.herd", target) == 1);
  }
}
