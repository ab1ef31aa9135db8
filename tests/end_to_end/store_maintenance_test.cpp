// Tests which data of pages a store keeps, which it prunes, and the commands that maintain it.
#include <algorithm>
#include <filesystem>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace json = boost::json;

namespace {

const std::string page_url = "https://good.herd/page";

std::string long_text(const std::string& word) {
  std::string text = "<title>" + word + "</title><h1>" + word + "</h1>";
  while (text.size() < 6000) text += "<p>" + word + " at " + std::to_string(text.size()) + "</p>\n";
  return text;
}

struct MaintainedStore {
  TempDir folder;
  SmallInternet internet;

  MaintainedStore() {
    folder.write("list.md", "[page](" + page_url + ")\n[other](https://good.herd/other)\n");
    internet.host("good.herd").page("/other", html_page("<title>Other</title>"));
    serve("first");
  }
  void serve(const std::string& word) {
    Page page = html_page(long_text(word));
    page.headers.emplace_back("Set-Cookie", "session=s3cret");
    page.headers.emplace_back("X-Api-Key", "t0ken");
    page.headers.emplace_back("X-Echo", "you sent k3y-value");
    page.headers.emplace_back("X-Colour", "green \x1b[31m");
    internet.host("good.herd").page("/page", page);
  }
  ProgramResult check(std::vector<std::string> more, const std::string& ci = {}) const {
    more.insert(more.end(), {"--max-cache-age", "0", "--store", "store", "list.md"});
    ProgramOptions options = linkherd_options(folder.path(), check_arguments(internet, more));
    options.environment["CI"] = ci;
    return run_program(LINKHERD_PROGRAM, options);
  }
  ProgramResult run_command(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", "store"});
    return run_linkherd(folder.path(), words);
  }
};

}  // namespace

TEST_CASE("history shows a check with headers and page and without secrets") {
  MaintainedStore cared;
  REQUIRE(cared.check({"--header", "X-Other: k3y-value", "--header", "X-Api-Key: t0ken"}).exit_code == 0);
  const std::string shown = cared.run_command({"history", page_url + "#part"}).out;
  CAPTURE(shown);
  CHECK(holds(shown, "alive        the page exists"));
  CHECK(holds(shown, "title      first"));
  CHECK(holds(shown, "stored (--body prints it)"));

  const std::string headers = cared.run_command({"history", "--headers", page_url}).out;
  CAPTURE(headers);
  CHECK(holds(headers, "set-cookie: ***\n"));
  CHECK(holds(headers, "x-api-key: ***\n"));
  CHECK(holds(headers, "x-echo: ***\n"));
  CHECK(holds(headers, "x-colour: green \\u{1b}[31m\n"));

  CHECK(cared.run_command({"history", "--body", page_url}).out == html_page(long_text("first")).body);
  const json::object object =
      json::parse(cared.run_command({"history", "--format", "json", page_url}).out).as_array().at(0).as_object();
  CHECK(std::string_view(object.at("url").as_string()) == page_url);
  CHECK(object.at("body_stored") == true);
  CHECK(object.at("headers").as_array().size() >= 4);

  const ProgramResult unknown = cared.run_command({"history", "https://good.herd/never"});
  CHECK(unknown.exit_code == 1);
  CHECK(count_lines(unknown.err) == 1);
  CHECK(cared.run_command({"history", "--body", "--headers", page_url}).exit_code == 3);
}

TEST_CASE("history shows a page as it was at a time and older bodies are pruned") {
  MaintainedStore cared;
  REQUIRE(cared.check({"--now", "2026-03-01T10:00:00Z"}).exit_code == 0);
  cared.serve("second");
  REQUIRE(cared.check({"--now", "2026-03-02T10:00:00Z"}).exit_code == 0);
  CHECK(holds(cared.run_command({"history", page_url}).out, "title      second"));
  CHECK(holds(cared.run_command({"history", "--at", "2026-03-01", page_url}).out, "title      first"));
  CHECK(cared.run_command({"history", "--at", "2026-02-28", page_url}).exit_code == 1);
  CHECK(cared.run_command({"history", "--at", "soon", page_url}).exit_code == 3);
  CHECK(holds(cared.run_command({"history", "--body", page_url}).out, "second"));
  CHECK(cared.run_command({"history", "--body", "--at", "2026-03-01", page_url}).exit_code == 1);

  cared.internet.host("good.herd").page("/page", status_page(404)).page("/", html_page("<title>Home</title>"));
  REQUIRE(cared.check({"--now", "2026-03-03T10:00:00Z"}).exit_code == 2);
  CHECK(holds(cared.run_command({"history", "--body", "--at", "2026-03-02T12:00:00Z", page_url}).out, "second"));
}

TEST_CASE("--bodies selects the stored bodies and CI stores none") {
  const auto is_kept = [](const MaintainedStore& cared, const std::string& at) {
    return cared.run_command({"history", "--body", "--at", at, page_url}).exit_code == 0;
  };
  MaintainedStore all;
  REQUIRE(all.check({"--bodies", "all", "--now", "2026-03-01T10:00:00Z"}).exit_code == 0);
  all.serve("second");
  REQUIRE(all.check({"--bodies", "all", "--now", "2026-03-02T10:00:00Z"}).exit_code == 0);
  CHECK(is_kept(all, "2026-03-01"));
  CHECK(is_kept(all, "2026-03-02"));

  MaintainedStore none;
  REQUIRE(none.check({"--now", "2026-03-01T10:00:00Z"}, "true").exit_code == 0);
  CHECK_FALSE(is_kept(none, "2026-03-01"));
  none.serve("second");
  REQUIRE(none.check({"--bodies", "changed", "--now", "2026-03-02T10:00:00Z"}, "true").exit_code == 0);
  CHECK(is_kept(none, "2026-03-02"));
  none.serve("third");
  REQUIRE(none.check({"--bodies", "none", "--now", "2026-03-03T10:00:00Z"}).exit_code == 0);
  CHECK_FALSE(is_kept(none, "2026-03-03"));
  CHECK(is_kept(none, "2026-03-02"));  // existing data is kept
  CHECK(none.run_command({"store", "verify"}).exit_code == 0);
}

TEST_CASE("old runs are pruned at the end of a run and store info shows what is left") {
  MaintainedStore cared;
  for (int run = 0; run < 4; ++run) REQUIRE(cared.check({"--keep-runs", "2"}).exit_code == 0);
  CHECK(json_lines(cared.run_command({"runs", "--format", "jsonl"}).out).size() == 2);
  CHECK(cared.run_command({"report", "--run", "1"}).exit_code == 1);
  CHECK(cared.run_command({"report", "--run", "3"}).exit_code == 0);

  const json::object store = json::parse(cared.run_command({"store", "info", "--format", "json"}).out).as_object();
  CHECK(store.at("runs") == 2);
  CHECK(store.at("oldest_run").at("number") == 3);
  CHECK(store.at("families").at("link").at("rows") == 2);
  CHECK(store.at("families").at("run").at("rows") == 6);
  CHECK(store.at("families").at("body").at("rows") == 2);
  CHECK(store.at("families").at("body").at("bytes").as_int64() > 0);
  CHECK(store.at("bytes").as_int64() > 0);
  const std::string info = cared.run_command({"store", "info"}).out;
  CHECK(holds(info, "2 runs, the oldest is run 3 of "));
  CHECK(holds(info, " rows  "));
  CHECK_FALSE(holds(info, " 1 rows"));

  const ProgramResult compacted = cared.run_command({"store", "compact", "--keep-runs", "1"});
  CHECK(compacted.exit_code == 0);
  CHECK(holds(compacted.out, "1 run, 0 stored pages and 0 links removed"));
  CHECK(json_lines(cared.run_command({"runs", "--format", "jsonl"}).out).size() == 1);
  CHECK(cared.run_command({"store", "verify"}).exit_code == 0);
}

TEST_CASE("a link is forgotten by its URL or by a pattern") {
  MaintainedStore cared;
  REQUIRE(cared.check({}).exit_code == 0);
  CHECK(cared.run_command({"store", "forget"}).exit_code == 3);
  CHECK(cared.run_command({"store", "forget", "--pattern", "("}).exit_code == 3);
  CHECK(cared.run_command({"store", "forget", "https://good.herd/never"}).exit_code == 1);
  CHECK(holds(cared.run_command({"store", "forget", page_url}).out, "1 link forgotten"));
  CHECK(cared.run_command({"history", page_url}).exit_code == 1);
  CHECK(json_lines(cared.run_command({"report", "--format", "jsonl"}).out).size() == 1);
  CHECK(holds(cared.run_command({"store", "forget", "--pattern", "^https://good\\.herd/o"}).out, "1 link forgotten"));
  CHECK(json_lines(cared.run_command({"report", "--format", "jsonl"}).out).empty());
  CHECK(cared.run_command({"store", "verify"}).exit_code == 0);
  CHECK(cared.check({}).exit_code == 0);
}

TEST_CASE("file links and invalid URLs can be forgotten and replaced databases are removed") {
  MaintainedStore cared;
  cared.folder.write("list.md", "[file](missing.md)\n[no URL](http://[bad/)\n[page](" + page_url + ")\n");
  REQUIRE(cared.check({}).exit_code == 2);
  REQUIRE(cared.run_command({"store", "backup", "copies"}).exit_code == 0);
  REQUIRE(cared.run_command({"store", "restore", "copies"}).exit_code == 0);
  const auto links_left = [&] { return json_lines(cared.run_command({"report", "--format", "jsonl"}).out).size(); };
  REQUIRE(links_left() == 3);
  const ProgramResult file = cared.run_command({"store", "forget", "missing.md"});
  CHECK(holds(file.out, "1 link forgotten"));
  CHECK(holds(file.err, "damaged-1"));
  CHECK(links_left() == 2);
  CHECK(holds(cared.run_command({"store", "forget", "--pattern", "bad"}).out, "1 link forgotten"));
  CHECK(links_left() == 1);
  CHECK(cared.run_command({"store", "forget", "http://[bad/"}).exit_code == 1);
  CHECK(std::filesystem::exists(cared.folder / "store" / "damaged-1"));
  const ProgramResult page = cared.run_command({"store", "forget", "--damaged", page_url});
  CHECK(page.exit_code == 0);
  CHECK(page.err.empty());
  CHECK_FALSE(std::filesystem::exists(cared.folder / "store" / "damaged-1"));
  CHECK(cared.run_command({"store", "verify"}).exit_code == 0);
}

TEST_CASE("other folders are refused") {
  const MaintainedStore cared;
  std::filesystem::create_directory(cared.folder / "store");
  CHECK(holds(cared.run_command({"store", "compact"}).err, "does not exist"));
  cared.folder.write("store/db/mine", "");
  CHECK(cared.run_command({"store", "compact"}).exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(cared.folder / "store" / "linkherd-store"));
}

TEST_CASE("verification finds a damaged store and a backup restores it") {
  MaintainedStore cared;
  REQUIRE(cared.check({}).exit_code == 0);
  CHECK(cared.run_command({"store", "backup", "copies"}).exit_code == 0);
  CHECK(cared.run_command({"store", "backup", "store/copies"}).exit_code == 3);
  const ProgramResult whole = cared.run_command({"store", "verify"});
  CHECK(whole.exit_code == 0);
  CHECK(holds(whole.out, "2 links, 2 checks, 2 stored pages, 1 run with 2 results"));

  // The published checkpoint has the same tables under other names.
  for (const auto& file : std::filesystem::directory_iterator(cared.folder / "store" / "db")) {
    if (file.path().extension() != ".sst") continue;
    std::string bytes = read_file(file.path());
    bytes.at(10) = static_cast<char>(bytes.at(10) ^ 0x55);
    cared.folder.write("store/db/" + file.path().filename().string(), bytes);
  }
  const ProgramResult damaged = cared.run_command({"store", "verify", "--format", "json"});
  CHECK(damaged.exit_code == 1);
  CHECK((holds(damaged.out, ".sst of ") || holds(damaged.err, " is damaged")));  // if even the version is unreadable
  const ProgramResult restored = cared.run_command({"store", "restore", "copies"});
  CAPTURE(restored.err);
  CHECK(restored.exit_code == 0);
  CHECK(holds(restored.out, "damaged-1"));
  CHECK(cared.run_command({"store", "verify"}).exit_code == 0);
  CHECK(json_lines(cared.run_command({"report", "--format", "jsonl"}).out).size() == 2);
  CHECK(cared.run_command({"store", "restore", "list.md"}).exit_code == 1);
}

TEST_CASE("a store in use is reported at once with its process and can be waited for") {
  MaintainedStore cared;
  REQUIRE(cared.check({}).exit_code == 0);
  REQUIRE(cared.run_command({"store", "backup", "copies"}).exit_code == 0);
  Page silent;
  silent.delivery = Delivery::silence;
  cared.internet.host("good.herd").page("/other", silent);
  const std::vector<std::string> words =
      check_arguments(cared.internet, {"--timeout", "100s", "--max-cache-age", "0", "--store", "store", "list.md"});
  cared.internet.clear_requests();
  {
    const RunningProgram first = start_linkherd(cared.folder.path(), words);
    REQUIRE(cared.internet.wait_for_requests(1, std::chrono::seconds(60)));
    // The list does not exist, but the lock is found first.
    const ProgramResult second = run_linkherd(cared.folder.path(), {"check", "--store", "store", "no_such_list.md"});
    CHECK(second.exit_code == 1);
    CHECK(count_lines(second.err) == 1);
    CHECK(holds(second.err, "is in use by another linkherd (process "));
    CHECK(holds(second.err, "--wait-lock"));
    const ProgramResult waiting = cared.run_command({"store", "compact", "--wait-lock", "300ms"});
    CHECK(waiting.exit_code == 1);
    CHECK(holds(waiting.err, "waiting for the lock"));
    const ProgramResult restoring = cared.run_command({"store", "restore", "copies", "--wait-lock", "300ms"});
    CHECK(restoring.exit_code == 1);
    CHECK(holds(restoring.err, "is in use by another linkherd (process "));
    CHECK(holds(restoring.err, "waiting for the lock"));
  }
  CHECK(cared.run_command({"store", "compact", "--wait-lock", "60s"}).exit_code == 0);
  CHECK(cared.run_command({"store", "restore", "copies", "--wait-lock", "60s"}).exit_code == 0);
}
