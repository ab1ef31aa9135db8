// Tests `check --recursive` on sites of the SmallInternet: the links that it finds, their occurrences, and the pages
// that it skips. A killed crawl must continue where it stopped.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

using Words = std::vector<std::string>;

const std::string start = "http://site.herd/";

Page page(const std::string& title, const std::string& body) {
  return html_page("<title>" + title + "</title>\n" + body);
}

Page text_page(std::string text, std::string type) { return html_page(std::move(text), std::move(type)); }

// Returns a month of an endless calendar, which links only to the next month.
Page month_after(const std::string& target) {
  int year = std::stoi(target.substr(10, 4));
  int month = std::stoi(target.substr(15)) + 1;
  if (month > 12) {
    month = 1;
    ++year;
  }
  const std::string next = "/calendar/" + std::to_string(year) + "/" + std::to_string(month);
  return page(target, "<a href='" + next + "'>next</a>");
}

Page site_page(const ReceivedRequest& request) {
  const std::string& target = request.target;
  if (target.starts_with("/calendar/")) return month_after(target);
  if (target.starts_with("/deeper/")) return page(target, "<a href='a/'>a</a>");
  if (target.starts_with("/shop?sid=")) return page("Shop", "<a href='/shop?sid=" + target.substr(10) + "1'>shop</a>");
  return status_page(404);
}

void plant_site(SmallInternet& internet) {
  HostScript& site = internet.host("site.herd");
  site.page("/robots.txt", text_page("User-agent: *\nDisallow: /private/\nSitemap: /map.xml\n", "text/plain"));
  site.page("/map.xml", text_page("<?xml version='1.0'?>\n<urlset>\n<url><loc>http://site.herd/unlinked</loc></url>\n"
                                  "</urlset>",
                                  "application/xml"));
  site.page("/", page("Start",
                      "<a rel='nofollow' href='/guide/'>guide</a> <a href='#here'>here</a>\n"
                      "<a href='http://out.herd/'>outside</a> <a href='/private/x'>private</a>\n"
                      "<a href='/calendar/2026/11'>calendar</a> <a href='/shop?sid=1'>shop</a>\n"
                      "<a href='/deeper/'>deeper</a> <a href='/loop'>loop</a>\n"
                      "<form action='/order'></form>"));
  site.page("/guide/", page("Guide",
                            "<base href='/base/'>\n<p>\n  <a href='gone'>broken</a>\n</p>\n"
                            "<a href='http://out.herd/'>outside</a> <a href='/'>home</a>"));
  site.page("/unlinked", page("Unlinked", "<a href='/leaf'>leaf</a>"));
  site.page("/leaf", page("Leaf", "a leaf"));
  site.page("/loop", redirect_page(302, "/loop2"));
  site.page("/loop2", redirect_page(302, "/loop"));
  site.handler(site_page);
  internet.host("out.herd").page("/", page("Outside", "<a href='/never'>never followed</a>"));
}

bool has_line_of(const std::vector<CheckedLine>& lines, const std::string& url) {
  return std::ranges::any_of(lines, [&url](const CheckedLine& line) { return line.url == url; });
}

ProgramResult crawl(const TempDir& folder, const SmallInternet& internet, const Words& more,
                    const std::string& now = "2026-11-23T12:00:00Z") {
  Words words{"--recursive", "--bodies", "changed", "--now", now, "--format", "jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(start);
  return run_linkherd(folder.path(), check_arguments(internet, words));
}

}  // namespace

TEST_CASE("a site is crawled to its end and external links are checked once") {
  const TempDir folder;
  SmallInternet internet;
  plant_site(internet);
  const ProgramResult result = crawl(folder, internet, {"--store", "store"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  const std::vector<CheckedLine> lines = checked_lines(result.out);

  const CheckedLine& broken = line_of(lines, "http://site.herd/base/gone");
  CHECK(broken.health == "dead");
  CHECK(broken.occurrences == Words{"http://site.herd/guide/:4"});
  const CheckedLine& outside = line_of(lines, "http://out.herd/");
  CHECK(outside.occurrences == Words{"http://site.herd/:3", "http://site.herd/guide/:6"});
  CHECK(internet.count("out.herd", "/") == 1);
  CHECK_FALSE(has_line_of(lines, "http://out.herd/never"));
  CHECK(line_of(lines, start).occurrences == Words{"start pages:1", "http://site.herd/guide/:6"});
  CHECK(line_of(lines, "http://site.herd/unlinked").occurrences == Words{"http://site.herd/map.xml:3"});
  CHECK(line_of(lines, "http://site.herd/leaf").health == "alive");
  CHECK(holds(result.out, "\"rel\":\"nofollow\""));
  CHECK_FALSE(has_line_of(lines, "http://site.herd/order"));

  CHECK(line_of(lines, "http://site.herd/private/x").reason == "robots_disallowed");
  CHECK(internet.count("site.herd", "/private/x") == 0);
  CHECK(line_of(lines, "http://site.herd/loop").reason == "redirect_loop");
  CHECK(line_of(lines, "http://site.herd/calendar/2027/12").health == "alive");
  CHECK(line_of(lines, "http://site.herd/calendar/2028/1").reason == "crawler_trap");
  CHECK(line_of(lines, "http://site.herd/shop?sid=11").reason == "crawler_trap");
  CHECK(line_of(lines, "http://site.herd/deeper/a/a/").health == "alive");
  CHECK(line_of(lines, "http://site.herd/deeper/a/a/a/").reason == "crawler_trap");
  CHECK(internet.count("site.herd", "/calendar/2028/1") == 0);
  CHECK(holds(result.err, "pages crawled"));
  CHECK(holds(result.err, "3 links not fetched, one of an endless series of pages"));
  CHECK(holds(result.err, "1 link not fetched, because robots.txt disallows it"));

  // The report from the store has the same occurrences. The next crawl does not fetch any page again.
  const ProgramResult report =
      run_linkherd(folder.path(), {"report", "--store", "store", "--format", "jsonl", "--now", "2026-11-23T12:00:00Z"});
  const std::vector<CheckedLine> stored = checked_lines(report.out);
  CHECK(stored.size() == lines.size());
  CHECK(line_of(stored, "http://out.herd/").occurrences == outside.occurrences);
  internet.clear_requests();
  const ProgramResult again = crawl(folder, internet, {"--store", "store"}, "2026-11-23T13:00:00Z");
  CAPTURE(again.err);
  CHECK(checked_lines(again.out).size() == lines.size());
  CHECK(internet.count("site.herd", "/guide/") == 0);
  CHECK(internet.count("out.herd", "/") == 0);
}

TEST_CASE("pages beyond the depth or page limit are checked and not followed") {
  const TempDir folder;
  SmallInternet internet;
  plant_site(internet);
  const ProgramResult shallow = crawl(folder, internet, {"--no-store", "--depth", "0"});
  const std::vector<CheckedLine> lines = checked_lines(shallow.out);
  CAPTURE(shallow.err);
  CHECK(has_line_of(lines, "http://site.herd/guide/"));
  CHECK_FALSE(has_line_of(lines, "http://site.herd/base/gone"));
  CHECK(internet.count("site.herd", "/map.xml") == 0);
  CHECK(holds(shallow.err, "1 page crawled; 4 pages not followed, beyond --depth 0"));
  const ProgramResult few = crawl(folder, internet, {"--no-store", "--max-pages", "1"});
  CHECK(holds(few.err, "1 page crawled; 5 pages not followed, beyond --max-pages 1"));
  const ProgramResult elsewhere = crawl(folder, internet, {"--no-store", "--follow", "^http://out\\.herd/"});
  CHECK(has_line_of(checked_lines(elsewhere.out), "http://out.herd/never"));
  CHECK_FALSE(has_line_of(checked_lines(elsewhere.out), "http://site.herd/base/gone"));
}

TEST_CASE("a site forbidden by robots.txt and a missing site are reported as such") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("site.herd").page("/robots.txt", text_page("User-agent: *\nDisallow: /\n", "text/plain"));
  internet.host("site.herd").page("/", page("Start", "<a href='/a'>a</a>"));
  const ProgramResult forbidden = crawl(folder, internet, {"--no-store"});
  CAPTURE(forbidden.err);
  CHECK(forbidden.exit_code == 0);
  CHECK(holds(forbidden.err, "1 page crawled; 1 link not fetched, because robots.txt disallows it"));
  CHECK(crawl(folder, internet, {"--no-store", "--robots", "respect"}).exit_code == 0);
  CHECK(internet.count("site.herd", "/a") == 0);

  internet.host("site.herd").page("/", text_page("no page", "text/plain"));
  const ProgramResult nothing = crawl(folder, internet, {"--no-store"});
  CHECK(nothing.exit_code == 1);
  CHECK(holds(last_line(nothing.err), "http://site.herd/ was not crawled: no page with links was received"));
  const ProgramResult no_url = run_linkherd(folder.path(), {"check", "--recursive", "list.md"});
  CHECK(no_url.exit_code == 1);
  CHECK(holds(no_url.err, "list.md is not an http or https URL"));
}

TEST_CASE("a killed crawl resumes without refetching pages and knows all links") {
  constexpr int pages = 6;
  const TempDir folder;
  SmallInternet internet;
  HostScript& site = internet.host("site.herd");
  std::string links;
  for (int i = 0; i < pages; ++i) {
    const std::string number = std::to_string(i);
    links += "<a href='/page" + number + "'>page</a>\n";
    site.page("/page" + number, page("Page " + number, "<a href='/leaf" + number + "'>leaf</a>"));
    site.page("/leaf" + number, page("Leaf " + number, "a leaf"));
  }
  site.page("/", page("Start", links + "<a href='http://slow.herd/'>slow</a>"));
  Page silent;
  silent.delivery = Delivery::silence;
  internet.host("slow.herd").default_page(silent);
  const Words words =
      check_arguments(internet, {"--recursive", "--timeout", "100s", "--connect-timeout", "100s", "--store", "store",
                                 "--bodies", "changed", "--format", "jsonl", "-vv", start});
  RunningProgram killed = start_linkherd(folder.path(), words);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  const auto count_stored = [&killed] {
    std::istringstream log(killed.stderr_so_far());
    int count = 0;
    for (std::string line; std::getline(log, line);) count += holds(line, "stored: ") ? 1 : 0;
    return count;
  };
  while (count_stored() < 1 + 2 * pages && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(count_stored() >= 1 + 2 * pages);
  killed.signal(SIGKILL);
  killed.wait();
  internet.host("slow.herd").default_page(page("Slow", "awake"));
  internet.clear_requests();

  const ProgramResult resumed = run_linkherd(folder.path(), words);
  CAPTURE(resumed.err);
  CHECK(resumed.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(resumed.out);
  CHECK(lines.size() == 2 + 2 * pages);
  CHECK(line_of(lines, "http://site.herd/leaf3").occurrences == Words{"http://site.herd/page3:2"});
  CHECK(line_of(lines, "http://slow.herd/").health == "alive");
  for (const ReceivedRequest& request : internet.requests("site.herd")) {
    const bool is_for_the_crawl = request.target == "/robots.txt" || request.target == "/sitemap.xml";
    CAPTURE(request.target);
    CHECK(is_for_the_crawl);
  }
}
