// Tests unreliable statuses: 404 responses whose page is visible to people, bot walls that answer 402 or 503, and hosts
// that are missing temporarily.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

Page missing_page(std::string body) {
  Page page = html_page(std::move(body));
  page.status = 404;
  return page;
}

Page page_with_status(int status, std::string body, Headers headers = {}) {
  Page page = html_page(std::move(body));
  page.status = status;
  page.headers = std::move(headers);
  return page;
}

const std::string levain_text =
    "The levain is fed twice a day, with the same weight of flour and of water, and kept at twenty-four degrees. After "
    "a week it doubles within four hours, smells of apples and yoghurt, and may be baked with: a fifth of the flour of "
    "the dough, folded four times in two hours, shaped late and baked hot, in a pot with its lid on.";

// Long enough to request all links once before the first confirmation, even on a busy machine.
const std::string confirm_wait = "1s";

struct DoubtfulSite {
  TempDir folder;
  SmallInternet internet;

  std::vector<CheckedLine> check(const std::string& list, std::vector<std::string> words) const {
    folder.write("list.md", list);
    words.insert(words.end(), {"--format", "jsonl", "list.md"});
    const ProgramResult result = run_linkherd(folder.path(), check_arguments(internet, words));
    CAPTURE(result.err);
    REQUIRE_FALSE(result.out.empty());
    return checked_lines(result.out);
  }
  std::vector<CheckedLine> check_on(const std::string& now, const std::string& list) const {
    return check(list, {"--store", "store", "--now", now, "--max-cache-age", "0", "--confirm-wait", confirm_wait});
  }
};

void check_verdict(const std::vector<CheckedLine>& lines, const std::string& url, const std::string& health,
                   const std::string& reason) {
  const CheckedLine& line = line_of(lines, url);
  CAPTURE(url);
  CAPTURE(line.evidence);
  CHECK(line.health == health);
  CHECK(line.reason == reason);
}

}  // namespace

TEST_CASE("a 404 that a script may fill with a page is suspect") {
  DoubtfulSite site;
  HostScript& host = site.internet.host("app.herd");
  host.page("/shell",
            missing_page("<title>Notes</title><body><div id=\"root\"></div><script src=/main.js></script></body>"));
  host.page("/spa",
            missing_page("<title>Single Page Apps for GitHub Pages</title><script>var pathSegmentsToKeep = 0; var l = "
                         "window.location; l.replace(l.protocol + '//' + l.hostname + '/?/' + l.pathname.slice(1)"
                         ");</script>"));
  host.page("/leads", missing_page("<title>Redirecting</title><meta http-equiv=refresh content='0; url=/new'>"));
  host.page("/home", missing_page("<title>Redirecting</title><meta http-equiv=refresh content='0; url=/'>"));
  host.page("/said", missing_page("<title>Page not found</title><div id=root></div><script src=/main.js></script>"));
  host.page("/text",
            missing_page("<title>Notes</title><p>There is nothing at this address any more, says the owner of this "
                         "site.<script src=/main.js></script>"));
  host.page("/bare", missing_page(""));
  std::string list;
  for (const char* path : {"shell", "spa", "leads", "home", "said", "text", "bare"})
    list += std::string("- [x](https://app.herd/") + path + ")\n";
  const std::vector<CheckedLine> lines = site.check(list, {"--no-store"});
  for (const char* path : {"shell", "spa", "leads"})
    check_verdict(lines, std::string("https://app.herd/") + path, "suspect", "doubtful_404");
  CHECK(holds(line_of(lines, "https://app.herd/shell").evidence, "its scripts may add some"));
  CHECK(holds(line_of(lines, "https://app.herd/leads").evidence, "https://app.herd/new (meta refresh)"));
  for (const char* path : {"home", "said", "text", "bare"})
    check_verdict(lines, std::string("https://app.herd/") + path, "dead", "http_404");
}

TEST_CASE("a 404 whose page matches its entry is suspect") {
  DoubtfulSite site;
  HostScript& host = site.internet.host("bread.herd");
  const std::string page = "<title>Sourdough levain for beginners</title><h1>Sourdough levain for beginners</h1><p>";
  host.page("/levain", missing_page(page + levain_text + " Sourdough for beginners."));
  host.page("/other", missing_page(page + levain_text));
  host.page("/gone",
            missing_page("<title>Sourdough levain for beginners | Page not found</title><h1>Page not found</h1><p>" +
                         levain_text + " Sourdough levain."));
  const std::vector<CheckedLine> lines = site.check(
      "- [Sourdough levain for beginners](https://bread.herd/levain)\n"
      "- [Rye crispbread recipes](https://bread.herd/other)\n"
      "- [Sourdough levain for beginners](https://bread.herd/gone)\n",
      {"--no-store"});
  check_verdict(lines, "https://bread.herd/levain", "suspect", "doubtful_404");
  CHECK(holds(line_of(lines, "https://bread.herd/levain").evidence, "the title of the page matches its entry"));
  check_verdict(lines, "https://bread.herd/other", "dead", "http_404");
  check_verdict(lines, "https://bread.herd/gone", "dead", "http_404");
}

TEST_CASE("a 404 with the former text of the page is suspect") {
  DoubtfulSite site;
  const std::string page = "<title>Levain</title><h1>Levain</h1><p>" + levain_text;
  site.internet.host("bread.herd")
      .page("/levain", html_page(page))
      .page("/", html_page("<title>Bread</title>" + levain_text));
  const std::string list = "- [x](https://bread.herd/levain)\n- [home](https://bread.herd/)\n";
  check_verdict(site.check_on("2026-03-05T10:00:00Z", list), "https://bread.herd/levain", "alive", "ok");
  site.internet.host("bread.herd").page("/levain", missing_page(page));
  check_verdict(site.check_on("2026-03-07T10:00:00Z", list), "https://bread.herd/levain", "suspect", "doubtful_404");
  site.internet.host("bread.herd").page("/levain", missing_page("<h1>Gone</h1>"));
  check_verdict(site.check_on("2026-03-09T10:00:00Z", list), "https://bread.herd/levain", "dead", "http_404");
}

TEST_CASE("a former host that answers only 404 is suspect unless its hosting service gives a reason") {
  const std::map<std::string, Page> answers{
      {"broken.herd", missing_page("<h1>404 Not Found</h1><hr>nginx")},
      {"pages.herd",
       missing_page("<title>Site not found &middot; GitHub Pages</title><p>There isn't a GitHub Pages site here.")},
      {"bucket.herd",
       missing_page("<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1><ul><li>Code: "
                    "NoSuchBucket</li></ul></body></html>")},
      {"half.herd", missing_page("<h1>404 Not Found</h1>")},
      {"never.herd", missing_page("<h1>404 Not Found</h1>")}};
  DoubtfulSite site;
  std::string list;
  for (const auto& [name, answer] : answers) {
    list += "- [x](https://" + name + "/a)\n- [x](https://" + name + "/b)\n";
    HostScript& host = site.internet.host(name);
    host.default_page(answer);
    if (name == "never.herd") continue;
    for (const char* path : {"/a", "/b"})
      host.page(path, html_page("<title>" + name + path + "</title><p>" + levain_text));
  }
  site.check_on("2026-03-05T10:00:00Z", list);
  for (const auto& [name, answer] : answers) {
    site.internet.host(name).page("/a", answer);
    if (name != "half.herd") site.internet.host(name).page("/b", answer);
  }
  const std::vector<CheckedLine> lines = site.check_on("2026-03-07T10:00:00Z", list);
  check_verdict(lines, "https://broken.herd/a", "suspect", "doubtful_404");
  check_verdict(lines, "https://broken.herd/b", "suspect", "doubtful_404");
  check_verdict(lines, "https://pages.herd/a", "dead", "http_404");
  check_verdict(lines, "https://bucket.herd/a", "dead", "http_404");
  check_verdict(lines, "https://half.herd/a", "dead", "http_404");
  check_verdict(lines, "https://never.herd/a", "dead", "http_404");

  check_verdict(site.check_on("2026-03-08T10:00:00Z", list), "https://broken.herd/a", "suspect", "doubtful_404");
  const std::vector<CheckedLine> third = site.check_on("2026-03-09T10:00:00Z", list);
  check_verdict(third, "https://broken.herd/a", "dead", "http_404");
  check_verdict(third, "https://broken.herd/b", "dead", "http_404");
  check_verdict(site.check_on("2026-03-10T10:00:00Z", list), "https://broken.herd/a", "dead", "http_404");
}

TEST_CASE("one missing link of a host with former pages triggers one home page request") {
  const Page plain_text{.status = 404, .headers = {{"Content-Type", "text/plain"}}, .body = "404 page not found"};
  const std::map<std::string, Page> answers{
      {"broken.herd", missing_page("<h1>404 Not Found</h1><hr>nginx")},
      {"files.herd", plain_text},  // never had a home page for people
      {"heroku.herd",
       missing_page("<title>No such app</title><iframe src=\"//www.herokucdn.com/error-pages/no-such-app.html\">"
                    "</iframe>")},
      {"netlify.herd", missing_page("Not Found - Request ID: 01JE2Q1V2B7XWJ9ZJ8XK3R5C6D")},
      {"homely.herd", missing_page("<h1>404 Not Found</h1><hr>nginx")},
      {"sibling.herd", missing_page("<h1>404 Not Found</h1><hr>nginx")}};
  DoubtfulSite site;
  std::string before;
  std::string list;
  for (const auto& [name, answer] : answers) {
    HostScript& host = site.internet.host(name);
    host.default_page(answer);
    host.page("/a", html_page("<title>" + name + "</title><p>" + levain_text));
    if (name == "homely.herd") host.page("/", html_page("<title>Home</title><p>" + levain_text));
    before += "- [x](https://" + name + "/a)\n";
    list += "- [x](https://" + name + "/a)\n";
  }
  site.check_on("2026-03-05T10:00:00Z", before);
  list += "- [x](https://sibling.herd/new)\n";
  for (const auto& [name, answer] : answers) site.internet.host(name).page("/a", answer);
  site.internet.clear_requests();
  const std::vector<CheckedLine> lines = site.check_on("2026-03-07T10:00:00Z", list);
  check_verdict(lines, "https://broken.herd/a", "suspect", "doubtful_404");
  check_verdict(lines, "https://sibling.herd/new", "suspect", "doubtful_404");  // never seen alive, unlike its sibling
  for (const char* name : {"files", "heroku", "netlify", "homely"})
    check_verdict(lines, "https://" + std::string(name) + ".herd/a", "dead", "http_404");
  for (const char* name : {"broken.herd", "sibling.herd", "heroku.herd"}) {
    const std::vector<ReceivedRequest> seen = site.internet.requests(name);
    const auto homes =
        std::count_if(seen.begin(), seen.end(), [](const ReceivedRequest& request) { return request.target == "/"; });
    CHECK(homes == (std::string(name) == "heroku.herd" ? 0 : 1));
  }
}

TEST_CASE("a dead link stays dead if every requested page of its host is missing") {
  DoubtfulSite site;
  HostScript& host = site.internet.host("files.herd");
  const Page missing = missing_page("<h1>404 Not Found</h1>");
  host.default_page(missing);
  host.page("/a", html_page("<title>A</title><p>" + levain_text));
  host.page("/b", html_page("<title>B</title><p>" + levain_text));
  const std::string list = "- [x](https://files.herd/a)\n- [x](https://files.herd/b)\n";
  site.check_on("2026-03-05T10:00:00Z", list);
  host.page("/a", missing);
  check_verdict(site.check_on("2026-03-07T10:00:00Z", list), "https://files.herd/a", "dead", "http_404");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--only", "dead"}, {"--max-cache-age", "7d"}, {"--max-cache-age", "0"}}) {
    std::vector<std::string> all{"--store", "store", "--now", "2026-03-08T10:00:00Z", "--confirm-wait", confirm_wait};
    all.insert(all.end(), words.begin(), words.end());
    check_verdict(site.check(list, all), "https://files.herd/a", "dead", "http_404");
  }
}

TEST_CASE("a URL that was alive earlier in the run is suspect with a 404") {
  DoubtfulSite site;
  const auto answers = std::make_shared<int>(0);
  site.internet.host("flaps.herd").handler([answers](const ReceivedRequest& request) {
    if (request.target == "/old") return redirect_page(302, "/page");
    if (request.target != "/page") return missing_page("");
    return ++*answers == 1 ? html_page("<title>Levain</title><p>" + levain_text) : missing_page("<h1>Not here</h1>");
  });
  const std::vector<CheckedLine> lines = site.check("- [x](https://flaps.herd/old)\n- [y](https://flaps.herd/page)\n",
                                                    {"--no-store", "--host-concurrency", "1"});
  int suspects = 0;
  for (const CheckedLine& line : lines) {
    CAPTURE(line.evidence);
    CHECK(line.health != "dead");
    if (line.health == "suspect") {
      ++suspects;
      CHECK(line.reason == "doubtful_404");
    }
  }
  CHECK(suspects == 1);
}

TEST_CASE("a missing host is at first only suspect if it answered before") {
  DoubtfulSite site;
  for (const char* name : {"wall.herd", "broken.herd"}) site.internet.host(name);
  site.internet.host("wall.herd").default_page(status_page(403));
  site.internet.host("broken.herd").default_page(status_page(500));
  const std::string list = "- [x](https://wall.herd/a)\n- [x](https://broken.herd/a)\n";
  const std::string longer = list + "- [x](https://wall.herd/new)\n- [x](https://unknown.herd/a)\n";
  site.check_on("2026-03-05T10:00:00Z", list);
  for (const char* name : {"wall.herd", "broken.herd"}) site.internet.dns(name, dns_failure(DnsKind::not_found));
  std::vector<CheckedLine> lines = site.check_on("2026-03-06T10:00:00Z", longer);
  for (const char* url : {"https://wall.herd/a", "https://broken.herd/a", "https://wall.herd/new"})
    check_verdict(lines, url, "suspect", "dns_not_found");
  check_verdict(lines, "https://unknown.herd/a", "dead", "dns_not_found");
  lines = site.check_on("2026-03-07T10:00:00Z", longer);
  for (const char* url : {"https://wall.herd/a", "https://broken.herd/a", "https://wall.herd/new"})
    check_verdict(lines, url, "dead", "dns_not_found");
}

TEST_CASE("walls behind unusual statuses are blocked and empty answers are suspect") {
  DoubtfulSite site;
  HostScript& host = site.internet.host("wall.herd");
  host.page("/402",
            page_with_status(402, "<script>document.cookie='humans=1'; document.location.reload(true)</script>"));
  host.page("/402-bare", page_with_status(402, "<h1>Payment required</h1>"));
  host.page("/503", page_with_status(503,
                                     "<html><head><script>setTimeout(function(){window.location.reload();}, 2000);"
                                     "</script></head><body>Please wait…</body></html>"));
  host.page("/202", page_with_status(202, ""));
  host.page("/202-page", page_with_status(202, "<title>Levain</title><p>" + levain_text));
  std::string list;
  for (const char* path : {"402", "402-bare", "503", "202", "202-page"})
    list += std::string("- [x](https://wall.herd/") + path + ")\n";
  const std::vector<CheckedLine> lines = site.check(list, {"--no-store", "--max-retries", "0"});
  check_verdict(lines, "https://wall.herd/402", "blocked", "challenge");
  check_verdict(lines, "https://wall.herd/402-bare", "blocked", "http_402");
  check_verdict(lines, "https://wall.herd/503", "blocked", "challenge");
  check_verdict(lines, "https://wall.herd/202", "suspect", "http_202");
  check_verdict(lines, "https://wall.herd/202-page", "alive", "ok");
}

TEST_CASE("a URL word that the error message repeats does not make a page alive") {
  DoubtfulSite site;
  const std::string oops = "Oops! That page can't be found.";
  site.internet.host("shop.herd").default_page(html_page("<title>" + oops + "</title><h1>" + oops + "</h1>"));
  const std::vector<CheckedLine> lines = site.check(
      "- [x](https://shop.herd/x/page)\n- [x](https://shop.herd/some/article.html)\n- [x](https://shop.herd/found)\n",
      {"--no-store"});
  for (const CheckedLine& line : lines) {
    CAPTURE(line.url);
    CHECK(line.health == "suspect");
    CHECK(line.reason == "soft_404");
  }
}
