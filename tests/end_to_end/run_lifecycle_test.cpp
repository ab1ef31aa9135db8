// What a run remembers, and how it ends: second runs, kills, signals, a locked store.
#include <algorithm>
#include <chrono>

#include <doctest/doctest.h>
#include <signal.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
using namespace std::chrono_literals;

namespace {

std::string list_of(int count, const std::string& host = "many.cn") {
  std::string list;
  for (int i = 0; i < count; ++i) list += "- [page](https://" + host + "/" + std::to_string(i) + ")\n";
  return list;
}

Page tagged_page(const std::string& title) {
  Page page = html_page("<title>" + title + "</title><h1>" + title + "</h1>");
  page.headers.emplace_back("ETag", "\"v1\"");
  return page;
}

}  // namespace

TEST_CASE("a second run asks whether pages have changed and keeps what it knows") {
  SmallInternet internet;
  internet.host("a.cn").page("/p", tagged_page("The page"));
  const TempDir folder;
  const std::string list = folder.write("list.md", "[p](https://a.cn/p)\n").string();
  const std::string store = (folder / "store").string();
  CHECK(run_linkherd(linkherd_options(internet, {"check", list, "--store", store})).exit_code == 0);
  CHECK(internet.requests("a.cn").at(0).header("if-none-match").empty());

  const ProgramResult again = run_linkherd(
      linkherd_options(internet, {"check", list, "--store", store, "--max-cache-age", "0", "--format", "jsonl"}));
  CHECK(again.exit_code == 0);
  REQUIRE(internet.requests("a.cn").size() == 2);
  CHECK(internet.requests("a.cn").at(1).header("if-none-match") == "\"v1\"");
  const auto lines = json_lines(again.out);
  CHECK(text_at(lines.at(0), "reason") == "not_modified");
  CHECK(text_at(lines.at(0).at("metadata"), "title") == "The page");

  const ProgramResult cached =
      run_linkherd(linkherd_options(internet, {"check", list, "--store", store, "--format", "jsonl"}));
  CHECK(internet.requests("a.cn").size() == 2);
  CHECK(json_lines(cached.out).at(0).at("from_store").as_bool());
}

TEST_CASE("after kill -9 the same command fetches no finished link again and loses nothing") {
  SmallInternet internet;
  internet.host("many.cn").otherwise(html_page("<title>t</title>"));
  const TempDir folder;
  constexpr int links = 120;
  const std::string list = folder.write("list.md", list_of(links)).string();
  {
    ProgramOptions slow = linkherd_options(internet, {"check", list, "--store", (folder / "store").string()});
    std::ranges::replace(slow.arguments, "2ms", "30ms");  // a polite interval that leaves time to be killed
    RunningProgram program = start_linkherd(slow);
    REQUIRE(internet.wait_for_requests(40, 60s));
    program.signal(SIGKILL);
    CHECK(program.wait().signal == SIGKILL);
  }
  const std::size_t before = internet.requests("many.cn").size();
  REQUIRE(before < links);

  const ProgramResult second = run_linkherd(
      linkherd_options(internet, {"check", list, "--store", (folder / "store").string(), "--format", "jsonl"}));
  CHECK(second.exit_code == 0);
  const auto lines = json_lines(second.out);
  CHECK(lines.size() == links);
  for (const auto& line : lines) CHECK(text_at(line, "health") == "alive");
  // At most what was in flight or in the queues when it was killed is fetched twice.
  CHECK(internet.requests("many.cn").size() <= links + 20);
}

TEST_CASE("SIGINT and SIGTERM end a run with a report and the next one goes on") {
  for (const auto& [number, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    SmallInternet internet;
    internet.host("many.cn").otherwise(html_page("<title>t</title>"));
    Page silence;
    silence.delivery = Delivery::silence;
    internet.host("silent.cn").otherwise(silence);
    const TempDir folder;
    const std::string list = folder.write("list.md", list_of(2000) + "[s](https://silent.cn/)\n").string();
    const std::string store = (folder / "store").string();
    RunningProgram program =
        start_linkherd(linkherd_options(internet, {"check", list, "--store", store, "--timeout", "100s"}));
    REQUIRE(internet.wait_for_requests(20, 60s));
    program.signal(number);
    const auto signalled = std::chrono::steady_clock::now();
    const ProgramResult result = program.wait();
    CHECK(result.exit_code == code);
    CHECK(std::chrono::steady_clock::now() - signalled < 25s);
    CHECK(result.out.find("links") != std::string::npos);
    CHECK(result.out.find("Broken") == std::string::npos);
    CHECK(result.err.find("interrupted") != std::string::npos);

    const ProgramResult report =
        run_linkherd(linkherd_options(internet, {"report", "--store", store, "--format", "jsonl"}));
    CHECK(json_lines(report.out).size() == 2001);
  }
}

TEST_CASE("a store in use by another run is one line that says so") {
  SmallInternet internet;
  Page silence;
  silence.delivery = Delivery::silence;
  internet.host("silent.cn").otherwise(silence);
  const TempDir folder;
  const std::string list = folder.write("list.md", "[s](https://silent.cn/)\n").string();
  const std::string store = (folder / "store").string();
  RunningProgram first =
      start_linkherd(linkherd_options(internet, {"check", list, "--store", store, "--timeout", "100s"}));
  REQUIRE(internet.wait_for_requests(1, 60s));
  const ProgramResult second = run_linkherd(linkherd_options(internet, {"check", list, "--store", store}));
  CHECK(second.exit_code == 1);
  CHECK(second.err.find(store) != std::string::npos);
  CHECK(second.err.find("another") != std::string::npos);
  CHECK(std::ranges::count(second.err, '\n') == 1);
  first.signal(SIGKILL);
  first.wait();
}

TEST_CASE("an outage ends within 30 seconds with exit code 4 and one clear line") {
  const SmallInternet internet;
  const TempDir folder;
  std::string text;
  for (int i = 0; i < 45; ++i) text += "[x](https://host" + std::to_string(i) + ".cn/)\n";
  const std::string list = folder.write("list.md", text).string();
  ProgramOptions options;
  options.arguments = {"check", list, "--store", (folder / "store").string(), "--dns-server", "127.0.0.1:9"};
  const ProgramResult result = run_linkherd(options);
  CHECK(result.exit_code == 4);
  CHECK(result.elapsed < 30s);
  CHECK(result.out.find("Broken") == std::string::npos);
  CHECK(result.err.find("network") != std::string::npos);
}

TEST_CASE("one host that does not exist is no outage") {
  const SmallInternet internet;
  const TempDir folder;
  const std::string list = folder.write("list.md", "[x](https://nowhere.cn/)\n").string();
  const ProgramResult result = run_linkherd(linkherd_options(internet, {"check", list, "--no-store"}));
  CHECK(result.exit_code == 2);
  CHECK(result.out.find("Broken") != std::string::npos);
}

TEST_CASE("a run without findings is silent when asked to be") {
  SmallInternet internet;
  internet.host("a.cn").page("/p", html_page("x"));
  const TempDir folder;
  const std::string list = folder.write("list.md", "[p](https://a.cn/p)\n").string();
  const ProgramResult result = run_linkherd(linkherd_options(internet, {"check", "-q", list, "--no-store"}));
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(result.err.empty());
}

TEST_CASE("NULs and bytes that are no UTF-8 lose no other link") {
  SmallInternet internet;
  internet.host("a.cn").otherwise(html_page("x"));
  const TempDir folder;
  std::string text = "[a](https://a.cn/1)\n\xFF\xFE\xC3\x28 text\n[b](https://a.cn/2)\n";
  text += std::string("\0\0 null\n[c](https://a.cn/3) \0", 28);
  const std::string list = folder.write("list.md", text).string();
  const ProgramResult result =
      run_linkherd(linkherd_options(internet, {"check", list, "--no-store", "--format", "jsonl"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(json_lines(result.out).size() == 3);
}
