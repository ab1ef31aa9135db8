// Tests links to files of GitHub repositories whose default branch was renamed.
#include <algorithm>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

TEST_CASE("a file that moved from master to main stays dead and the report names its new address") {
  const TempDir folder;
  SmallInternet internet;
  const Page there = html_page("<title>guide.md at main</title><p>Text of the guide.</p>");
  internet.host("github.com")
      .page("/a/b/blob/main/guide.md", there)
      .page("/a/b/raw/main/run.sh", redirect_page(302, "https://raw.githubusercontent.com/a/b/main/run.sh"));
  internet.host("raw.githubusercontent.com").page("/a/b/main/run.sh", html_page("#!/bin/sh\n", "text/plain"));
  folder.write("list.md",
               "[a](https://github.com/a/b/blob/master/guide.md)\n[b](https://github.com/a/b/raw/master/run.sh)\n"
               "[c](https://github.com/a/b/blob/master/nowhere.md)\n[d](https://github.com/a/b/blob/v1/guide.md)\n");
  const auto words = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--store", "store", "--max-cache-age", "0", "list.md"});
    return check_arguments(internet, more);
  };
  const ProgramResult result = run_linkherd(folder.path(), words({"--format", "jsonl"}));
  CAPTURE(result.out);
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  const std::vector<boost::json::object> lines = json_lines(result.out);
  REQUIRE(lines.size() == 4);
  for (const boost::json::object& line : lines) CHECK(line.at("health").as_string() == "dead");
  const auto fact_of = [&](std::size_t line) {
    const boost::json::array& facts = lines[line].at("facts").as_array();
    REQUIRE(facts.size() == 1);
    CHECK(facts[0].at("kind").as_string() == "branch_renamed");
    return std::string(facts[0].at("text").as_string());
  };
  CHECK(fact_of(0) == "the file exists on the branch main: https://github.com/a/b/blob/main/guide.md");
  CHECK(fact_of(1) == "the file exists on the branch main: https://github.com/a/b/raw/main/run.sh");
  CHECK(lines[2].at("facts").as_array().empty());
  CHECK(lines[3].at("facts").as_array().empty());
  CHECK(internet.count("github.com", "/a/b/blob/main/guide.md") == 1);
  CHECK(internet.count("github.com", "/a/b/blob/main/nowhere.md") == 1);

  internet.clear_requests();
  const ProgramResult report = run_linkherd(folder.path(), {"report", "--all", "--store", "store"});
  CAPTURE(report.out);
  CHECK(report.out.find("the file exists on the branch main: https://github.com/a/b/blob/main/guide.md\n") !=
        std::string::npos);
  CHECK(internet.requests().empty());
}
