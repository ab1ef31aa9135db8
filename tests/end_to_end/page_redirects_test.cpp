// Tests redirects by pages, which are hops of the chain like HTTP redirects.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/gzip_compress.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

Page refresh_page(const std::string& to, const std::string& head = {}) {
  return html_page("<!DOCTYPE html><html><head><title>Redirecting…</title>" + head +
                   "<meta http-equiv=\"refresh\" content=\"0; url=" + to +
                   "\"></head><body><p>Redirecting to <a href=\"" + to + "\">the new page</a>.</p></body></html>");
}

Page script_page(const std::string& script) {
  return html_page("<html><head><script>" + script + "</script></head></html>");
}

Page long_page(const std::string& title) {
  return html_page("<title>" + title + "</title><h1>" + title + "</h1><p>" + std::string(900, 'x') + "</p>");
}

struct DocsSite {
  TempDir folder;
  SmallInternet internet;
  HostScript& host = internet.host("docs.herd");

  DocsSite() {
    host.page("/", long_page("Docs"));
    host.page("/new", long_page("The new page"));
    host.page("/login", html_page("<title>Sign in</title><form><input type=password name=p></form>"));
  }

  std::vector<CheckedLine> check(const std::string& list, std::vector<std::string> words = {}) const {
    folder.write("list.md", list);
    words.insert(words.end(), {"--format", "jsonl", "list.md"});
    const ProgramResult result = run_linkherd(folder.path(), check_arguments(internet, words));
    CAPTURE(result.err);
    REQUIRE_FALSE(result.out.empty());
    return checked_lines(result.out);
  }
};

}  // namespace

TEST_CASE("a page that redirects itself is judged by its target as an HTTP redirect is") {
  struct Target {
    const char* name;
    const char* url;
  };
  DocsSite site;
  std::string list;
  const std::vector<Target> targets{{"living", "/new"},
                                    {"dead", "/gone"},
                                    {"nowhere", "https://nowhere.herd/x"},
                                    {"members", "/login?next=x"},
                                    {"home", "/"}};
  site.host.page("/login?next=x", html_page("<title>Sign in</title><form><input type=password name=p></form>"));
  for (const Target& target : targets) {
    const std::string to = target.url;
    Page header = html_page("");
    header.headers.emplace_back("Refresh", "0; url=" + to);
    site.host.page(std::string("/http/") + target.name, redirect_page(302, to));
    site.host.page(std::string("/meta_refresh/") + target.name, refresh_page(to));
    site.host.page(std::string("/refresh_header/") + target.name, header);
    site.host.page(std::string("/script/") + target.name, script_page("window.location.replace('" + to + "')"));
    for (const char* kind : {"http", "meta_refresh", "refresh_header", "script"})
      list += std::string("- [x](https://docs.herd/") + kind + "/" + target.name + ")\n";
  }
  const std::vector<CheckedLine> lines = site.check(list, {"--no-store"});
  for (const Target& target : targets) {
    const CheckedLine& http = line_of(lines, std::string("https://docs.herd/http/") + target.name);
    for (const char* kind : {"meta_refresh", "refresh_header", "script"}) {
      CAPTURE(target.name);
      CAPTURE(kind);
      const CheckedLine& own = line_of(lines, std::string("https://docs.herd/") + kind + "/" + target.name);
      CAPTURE(own.evidence);
      CHECK(own.health == http.health);
      CHECK(own.reason == http.reason);
      CHECK(own.final_url == http.final_url);
      REQUIRE(own.redirects.size() == 1);
      CHECK(own.redirects.front() == Hop{own.url, 200, http.redirects.front().to, kind});
    }
  }
  CHECK(line_of(lines, "https://docs.herd/meta_refresh/living").health == "redirected");
  CHECK(line_of(lines, "https://docs.herd/meta_refresh/living").harvest.title == "The new page");
  CHECK(holds(line_of(lines, "https://docs.herd/script/living").evidence, "after 1 redirect (script)"));
  CHECK(line_of(lines, "https://docs.herd/meta_refresh/dead").health == "dead");
  CHECK(line_of(lines, "https://docs.herd/meta_refresh/dead").reason == "http_404");
  CHECK(line_of(lines, "https://docs.herd/script/nowhere").reason == "dns_not_found");
  CHECK(line_of(lines, "https://docs.herd/script/members").reason == "login_required");
}

TEST_CASE("only an instant refresh to the canonical URL of the page is permanent") {
  DocsSite site;
  site.host.page("/alias", refresh_page("/new", "<link rel=canonical href=/new>"));
  site.host.page("/plain", refresh_page("/new"));
  site.host.page("/zipped", [] {
    Page page = refresh_page("/new", "<link rel=canonical href=/new>");
    page.body = gzip_compress(page.body);
    page.headers.emplace_back("Content-Encoding", "gzip");
    return page;
  }());
  const std::vector<CheckedLine> lines =
      site.check("[a](https://docs.herd/alias)\n[b](https://docs.herd/plain)\n[c](https://docs.herd/zipped)\n",
                 {"--store", "store"});
  CHECK(line_of(lines, "https://docs.herd/alias").reason == "moved_permanently");
  CHECK(line_of(lines, "https://docs.herd/plain").reason == "moved_temporarily");
  CHECK(line_of(lines, "https://docs.herd/zipped").reason == "moved_permanently");
  std::vector<std::string> words = check_arguments(site.internet, {"--store", "store", "list.md"});
  words.front() = "fix";
  run_linkherd(site.folder.path(), words);
  CHECK(read_file(site.folder.path() / "list.md") ==
        "[a](https://docs.herd/new)\n[b](https://docs.herd/plain)\n[c](https://docs.herd/new)\n");
}

TEST_CASE("page redirects that loop or never end are detected") {
  DocsSite site;
  site.host.page("/a", refresh_page("/b")).page("/b", script_page("location = '/a'"));
  site.host.page("/self", refresh_page("/self"));
  site.host.handler([](const ReceivedRequest& request) {
    if (request.target.starts_with("/token"))
      return refresh_page("/token?n=" + std::to_string(request.target.size()) + "x" + request.target.substr(6));
    if (request.target.starts_with("/on/")) return refresh_page(request.target + "n");
    return status_page(404);
  });
  const std::vector<CheckedLine> lines = site.check(
      "[a](https://docs.herd/a)\n[b](https://docs.herd/self)\n[c](https://docs.herd/token)\n"
      "[d](https://docs.herd/on/)\n",
      {"--no-store", "--max-redirects", "5"});
  CHECK(line_of(lines, "https://docs.herd/a").reason == "redirect_loop");
  CHECK(line_of(lines, "https://docs.herd/self").health == "alive");
  CHECK(line_of(lines, "https://docs.herd/self").redirects.empty());
  CHECK(line_of(lines, "https://docs.herd/token").redirects.size() == 1);
  CHECK(line_of(lines, "https://docs.herd/on/").reason == "too_many_redirects");
}

TEST_CASE("a redirect that browsers with scripts do not follow is no hop") {
  DocsSite site;
  const std::string slow =
      "<title>Redirecting…</title><meta http-equiv=refresh content='30; url=/new'><p>Redirecting in 30 seconds.";
  site.host.page("/slow", html_page(slow));
  site.host.page("/noscript", html_page("<title>App</title><noscript><meta http-equiv=refresh content='0; "
                                        "url=/gone'></noscript><div id=app></div><script src=/a.js></script>"));
  site.host.page("/js", html_page("<title>Tool</title><meta http-equiv=refresh content='0; url=javascript:go()'>"));
  site.host.page("/text", html_page("<title>News</title><meta http-equiv=refresh content='5; url=/gone'><p>" +
                                    std::string(2000, 'x') + "</p>"));
  const std::vector<CheckedLine> lines = site.check(
      "[a](https://docs.herd/slow)\n[b](https://docs.herd/noscript)\n[c](https://docs.herd/js)\n"
      "[d](https://docs.herd/text)\n",
      {"--no-store"});
  for (const CheckedLine& line : lines) {
    CAPTURE(line.url);
    CHECK(line.health == "alive");
    CHECK(line.redirects.empty());
  }
  CHECK(line_of(lines, "https://docs.herd/slow").harvest.title.empty());
}

TEST_CASE("a page that matches a rule is judged by that rule whatever its redirect") {
  DocsSite site;
  site.host.page(
      "/wall",
      html_page("<title>Just a moment...</title><meta http-equiv=refresh content='5; "
                "url=/wall?token=1'><script src=/cdn-cgi/challenge-platform/x.js></script><p>Checking your browser."));
  site.host.page("/parked", script_page("window.onload=function(){window.location.href='/lander'}"));
  const std::vector<CheckedLine> lines =
      site.check("[a](https://docs.herd/wall)\n[b](https://docs.herd/parked)\n", {"--no-store"});
  CHECK(line_of(lines, "https://docs.herd/wall").health == "blocked");
  CHECK(line_of(lines, "https://docs.herd/wall").redirects.empty());
  CHECK(line_of(lines, "https://docs.herd/parked").reason == "parked");
}

TEST_CASE("headers for a host do not follow a page redirect to another host") {
  DocsSite site;
  site.host.page("/away", refresh_page("https://other.herd/x"));
  site.internet.host("other.herd").page("/x", long_page("Elsewhere"));
  site.check("[a](https://docs.herd/away)\n", {"--no-store", "--header", "X-Key: secret"});
  for (const ReceivedRequest& request : site.internet.requests("docs.herd")) {
    if (request.target == "/away") CHECK(request.header("X-Key") == "secret");
  }
  REQUIRE(site.internet.requests("other.herd").size() == 1);
  CHECK(site.internet.requests("other.herd").front().header("X-Key").empty());
}

TEST_CASE("a redirect chain survives the store and a web archive") {
  DocsSite site;
  site.host.page("/alias", refresh_page("/new", "<link rel=canonical href=/new>"));
  site.host.page("/plain", script_page("location = '/new'"));
  const std::string list = "[a](https://docs.herd/alias)\n[b](https://docs.herd/plain)\n";
  const std::vector<CheckedLine> live = site.check(list, {"--store", "store", "--bodies", "all"});
  const std::vector<CheckedLine> stored = site.check(list, {"--store", "store", "--bodies", "all"});
  for (const CheckedLine& line : stored) {
    CHECK(line.is_from_store);
    CHECK(line.redirects == line_of(live, line.url).redirects);
  }
  const ProgramResult exported =
      run_linkherd(site.folder.path(), {"export", "--format", "warc", "--store", "store", "-o", "all.warc"});
  CAPTURE(exported.err);
  REQUIRE(exported.exit_code == 0);
  const ProgramResult again = run_linkherd(
      site.folder.path(), {"check", "--offline", "--from-warc", "all.warc", "--format", "jsonl", "list.md"});
  CAPTURE(again.err);
  const std::vector<CheckedLine> archived = checked_lines(again.out);
  for (const CheckedLine& line : archived) {
    CAPTURE(line.url);
    CHECK(line.health == "redirected");
    CHECK(line.reason == line_of(live, line.url).reason);
    CHECK(line.final_url == "https://docs.herd/new");
    REQUIRE(line.redirects.size() == 1);
    CHECK(line.redirects.front().kind == "refresh_header");  // the redirecting page itself is not stored
  }
}
