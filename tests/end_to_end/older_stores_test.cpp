// Tests stores of older versions: reports, histories and the next check must work with them.
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

namespace fs = std::filesystem;

// The hosts of tests/storage/stores/list.md, and the store of two runs over it.
struct OlderStore {
  TempDir folder;
  SmallInternet internet;

  explicit OlderStore(const std::string& name) {
    const fs::path stores = fs::path(LINKHERD_SOURCE_DIR) / "tests" / "storage" / "stores";
    fs::copy(stores / name, folder / "store", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    for (const char* list : {"list.md", "other.md"}) fs::copy(stores / list, folder / list);
    for (const std::string path : {"/one", "/two", "/new-home"}) {
      Page page = html_page("<title>New title</title>");
      page.headers.emplace_back("ETag", '"' + path + '"');
      internet.host("alive.herd").page(path, page);
    }
    internet.host("large.herd").default_page(html_page("<title>Small now</title>"));
    internet.host("moved.herd").default_page(redirect_page(301, "http://alive.herd/new-home"));
    internet.host("dead.herd");
    internet.host("closed.herd");
    internet.dns("closed.herd", dns_addresses({"127.0.0.77"}));  // nothing listens there
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_linkherd(folder.path(), words); }
};

void check_verdicts(const std::vector<CheckedLine>& lines, const std::string& closed) {
  CHECK(lines.size() == 11);
  CHECK(line_of(lines, "http://alive.herd/one").health == "alive");
  CHECK(line_of(lines, "http://alive.herd/one").reason == "not_modified");
  CHECK(line_of(lines, "http://alive.herd/one").harvest.authors == std::vector<std::string>{"Maria Castell"});
  CHECK(line_of(lines, "http://moved.herd/old").health == "redirected");
  CHECK(line_of(lines, "http://dead.herd/missing").health == "dead");
  CHECK(line_of(lines, "http://nowhere.herd/").reason == "dns_not_found");
  CHECK(line_of(lines, "http://closed.herd/").health == closed);
}

void check_older_store(const std::string& name) {
  CAPTURE(name);
  const OlderStore older(name);
  const ProgramResult report = older.run({"report", "--store", "store", "--format", "jsonl"});
  CAPTURE(report.err);
  CHECK(report.exit_code == 0);  // the store was written
  check_verdicts(checked_lines(report.out), "unreachable");
  CHECK(json_lines(older.run({"history", "--store", "store", "--format", "jsonl", "http://large.herd/"}).out).size() ==
        2);

  const ProgramResult check = older.run(check_arguments(
      older.internet, {"--store", "store", "--now", "2026-03-05T10:00:00Z", "--format", "jsonl", "list.md"}));
  CAPTURE(check.err);
  CHECK(check.exit_code == 2);
  check_verdicts(checked_lines(check.out), "dead");  // the third strike
  CHECK(line_of(checked_lines(check.out), "http://large.herd/").harvest.title == "Small now");
  const auto asked = older.internet.requests("alive.herd");
  REQUIRE_FALSE(asked.empty());
  CHECK_FALSE(asked.front().header("If-None-Match").empty());
  CHECK(json_lines(older.run({"history", "--store", "store", "--format", "jsonl", "http://large.herd/"}).out).size() ==
        3);
}

}  // namespace

TEST_CASE("a store of version 1 is reported and checked again and extended") {
  for (const char* name : {"version_1", "version_1_marked"}) check_older_store(name);
}
