// Tests how a second run uses the results of the first: conditional requests, results from the store, and the exit
// code.
#include <algorithm>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/planted_sites.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

Page dated_page(const std::string& title) {
  Page page = html_page("<title>" + title + "</title><meta name=author content=\"Maria Castell\"><h1>" + title +
                        "</h1><meta property=article:published_time content=2023-05-06T07:08:09+00:00>");
  page.headers.emplace_back("ETag", "\"" + title + "\"");
  page.headers.emplace_back("Last-Modified", "Sat, 06 May 2023 07:08:09 GMT");
  return page;
}

struct TwoPages {
  TempDir folder;
  SmallInternet internet;

  TwoPages() {
    folder.write("list.md", "[one](https://good.herd/one)\n[two](https://good.herd/two)\n");
    internet.host("good.herd").page("/one", dated_page("Page One")).page("/two", dated_page("Page Two"));
  }
  ProgramResult check(std::vector<std::string> more) const {
    more.insert(more.end(), {"--store", "store", "--format", "jsonl", "list.md"});
    return run_linkherd(folder.path(), check_arguments(internet, more));
  }
};

bool is_conditional(const ReceivedRequest& request) {
  return !request.header("If-None-Match").empty() && !request.header("If-Modified-Since").empty();
}

}  // namespace

TEST_CASE("a second run sends conditional requests and keeps the metadata of unchanged pages") {
  TwoPages pages;
  const ProgramResult first = pages.check({});
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK(std::ranges::none_of(pages.internet.requests(), is_conditional));
  pages.internet.clear_requests();

  const ProgramResult second = pages.check({"--max-cache-age", "0"});
  CAPTURE(second.err);
  CHECK(second.exit_code == 0);
  const std::vector<ReceivedRequest> requests = pages.internet.requests();
  CHECK(requests.size() == 2);
  CHECK(std::ranges::all_of(requests, is_conditional));
  for (const CheckedLine& line : checked_lines(second.out)) {
    CHECK(line.health == "alive");
    CHECK(line.reason == "not_modified");
    CHECK_FALSE(line.is_from_store);
    CHECK(line.harvest.authors == std::vector<std::string>{"Maria Castell"});
    CHECK(line.harvest.published == "2023-05-06T07:08:09Z");
  }
  CHECK(line_of(checked_lines(second.out), "https://good.herd/one").harvest.title == "Page One");
}

TEST_CASE("links alive within the cache age are not requested again until later") {
  TwoPages pages;
  REQUIRE(pages.check({"--now", "2026-03-05T10:00:00Z"}).exit_code == 0);
  pages.internet.clear_requests();
  const ProgramResult soon = pages.check({"--now", "2026-03-05T20:00:00Z"});
  CHECK(soon.exit_code == 0);
  CHECK(pages.internet.requests().empty());
  for (const CheckedLine& line : checked_lines(soon.out)) {
    CHECK(line.is_from_store);
    CHECK(line.health == "alive");
    CHECK_FALSE(line.harvest.title.empty());
  }
  CHECK(pages.check({"--now", "2026-03-06T10:00:00Z"}).exit_code == 0);
  CHECK(pages.internet.requests().size() == 2);
}

TEST_CASE("a changed page is read anew") {
  TwoPages pages;
  REQUIRE(pages.check({}).exit_code == 0);
  pages.internet.host("good.herd").page("/one", dated_page("Another Title"));
  const std::vector<CheckedLine> lines = checked_lines(pages.check({"--max-cache-age", "0"}).out);
  CHECK(line_of(lines, "https://good.herd/one").harvest.title == "Another Title");
  CHECK(line_of(lines, "https://good.herd/one").reason == "ok");
  CHECK(line_of(lines, "https://good.herd/two").reason == "not_modified");
}

TEST_CASE("an archived and renamed repository is reported while its page is unchanged") {
  TwoPages pages;
  pages.folder.write("list.md", "[editor](https://github.com/old/editor)\n");
  Page archived = dated_page("newer/editor");
  archived.body += "<p>This repository has been archived by the owner on Nov 9, 2023. It is now read-only.</p>";
  pages.internet.host("github.com")
      .page("/newer/editor", archived)
      .page("/old/editor", redirect_page(301, "/newer/editor"));
  for (int run = 0; run < 2; ++run) {
    const ProgramResult result = pages.check({"--max-cache-age", "0"});
    CAPTURE(result.err);
    const auto lines = json_lines(result.out);
    REQUIRE(lines.size() == 1);
    const auto& facts = lines[0].at("facts").as_array();
    REQUIRE(facts.size() == 2);
    CHECK(facts[0].at("kind").as_string() == "renamed");
    CHECK(facts[0].at("text").as_string() == "the repository old/editor is now newer/editor");
    CHECK(facts[1].at("kind").as_string() == "archived");
  }
  const std::string report = run_linkherd(pages.folder.path(), {"report", "--store", "store"}).out;
  CAPTURE(report);
  CHECK(report.find("1 archived, renamed or withdrawn") != std::string::npos);
}

TEST_CASE("a missing page changes the exit code and recovers") {
  TwoPages pages;
  REQUIRE(pages.check({}).exit_code == 0);
  pages.internet.host("good.herd").page("/one", status_page(404));
  const ProgramResult gone = pages.check({"--max-cache-age", "0"});
  CHECK(gone.exit_code == 2);
  CHECK(line_of(checked_lines(gone.out), "https://good.herd/one").reason == "http_404");
  pages.internet.host("good.herd").page("/one", dated_page("Page One"));
  CHECK(pages.check({"--max-cache-age", "20h"}).exit_code == 0);  // dead links are always requested again
}

TEST_CASE("--only checks links with the given health and report still shows the complete run") {
  TwoPages pages;
  pages.internet.host("good.herd").page("/two", status_page(403));
  REQUIRE(pages.check({}).exit_code == 0);
  pages.internet.clear_requests();
  pages.internet.host("good.herd").page("/two", dated_page("Page Two"));
  const ProgramResult partial = pages.check({"--only", "blocked,unreachable"});
  CAPTURE(partial.err);
  CHECK(partial.exit_code == 0);
  const std::vector<CheckedLine> lines = checked_lines(partial.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].url == "https://good.herd/two");
  CHECK(lines[0].health == "alive");
  for (const ReceivedRequest& request : pages.internet.requests()) CHECK(request.target != "/one");

  // The report of the complete run is the same as at its end.
  const auto report = [&pages] {
    return run_linkherd(pages.folder.path(), {"report", "--store", "store", "--format", "jsonl"});
  };
  const std::vector<CheckedLine> reported = checked_lines(report().out);
  REQUIRE(reported.size() == 2);
  CHECK(line_of(reported, "https://good.herd/two").health == "blocked");

  const ProgramResult none = pages.check({"--only", "blocked"});
  CHECK(none.exit_code == 0);
  CHECK(none.out.empty());
  CHECK(none.err.find("the store has none of 2 links") != std::string::npos);
  CHECK(pages.check({}).exit_code == 0);
  CHECK(line_of(checked_lines(report().out), "https://good.herd/two").health == "alive");
}

TEST_CASE("--only is refused without a store and for health values that no store keeps") {
  TwoPages pages;
  CHECK(pages.check({"--only", "deferred"}).exit_code == 3);
  CHECK(pages.check({"--only", "blocked", "--no-store"}).exit_code == 3);
  CHECK(pages.check({"--only", "blocked", "--offline"}).exit_code == 3);
  CHECK(pages.internet.requests().empty());
}

TEST_CASE("unreachable becomes dead after three strikes a day apart") {
  TwoPages pages;
  pages.internet.host("good.herd").page("/two", status_page(503));
  std::vector<std::string> healths;
  for (const char* now :
       {"2026-03-05T10:00:00Z", "2026-03-05T11:00:00Z", "2026-03-06T10:00:00Z", "2026-03-07T10:00:00Z"}) {
    const std::vector<CheckedLine> lines = checked_lines(pages.check({"--now", now}).out);
    healths.push_back(line_of(lines, "https://good.herd/two").health);
  }
  CHECK(healths == std::vector<std::string>{"unreachable", "unreachable", "unreachable", "dead"});
}

TEST_CASE("a link that changes repeatedly is reported as flapping") {
  TwoPages pages;
  for (int day = 1; day <= 8; ++day) {
    const bool exists = day % 4 < 2;  // days 1, 4, 5 and 8
    pages.internet.host("good.herd").page("/two", exists ? dated_page("Page Two") : status_page(404));
    pages.check({"--now", fmt::format("2026-03-0{}T10:00:00Z", day)});
  }
  const auto history_of = [&pages](const char* url) {
    return run_linkherd(pages.folder.path(), {"history", "--store", "store", url}).out;
  };
  const std::string history = history_of("https://good.herd/two");
  CAPTURE(history);
  CHECK(history.find("unstable: 4 of the last 8 checks failed") != std::string::npos);
  CHECK(history_of("https://good.herd/one").find("unstable") == std::string::npos);
}

TEST_CASE("a missing host that was alive is suspect until a run a day later confirms it") {
  TwoPages pages;
  pages.folder.write("list.md", "[one](https://good.herd/one)\n[two](https://www.lapsed.com/two)\n");
  pages.internet.host("www.lapsed.com").default_page(dated_page("Page Two"));
  const auto check_at = [&pages](const std::string& now, const std::string& url) {
    const ProgramResult result = pages.check({"--now", now});
    CHECK(result.exit_code == (line_of(checked_lines(result.out), url).health == "dead" ? 2 : 0));
    return line_of(checked_lines(result.out), url);
  };
  const std::string two = "https://www.lapsed.com/two";
  CHECK(check_at("2026-03-05T10:00:00Z", two).health == "alive");
  pages.internet.dns("www.lapsed.com", dns_failure(DnsKind::not_found));
  pages.internet.dns("lapsed.com", dns_failure(DnsKind::not_found));
  const CheckedLine first = check_at("2026-03-06T10:00:00Z", two);
  CHECK(first.health == "suspect");
  CHECK(first.reason == "dns_not_found");
  CHECK(check_at("2026-03-06T20:00:00Z", two).health == "suspect");
  CHECK(check_at("2026-03-07T10:00:00Z", two).health == "dead");
  pages.internet.dns("www.lapsed.com", {});
  CHECK(check_at("2026-03-08T10:00:00Z", two).health == "alive");
  pages.internet.dns("www.lapsed.com", dns_failure(DnsKind::not_found));
  CHECK(check_at("2026-03-09T10:00:00Z", two).health == "suspect");
}

TEST_CASE("a missing host name and a missing domain are distinguished") {
  TwoPages pages;
  pages.folder.write("list.md",
                     "<https://old.there.com/>\n<https://old.gone.com/>\n<https://gone.net/>\n<https://bare.org/>\n");
  pages.internet.host("there.com").default_page(dated_page("There"));
  pages.internet.dns("bare.org", dns_failure(DnsKind::no_data));
  const std::vector<CheckedLine> lines = checked_lines(pages.check({"--max-retries", "0"}).out);
  struct Row {
    const char* url;
    const char* health;
    const char* words;
  };
  for (const Row& row :
       {Row{"https://old.there.com/", "dead", "although the domain there.com exists"},
        Row{"https://old.gone.com/", "dead", "because the domain gone.com is not in the DNS: it has expired"},
        Row{"https://gone.net/", "dead", "because the domain is not in the DNS"},
        Row{"https://bare.org/", "unreachable", "bare.org is in the DNS but has no address"}}) {
    const CheckedLine line = line_of(lines, row.url);
    CAPTURE(line.evidence);
    CHECK(line.health == row.health);
    CHECK(line.evidence.find(row.words) != std::string::npos);
  }
}

TEST_CASE("a clock that was a year ahead blocks no host beyond a week and stops no strikes") {
  TwoPages pages;
  pages.folder.write("list.md", "[one](https://good.herd/one)\n[two](https://down.herd/two)\n");
  pages.internet.host("good.herd").page("/one", status_page(429, {{"Retry-After", "7200"}}));
  pages.internet.host("down.herd").default_page(status_page(503));
  const auto check_at = [&pages](const std::string& now) { return checked_lines(pages.check({"--now", now}).out); };
  check_at("2027-03-05T10:00:00Z");
  pages.internet.host("good.herd").page("/one", dated_page("Page One"));
  pages.internet.clear_requests();
  struct Row {
    const char* now;
    const char* one;
    const char* two;
  };
  for (const Row& row :
       {Row{"2026-03-05T10:00:00Z", "deferred", "unreachable"}, Row{"2026-03-06T10:00:00Z", "deferred", "unreachable"},
        Row{"2026-03-07T10:00:00Z", "deferred", "dead"}, Row{"2026-03-12T10:01:00Z", "alive", "dead"}}) {
    CAPTURE(row.now);
    const std::vector<CheckedLine> lines = check_at(row.now);
    CHECK(line_of(lines, "https://good.herd/one").health == row.one);
    CHECK(line_of(lines, "https://down.herd/two").health == row.two);
  }
  CHECK(pages.internet.count("good.herd", "/one") == 1);
}

TEST_CASE("a report from the store counts strikes against the limit of its run") {
  TwoPages pages;
  pages.internet.host("good.herd").page("/two", status_page(503));
  ProgramResult fourth;
  for (const char* now :
       {"2026-03-05T10:00:00Z", "2026-03-06T10:00:00Z", "2026-03-07T10:00:00Z", "2026-03-08T10:00:00Z"}) {
    fourth = run_linkherd(pages.folder.path(),
                          check_arguments(pages.internet, {"--now", now, "--strikes", "5", "--section", "unreachable",
                                                           "--store", "store", "list.md"}));
  }
  CHECK(fourth.out.find("(failed check 4 of 5)") != std::string::npos);
  const ProgramResult report =
      run_linkherd(pages.folder.path(), {"report", "--store", "store", "--section", "unreachable"});
  CHECK(report.out.find("(failed check 4 of 5)") != std::string::npos);
}

TEST_CASE("without a store nothing is remembered and nothing is written") {
  TwoPages pages;
  const std::vector<std::string> words = check_arguments(pages.internet, {"--no-store", "list.md"});
  CHECK(run_linkherd(pages.folder.path(), words).exit_code == 0);
  CHECK(run_linkherd(pages.folder.path(), words).exit_code == 0);
  CHECK(pages.internet.count("good.herd", "/one") == 2);
  CHECK(pages.internet.count("good.herd", "/two") == 2);
  CHECK(std::ranges::none_of(pages.internet.requests(), is_conditional));
  const auto files = std::filesystem::directory_iterator(pages.folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("a suspect link reads the same in all formats and is rechecked in the next run") {
  TwoPages pages;
  Page odd = dated_page("Page not found");
  odd.body = "<title>Page not found</title><h1>Page not found</h1><p>The page you asked for could not be found.";
  pages.internet.host("good.herd").page("/one", odd);
  const auto json_of = [&pages](std::vector<std::string> more) {
    more.insert(more.end(), {"--store", "store", "--format", "json", "list.md"});
    const ProgramResult result = run_linkherd(pages.folder.path(), check_arguments(pages.internet, more));
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK(last_line(result.err) == "linkherd: nothing broken, 1 suspect link");
    return boost::json::parse(result.out).as_object();
  };
  const boost::json::object first = json_of({"--now", "2026-03-05T10:00:00Z"});
  CHECK(first.at("schema") == 2);
  CHECK(first.at("summary").at("suspect") == 1);
  CHECK(first.at("summary").at("dead") == 0);
  const boost::json::object& link = first.at("links").at(0).as_object();
  CHECK(link.at("health") == "suspect");
  CHECK(link.at("reason") == "soft_404");
  CHECK(link.at("confidence").to_number<double>() < 0.9);

  pages.internet.clear_requests();
  json_of({"--now", "2026-03-05T11:00:00Z"});
  CHECK_FALSE(pages.internet.requests().empty());
  for (const ReceivedRequest& request : pages.internet.requests()) {
    CHECK(request.target == "/one");  // the other link was alive an hour ago
    CHECK_FALSE(is_conditional(request));
  }

  const ProgramResult text = run_linkherd(pages.folder.path(), {"report", "--store", "store"});
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("1 of 2 links needs attention (0 broken, 1 suspect)") != std::string::npos);
  CHECK(text.out.find("Probably a \"not found\" page") != std::string::npos);
  const ProgramResult strict = pages.check({"--now", "2026-03-05T12:00:00Z", "--fail-on", "dead,suspect"});
  CHECK(strict.exit_code == 2);
  CHECK(last_line(strict.err) == "linkherd: 1 suspect link");

  pages.internet.host("good.herd").page("/one", dated_page("Page One"));
  CHECK(line_of(checked_lines(pages.check({"--now", "2026-03-05T13:00:00Z"}).out), "https://good.herd/one").health ==
        "alive");
}

TEST_CASE("the amount of harvested metadata changes no verdict and keeps earlier metadata") {
  TempDir folder;
  folder.write("planted.md", planted_list());
  SmallInternet internet;
  const auto check = [&](const std::vector<std::string>& more) {
    plant_sites(internet);  // restarts the pages that are served in turn
    std::vector<std::string> words{"--max-cache-age", "0", "--format", "jsonl", "planted.md"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_linkherd(folder.path(), check_arguments(internet, words));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 2);
    return checked_lines(result.out);
  };
  const auto authors = [](const std::vector<CheckedLine>& lines) {
    return std::ranges::count_if(lines, [](const CheckedLine& line) { return !line.harvest.authors.empty(); });
  };
  const std::vector<CheckedLine> full = check({"--no-store"});
  CHECK(authors(full) > 0);
  for (const std::string harvest : {"none", "title"}) {
    CAPTURE(harvest);
    const std::vector<CheckedLine> less = check({"--no-store", "--harvest", harvest});
    REQUIRE(less.size() == full.size());
    CHECK(authors(less) == 0);
    for (std::size_t i = 0; i < full.size(); ++i) {
      CAPTURE(full[i].url);
      CHECK(less[i].health == full[i].health);
      CHECK(less[i].reason == full[i].reason);
    }
  }
  check({"--store", "store"});
  CHECK(authors(check({"--store", "store", "--harvest", "none"})) == authors(full));
}
