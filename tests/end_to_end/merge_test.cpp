// Tests the parts of a run on several machines, and the merging of their stores.
#include <algorithm>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/planted_sites.h"
#include "tests/end_to_end/same_report.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace json = boost::json;

namespace {

struct Parts {
  TempDir folder;
  SmallInternet internet;

  ProgramResult check(const std::string& store, std::vector<std::string> more) const {
    more.insert(more.end(), {"--store", store});
    return run_linkherd(folder.path(), check_arguments(internet, more));
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_linkherd(folder.path(), words); }
  json::value report(const std::string& store) const {
    const ProgramResult result = run({"report", "--format", "json", "--store", store});
    CAPTURE(result.err);
    REQUIRE((result.exit_code == 0 || result.exit_code == 2));
    return json::parse(result.out);
  }
};

}  // namespace

TEST_CASE("four merged shards give the same report as one run over the planted internet") {
  Parts parts;
  const std::string seeds = std::string(LINKHERD_SOURCE_DIR) + "/seeds";
  parts.folder.write("planted.md", planted_list() + "\n[here](planted.md) [gone](missing.md)\n");
  const auto check = [&](const std::string& store, std::vector<std::string> more) {
    more.insert(more.end(), {"--max-cache-age", "0", seeds, "planted.md"});
    return parts.check(store, more);
  };
  plant_sites(parts.internet);
  const ProgramResult whole = check("whole", {});
  REQUIRE_MESSAGE(whole.exit_code == 2, whole.err);
  plant_sites(parts.internet);  // restarts the pages that are served in turn
  std::size_t links = 0;
  for (const char* part : {"1", "2", "3", "4"}) {
    const ProgramResult result = check(part, {"--shard", part + std::string("/4"), "--format", "jsonl"});
    CAPTURE(result.err);
    CHECK((result.exit_code == 0 || result.exit_code == 2));
    links += count_lines(result.out);
  }
  const ProgramResult early = parts.run({"store", "merge", "--store", "merged", "1", "3"});
  CHECK(early.exit_code == 0);
  CHECK(holds(early.err, "of its 4 parts, 2, 4 are missing"));
  const ProgramResult merged = parts.run({"store", "merge", "--store", "merged", "1", "2", "3", "4"});
  CAPTURE(merged.err);
  CHECK(merged.exit_code == 0);
  CHECK(merged.err.empty());
  CHECK(parts.run({"store", "verify", "--store", "merged"}).exit_code == 0);
  CHECK(json_lines(parts.run({"runs", "--format", "jsonl", "--store", "merged"}).out).size() == 1);

  const json::value expected = parts.report("whole");
  const json::value found = parts.report("merged");
  CHECK(links == expected.at("links").as_array().size());
  check_same_report(expected, found);

  const ProgramResult again = parts.run({"store", "merge", "--store", "merged", "4", "3", "2", "1"});
  CHECK(holds(again.out, "0 links added, 0 changed; 0 looks, 0 pages and 0 runs imported"));
}

TEST_CASE("a shard without links can be merged and an invalid --shard is refused") {
  Parts parts;
  parts.folder.write("list.md", "[one](https://good.herd/one)\n");
  parts.internet.host("good.herd").page("/one", html_page("<title>One</title>"));
  for (const char* part : {"1", "2", "3"}) {
    const ProgramResult result = parts.check(part, {"--shard", part + std::string("/3"), "list.md"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
  }
  CHECK(parts.internet.count("good.herd", "/one") == 1);
  const ProgramResult merged = parts.run({"store", "merge", "--store", "merged", "1", "2", "3"});
  CHECK(holds(merged.out, "1 link added"));
  CHECK(holds(merged.out, "1 run"));
  CHECK(parts.report("merged").at("summary").at("links") == 1);
  CHECK(parts.report("merged").at("run").at("shard").is_null());
  CHECK(parts.report("3").at("run").at("shard") == "3/3");
  for (const char* bad : {"0/4", "5/4", "1/0", "x", "1/", "/4", "4", "1/2/3", "-1/4", "1/99999999", "1/4 ", ""}) {
    const ProgramResult result = parts.check("bad", {"--shard", bad, "list.md"});
    CAPTURE(bad);
    CHECK(result.exit_code == 3);
    CHECK(holds(result.err, "--shard"));
  }
  CHECK(parts.check("bad", {"--vantage", "a b", "list.md"}).exit_code == 3);
}

TEST_CASE("a link dead for CI and alive for people is suspect once the stores are merged") {
  Parts parts;
  parts.folder.write("list.md", "[one](https://good.herd/one)\n");
  parts.internet.host("good.herd").page("/", html_page("<title>Home</title>"));
  parts.internet.host("good.herd").page("/one", html_page("<title>One</title>"));
  CHECK(parts.check("home", {"--vantage", "home", "list.md"}).exit_code == 0);
  parts.internet.host("good.herd").page("/one", status_page(404));
  CHECK(parts.check("ci", {"--vantage", "ci", "list.md"}).exit_code == 2);
  CHECK(parts.run({"store", "merge", "--store", "ci", "home"}).exit_code == 0);

  const json::value report = parts.report("ci");
  const json::value& link = report.at("links").at(0);
  CHECK(link.at("health") == "suspect");
  CHECK(link.at("reason") == "vantage");
  CHECK(link.at("vantage") == "ci");
  CHECK(report.at("summary").at("suspect") == 1);
  const std::string text = parts.run({"report", "--store", "ci"}).out;
  CHECK(holds(text, "dead from ci on "));
  const auto looks =
      json::parse(parts.run({"history", "--format", "json", "--store", "ci", "https://good.herd/one"}).out);
  REQUIRE(looks.as_array().size() == 2);
  CHECK(looks.at(0).at("vantage") == "ci");
  CHECK(looks.at(1).at("vantage") == "home");
  CHECK(holds(parts.run({"history", "--store", "ci", "https://good.herd/one"}).out, ", from home\n"));
  CHECK(parts.run({"store", "verify", "--store", "ci"}).exit_code == 0);

  // The second check from "ci" changes nothing. The next check from the other vantage point agrees.
  CHECK(parts.check("ci", {"--vantage", "ci", "list.md"}).exit_code == 0);
  CHECK(parts.report("ci").at("links").at(0).at("health") == "suspect");
  CHECK(parts.check("ci", {"--vantage", "home", "list.md"}).exit_code == 2);
  CHECK(parts.report("ci").at("links").at(0).at("health") == "dead");
}

TEST_CASE("a store in use is not merged and a damaged store is named") {
  Parts parts;
  parts.folder.write("list.md", "[one](https://good.herd/one)\n");
  parts.internet.host("good.herd").page("/one", html_page("<title>One</title>"));
  REQUIRE(parts.check("source", {"list.md"}).exit_code == 0);
  Page silent;
  silent.delivery = Delivery::silence;
  parts.internet.host("good.herd").page("/one", silent);
  parts.internet.clear_requests();
  {
    const RunningProgram checking = start_linkherd(
        parts.folder.path(), check_arguments(parts.internet, {"--max-cache-age", "0", "--store", "source", "list.md"}));
    REQUIRE(parts.internet.wait_for_requests(1, std::chrono::seconds(60)));
    const ProgramResult busy = parts.run({"store", "merge", "--store", "merged", "source"});
    CAPTURE(busy.err);
    CHECK(busy.exit_code == 1);
    CHECK(holds(busy.err, "source is in use by another linkherd (process "));
  }
  const ProgramResult cut = parts.run({"store", "merge", "--store", "merged", "source"});
  CAPTURE(cut.err);
  CHECK(cut.exit_code == 1);
  CHECK(holds(cut.err, "source contains results that no report shows yet: run `linkherd store compact` on it"));
  CHECK(parts.run({"store", "compact", "--store", "source"}).exit_code == 0);
  CHECK(parts.run({"store", "merge", "--store", "merged", "source"}).exit_code == 0);
  CHECK(parts.run({"store", "merge", "--store", "merged", "merged"}).exit_code == 1);
  CHECK(parts.run({"store", "merge", "--store", "merged"}).exit_code == 3);
}
