// Tests soft-404 probes: a request for a path that cannot exist shows how a host answers for missing pages.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::string sorry =
    "<title>Alpine Club</title><body><h1>Alpine Club</h1><p>We have put our pages in order. What you want may be in "
    "the "
    "menu, or write to the office.</p></body>";

std::size_t count_probes(const SmallInternet& internet, const std::string& host) {
  const std::vector<ReceivedRequest> requests = internet.requests(host);
  return static_cast<std::size_t>(std::ranges::count_if(requests, [](const ReceivedRequest& request) {
    return request.target.find("/linkherd-control-") != std::string::npos;
  }));
}

ProgramResult check(const TempDir& folder, const SmallInternet& internet, std::vector<std::string> words = {}) {
  words.insert(words.end(), {"--store", "store", "--format", "jsonl", "list.md"});
  return run_linkherd(folder.path(), check_arguments(internet, words));
}

}  // namespace

TEST_CASE("a host with one page for every path has soft 404s and gets one probe") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("alps.herd").default_page(html_page(sorry));
  folder.write("list.md", "[a](https://alps.herd/huts/north)\n[b](https://alps.herd/huts/south)\n");
  const ProgramResult result = check(folder, internet);
  CAPTURE(result.out);
  CAPTURE(result.err);
  for (const char* url : {"https://alps.herd/huts/north", "https://alps.herd/huts/south"}) {
    const CheckedLine line = line_of(checked_lines(result.out), url);
    CHECK(line.health == "suspect");
    CHECK(line.reason == "soft_404");
  }
  CHECK(count_lines(result.out) == 2);
  const std::size_t controls = count_probes(internet, "alps.herd");
  CHECK((controls == 1 || controls == 2));  // libcurl itself repeats a request if a reused connection is lost
}

TEST_CASE("a short page is alive if its host reports missing paths") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("bread.herd").page("/levain", html_page("<title>Page not found</title><p>A poem in four words.</p>"));
  folder.write("list.md", "[a](https://bread.herd/levain)\n");
  const ProgramResult result = check(folder, internet);
  CAPTURE(result.out);
  CHECK(line_of(checked_lines(result.out), "https://bread.herd/levain").health == "alive");
  CHECK(count_probes(internet, "bread.herd") == 1);
}

TEST_CASE("a page shell that scripts fill stays alive") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("app.herd").default_page(html_page("<title>App</title><div id=app></div><script src=/a.js></script>"));
  folder.write("list.md", "[a](https://app.herd/board/7)\n");
  const ProgramResult result = check(folder, internet);
  CHECK(line_of(checked_lines(result.out), "https://app.herd/board/7").health == "alive");
}

TEST_CASE("a deep link that redirects to the home page like every path is suspect") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("shop.herd")
      .page("/", html_page("<title>Shop</title><p>" + std::string(2000, 'x') + "</p>"))
      .default_page(redirect_page(302, "https://shop.herd/"));
  folder.write("list.md", "[a](https://shop.herd/tents/ridge-2)\n");
  const ProgramResult result = check(folder, internet);
  const CheckedLine line = line_of(checked_lines(result.out), "https://shop.herd/tents/ridge-2");
  CHECK(line.health == "suspect");
  CHECK(line.reason == "soft_404");
}

TEST_CASE("a host gets at most one soft-404 probe a day") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("alps.herd").default_page(html_page(sorry));
  folder.write("list.md", "[a](https://alps.herd/huts/north)\n");
  for (const char* now : {"2026-03-05T10:00:00Z", "2026-03-05T20:00:00Z"}) {
    const ProgramResult result = check(folder, internet, {"--now", now, "--max-cache-age", "0"});
    CHECK(line_of(checked_lines(result.out), "https://alps.herd/huts/north").health == "suspect");
    CHECK(count_probes(internet, "alps.herd") == 1);
  }
  check(folder, internet, {"--now", "2026-03-07T10:00:00Z", "--max-cache-age", "0"});
  CHECK(count_probes(internet, "alps.herd") == 2);
}

TEST_CASE("a soft-404 probe obeys robots.txt") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("alps.herd")
      .page("/robots.txt", html_page("User-agent: *\nDisallow: /\n", "text/plain"))
      .default_page(html_page(sorry));
  folder.write("list.md", "[a](https://alps.herd/huts/north)\n");
  const ProgramResult result = check(folder, internet);
  CHECK(line_of(checked_lines(result.out), "https://alps.herd/huts/north").health == "alive");
  CHECK(count_probes(internet, "alps.herd") == 0);
}

TEST_CASE("an unanswered soft-404 probe does not delay its link") {
  const TempDir folder;
  SmallInternet internet;
  Page broken;
  broken.delivery = Delivery::reset_early;
  internet.host("alps.herd")
      .page("/huts/north", html_page(sorry))
      .page("/robots.txt", status_page(404))
      .default_page(broken);
  folder.write("list.md", "[a](https://alps.herd/huts/north)\n");
  const ProgramResult result = check(folder, internet);
  CAPTURE(result.out);
  CHECK(line_of(checked_lines(result.out), "https://alps.herd/huts/north").health == "alive");
  const std::size_t controls = count_probes(internet, "alps.herd");
  CHECK((controls == 1 || controls == 2));  // libcurl itself repeats a request if a reused connection is lost
}
