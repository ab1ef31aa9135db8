#include "crawler/run/browser_checks.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "crawler/run/crawl.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

namespace {

const std::string shown_text(300, 'w');

// Checks pages with a fake browser, which shows what the test says.
class FakeBrowserChecks {
 public:
  CrawlOptions options;

  explicit FakeBrowserChecks(const std::string& behaviour = "works") {
    BrowserOptions browser;
    browser.program = folder_ / ("chromium-" + behaviour);
    browser.start_timeout = browser.page_timeout = std::chrono::minutes(2);  // for a busy machine
    browser.has_sandbox = false;                                             // root may run the tests
    std::filesystem::create_symlink(LINKHERD_FAKE_BROWSER, browser.program);
    options.browser = browser;
    options.fetch.max_body = std::size_t{1} << 20;
    options.fetch.politeness.host_request_interval = Duration::zero();
  }

  void show(const std::string& url, const std::string& html, int status = 200) const {
    const boost::json::object page{{"url", url}, {"html", html}, {"status", status}};
    folder_.write(std::filesystem::path(options.browser->program).filename().string() + ".page",
                  boost::json::serialize(page));
  }
  BrowserChecks& checks() {
    if (!checks_) checks_.emplace(options, clock_);
    return *checks_;
  }
  void begin_visits() {
    checks().begin_visits([this] {
      ++pace_queries;
      return hosts;
    });
  }
  // Waits until this number of pages has come back.
  std::vector<AnalyzedPage> finish(std::size_t count = 1) {
    std::vector<AnalyzedPage> pages;
    while (pages.size() < count) {
      begin_visits();
      for (AnalyzedPage& page : checks().take_finished()) pages.push_back(std::move(page));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return pages;
  }
  std::size_t starts() const {
    const std::string notes = tests::read_file(options.browser->program + ".starts");
    return static_cast<std::size_t>(std::ranges::count(notes, '\n'));
  }

  std::vector<storage::HostState> hosts;
  int pace_queries = 0;

 private:
  tests::TempDir folder_;
  Clock clock_;
  std::optional<BrowserChecks> checks_;
};

AnalyzedPage plain_page(const std::string& url, int status, storage::Verdict verdict, bool is_confirmation = false) {
  const parser::Url parsed = parser::Url::parse(url).value();
  AnalyzedPage page{
      {}, FetchRequest(storage::LinkId::of(parsed), parsed.href(), std::nullopt, is_confirmation), parsed};
  page.snapshot.status = status;
  page.snapshot.final_url = url;
  page.snapshot.verdict = std::move(verdict);
  page.is_built_by_script = true;
  return page;
}

AnalyzedPage challenge(const std::string& url = "http://a.test/x") {
  return plain_page(url, 403, {Health::blocked, "challenge", "wall:x", "HTTP 403.", 0.9});
}
AnalyzedPage shell(const std::string& url = "http://a.test/x") {
  return plain_page(url, 200, {Health::alive, "ok", "status", "HTTP 200.", 1.0});
}
AnalyzedPage missing(bool is_confirmation) {
  return plain_page("http://a.test/x", 404, {Health::dead, "http_404", "status", "HTTP 404.", 1.0}, is_confirmation);
}

}  // namespace

TEST_CASE("a browser is asked for pages that it may show better") {
  FakeBrowserChecks fake;
  const auto holds = [&](AnalyzedPage page) { return fake.checks().hold(page); };
  CHECK(holds(challenge("http://a.test/1")));
  CHECK(holds(shell("http://a.test/2")));
  CHECK(holds(missing(true)));
  CHECK(holds(plain_page("http://a.test/3", 200, {Health::suspect, "soft_404", "soft_404", "", 0.7}, true)));

  AnalyzedPage complete = shell();
  complete.is_built_by_script = false;
  CHECK_FALSE(holds(std::move(complete)));
  CHECK_FALSE(holds(missing(false)));  // the confirmation comes first
  CHECK_FALSE(holds(plain_page("http://a.test/x", 200, {Health::suspect, "soft_404", "soft_404", "", 0.7})));
  CHECK_FALSE(holds(plain_page("http://a.test/x", 403, {Health::blocked, "captcha", "wall:x", "", 0.9})));
  CHECK_FALSE(holds(plain_page("http://a.test/x", 200, {Health::alive, "ok", "site_api:x", "", 1.0})));
  CHECK_FALSE(holds(plain_page("http://a.test/x", 410, {Health::dead, "http_410", "status", "", 1.0}, true)));
  CHECK_FALSE(holds(shell("http://user:password@a.test/x")));
  AnalyzedPage again = shell();
  again.has_requested_browser = true;
  CHECK_FALSE(holds(std::move(again)));
}

TEST_CASE("patterns limit what a browser is asked for") {
  FakeBrowserChecks fake;
  fake.options.browser_patterns = {"^http://b\\.test/", "article"};
  const auto holds = [&](AnalyzedPage page) { return fake.checks().hold(page); };
  CHECK_FALSE(holds(shell("http://a.test/1")));
  CHECK(holds(shell("http://b.test/1")));
  CHECK(holds(shell("http://a.test/article")));
}

TEST_CASE("a page that a browser shows gets its verdict and metadata, and keeps the plain answer") {
  FakeBrowserChecks fake;
  fake.show("http://a.test/x",
            "<title>The article</title><h1>The article</h1><p>" + shown_text + "</p><script></script>");
  AnalyzedPage page = challenge();
  page.snapshot.attempts.push_back({{}, "http://a.test/x", 403, "", 5});
  page.snapshot.remote_address = "192.0.2.1";
  page.request.want_anchors();
  REQUIRE(fake.checks().hold(page));
  const AnalyzedPage shown = std::move(fake.finish().front());
  const storage::Snapshot& snapshot = shown.snapshot;
  CHECK(snapshot.verdict.health == Health::alive);
  CHECK(snapshot.verdict.evidence == "Without a browser: blocked (challenge). In a browser: HTTP 200.");
  CHECK(snapshot.status == 200);
  REQUIRE(snapshot.metadata.title);
  CHECK(snapshot.metadata.title->value == "The article");
  REQUIRE(snapshot.plain);
  CHECK(snapshot.plain->status == 403);
  CHECK(snapshot.plain->verdict.reason == "challenge");
  CHECK(snapshot.attempts.size() == 1);
  CHECK(snapshot.remote_address == "192.0.2.1");
  CHECK(snapshot.redirects.empty());
  CHECK(shown.body.find("The article") != std::string::npos);
  REQUIRE(shown.anchors);
  CHECK_FALSE(shown.anchors->is_built_by_script);
  CHECK(shown.request.wants_anchors());
  CHECK(fake.starts() == 1);
  CHECK_FALSE(fake.checks().is_visiting());
}

TEST_CASE("the address where a browser ends decides about redirects") {
  struct Case {
    std::string shown;
    std::vector<std::string> to;  // of the redirects
  };
  for (const Case& one : std::vector<Case>{{"http://a.test/x#part", {}},
                                           {"http://a.test/hop", {"http://a.test/hop"}},
                                           {"http://a.test/y", {"http://a.test/hop", "http://a.test/y"}}}) {
    CAPTURE(one.shown);
    FakeBrowserChecks fake;
    fake.show(one.shown, "<title>Something</title><p>" + shown_text);
    AnalyzedPage page = shell();
    page.snapshot.redirects.push_back({"http://a.test/x", 302, "http://a.test/hop"});
    page.snapshot.final_url = "http://a.test/hop";
    REQUIRE(fake.checks().hold(page));
    const AnalyzedPage shown = std::move(fake.finish().front());
    std::vector<std::string> to;
    for (const storage::Redirect& redirect : shown.snapshot.redirects) to.push_back(redirect.to);
    CHECK(to == one.to);
    CHECK(shown.snapshot.final_url == one.shown);
    CHECK(shown.snapshot.verdict.health == (one.to.empty() ? Health::alive : Health::redirected));
  }
}

TEST_CASE("a 404 that a browser shows as a page is suspect, with both observations") {
  FakeBrowserChecks fake;
  fake.show("http://a.test/x", "<title>A draft</title><article><p>" + shown_text + "</p></article>", 404);
  AnalyzedPage page = missing(true);
  REQUIRE(fake.checks().hold(page));
  const AnalyzedPage shown = std::move(fake.finish().front());
  CHECK(shown.snapshot.verdict.health == Health::suspect);
  CHECK(shown.snapshot.verdict.reason == "doubtful_404");
  CHECK(shown.snapshot.verdict.evidence ==
        "Without a browser: dead (http_404). In a browser: HTTP 404, with the page \"A draft\".");

  FakeBrowserChecks error_page;
  error_page.show("http://a.test/x", "<title>Not found</title><p>There is no such page.", 404);
  page = missing(true);
  REQUIRE(error_page.checks().hold(page));
  CHECK(error_page.finish().front().snapshot.verdict.health == Health::dead);
}

TEST_CASE("a wall that only the browser meets does not count") {
  FakeBrowserChecks fake;
  fake.show("http://a.test/x", "<title>Attention Required! | Cloudflare</title><div class=cf-captcha-container>", 403);
  AnalyzedPage page = shell();
  REQUIRE(fake.checks().hold(page));
  const AnalyzedPage shown = std::move(fake.finish().front());
  CHECK(shown.snapshot.verdict.health == Health::alive);
  CHECK_FALSE(shown.snapshot.plain);
  CHECK(shown.snapshot.verdict.evidence.starts_with("HTTP 200. In a browser: "));

  FakeBrowserChecks walled;
  walled.show("http://a.test/x", "<title>Attention Required! | Cloudflare</title><div class=cf-captcha-container>",
              403);
  page = challenge();
  REQUIRE(walled.checks().hold(page));
  CHECK(walled.finish().front().snapshot.verdict.health == Health::blocked);
}

TEST_CASE("an error page whose scripts lead to another page is still an error page") {
  struct Case {
    std::string shown;
    Health health;
  };
  // Static hosting sends all addresses of an application to its first page, which gives itself the address again.
  for (const Case& one : std::vector<Case>{{"http://a.test/", Health::dead},
                                           {"http://b.test/sorry", Health::dead},
                                           {"http://a.test/x", Health::alive}}) {
    CAPTURE(one.shown);
    FakeBrowserChecks fake;
    fake.show(one.shown, "<title>Welcome</title><p>" + shown_text);
    AnalyzedPage page = missing(true);
    REQUIRE(fake.checks().hold(page));
    const storage::Snapshot snapshot = std::move(fake.finish().front().snapshot);
    CHECK(snapshot.verdict.health == one.health);
    if (one.health == Health::dead) CHECK(snapshot.status == 404);
  }
}

TEST_CASE("a page that a site hides from the browser is suspect") {
  FakeBrowserChecks fake;
  fake.show("http://a.test/x", "<title>Not found</title><p>There is no such page.", 404);
  AnalyzedPage page = shell();
  REQUIRE(fake.checks().hold(page));
  const storage::Snapshot snapshot = std::move(fake.finish().front().snapshot);
  CHECK(snapshot.verdict.health == Health::suspect);
  CHECK(snapshot.verdict.reason == "doubtful_404");
  CHECK(snapshot.verdict.evidence.starts_with("Without a browser: alive (ok). In a browser: HTTP 404"));
}

TEST_CASE("an empty page says nothing, and what the scripts took away is kept") {
  FakeBrowserChecks empty;
  empty.show("http://a.test/x", "<html></html>");
  AnalyzedPage page = challenge();
  REQUIRE(empty.checks().hold(page));
  storage::Snapshot snapshot = std::move(empty.finish().front().snapshot);
  CHECK(snapshot.verdict.reason == "challenge");
  CHECK(snapshot.verdict.evidence == "HTTP 403. In a browser: an empty page.");

  FakeBrowserChecks missing_page;
  missing_page.show("http://a.test/x", "<div id=root></div><script></script>", 404);
  page = missing(true);
  REQUIRE(missing_page.checks().hold(page));
  snapshot = std::move(missing_page.finish().front().snapshot);
  CHECK(snapshot.verdict.health == Health::dead);
  CHECK(snapshot.verdict.evidence == "HTTP 404. In a browser: an empty page.");

  FakeBrowserChecks wiped;
  wiped.show("http://a.test/x", "<p>" + shown_text);
  page = shell();
  page.snapshot.metadata.title = parser::Field<std::string>{"The title", "title", 0.5};
  REQUIRE(wiped.checks().hold(page));
  snapshot = std::move(wiped.finish().front().snapshot);
  REQUIRE(snapshot.metadata.title);
  CHECK(snapshot.metadata.title->value == "The title");
}

TEST_CASE("a page that a browser cannot show keeps its verdict") {
  for (const char* const address : {"about:blank", "chrome://version/", "file:///etc/passwd", "rubbish"}) {
    CAPTURE(address);
    FakeBrowserChecks fake;
    fake.show(address, "<title>elsewhere</title>");
    AnalyzedPage page = challenge();
    REQUIRE(fake.checks().hold(page));
    const AnalyzedPage shown = std::move(fake.finish().front());
    CHECK(shown.snapshot.verdict.reason == "challenge");
    CHECK_FALSE(shown.snapshot.plain);
  }
}

TEST_CASE("without a browser that works, the run goes on without it") {
  FakeBrowserChecks fake("ends");
  for (int i = 0; i < 5; ++i) {
    AnalyzedPage page = challenge("http://a.test/" + std::to_string(i));
    REQUIRE(fake.checks().hold(page));
  }
  for (const AnalyzedPage& page : fake.finish(5)) CHECK(page.snapshot.verdict.reason == "challenge");
  AnalyzedPage later = challenge();
  CHECK_FALSE(fake.checks().hold(later));
  CHECK(fake.starts() == 3);
}

TEST_CASE("stopping returns all pages") {
  FakeBrowserChecks fake("hangs");
  for (int i = 0; i < 3; ++i) {
    AnalyzedPage page = challenge("http://" + std::to_string(i) + ".test/");
    REQUIRE(fake.checks().hold(page));
  }
  while (!fake.checks().is_visiting()) fake.begin_visits();
  fake.checks().stop();
  CHECK(fake.finish(3).size() == 3);
  AnalyzedPage later = challenge();
  CHECK_FALSE(fake.checks().hold(later));
}

TEST_CASE("no host is visited more often than its interval allows") {
  FakeBrowserChecks fake("hangs");  // so that a visit that has begun goes on
  const auto hold = [&](const std::string& url) {
    AnalyzedPage page = challenge(url);
    REQUIRE(fake.checks().hold(page));
  };
  fake.options.browser->tabs = 4;
  fake.options.fetch.politeness.overrides["slow.test"].request_interval = std::chrono::hours(1);
  fake.hosts.emplace_back();
  fake.hosts.back().origin = "http://robots.test";
  fake.hosts.back().crawl_delay = std::chrono::seconds(10);
  hold("http://slow.test/1");
  hold("http://robots.test/1");
  fake.begin_visits();
  CHECK_FALSE(fake.checks().is_visiting());
  CHECK(fake.pace_queries == 1);
  hold("http://a.test/1");
  hold("http://a.test/2");
  while (!fake.checks().is_visiting()) fake.begin_visits();
  CHECK(fake.pace_queries == 2);  // only for the new host, and a second later
  for (int i = 0; i < 100; ++i) fake.begin_visits();
  fake.checks().stop();
  CHECK(fake.finish(4).size() == 4);
}
