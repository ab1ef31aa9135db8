// Tests how the browser is started, restarted and given up, with a fake one.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/browser/browser_fixture.h"

namespace linkherd::tests {

using crawler::RenderedPage;
using crawler::VisitOutcome;

namespace {

// A process that has ended may stay in the table of processes until its new parent notices.
bool is_running(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text[name_end + 2] != 'Z' && text[name_end + 2] != 'X';
}

// A killed process ends a moment after the kill.
void wait_for_end(const std::string& process) {
  while (is_running(process)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

std::size_t count_starts(const BrowserFixture& fixture) {
  const std::string text = fixture.note("starts");
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("the browser reads a page, and leaves neither a process nor a folder") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("works");
  const RenderedPage page = fixture.visit("http://a.test/");
  CHECK(page.detail == "");
  CHECK(page.outcome == VisitOutcome::complete);
  CHECK(page.html == "<p>fake page</p>");
  CHECK(page.final_url == "http://a.test/end");
  CHECK(page.status == 203);
  const std::string home = fixture.note("home");
  const std::string child = fixture.note("child");
  CHECK((std::filesystem::status(home).permissions() & std::filesystem::perms::mask) ==
        std::filesystem::perms::owner_all);
  CHECK(is_running(child));
  fixture.visit("http://a.test/2");
  CHECK(count_starts(fixture) == 1);
  fixture.end();
  CHECK_FALSE(std::filesystem::exists(home));
  wait_for_end(child);
}

TEST_CASE("a browser that crashes is started again, and its page is visited once more") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("crashes-once");
  CHECK(fixture.visit("http://a.test/").html == "<p>fake page</p>");
  CHECK(count_starts(fixture) == 2);
}

TEST_CASE("a new process takes over after 200 pages") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("works");
  fixture.options.tabs = 100;
  std::vector<std::future<RenderedPage>> pages;
  for (int i = 0; i < crawler::Browser::max_pages_of_process + 1; ++i)
    pages.push_back(fixture.begin_visit("http://a.test/"));
  CHECK(std::ranges::all_of(pages, [](auto& page) { return page.get().outcome == VisitOutcome::complete; }));
  CHECK(count_starts(fixture) == 2);
}

TEST_CASE("a program that does not work as a browser is given up with a reason") {
  struct Case {
    const char* behaviour;
    const char* reason;
  };
  for (const Case& one :
       {Case{"ends", "the browser ended"}, Case{"rubbish", "the program does not speak the DevTools protocol"},
        Case{"deep", "the program does not speak the DevTools protocol"},
        Case{"flood", "the browser sent a message that is too large"}, Case{"types", "it is not Chromium"},
        Case{"firefox", "it is not Chromium"}}) {
    CAPTURE(one.behaviour);
    const SmallInternet internet;
    BrowserFixture fixture(internet);
    fixture.use_fake(one.behaviour);
    const RenderedPage page = fixture.visit("http://a.test/");
    CHECK(page.outcome == VisitOutcome::unavailable);
    CHECK(page.detail == "the browser \"" + fixture.options.program + "\" does not work: " + one.reason);
    CHECK(fixture.visit("http://a.test/").outcome == VisitOutcome::unavailable);
    CHECK(count_starts(fixture) == 3);
  }
}

TEST_CASE("a page that ends two browsers has failed, and many such pages in succession end the use of the browser") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("crashes");
  for (int pages = 0; pages < 5; ++pages) {
    const RenderedPage page = fixture.visit("http://a.test/");
    CHECK(page.outcome == VisitOutcome::failed);
    CHECK(page.detail == "the browser ended");
  }
  CHECK(fixture.visit("http://a.test/").outcome == VisitOutcome::unavailable);
  CHECK(count_starts(fixture) == 10);
}

TEST_CASE("a browser that hangs is given up, and a page that hangs has failed") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("hangs");
  fixture.options.start_timeout = std::chrono::milliseconds(200);
  const RenderedPage page = fixture.visit("http://a.test/");
  CHECK(page.outcome == VisitOutcome::unavailable);
  CHECK(page.detail.ends_with("the browser did not answer Browser.getVersion in time"));

  BrowserFixture slow(internet);
  slow.use_fake("hangs-on-page");
  slow.options.page_timeout = std::chrono::milliseconds(300);
  CHECK(slow.visit("http://a.test/").detail == "the page did not load within the time limit");
}

TEST_CASE("a browser that is missing is reported") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.options.program = "/nowhere/chromium";
  const RenderedPage page = fixture.visit("http://a.test/");
  CHECK(page.outcome == VisitOutcome::unavailable);
  CHECK(page.detail ==
        "the browser \"/nowhere/chromium\" cannot be started: No such file or directory; install Chromium, or name it "
        "with --browser");
}

TEST_CASE("stopping interrupts the visits at once") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("hangs");
  std::future<RenderedPage> first = fixture.begin_visit("http://a.test/1");
  std::future<RenderedPage> second = fixture.begin_visit("http://a.test/2");
  fixture.browser().stop();
  CHECK(first.get().outcome == VisitOutcome::interrupted);
  CHECK(second.get().outcome == VisitOutcome::interrupted);
  CHECK(fixture.visit("http://a.test/3").outcome == VisitOutcome::interrupted);
}

TEST_CASE("stopping interrupts a page that never stops changing") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("restless");
  fixture.options.page_timeout = std::chrono::hours(1);
  std::future<RenderedPage> page = fixture.begin_visit("http://a.test/1");
  while (!std::filesystem::exists(fixture.options.program + ".visits"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  fixture.browser().stop();
  CHECK(page.get().outcome == VisitOutcome::interrupted);
}

TEST_CASE("only pages of the web are visited") {
  const SmallInternet internet;
  BrowserFixture fixture(internet);
  fixture.use_fake("works");
  for (const char* const url : {"file:///etc/passwd", "chrome://version", "javascript:1", "nothing"}) {
    CAPTURE(url);
    CHECK(fixture.visit(url).detail == "only http and https pages are visited");
  }
}

}  // namespace linkherd::tests
