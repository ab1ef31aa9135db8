// Tests links to GitHub that linkherd checks through its API, hundreds at a time: the verdicts equal those from
// GitHub's pages, with far fewer requests.
#include "tests/support/github_api.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::string token = "t0ken-of-a-job";

// Returns true for requests that concern the host instead of a link: robots.txt and the soft-404 probe.
bool is_for_the_host(const std::string& target) {
  return target == "/robots.txt" || holds(target, "/linkherd-control-");
}

// GitHub's pages and its API.
struct Github {
  TempDir folder;
  SmallInternet internet;
  FakeGithub api;

  Github() {
    internet.host("api.github.com").handler([this](const ReceivedRequest& request) { return api.answer(request); });
    internet.host("github.com");  // 404 for all
  }
  void page(const std::string& path, const std::string& title) {
    internet.host("github.com").page(path, html_page("<title>" + title + "</title><p>" + title));
  }
  ProgramResult check(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "jsonl", "list.md"});
    return run_linkherd(folder.path(), check_arguments(internet, words));
  }
  ProgramResult check_by_api(std::vector<std::string> words = {"--no-store"}) const {
    words.insert(words.end(), {"--github-token", token});
    return check(std::move(words));
  }
  std::size_t asked(const std::string& host) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        internet.requests(host), [](const ReceivedRequest& request) { return !is_for_the_host(request.target); }));
  }
};

std::string list_of(const std::vector<std::string>& links) {
  std::string list;
  for (const std::string& link : links) list += "- [x](" + link + ")\n";
  return list;
}

}  // namespace

TEST_CASE("250 repositories take three requests and the token is sent only to the API") {
  Github github;
  std::vector<std::string> links;
  for (int i = 0; i < 250; ++i) {
    const std::string name = fmt::format("owner{}/repository-{}", i % 7, i);
    github.api.add(name, fmt::format("Photo album number {}", i));
    links.push_back("https://github.com/" + name);
  }
  std::string list;
  for (const std::string& link : links) list += "- [A photo album of families](" + link + ")\n";
  github.folder.write("list.md", list);
  const ProgramResult result = github.check_by_api({"--store", "store", "-vv"});
  CHECK(result.exit_code == 0);
  CHECK(github.asked("github.com") == 0);
  CHECK(github.asked("api.github.com") == 3);
  CHECK(github.internet.max_concurrent("api.github.com") == 1);
  for (const ReceivedRequest& request : github.internet.requests("api.github.com")) {
    CHECK(request.header("User-Agent").starts_with("linkherd/"));
    CHECK((request.target == "/robots.txt" || request.header("Authorization") == "Bearer " + token));
  }
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  CHECK(lines.size() == 250);
  const CheckedLine& line = line_of(lines, links[8]);
  CHECK(line.health == "alive");
  CHECK(line.rule == "site_api:github_api");
  CHECK(line.evidence == "https://api.github.com/graphql says that it exists.");
  CHECK(line.harvest == Harvest{"owner1/repository-8", {"owner1"}, "2019-03-05T06:07:08Z"});
  CHECK_FALSE(holds(result.out + result.err, token));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(github.folder.path() / "store")) {
    if (entry.is_regular_file()) CHECK_FALSE(holds(read_file(entry.path()), token));
  }
  // With the token in an environment variable, the run is the same and has nothing to check.
  github.internet.clear_requests();
  ProgramOptions again = linkherd_options(
      github.folder.path(), check_arguments(github.internet, {"--store", "store", "--format", "jsonl", "list.md"}));
  again.environment["GITHUB_TOKEN"] = token;
  CHECK(run_program(LINKHERD_PROGRAM, again).exit_code == 0);
  CHECK(github.internet.requests().empty());
  again.arguments.insert(again.arguments.end(), {"--max-cache-age", "0"});
  CHECK(run_program(LINKHERD_PROGRAM, again).exit_code == 0);
  CHECK(github.asked("api.github.com") == 3);
}

TEST_CASE("verdicts equal those of the pages and pages are fetched for what the API leaves open") {
  Github github;
  HostScript& pages = github.internet.host("github.com");
  const auto add = [&](const std::string& name) {
    github.api.add(name);
    github.page("/" + name, "GitHub - " + name);
  };
  add("a/there");
  add("newer/name");
  pages.page("/old/name", redirect_page(301, "/newer/name"));
  github.api.objects["old/name"] = github.api.objects["newer/name"];
  pages.page("/old/name/issues/7", redirect_page(301, "/newer/name/issues/7"));
  github.page("/newer/name/issues/7", "A bug");
  github.api.nested_objects["old/name issueOrPullRequest(number:7)"] =
      R"({"__typename":"Issue","title":"A bug","createdAt":"2024-01-02T03:04:05Z","author":{"login":"jane"}})";
  github.page("/a/there/blob/main/a.md", "a.md");
  github.api.nested_objects["a/there object(expression:\"main:a.md\")"] = R"({"__typename":"Blob"})";
  github.page("/a/there/blob/feature/x/a.md", "a.md");
  github.page("/a/there/wiki", "Home");
  github.api.add("a/secret");
  github.api.objects["a/secret"].replace(github.api.objects["a/secret"].find("false"), 5, "true");
  add("a/guarded");
  github.api.errors["a/guarded"] = "FORBIDDEN";
  github.page("/octo", "octo (The Cat)");
  github.api.objects["octo"] = R"("login":"octo","name":"The Cat")";
  add("a/unlike");
  pages.page("/a/unlike", html_page("<title>unlike</title><p>A long manual of beekeeping for northern gardeners"));

  std::string list = list_of({"https://github.com/a/there#readme", "https://github.com/old/name",
                              "https://github.com/old/name/issues/7", "https://github.com/a/there/blob/main/a.md",
                              "https://github.com/a/there/blob/feature/x/a.md", "https://github.com/a/there/wiki",
                              "https://github.com/a/secret", "https://github.com/a/gone",
                              "https://github.com/a/guarded", "https://github.com/octo", "https://github.com/none"});
  list += "- [Beekeeping manual for northern gardeners](https://github.com/a/unlike)\n";
  github.folder.write("list.md", list);
  const std::vector<CheckedLine> by_pages = checked_lines(github.check({"--no-store"}).out);
  REQUIRE(by_pages.size() == 12);
  github.internet.clear_requests();
  const ProgramResult result = github.check_by_api();
  CHECK(result.exit_code == 2);
  const std::vector<CheckedLine> by_api = checked_lines(result.out);
  REQUIRE(by_api.size() == by_pages.size());
  for (const CheckedLine& line : by_api) {
    CAPTURE(line.url);
    const CheckedLine& page = line_of(by_pages, line.url);
    CHECK(line.health == page.health);
    CHECK(line.reason == page.reason);
    CHECK(line.final_url == page.final_url);
    CHECK(line.redirects == page.redirects);
  }
  CHECK(github.asked("api.github.com") == 1);
  std::vector<std::string> asked;
  for (const ReceivedRequest& request : github.internet.requests("github.com")) {
    if (!is_for_the_host(request.target)) asked.push_back(request.target);
  }
  std::ranges::sort(asked);
  CAPTURE(list_of(asked));
  // Confirmations of dead links request the pages.
  CHECK(asked == std::vector<std::string>{"/a/gone", "/a/guarded", "/a/secret", "/a/there/blob/feature/x/a.md",
                                          "/a/there/wiki", "/a/unlike", "/none"});
  CHECK(holds(line_of(by_api, "https://github.com/a/secret").evidence, "says that it is private"));
  CHECK(holds(line_of(by_api, "https://github.com/a/gone").evidence, "says that it does not exist"));
  CHECK(line_of(by_api, "https://github.com/old/name/issues/7").harvest ==
        Harvest{"A bug", {"jane"}, "2024-01-02T03:04:05Z"});
}

TEST_CASE("a page is fetched if its anchors are checked") {
  Github github;
  github.api.add("a/there");
  github.page("/a/there", "GitHub - a/there");
  github.folder.write("list.md", list_of({"https://github.com/a/there#none"}));
  CHECK(github.check_by_api().exit_code == 0);
  CHECK(github.asked("github.com") == 0);
  CHECK(github.check_by_api({"--no-store", "--include-fragments=web"}).exit_code == 2);
  CHECK(github.asked("github.com") == 1);
}

TEST_CASE("a failing GitHub API costs no verdict") {
  Github github;
  std::vector<std::string> links;
  for (int i = 0; i < 30; ++i) {
    const std::string name = fmt::format("owner/r{}", i);
    github.api.add(name);
    github.page("/" + name, name);
    links.push_back("https://github.com/" + name);
  }
  github.folder.write("list.md", list_of(links));
  struct Row {
    const char* what;
    std::function<void(FakeGithub&)> set;
    std::size_t pages;  // the pages that are requested
  };
  for (const Row& row : {Row{"too large", [](FakeGithub& api) { api.max_links = 15; }, 0},
                         Row{"bad token", [](FakeGithub& api) { api.token = "another"; }, 30},
                         Row{"no points", [](FakeGithub& api) { api.remaining_rate_limit = 0; }, 30}}) {
    CAPTURE(row.what);
    const FakeGithub before = github.api;
    row.set(github.api);
    github.internet.clear_requests();
    const ProgramResult result = github.check_by_api();
    CHECK(result.exit_code == 0);
    CHECK(checked_lines(result.out).size() == 30);
    CHECK(github.asked("github.com") == row.pages);
    CHECK(holds(result.err, "it refuses the token") == (row.what == std::string("bad token")));
    github.api = before;
  }
  for (const Page& page :
       {status_page(403), html_page("[[[[", "application/json"), redirect_page(302, "https://evil.herd/"),
        status_page(503), Page{.headers = {}, .body = {}, .delivery = Delivery::close}}) {
    github.internet.host("api.github.com").handler([page](const ReceivedRequest&) { return page; });
    github.internet.host("evil.herd");
    github.internet.clear_requests();
    const ProgramResult result = github.check_by_api();
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK(github.asked("github.com") == 30);
    CHECK(github.asked("evil.herd") == 0);
  }
  const ProgramResult bad = github.check({"--no-store", "--github-token", "s3cret token"});
  CHECK(bad.exit_code == 3);
  CHECK_FALSE(holds(bad.err, "s3cret"));
}
