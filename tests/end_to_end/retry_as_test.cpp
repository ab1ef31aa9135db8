// Tests refused requests: linkherd repeats them once with the Accept headers of a browser, honestly and politely.
#include <algorithm>
#include <atomic>
#include <functional>
#include <set>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const Page article_page = html_page("<title>An article</title><h1>An article</h1><p>Its text.</p>");

bool asks_as_browser(const ReceivedRequest& request) {
  return request.header("Accept").find("image/webp") != std::string::npos &&
         request.header("Accept-Language").starts_with("en-US");
}

// Returns true for requests that linkherd makes on its own account.
bool is_own(const ReceivedRequest& request) {
  return request.target.find("/linkherd-control-") != std::string::npos || request.target == "/robots.txt";
}

// `count` links of one host, which are checked one after the other.
struct CheckedHost {
  SmallInternet internet;
  std::vector<CheckedLine> lines;
  std::string out;

  CheckedHost(const std::function<Page(const ReceivedRequest&)>& answer, int count,
              const std::vector<std::string>& more = {}) {
    const TempDir folder;
    internet.host("picky.herd").handler([&answer](const ReceivedRequest& request) {
      return is_own(request) ? status_page(404) : answer(request);
    });
    std::string list;
    for (int i = 0; i < count; ++i) list += "[x](https://picky.herd/" + std::to_string(i) + ")\n";
    folder.write("list.md", list);
    std::vector<std::string> words{"--no-store", "--format", "jsonl", "--host-concurrency", "1", "list.md"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_linkherd(folder.path(), check_arguments(internet, words));
    CAPTURE(result.err);
    out = result.out;
    lines = checked_lines(out);
    REQUIRE(lines.size() == static_cast<std::size_t>(count));
  }

  std::size_t requests() const {
    const std::vector<ReceivedRequest> all = internet.requests("picky.herd");
    return static_cast<std::size_t>(std::ranges::count_if(all, std::not_fn(&is_own)));
  }
};

}  // namespace

TEST_CASE("a page that only browsers get is alive and later links of its host start as a browser") {
  for (const int status : {400, 403, 405, 406}) {
    CAPTURE(status);
    const CheckedHost host(
        [status](const ReceivedRequest& request) {
          return asks_as_browser(request) ? article_page : status_page(status);
        },
        4);
    for (const CheckedLine& line : host.lines) {
      CAPTURE(line.evidence);
      CHECK(line.health == "alive");
      CHECK(line.status == 200);
    }
    CHECK(host.requests() == 5);
    const boost::json::array attempts = json_lines(host.out).front().at("attempts").as_array();
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].at("status").as_int64() == status);
    CHECK(attempts[1].at("status").as_int64() == 200);
    std::set<std::string> agents;
    for (const ReceivedRequest& request : host.internet.requests("picky.herd")) {
      agents.insert(request.header("User-Agent"));
      for (const auto& [name, value] : request.headers) CHECK_FALSE(name.starts_with("Sec-"));
    }
    CHECK(agents.size() == 1);
    CHECK(agents.begin()->starts_with("linkherd/"));
  }
}

TEST_CASE("a host that refuses once gets one more request") {
  std::atomic<int> seen = 0;
  const CheckedHost host(
      [&seen](const ReceivedRequest& /*any*/) { return ++seen == 1 ? status_page(405) : article_page; }, 1);
  CHECK(host.lines.front().health == "alive");
  CHECK(host.requests() == 2);
}

TEST_CASE("a host that refuses both requests keeps its first verdict and is not asked twice for ever") {
  const CheckedHost host(
      [](const ReceivedRequest& request) { return status_page(asks_as_browser(request) ? 429 : 403); }, 8);
  for (const CheckedLine& line : host.lines) {
    CHECK(line.health == "blocked");
  }
  CHECK(host.lines.front().reason == "http_403");
  CHECK(host.lines.front().status == 403);
}

TEST_CASE("only a few links of a host are repeated as a browser in vain") {
  const CheckedHost host([](const ReceivedRequest& /*any*/) { return status_page(403); }, 8);
  for (const CheckedLine& line : host.lines) CHECK(line.reason == "http_403");
  CHECK(host.requests() == 11);
}

TEST_CASE("the answer to the browser request decides") {
  const CheckedHost gone(
      [](const ReceivedRequest& request) { return status_page(asks_as_browser(request) ? 410 : 403); }, 1);
  CHECK(gone.lines.front().health == "dead");
  CHECK(gone.lines.front().reason == "http_410");
  const CheckedHost moved(
      [](const ReceivedRequest& request) {
        if (request.target == "/new") return article_page;
        return asks_as_browser(request) ? redirect_page(301, "/new") : status_page(406);
      },
      1);
  CHECK(moved.lines.front().reason == "moved_permanently");
  const CheckedHost failing(
      [](const ReceivedRequest& request) { return status_page(asks_as_browser(request) ? 500 : 403); }, 1);
  CHECK(failing.lines.front().reason == "http_403");
  CHECK(failing.requests() == 2);
}

TEST_CASE("bot walls and --retry-as off cause no second request") {
  Page wall = status_page(403, {{"cf-mitigated", "challenge"}});
  const CheckedHost walled([&wall](const ReceivedRequest& /*any*/) { return wall; }, 1);
  CHECK(walled.lines.front().reason == "challenge");
  CHECK(walled.requests() == 1);
  const CheckedHost off([](const ReceivedRequest& /*any*/) { return status_page(403); }, 1, {"--retry-as", "off"});
  CHECK(off.lines.front().reason == "http_403");
  CHECK(off.requests() == 1);
}

TEST_CASE("no answer to HEAD makes a link dead or blocked") {
  for (const int status : {403, 404, 405, 410, 501}) {
    for (const char* method : {"head", "head,get"}) {
      CAPTURE(status);
      CAPTURE(method);
      const CheckedHost host(
          [status](const ReceivedRequest& request) {
            return request.method == "HEAD" ? status_page(status) : article_page;
          },
          1, {"--method", method});
      CHECK(host.lines.front().health == "alive");
    }
  }
}
