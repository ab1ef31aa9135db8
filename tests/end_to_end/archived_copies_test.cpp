// Tests archived copies of dead links: `--suggest` queries an archive, and later reports name the copy.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::string post = "https://blog.herd.com/post?id=7";
const std::string asked = "/wayback/available?url=https%3A%2F%2Fblog.herd.com%2Fpost%3Fid%3D7&timestamp=";
const std::string timemap = "/web/timemap/link/" + post;
const std::string copy = "https://archive.herd/web/20190306071500/" + post;
const std::string no_copy = R"({"url":"x","archived_snapshots":{}})";

Page json_page(std::string body) { return html_page(std::move(body), "application/json"); }

Page available(const std::string& url, const std::string& timestamp = "20190306071500") {
  return json_page(fmt::format(
      R"({{"archived_snapshots":{{"closest":{{"status":"200","available":true,"url":"{}","timestamp":"{}"}}}}}})", url,
      timestamp));
}

Page living_post() {
  return html_page(
      "<title>A post</title><meta property=article:published_time content=2019-03-05T06:07:08Z><p>Text.</p>");
}

// A blog whose post may be gone, and a fake of the Internet Archive.
struct Archived {
  TempDir folder;
  SmallInternet internet;

  explicit Archived(const std::string& list = "[a](" + post + ")\n") {
    folder.write("list.md", list);
    internet.host("blog.herd.com").page("/", html_page("<title>The blog</title>"));  // 404 for the rest
    internet.host("archive.herd").page(timemap, status_page(404)).default_page(json_page(no_copy));
  }
  ProgramResult check(std::vector<std::string> words = {"--suggest"}) const {
    words.insert(words.end(), {"--archive-url", "https://archive.herd/", "--store", "store", "--max-cache-age", "0",
                               "--format", "jsonl", "list.md"});
    return run_linkherd(folder.path(), check_arguments(internet, words));
  }
  std::vector<std::string> questions() const {
    std::vector<std::string> targets;
    for (const ReceivedRequest& request : internet.requests("archive.herd")) {
      if (request.target != "/robots.txt") targets.push_back(request.target);
    }
    return targets;
  }
};

boost::json::object line_about(const ProgramResult& result, const std::string& url = post) {
  CAPTURE(result.out);
  CAPTURE(result.err);
  const std::vector<boost::json::object> lines = json_lines(result.out);
  const auto found = std::ranges::find_if(lines, [&](const auto& line) { return line.at("url").as_string() == url; });
  REQUIRE(found != lines.end());
  return *found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a dead link gets and keeps the archived copy nearest to the date of its page") {
  Archived sites;
  sites.internet.host("blog.herd.com").page("/post?id=7", living_post());
  CHECK(sites.check().exit_code == 0);
  CHECK(sites.questions().empty());
  sites.internet.host("blog.herd.com").page("/post?id=7", status_page(404));
  sites.internet.host("archive.herd").page(asked + "20190305060708", available("http" + copy.substr(5)));

  const ProgramResult second = sites.check({"--suggest", "--header", "Authorization: secret"});
  CHECK(second.exit_code == 2);
  const auto line = line_about(second);
  CHECK(line.at("health").as_string() == "dead");
  REQUIRE(line.at("archived_copy").is_object());
  CHECK(line.at("archived_copy").at("url").as_string() == copy);
  CHECK(line.at("archived_copy").at("date").as_string() == "2019-03-06T07:15:00Z");
  CHECK(sites.questions() == std::vector<std::string>{asked + "20190305060708"});
  for (const ReceivedRequest& request : sites.internet.requests("archive.herd")) {
    CHECK(request.header("User-Agent").starts_with("linkherd/"));
    CHECK(request.header("Authorization").empty());
  }

  sites.internet.clear_requests();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--suggest"}, std::vector<std::string>{}}) {
    const auto again = line_about(sites.check(words));
    REQUIRE(again.at("archived_copy").is_object());
    CHECK(again.at("archived_copy").at("url").as_string() == copy);
  }
  CHECK(sites.questions().empty());
  sites.internet.clear_requests();
  const ProgramResult report = run_linkherd(sites.folder.path(), {"report", "--store", "store"});
  CAPTURE(report.out);
  CHECK(has(report.out, "archived on 2019-03-06: " + copy + "\n"));
  CHECK(sites.internet.requests().empty());

  sites.internet.host("blog.herd.com").page("/post?id=7", living_post());
  CHECK(line_about(sites.check()).at("archived_copy").is_null());
}

TEST_CASE("the TimeMap is requested if the availability API has no copy") {
  Archived sites;
  const auto memento = [](const std::string& digits, const std::string& date) {
    return "<https://archive.herd/web/" + digits + "/" + post + ">; rel=\"memento\"; datetime=\"" + date + "\",\n";
  };
  sites.internet.host("archive.herd")
      .page(timemap, html_page("<" + post + ">; rel=\"original\",\n" +
                                   memento("20100101000000", "Fri, 01 Jan 2010 00:00:00 GMT") +
                                   memento("20190306071500", "Wed, 06 Mar 2019 07:15:00 GMT"),
                               "application/link-format"));
  const ProgramResult result = run_linkherd(
      sites.folder.path(),
      check_arguments(sites.internet, {"--no-store", "--suggest", "--archive-url", "https://archive.herd", "list.md"}));
  CAPTURE(result.out);
  CHECK(result.exit_code == 2);
  CHECK(has(result.out, "archived on 2019-03-06: " + copy + "\n"));
  CHECK(sites.questions().size() == 2);
}

TEST_CASE("a missing archived copy is looked up again after a month") {
  Archived sites;
  for (const auto& [now, questions] : std::vector<std::pair<std::string, std::size_t>>{
           {"2026-03-05", 2}, {"2026-03-06", 0}, {"2026-04-03", 0}, {"2026-04-05", 2}}) {
    CAPTURE(now);
    sites.internet.clear_requests();
    const ProgramResult result = sites.check({"--suggest", "--now", now});
    CHECK(line_about(result).at("archived_copy").is_null());
    CHECK(sites.questions().size() == questions);
  }
}

TEST_CASE("only dead public links are looked up and only with --suggest") {
  const std::string list =
      "[a](" + post + ")\n[b](https://silent.herd.net/x)\n[c](https://wall.herd/)\n[d](http://127.0.0.9/)\n";
  Archived sites(list);
  Page silence;
  silence.delivery = Delivery::close;
  sites.internet.host("silent.herd.net").default_page(silence);
  sites.internet.host("wall.herd").default_page(status_page(403));
  const std::string silent = "https://archive.herd/web/20200101000000/https://silent.herd.net/x";
  sites.internet.host("archive.herd").handler([&](const ReceivedRequest& request) {
    return has(request.target, "available?url=https%3A%2F%2Fsilent") ? available(silent, "20200101000000")
                                                                     : json_page(no_copy);
  });
  CHECK(line_about(sites.check({"--strikes", "1"})).at("archived_copy").is_null());
  CHECK(sites.questions().empty());
  const ProgramResult result = sites.check({"--strikes", "1", "--suggest", "--now", "2030-01-01"});
  const auto line = line_about(result, "https://silent.herd.net/x");
  CHECK(line.at("health").as_string() == "dead");
  REQUIRE(line.at("archived_copy").is_object());
  CHECK(line.at("archived_copy").at("url").as_string() == silent);
  CHECK(sites.questions().size() == 3);
  CHECK(sites.internet.max_concurrent("archive.herd") == 1);
}

TEST_CASE("a failing archive changes no verdict and is asked again in the next run") {
  struct Row {
    const char* name;
    Page answer;
  };
  Page hangs;
  hangs.delivery = Delivery::silence;
  Page breaks;
  breaks.delivery = Delivery::reset_early;
  Page endless = json_page("[[");
  endless.delivery = Delivery::endless;
  Page huge = available(copy);
  huge.body.insert(1, "\"a\":\"" + std::string(std::size_t{10} << 20, 'x') + "\",");
  for (const Row& row : {Row{"html", html_page("<title>Sorry</title><p>Too many <a href=x>requests</a>.</p>")},
                         Row{"elsewhere", redirect_page(302, "https://elsewhere.herd/")},
                         Row{"another host", available("https://elsewhere.herd/" + post)},
                         Row{"no URL of the web", available("javascript:'blog.herd.com'")},
                         Row{"a wrong date", available(copy, "20990101000000")}, Row{"huge", huge},
                         Row{"endless", endless}, Row{"hangs", hangs}, Row{"breaks", breaks},
                         Row{"later", status_page(429, {{"Retry-After", "3600"}})}, Row{"error", status_page(500)}}) {
    CAPTURE(row.name);
    Archived sites("[a](" + post + ")\n[b](https://fine.herd/)\n");
    sites.internet.host("fine.herd").default_page(html_page("<title>Fine</title><p>All is well.</p>"));
    sites.internet.host("elsewhere.herd").default_page(available(copy));
    sites.internet.host("archive.herd").page(timemap, row.answer).default_page(row.answer);
    const ProgramResult result = sites.check({"--suggest", "--timeout", "2s"});
    CHECK(result.exit_code == 2);
    CHECK(line_about(result).at("archived_copy").is_null());
    CHECK(line_about(result, "https://fine.herd/").at("health").as_string() == "alive");
    CHECK(sites.internet.requests("elsewhere.herd").empty());
    sites.internet.host("archive.herd").default_page(available(copy));
    CHECK(line_about(sites.check({"--suggest", "--now", "2030-01-01"})).at("archived_copy").is_object());
  }
}

TEST_CASE("an archive that is down gets no request for every dead link") {
  std::string list;
  for (int i = 0; i < 10; ++i) list += fmt::format("[a](https://blog.herd.com/{})\n", i);
  Archived sites(list);
  sites.internet.host("archive.herd").default_page(status_page(503));
  const ProgramResult result = sites.check();
  CHECK(result.exit_code == 2);
  CHECK(json_lines(result.out).size() == 10);
  CHECK(sites.questions().size() == 3);
}

TEST_CASE("an archive with invalid answers is given up and logged once") {
  std::string list;
  for (int i = 0; i < 10; ++i) list += fmt::format("[a](https://blog.herd.com/{})\n", i);
  for (const Page& answer :
       {html_page("<title>Sorry</title>"), status_page(403), redirect_page(302, "http://127.0.0.9/")}) {
    Archived sites(list);
    sites.internet.host("archive.herd").default_page(answer);
    const ProgramResult result = sites.check({"--suggest", "-v"});
    CAPTURE(result.err);
    CHECK(json_lines(result.out).size() == 10);
    CHECK(sites.questions().size() == 3);
    const std::string said = "no more archive lookups in this run: ";
    const std::size_t line = result.err.find(said);
    REQUIRE(line != std::string::npos);
    CHECK(result.err.find(said, line + 1) == std::string::npos);
  }
}

TEST_CASE("the page size limit does not cut archive answers") {
  Archived sites;
  Page answer = available(copy);
  answer.body.insert(1, "\"a\":\"" + std::string(10'000, 'x') + "\",");
  sites.internet.host("archive.herd").default_page(answer);
  CHECK(line_about(sites.check({"--suggest", "--max-body", "1KiB"})).at("archived_copy").is_object());
}

TEST_CASE("a run interrupted during archive lookups resumes them") {
  Archived sites;
  Page silence;
  silence.delivery = Delivery::silence;
  sites.internet.host("archive.herd").default_page(silence);
  const std::vector<std::string> words =
      check_arguments(sites.internet, {"--suggest", "--archive-url", "https://archive.herd", "--timeout", "100s",
                                       "--store", "store", "--format", "jsonl", "list.md"});
  RunningProgram program = start_linkherd(sites.folder.path(), words);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (sites.questions().empty() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(sites.questions().size() == 1);
  program.signal(SIGINT);
  const ProgramResult interrupted = program.wait();
  CHECK(interrupted.exit_code == 130);
  CHECK(line_about(interrupted).at("health").as_string() == "dead");

  sites.internet.host("archive.herd").default_page(available(copy));
  sites.internet.clear_requests();
  const ProgramResult result = run_linkherd(sites.folder.path(), words);
  CHECK(result.exit_code == 2);
  CHECK(line_about(result).at("archived_copy").is_object());
  CHECK(sites.internet.requests("blog.herd.com").empty());
  CHECK(sites.questions().size() == 1);
}

TEST_CASE("archive lookups do not extend a run beyond its deadline") {
  Archived sites;
  Page silence;
  silence.delivery = Delivery::silence;
  sites.internet.host("archive.herd").default_page(silence);
  const ProgramResult result = sites.check({"--suggest", "--timeout", "300s", "--deadline", "3s"});
  CHECK_FALSE(result.has_timed_out);
  CHECK(result.exit_code != -1);
  CHECK(json_lines(result.out).size() == 1);
}

TEST_CASE("an archive URL with login or query is refused") {
  const TempDir folder;
  folder.write("list.md", "nothing\n");
  for (const char* url :
       {"archive.herd", "ftp://archive.herd/", "https://me:secret@archive.herd/", "https://archive.herd/?a"}) {
    const ProgramResult result = run_linkherd(folder.path(), {"check", "--no-store", "--archive-url", url, "list.md"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK(has(result.err, "--archive-url"));
  }
}
