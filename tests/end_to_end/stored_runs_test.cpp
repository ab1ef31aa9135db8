// Tests the runs of a store: their list, reports on earlier runs, and runs of other inputs.
#include <algorithm>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

// A store with four runs: `one.md` while its page existed, `two.md`, `one.md` with the page gone, and some links of
// `one.md`.
struct FourRuns {
  TempDir folder;
  SmallInternet internet;

  FourRuns() {
    folder.write("one.md", "[one](https://good.herd/one)\n[more](https://good.herd/more)\n");
    folder.write("two.md", "[two](https://good.herd/two)\n");
    for (const char* page : {"/", "/one", "/more", "/two"})
      internet.host("good.herd").page(page, html_page("<title>A page</title>"));
    CHECK(check({"--now", "2026-03-01T10:00:00Z", "one.md"}).exit_code == 0);
    CHECK(check({"--now", "2026-03-02T10:00:00Z", "two.md"}).exit_code == 0);
    internet.host("good.herd").page("/one", status_page(404));
    CHECK(check({"--now", "2026-03-03T10:00:00Z", "one.md"}).exit_code == 2);
    CHECK(check({"--now", "2026-03-04T10:00:00Z", "--only", "dead", "one.md"}).exit_code == 2);
  }
  ProgramResult check(std::vector<std::string> more) const {
    more.insert(more.end(), {"--store", "store"});
    return run_linkherd(folder.path(), check_arguments(internet, more));
  }
  ProgramResult run_command(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", "store"});
    return run_linkherd(folder.path(), words);
  }
};

}  // namespace

TEST_CASE("runs lists the runs of a store with their link counts") {
  const FourRuns runs;
  const ProgramResult listed = runs.run_command({"runs", "--format", "jsonl"});
  CHECK(listed.exit_code == 0);
  const auto lines = json_lines(listed.out);
  REQUIRE(lines.size() == 4);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i].at("number") == 4 - i);
    CHECK(lines[i].at("state") == "complete");
    CHECK(lines[i].at("partial") == (i == 0));
  }
  CHECK(lines[0].at("links") == 1);
  CHECK(lines[1].at("links") == 2);
  CHECK(lines[1].at("by_health") == boost::json::parse(R"({"alive": 1, "dead": 1})"));
  CHECK(lines[1].at("inputs") == boost::json::parse(R"(["one.md"])"));
  CHECK(lines[1].at("started_at").as_string().starts_with("2026-03-03T10:00:0"));
  CHECK(lines[3].at("by_health") == boost::json::parse(R"({"alive": 2})"));
  CHECK(boost::json::parse(runs.run_command({"runs", "--format", "json"}).out).as_array().size() == 4);

  const std::string text = runs.run_command({"runs"}).out;
  CAPTURE(text);
  CHECK(holds(text, "    3  2026-03-03 10:00 UTC  2026-03-03 10:0"));
  CHECK(holds(text, "complete     one.md\n       2 links: 1 alive, 1 dead\n"));
  CHECK(holds(text, "       only some links of the inputs; 1 link: 1 dead\n"));
}

TEST_CASE("report shows any run as it was and by default the latest complete one") {
  const FourRuns runs;
  const auto health_of_one = [&runs](const std::vector<std::string>& more) {
    std::vector<std::string> words{"report", "--format", "jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    return line_of(checked_lines(runs.run_command(words).out), "https://good.herd/one").health;
  };
  CHECK(health_of_one({"--run", "1"}) == "alive");
  CHECK(health_of_one({"--run", "3"}) == "dead");
  CHECK(health_of_one({"one.md"}) == "dead");
  CHECK(checked_lines(runs.run_command({"report", "--run", "4", "--format", "jsonl"}).out).size() == 1);
  CHECK(checked_lines(runs.run_command({"report", "--format", "jsonl"}).out).size() == 2);
  CHECK(checked_lines(runs.run_command({"report", "--format", "jsonl", "two.md"}).out).size() == 1);

  const std::string latest = runs.run_command({"report"}).out;
  CAPTURE(latest);
  CHECK(holds(latest, " of 2 links "));
  CHECK(holds(latest, "\nRun 3 of 2026-03-03 10:00 UTC, one.md\n"));
  CHECK(holds(latest, "Not shown: runs of two.md (run 2 of 2026-03-02)."));
  const std::string of_two = runs.run_command({"report", "two.md"}).out;
  CHECK(holds(of_two, "\nRun 2 of "));
  CHECK_FALSE(holds(of_two, "Not shown"));
}

TEST_CASE("an unknown run is an error that lists the existing ones") {
  const FourRuns runs;
  const ProgramResult unknown = runs.run_command({"report", "--run", "9"});
  CHECK(unknown.exit_code == 1);
  CHECK(count_lines(unknown.err) == 1);
  CHECK(holds(unknown.err, "has no run 9; it has runs 4, 3, 2, 1"));
  const ProgramResult other = runs.run_command({"report", "three.md"});
  CHECK(other.exit_code == 1);
  CHECK(holds(other.err, "has no run of three.md; `linkherd runs` lists the stored runs"));
  for (const char* number : {"0", "-1", "x", "99999999999999999999999"})
    CHECK(runs.run_command({"report", "--run", number}).exit_code == 3);
  CHECK(runs.run_command({"report", "--run", "1", "one.md"}).exit_code == 3);
}
