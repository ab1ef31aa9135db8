// Tests the commands other than check, and the messages of a run, against their documentation.
#include <algorithm>
#include <set>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "parser/utf8.h"
#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/page_template.h"
#include "tests/end_to_end/planted_sites.h"
#include "tests/end_to_end/site_shapes.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

namespace json = boost::json;

std::string string_at(const json::object& object, const char* key) { return std::string(object.at(key).as_string()); }

// A finished run with one link of each kind.
struct FinishedRun {
  TempDir folder;
  SmallInternet internet;
  ProgramResult result;

  explicit FinishedRun(std::vector<std::string> more = {}) {
    folder.write("list.md",
                 "# List\n\n[fine](https://good.herd/fine)\n[moved](https://good.herd/moved)\n"
                 "[gone](https://good.herd/gone)\n[walled](https://walled.herd/)\n[fine](https://good.herd/fine)\n"
                 "[late](https://late.herd/)\n[mail](mailto:someone@good.herd)\n");
    internet.host("good.herd")
        .page("/fine", html_page("<title>A Fine Page</title><h1>A Fine Page</h1>"))
        .page("/new", html_page("<title>The New Place</title><h1>The New Place</h1>"))
        .page("/moved", redirect_page(301, "/new"));
    internet.host("walled.herd").default_page(status_page(403));
    internet.host("late.herd").default_page(status_page(503));
    more.insert(more.end(), {"--store", "store", "list.md"});
    result = run_linkherd(folder.path(), check_arguments(internet, more));
  }
};

// Checks that the output contains all texts in this order.
void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    CAPTURE(part);
    const std::size_t found = text.find(part, at);
    CHECK(found != std::string::npos);
    if (found != std::string::npos) at = found + part.size();
  }
}

}  // namespace

TEST_CASE("links prints every occurrence of the seed lists") {
  const TempDir folder;
  const ProgramResult result = run_linkherd(folder.path(), {"links", "--format", "jsonl", seeds_folder});
  CHECK(result.exit_code == 0);
  std::multiset<std::string> printed;
  for (const json::object& link : json_lines(result.out)) {
    printed.insert(string_at(link, "url"));
    if (string_at(link, "url").find("://") != std::string::npos) CHECK(string_at(link, "href").starts_with("http"));
    CHECK(link.at("line").to_number<int>() > 0);
    CHECK(link.at("column").to_number<int>() > 0);
    CHECK(link.contains("file"));
    CHECK(link.contains("text"));
    CHECK(link.contains("element"));
  }
  const std::vector<std::string> written = written_links(seeds_folder);
  CHECK(printed.size() == 253);
  CHECK(printed == std::multiset<std::string>(written.begin(), written.end()));
}

TEST_CASE("url prints how each input is parsed or why it is invalid") {
  const TempDir folder;
  const ProgramResult result = run_linkherd(
      folder.path(), {"url", "HTTPS://User@Zhuanlan.ZHIHU.com:443/a/../p/1?utm_source=x#f", "http://[bad"});
  CHECK(result.exit_code == 2);
  const std::vector<json::object> lines = json_lines(result.out);
  REQUIRE(lines.size() == 2);
  CHECK(string_at(lines[0], "href") == "https://User@zhuanlan.zhihu.com/p/1?utm_source=x#f");
  CHECK(string_at(lines[0], "registrable_domain") == "zhihu.com");
  CHECK(lines[0].contains("canonical"));
  CHECK(string_at(lines[1], "input") == "http://[bad");
  CHECK_FALSE(string_at(lines[1], "error").empty());
}

TEST_CASE("metadata reads saved pages by their URLs") {
  const TempDir folder;
  const std::vector<std::string> urls{"https://zhuanlan.zhihu.com/p/622212228",
                                      "https://www.bilibili.com/video/BV1P3411y7nn/",
                                      "https://arxiv.org/abs/2309.06180"};
  std::string list;
  std::vector<Harvest> expected;
  for (const std::string& url : urls) {
    const PlantedFacts where = planted_facts(url, Language::english);
    const SiteShape* const shape = shape_of(where.host, where.path);
    REQUIRE(shape != nullptr);
    const PlantedFacts facts = facts_of(*shape, url);
    const std::string file = std::string(shape->page) + ".html";
    folder.write(file, filled_template(std::string(shape->page), placeholders(facts)));
    list += file + "\t" + url + "\n";
    expected.push_back(harvest_of(*shape, facts));
  }
  folder.write("pages.tsv", list);
  const ProgramResult result = run_linkherd(folder.path(), {"metadata", "--files-from", "pages.tsv"});
  CHECK(result.exit_code == 0);
  const std::vector<json::object> lines = json_lines(result.out);
  REQUIRE(lines.size() == urls.size());
  for (std::size_t i = 0; i < urls.size(); ++i) {
    CAPTURE(urls[i]);
    CHECK(string_at(lines[i], "url") == urls[i]);
    CHECK(string_at(lines[i], "title") == expected[i].title);
    CHECK(string_at(lines[i], "published") == expected[i].published);
    CHECK(lines[i].at("authors").as_array().size() == expected[i].authors.size());
    CHECK(lines[i].contains("sources"));
    CHECK(lines[i].contains("confidence"));
  }
}

TEST_CASE("the summary view is short and in order") {
  const FinishedRun run;
  CAPTURE(run.result.out);
  CHECK(run.result.exit_code == 2);
  expect_in_order(run.result.out,
                  {"1 of 6 links needs attention · 1 fine · 7 occurrences, 3 hosts", "404 or 410 (1)", "list.md:5:8",
                   "gone", "https://good.herd/gone", "Worth a look: 1 moved · 1 listed more than once",
                   "Could not be verified: 1 access denied (walled.herd) · 1 no answer (dead after 3 failed checks)",
                   "Not checked: 1 skipped", "Next: linkherd report --store store --section broken",
                   "linkherd report --store store --all"});
  CHECK(count_lines(run.result.out) <= 40);
  CHECK(run.result.out.find('\x1b') == std::string::npos);  // no colours in a pipe
  CHECK(last_line(run.result.err) == "linkherd: 1 broken link");
}

TEST_CASE("only main links of entries are repeated and badges and mentions are counted") {
  const TempDir folder;
  folder.write(
      "list.md",
      "# List\n\n## Tools\n\n- [One](https://one.herd/) - Text. [![badge](https://i.herd/b.svg)](https://one.herd/)\n"
      "- [Two](https://two.herd/) - Like [One](https://one.herd/), but twice.\n\n## More\n\n"
      "| Name | Code |\n|---|---|\n| [Two](https://two.herd/) | [code](https://one.herd/) |\n\n"
      "See [Two](https://two.herd/) as well.\n");
  const ProgramResult links = run_linkherd(folder.path(), {"links", "--format", "jsonl", "list.md"});
  std::vector<std::string> roles;
  for (const json::object& link : json_lines(links.out)) {
    roles.push_back(json::serialize(link.at("entry")) + " " + string_at(link, "role") + " " +
                    json::serialize(link.at("headings")));
  }
  CHECK(roles == std::vector<std::string>{R"(1 main ["List","Tools"])", R"(1 secondary ["List","Tools"])",
                                          R"(1 secondary ["List","Tools"])", R"(2 main ["List","Tools"])",
                                          R"(2 mention ["List","Tools"])", R"(3 main ["List","More"])",
                                          R"(3 secondary ["List","More"])", R"(null prose ["List","More"])"});

  const std::vector<std::string> offline{"check", "--offline", "--no-store"};
  const auto check = [&](std::vector<std::string> more) {
    std::vector<std::string> words = offline;
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("list.md");
    return run_linkherd(folder.path(), words).out;
  };
  const std::string text = check({"--section", "repeated"});
  CAPTURE(text);
  expect_in_order(text, {"Listed more than once (1)", "list.md:6:9", "https://two.herd/", "also at list.md:12:9",
                         "also listed as a badge or mention: 4 links"});
  const std::string all = check({"--section", "repeated", "--duplicates", "mentions"});
  CAPTURE(all);
  expect_in_order(all, {"Listed more than once (2)", "list.md:5:9", "also at list.md:5:"});
  CHECK(all.find("badge or mention") == std::string::npos);
  CHECK(check({"--duplicates", "off"}).find("repeated") == std::string::npos);

  const json::value report = json::parse(check({"--format", "json"}));
  CHECK(report.at("summary").at("duplicate_groups") == 1);
  CHECK(report.at("summary").at("repeated_mentions") == 4);
  const json::value& badge = report.at("links").at(0).at("occurrences").at(1);
  CHECK(badge.at("entry") == 1);
  CHECK(badge.at("role") == "secondary");
  CHECK(badge.at("headings") == json::array{"List", "Tools"});
}

TEST_CASE("pages of a site have no entries and a single page has") {
  const TempDir folder;
  folder.write("site/index.html", "<h1>Site</h1><ul><li><a href=https://one.herd/>One</a> - Text.</ul>\n");
  folder.write("site/a.html", "<h1>A</h1><ul><li><a href=https://one.herd/>One</a> - Text.</ul>\n");
  const auto repeated = [&](const std::vector<std::string>& inputs) {
    std::vector<std::string> words{"check", "--offline", "--no-store", "--format", "json"};
    words.insert(words.end(), inputs.begin(), inputs.end());
    const json::value report = json::parse(run_linkherd(folder.path(), words).out);
    const json::object& first = report.at("links").at(0).at("occurrences").at(0).as_object();
    CHECK(first.at("entry").is_null() == (first.at("role") == "prose"));
    CHECK(first.contains("description") == (first.at("role") != "prose"));
    return std::pair(report.at("summary").at("duplicate_groups"), report.at("summary").at("repeated_mentions"));
  };
  CHECK(repeated({"site"}) == std::pair<json::value, json::value>(0, 1));
  CHECK(repeated({"site/index.html", "site/a.html"}) == std::pair<json::value, json::value>(1, 0));
  const ProgramResult links = run_linkherd(folder.path(), {"links", "--format", "jsonl", "site"});
  for (const json::object& link : json_lines(links.out)) CHECK(string_at(link, "role") == "prose");
}

TEST_CASE("report shows the latest run without the network") {
  const FinishedRun run({"--format", "jsonl"});
  const std::size_t requests = run.internet.requests().size();
  const ProgramResult report = run_linkherd(run.folder.path(), {"report", "--store", "store", "--format", "jsonl"});
  CAPTURE(report.err);
  CHECK(report.exit_code == 0);  // the report was written
  CHECK(report.out == run.result.out);
  CHECK(run.internet.requests().size() == requests);
  const ProgramResult text = run_linkherd(run.folder.path(), {"report", "--store", "store"});
  expect_in_order(text.out, {"Run 1 of ", "404 or 410", "1 moved", "1 access denied"});
}

TEST_CASE("history shows every check of a link newest first") {
  FinishedRun run;
  run.internet.host("good.herd").page("/gone", html_page("<title>Back</title><h1>Back again</h1>"));
  const auto again = check_arguments(run.internet, {"--max-cache-age", "0", "--store", "store", "list.md"});
  CHECK(run_linkherd(run.folder.path(), again).exit_code == 0);
  const ProgramResult history = run_linkherd(
      run.folder.path(), {"history", "--store", "store", "--format", "jsonl", "https://good.herd/gone#part"});
  CHECK(history.exit_code == 0);
  const std::vector<json::object> looks = json_lines(history.out);
  REQUIRE(looks.size() == 2);
  CHECK(string_at(looks[0], "url") == "https://good.herd/gone");
  CHECK(string_at(looks[0].at("verdict").as_object(), "health") == "alive");
  CHECK(string_at(looks[1].at("verdict").as_object(), "reason") == "http_404");
  const ProgramResult unknown = run_linkherd(run.folder.path(), {"history", "--store", "store", "https://other.herd/"});
  CHECK(unknown.exit_code == 1);
  CHECK(count_lines(unknown.err) == 1);
}

TEST_CASE("a quiet run without problems prints nothing") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").default_page(html_page("<title>Fine</title>"));
  folder.write("list.md", "[one](https://good.herd/one)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"-q", "--store", "store", "list.md"}));
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(result.err.empty());
}

TEST_CASE("a quiet run still reports broken links") {
  const FinishedRun run({"-q"});
  CHECK(run.result.exit_code == 2);
  CHECK(run.result.out.find("https://good.herd/gone") != std::string::npos);
}

TEST_CASE("--fail-on decides the exit code") {
  const FinishedRun lenient({"--fail-on", "none", "--format", "json"});
  CHECK(lenient.result.exit_code == 0);
  CHECK(last_line(lenient.result.err) == "linkherd: 1 broken link, none of them in --fail-on");
  const json::value report = json::parse(lenient.result.out);
  CHECK(report.at("summary").at("broken") == 1);
  CHECK(report.at("outcome").at("exit_code") == 0);
  CHECK(report.at("outcome").at("why") == "1 broken link, none of them in --fail-on");
  CHECK(run_linkherd(lenient.folder.path(), {"report", "--store", "store"})
            .out.starts_with("1 of 6 links needs attention"));
  CHECK(FinishedRun({"--fail-on", "unreachable"}).result.exit_code == 2);
}

TEST_CASE("a report is written to the requested file") {
  const FinishedRun run({"--output", "report.jsonl", "--format", "jsonl"});
  CHECK(run.result.exit_code == 2);
  CHECK(run.result.out.empty());
  CHECK(checked_lines(read_file(run.folder / "report.jsonl")).size() == 6);
}

TEST_CASE("a list can come from standard input") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").default_page(html_page("<title>Fine</title>"));
  ProgramOptions options =
      linkherd_options(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "-"}));
  options.stdin_text = "https://good.herd/from-stdin\n";
  const ProgramResult result = run_program(LINKHERD_PROGRAM, options);
  CHECK(result.exit_code == 0);
  CHECK(line_of(checked_lines(result.out), "https://good.herd/from-stdin").health == "alive");
}

TEST_CASE("private addresses are refused unless allowed") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("good.herd").default_page(html_page("<title>Fine</title>"));
  folder.write("list.md", "[one](https://good.herd/one)\n");
  std::vector<std::string> words = check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"});
  std::erase(words, "--allow-private");
  const ProgramResult result = run_linkherd(folder.path(), words);
  const CheckedLine line = line_of(checked_lines(result.out), "https://good.herd/one");
  CHECK(line.health == "skipped");
  CHECK(line.reason == "private_address");
  CHECK(internet.requests().empty());
}

TEST_CASE("an accepted failure keeps its health and fails no run until its last day") {
  const FinishedRun run({"--now", "2026-03-05T10:00:00Z"});
  CHECK(run.result.exit_code == 2);
  const std::string gone = "https://good.herd/gone";
  const ProgramResult accepted =
      run_linkherd(run.folder.path(), {"accept", gone + "#part", "--reason", "being \"rewritten\"", "--until",
                                       "2026-03-07", "--by", "Maria", "--now", "2026-03-05T10:00:00Z"});
  CAPTURE(accepted.err);
  CHECK(accepted.exit_code == 0);
  CHECK(accepted.out == "linkherd.toml: 1 link accepted until 2026-03-07\n");
  const auto check_at = [&run](const std::string& now) {
    return run_linkherd(run.folder.path(),
                        check_arguments(run.internet, {"--now", now, "--store", "store", "list.md"}));
  };
  const ProgramResult last_day = check_at("2026-03-07T10:00:00Z");
  CAPTURE(last_day.out);
  CHECK(last_day.exit_code == 0);
  CHECK(last_line(last_day.err) == "linkherd: nothing broken, 1 accepted");
  expect_in_order(last_day.out, {"No broken links (6 links)", "Known failures: 1 accepted"});
  CHECK(last_day.out.find("404") == std::string::npos);
  const ProgramResult known = run_linkherd(
      run.folder.path(), {"report", "--store", "store", "--section", "accepted", "--now", "2026-03-07T11:00:00Z"});
  expect_in_order(known.out, {"Accepted (1)", gone, "accepted until 2026-03-07 by Maria: being \"rewritten\""});

  const ProgramResult lines = run_linkherd(
      run.folder.path(), {"report", "--store", "store", "--format", "jsonl", "--now", "2026-03-07T11:00:00Z"});
  CHECK(lines.exit_code == 0);
  for (const json::object& line : json_lines(lines.out)) {
    if (string_at(line, "url") != gone) {
      CHECK(line.at("accepted").is_null());
      continue;
    }
    CHECK(line.at("health") == "dead");
    CHECK(line.at("accepted").at("until") == "2026-03-07");
    CHECK(line.at("accepted").at("by") == "Maria");
  }

  const ProgramResult over = check_at("2026-03-08T10:00:00Z");
  CHECK(over.exit_code == 2);
  CHECK(over.err.find("the acceptance of " + gone) != std::string::npos);
  expect_in_order(over.out,
                  {"2 of 6 links need attention", gone, "https://late.herd/"});  // the other link has its third strike
}

TEST_CASE("a link with a password can be accepted without storing the password") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("login.herd");
  folder.write("list.md", "[a](https://me:s3cret@login.herd/gone)\n[b](https://t0ken@login.herd/gone)\n");
  const auto accept = [&folder](const std::string& url) {
    return run_linkherd(folder.path(),
                        {"accept", url, "--reason", "known", "--until", "2026-03-07", "--now", "2026-03-05"});
  };
  const auto check_on = [&](const std::string& now) {
    return run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--now", now, "list.md"}));
  };
  CHECK(check_on("2026-03-05").exit_code == 2);
  CHECK(accept("https://me:s3cret@login.herd/gone#part").exit_code == 0);
  CHECK(accept("https://t0ken@login.herd/gone").exit_code == 0);
  const std::string settings = read_file(folder / "linkherd.toml");
  CHECK(settings.find("https://me:***@login.herd/gone") != std::string::npos);
  CHECK(settings.find("s3cret") == std::string::npos);
  CHECK(settings.find("t0ken") == std::string::npos);
  const ProgramResult accepted = check_on("2026-03-05");
  CAPTURE(accepted.out);
  CHECK(accepted.exit_code == 0);
  CHECK(last_line(accepted.err) == "linkherd: nothing broken, 2 accepted");

  // Another tool or a person may have written this form.
  folder.write("linkherd.toml",
               "[[accepted]]\nurl = \"https://me:s3cret@login.herd/gone\"\nreason = \"x\"\nuntil = 2026-03-07\n"
               "[[accepted]]\nurl = \"https://t0ken@login.herd/gone\"\nreason = \"x\"\nuntil = 2026-03-07\n");
  CHECK(check_on("2026-03-06").exit_code == 0);
  const ProgramResult over = check_on("2026-03-08");
  CHECK(over.exit_code == 2);
  CHECK(over.err.find("the acceptance of ") != std::string::npos);
  CHECK(over.err.find("s3cret") == std::string::npos);
  CHECK(over.err.find("t0ken") == std::string::npos);
}

TEST_CASE("accept refuses an invalid file and leaves it unchanged") {
  const TempDir folder;
  const auto accept = [&folder](std::vector<std::string> words) {
    words.insert(words.begin(), "accept");
    words.insert(words.end(), {"--now", "2026-03-05T10:00:00Z"});
    return run_linkherd(folder.path(), words);
  };
  CHECK(accept({"https://a.herd/", "--reason", "x", "--until", "2026-03-04"}).exit_code == 3);
  CHECK(accept({"https://a.herd/", "--reason", "x", "--until", "tomorrow"}).exit_code == 3);
  CHECK(accept({"https://a.herd/", "--reason", "", "--until", "2026-03-09"}).exit_code == 3);
  CHECK(accept({"https://a.herd/", "--until", "2026-03-09"}).exit_code == 3);
  CHECK_FALSE(std::filesystem::exists(folder / "linkherd.toml"));

  folder.write("linkherd.toml", "timeout = \"5s\"  # no line break behind");
  CHECK(accept({"https://a.herd/", "https://b.herd/", "--reason", "x", "--until", "2026-03-09"}).exit_code == 0);
  CHECK(accept({"https://c.herd/", "--reason", "x", "--until", "2026-03-09"}).exit_code == 0);
  const std::string text = read_file(folder / "linkherd.toml");
  CHECK(text.starts_with("timeout = \"5s\"  # no line break behind\n"));
  CHECK(text.find("https://c.herd/") != std::string::npos);

  for (const char* own : {"accepted = 1\n", "[[accepted]]\nurl = \"https://a.herd/\"\n", "accepted = [\n"}) {
    folder.write("linkherd.toml", own);
    const ProgramResult refused = accept({"https://c.herd/", "--reason", "x", "--until", "2026-03-09"});
    CHECK(refused.exit_code != 0);
    CHECK(count_lines(refused.err) == 1);
    CHECK(read_file(folder / "linkherd.toml") == own);
  }
}

TEST_CASE("accept writes one table per link whatever the reason contains") {
  const TempDir folder;
  const auto accept = [&folder](const std::string& url, const std::string& reason, const std::string& by) {
    return run_linkherd(folder.path(), {"accept", url, "--reason", reason, "--until", "2026-03-09", "--by", by, "--now",
                                        "2026-03-05T10:00:00Z"});
  };
  folder.write("list.md", "nothing\n");
  const std::string injected = "x\n'''\n[[accepted]]\npattern = '.'\nreason = 'y'\nuntil = 2099-01-01 # '''";
  for (const std::string& text :
       {injected, std::string("x\r\ny\t\x01\x7f"), std::string("\"\"\"\n\\"), std::string("\xff\xfe\xe4\xb8\xad")}) {
    CAPTURE(text);
    folder.write("linkherd.toml", "timeout = \"5s\"\n");
    CHECK(accept("https://a.herd/", text, text).exit_code == 0);
    CHECK(accept("https://b.herd/", "plain", "me").exit_code == 0);  // also reads the entry of the first call
    const std::string written = read_file(folder / "linkherd.toml");
    CAPTURE(written);
    CHECK(count_lines(written) == 11);  // except blank lines
    CHECK(written.find('\r') == std::string::npos);
    CHECK(linkherd::is_valid_utf8(written));
    CHECK(run_linkherd(folder.path(), {"check", "--no-store", "list.md"}).exit_code == 0);
  }
  folder.write("linkherd.toml", "timeout = \"5s\"\r\n");
  CHECK(accept("https://a.herd/", "x", "me").exit_code == 0);
  const std::string written = read_file(folder / "linkherd.toml");
  CHECK(written.ends_with("\r\n"));
  CHECK(std::ranges::count(written, '\r') == std::ranges::count(written, '\n'));
}

TEST_CASE("accept refuses blank reasons and addresses that are not on the web") {
  const TempDir folder;
  const auto accept = [&folder](const std::string& url, const std::string& reason) {
    return run_linkherd(folder.path(), {"accept", url, "--reason", reason, "--until", "2099-03-09"}).exit_code;
  };
  CHECK(accept("https://a.herd/", " \t\n") == 3);
  for (const char* url :
       {"a.herd/x", "mailto:a@b.herd", "ftp://a.herd/", "docs/x.md", "", "javascript:1", "https://a.herd/\xff"}) {
    CAPTURE(url);
    CHECK(accept(url, "x") == 3);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "linkherd.toml"));
}

TEST_CASE("a renewed or pattern-covered acceptance does not warn of its old end") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("gone.herd");
  folder.write("list.md", "[a](https://gone.herd/x)\n");
  const auto table = [](const std::string& what, const std::string& until) {
    return "[[accepted]]\n" + what + "\nreason = \"x\"\nuntil = " + until + "\n";
  };
  const std::string old = table("url = \"https://gone.herd/x\"", "2026-03-01");
  const auto warns = [&] {
    const ProgramResult result = run_linkherd(
        folder.path(), check_arguments(internet, {"--no-store", "--now", "2026-03-05T10:00:00Z", "list.md"}));
    return result.err.find("the acceptance of ") != std::string::npos;
  };
  folder.write("linkherd.toml", old);
  CHECK(warns());
  CHECK(run_linkherd(folder.path(), {"accept", "https://gone.herd/x#part", "--reason", "y", "--until", "2026-03-09",
                                     "--now", "2026-03-05"})
            .exit_code == 0);
  CHECK_FALSE(warns());
  folder.write("linkherd.toml", old + table("pattern = \"^https://gone\"", "2026-03-09"));
  CHECK_FALSE(warns());
  folder.write("linkherd.toml", old + table("pattern = \"^https://gone\"", "2026-03-02"));
  CHECK(warns());
}
