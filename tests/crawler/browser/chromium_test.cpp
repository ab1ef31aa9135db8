// Tests visits with Debian's Chromium. Without it, they pass without a check and say so.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/crawler/browser/browser_fixture.h"

namespace linkherd::tests {

using crawler::RenderedPage;
using crawler::VisitOutcome;

namespace {

bool has_chromium() {
  const bool is_there = std::filesystem::exists(chromium_program);
  if (!is_there) MESSAGE("skipped: there is no ", chromium_program);
  return is_there;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string script(std::string_view code) {
  return fmt::format("<!doctype html><title>shell</title><body><script>{}</script>", code);
}

}  // namespace

TEST_CASE("Chromium renders what the scripts of a page make") {
  if (!has_chromium()) return;
  SmallInternet internet;
  internet.host("app.test")
      .page("/", html_page(script("fetch('/data').then(r => r.text()).then(t => document.title = t)")))
      .page("/data", html_page("made by a script"))
      .page("/missing", {404, {{"Content-Type", "text/html"}}, script("document.body.append('an application')")})
      .page("/images", html_page("<img src=/i.png><style>@font-face{font-family:f;src:url(/f.woff)}"
                                 "body{font-family:f}</style>text<video src=/v.mp4></video>"))
      .page("/cookie", html_page(script("if (document.cookie == 'ok=1') document.title = 'open';"
                                        "else { document.cookie = 'ok=1'; location.reload(); }")));
  BrowserFixture fixture(internet);
  const RenderedPage shell = fixture.visit("http://app.test/");
  CHECK(shell.outcome == VisitOutcome::complete);
  CHECK(shell.detail == "");
  CHECK(shell.status == 200);
  CHECK(shell.final_url == "http://app.test/");
  CHECK(contains(shell.html, "<!DOCTYPE html>"));
  CHECK(contains(shell.html, "<title>made by a script</title>"));
  CHECK(shell.bytes > 0);
  CHECK(contains(internet.requests("app.test").front().header("user-agent"), "linkherd"));

  const RenderedPage missing = fixture.visit("http://app.test/missing");
  CHECK(missing.status == 404);
  CHECK(contains(missing.html, "an application"));

  CHECK(fixture.visit("http://app.test/images").outcome == VisitOutcome::complete);
  for (const char* const target : {"/i.png", "/f.woff", "/v.mp4", "/favicon.ico"})
    CHECK(internet.count("app.test", target) == 0);

  // The next visit of the same page begins without its cookie.
  CHECK(contains(fixture.visit("http://app.test/cookie").html, "<title>open</title>"));
  CHECK(contains(fixture.visit("http://app.test/cookie").html, "<title>open</title>"));
  CHECK(internet.count("app.test", "/cookie") == 4);
}

TEST_CASE("Chromium passes challenges that any browser passes") {
  if (!has_chromium()) return;
  SmallInternet internet;
  // Like zse-ck: a script computes a cookie some time after the page has loaded, and reloads.
  internet.host("late.test").handler([](const ReceivedRequest& request) {
    if (request.header("cookie").find("__zse_ck=7") != std::string::npos)
      return html_page("<title>an answer</title><p>The text of the answer.</p>");
    Page page =
        html_page(script("setTimeout(() => { document.cookie = '__zse_ck=' + (3 + 4); location.reload(); }, 50)"));
    page.status = 403;
    return page;
  });
  // Like acw_sc__v2: obfuscated constants, a reload by the address, and a cookie of the whole host.
  internet.host("early.test").handler([](const ReceivedRequest& request) {
    if (request.header("cookie").find("acw_sc__v2=cba") != std::string::npos)
      return html_page("<title>a post</title><p>The text of the post.</p>");
    return html_page(
        script("var arg1 = 'abc'; document.cookie = 'acw_sc__v2=' + [...arg1].reverse().join('') + "
               "';path=/'; document.location.href = document.location.href.split('#')[0];"));
  });
  BrowserFixture fixture(internet);
  const RenderedPage late = fixture.visit("http://late.test/question/1");
  CHECK(late.status == 200);
  CHECK(contains(late.html, "<title>an answer</title>"));
  const RenderedPage early = fixture.visit("http://early.test/post/1");
  CHECK(early.status == 200);
  CHECK(contains(early.html, "<title>a post</title>"));
}

TEST_CASE("Chromium reads pages that would go on for ever, or that a dialog of the page covers") {
  if (!has_chromium()) return;
  SmallInternet internet;
  internet.host("long.test")
      .page("/scroll", html_page(script("function more() { fetch('/more').then(r => r.text()).then(t => {"
                                        "const p = document.createElement('p'); p.style.height = '900px';"
                                        "p.textContent = t; document.body.append(p); }); }"
                                        "addEventListener('scroll', more); more();")))
      .page("/more", html_page("one more entry"))
      .page("/consent", html_page("<title>covered</title><p>The text below.</p><div style='position:fixed;inset:0'>"
                                  "<button>Accept</button></div>"));
  BrowserFixture fixture(internet);
  const RenderedPage scroll = fixture.visit("http://long.test/scroll");
  CHECK(scroll.outcome == VisitOutcome::complete);
  CHECK(contains(scroll.html, "one more entry"));
  CHECK(internet.count("long.test", "/more") == 1);
  const RenderedPage consent = fixture.visit("http://long.test/consent");
  CHECK(consent.outcome == VisitOutcome::complete);
  CHECK(contains(consent.html, "The text below."));
}

TEST_CASE("Chromium reaches no address that linkherd must not contact") {
  if (!has_chromium()) return;
  SmallInternet internet;
  internet.dns("inside.test", dns_addresses({"10.0.0.1"}));
  internet.host("evil.test")
      .page("/",
            html_page(script("const all = ['http://10.0.0.1/', 'http://inside.test/', 'https://169.254.169.254/', "
                             "'http://[fd00::1]/', 'file:///etc/passwd', 'chrome://version/'].map(u => fetch(u, {mode: "
                             "'no-cors'}).then(() => 'reached ' + u, () => 'refused'));"
                             "Promise.all(all).then(r => document.title = r.join());")))
      .page("/redirect", redirect_page(302, "http://inside.test/"))
      .page("/script", html_page(script("location = 'http://10.0.0.1/'")))
      .page("/frame", html_page("<iframe src='http://inside.test/'></iframe><iframe src='file:///etc/passwd'></iframe>"
                                "<p>outside</p>"));
  BrowserFixture fixture(internet);
  CHECK(contains(fixture.visit("http://evil.test/").html,
                 "<title>refused,refused,refused,refused,refused,refused</title>"));
  CHECK(fixture.visit("http://inside.test/").detail ==
        "the host inside.test cannot be reached: it has an address in a private network: 10.0.0.1");
  CHECK(contains(fixture.visit("http://evil.test/redirect").detail, "private network: 10.0.0.1"));
  CHECK(contains(fixture.visit("http://evil.test/script").detail, "private network: 10.0.0.1"));
  CHECK(contains(fixture.visit("http://evil.test/frame").html, "outside"));
  CHECK(fixture.visit("http://missing.test/").detail == "the host missing.test cannot be reached: no such host");
}

TEST_CASE("Chromium survives pages that want more than to be read") {
  if (!has_chromium()) return;
  SmallInternet internet;
  internet.host("rude.test")
      .page("/dialogs", html_page(script("alert(1); if (!confirm(2)) prompt(3); print(); document.title = 'after'")))
      .page("/windows", html_page(script("for (let i = 0; i < 5; ++i) open('/window' + i); document.title = 'after'")))
      .page("/download", {200, {{"Content-Type", "application/octet-stream"}}, "bytes"})
      .page("/redirects", html_page(script("location = '/redirects?' + Math.random()")))
      .page("/workers", html_page(script("navigator.serviceWorker && navigator.serviceWorker.register('/w.js');"
                                         "new RTCPeerConnection({iceServers: [{urls: 'stun:10.0.0.1'}]})"
                                         ".createDataChannel('x'); document.title = 'after'")))
      .handler([](const ReceivedRequest& /*request*/) {
        return html_page(script("location = '/redirects?' + Math.random()"));
      });
  BrowserFixture fixture(internet);
  for (const char* const path : {"/dialogs", "/windows", "/workers"}) {
    CAPTURE(path);
    CHECK(contains(fixture.visit(fmt::format("http://rude.test{}", path)).html, "<title>after</title>"));
  }
  CHECK_FALSE(fixture.visit("http://rude.test/download").has_page());
  const RenderedPage redirects = fixture.visit("http://rude.test/redirects");
  CHECK(redirects.outcome != VisitOutcome::complete);
  CHECK(internet.requests("rude.test").size() < 40);
}

TEST_CASE("Chromium leaves pages that do not come to an end at the time limit") {
  if (!has_chromium()) return;
  SmallInternet internet;
  internet.host("busy.test")
      .page("/changes", html_page(script("setInterval(() => document.body.append('more '), 50)")))
      .page("/loop", html_page("<p>before</p><script>setTimeout(() => { for (;;); }, 100)</script>"))
      .page("/memory", html_page(script("const all = []; setTimeout(() => { for (;;) all.push(new Uint8Array(1 << 24)"
                                        ".fill(1)); }, 100)")))
      .page("/fine", html_page("fine"));
  BrowserFixture fixture(internet);
  CHECK(contains(fixture.visit("http://busy.test/fine").html, "fine"));
  fixture.end();
  fixture.options.page_timeout = std::chrono::seconds(8);
  const RenderedPage changes = fixture.visit("http://busy.test/changes");
  CHECK(changes.outcome == VisitOutcome::incomplete);
  CHECK(changes.detail == "the page was still changing at the time limit");
  CHECK(contains(changes.html, "more more"));
  CHECK(fixture.visit("http://busy.test/loop").outcome != VisitOutcome::complete);
  fixture.visit("http://busy.test/memory");  // ends, and leaves a browser that works
  fixture.end();
  fixture.options.page_timeout = std::chrono::minutes(2);
  CHECK(contains(fixture.visit("http://busy.test/fine").html, "fine"));
}

TEST_CASE("the address and the status are those of the document that Chromium shows") {
  if (!has_chromium()) return;
  SmallInternet internet;
  const auto missing_page = [](std::string_view text) {
    return Page{404, {{"Content-Type", "text/html"}}, script(text)};
  };
  internet.host("app.test")
      .page("/history", html_page(script("history.pushState({}, '', '/deep/state'); document.body.append('state')")))
      .page("/file", missing_page("document.body.append('an error'); location = '/download'"))
      .page("/nothing", missing_page("document.body.append('an error'); location = '/empty'"))
      .page("/download", {200, {{"Content-Disposition", "attachment"}}, "bytes"})
      .page("/empty", {204, {}, ""})
      .page("/moved", html_page(script("location = '/target'")))
      .page("/target", html_page("<p>the target"))
      .page("/emoji", html_page(script("document.title = 'cut \\ud83d'; document.body.append('\\udc00')")));
  BrowserFixture fixture(internet);
  const RenderedPage history = fixture.visit("http://app.test/history");
  CHECK(history.final_url == "http://app.test/history");
  CHECK(contains(history.html, "<base href=\"http://app.test/deep/state\">"));
  for (const char* const path : {"/file", "/nothing"}) {
    CAPTURE(path);
    const RenderedPage page = fixture.visit(fmt::format("http://app.test{}", path));
    CHECK(page.status == 404);
    CHECK(contains(page.html, "an error"));
  }
  const RenderedPage moved = fixture.visit("http://app.test/moved");
  CHECK(moved.final_url == "http://app.test/target");
  CHECK(moved.status == 200);
  CHECK_FALSE(contains(moved.html, "<base"));
  CHECK(contains(fixture.visit("http://app.test/emoji").html, "<title>cut \xEF\xBF\xBD</title>"));
}

TEST_CASE("a page whose scripts did not get what they need is not complete") {
  if (!has_chromium()) return;
  SmallInternet internet;
  const auto page_that_loads = [](std::string_view address) {
    return html_page(
        script(fmt::format("fetch('{}').then(r => r.text()).then(t => document.body.append(t))", address)));
  };
  Page slow{200, {}, "late"};
  slow.delay = std::chrono::seconds(20);
  internet.host("app.test")
      .page("/slow", slow)
      .page("/refused", page_that_loads("http://10.0.0.1/api"))
      .page("/broken", page_that_loads("/500"))
      .page("/limited", page_that_loads("/429"))
      .page("/unknown", page_that_loads("/404"))
      .page("/large", page_that_loads("/megabytes"))
      .page("/late", page_that_loads("/slow"))
      .page("/long", html_page("<p>" + std::string(std::size_t{1} << 20, 'x')))
      .page("/500", {500, {}, "an error"})
      .page("/429", {429, {}, "too many requests"})
      .page("/404", {404, {}, "no such user"})
      .page("/megabytes", html_page(std::string(std::size_t{3} << 20, 'x')))
      .page("/login", {407, {{"Proxy-Authenticate", "Basic realm=x"}}, "a site is no proxy"});
  BrowserFixture fixture(internet);
  fixture.options.max_page_traffic = std::size_t{2} << 20;
  fixture.fetching.max_body = std::size_t{1} << 20;
  CHECK(fixture.visit("http://app.test/refused").detail == "http://10.0.0.1/api could not be loaded");
  const RenderedPage broken = fixture.visit("http://app.test/broken");
  CHECK(broken.outcome == VisitOutcome::incomplete);
  CHECK(broken.detail == "http://app.test/500 could not be loaded");
  CHECK(fixture.visit("http://app.test/limited").outcome == VisitOutcome::incomplete);
  CHECK(fixture.visit("http://app.test/unknown").outcome == VisitOutcome::complete);
  CHECK(fixture.visit("http://app.test/large").detail == "the page loads more than 2 MB");
  CHECK(fixture.visit("http://app.test/late").detail == "http://app.test/slow was not loaded in time");
  CHECK(fixture.visit("http://app.test/long").detail == "the page is longer than 1 MB");
  fixture.visit("http://app.test/login");
  CHECK(internet.count("app.test", "/login") < 5);
}

TEST_CASE("Chromium trusts the authorities that the user names") {
  if (!has_chromium() || !std::filesystem::exists("/usr/bin/certutil")) return;
  SmallInternet internet;
  internet.host("safe.test").default_page(html_page("over tls"));
  BrowserFixture fixture(internet);
  CHECK(contains(fixture.visit("https://safe.test/").detail, "ERR_CERT_AUTHORITY_INVALID"));
  fixture.end();
  fixture.fetching.ca_file = internet.ca_file();
  CHECK(contains(fixture.visit("https://safe.test/").html, "over tls"));
}

}  // namespace linkherd::tests
