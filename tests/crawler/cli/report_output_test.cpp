// Tests report files: one run writes several, each completely or not at all, and errors name the file.
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/crawler/cli/run_command.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::crawler;
using linkherd::tests::read_file;

namespace {

// A list with one link to a file that does not exist.
struct BrokenList {
  TempCurrentFolder here;

  BrokenList() { here.folder.write("list.md", "[lost](docs/lost.md)\n"); }

  Outcome check(std::vector<std::string> more) const {
    more.insert(more.begin(), {"check", "--offline", "--no-store"});
    more.emplace_back("list.md");
    return run(more);
  }
};

}  // namespace

TEST_CASE("one run writes several formats with the same content") {
  const BrokenList list;
  const Outcome result = list.check({"--output", "json:all.json", "-o", "sarif:links.sarif", "--output",
                                     "csv:links.csv", "--bom", "-o", "plain.xml", "--format", "junit", "--output",
                                     "text:-", "--output", "html:page.html", "--lang", "zh"});
  CHECK(result.code == 2);
  CHECK(has(result.err, "1 broken link"));
  CHECK(result.out.starts_with("1 of 1 link needs attention"));
  const boost::json::value json = boost::json::parse(read_file("all.json"));
  CHECK(json.at("outcome").at("exit_code") == 2);
  CHECK(json.at("outcome").at("why") == "1 broken link");
  const boost::json::value sarif = boost::json::parse(read_file("links.sarif"));
  CHECK(sarif.at("runs").at(0).at("invocations").at(0).at("exitCode") == 2);
  CHECK(read_file("links.csv").starts_with("\xEF\xBB\xBFsection,"));
  CHECK(has(read_file("plain.xml"), "failures=\"1\""));
  CHECK(read_file("page.html").starts_with("<!doctype html>\n<html lang=\"zh-CN\">"));
}

TEST_CASE("a report from the store equals the report of the run") {
  const TempCurrentFolder here;
  std::string text;
  for (int i = 0; i < 500; ++i) text += fmt::format("- [page {0}](https://a.cn/{0})\n- [lost](docs/{0}.md)\n", i);
  here.folder.write("list.md", text);
  here.folder.write("other.md", "- [page](https://a.cn/7/?utm_source=x)\n- [page 8](https://a.cn/8)\n");
  const std::vector<std::string> shown{"--duplicates", "across", "--format", "json", "--store", "store"};
  const auto report_of = [&shown](std::vector<std::string> words) {
    words.insert(words.end(), shown.begin(), shown.end());
    return boost::json::parse(run(words).out).as_object();
  };
  boost::json::object first = report_of({"check", "--exclude", "^https:", "list.md", "other.md"});
  CHECK(first.at("links").as_array().size() == 1001);
  CHECK(first.at("duplicates").as_array().size() == 2);
  for (int i = 0; i < 3; ++i) {
    const boost::json::object stored = report_of({"report"});
    for (const char* const part : {"summary", "links", "duplicates"}) {
      CAPTURE(part);
      CHECK(stored.at(part) == first.at(part));
    }
  }
}

TEST_CASE("an impossible output is refused with its reason before the run") {
  const BrokenList list;
  list.here.folder.write("a/kept.json", "old");
  list.here.folder.write("x", "old");
  list.here.folder.write("linkherd.toml", "");
  std::filesystem::create_symlink("../x", "a/link");
  struct Row {
    std::vector<std::string> words;
    int code;
    const char* said;
  };
  const std::vector<Row> rows = {
      {{"--output", "sarf:links.sarif"}, 3, "sarf is not one of text, json"},
      {{"--output", "sarf:links.sarif"}, 3, "for a file with that name, write ./sarf:links.sarif"},
      {{"--output", "json:"}, 3, "a file is missing"},
      {{"--output", "json:x", "--output", "csv:./x"}, 3, "x is given twice"},
      {{"--output", "json:-", "--output", "text:-"}, 3, "stdout is given twice"},
      {{"--output", "json:x", "--output", "csv:a/link"}, 3, "a/link is given twice"},
      {{"--output", "csv:list.md"}, 3, "list.md is an input of this command"},
      {{"--output", "csv:linkherd.toml"}, 3, "linkherd.toml is an input of this command"},
      {{"--output", "json:no/such/folder.json"}, 1, "cannot write to no/such/folder.json: No such file or directory"},
      {{"--output", "json:a"}, 1, "cannot write to a: Is a directory"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.said);
    const Outcome result = list.check(row.words);
    CAPTURE(result.err);
    CHECK(result.code == row.code);
    CHECK(has(result.err, row.said));
    CHECK(result.out.empty());
  }
  CHECK(read_file("a/kept.json") == "old");
  CHECK(list.check({"--output", "./sarf:links.sarif"}).code == 2);
  CHECK_FALSE(read_file("sarf:links.sarif").empty());
}

TEST_CASE("a full disk affects only the output on that disk") {
  const BrokenList list;
  const Outcome result = list.check({"--output", "json:/dev/full", "--output", "csv:links.csv"});
  CAPTURE(result.err);
  CHECK(result.code == 1);
  CHECK(has(result.err, "cannot write to /dev/full: No space left on device"));
  CHECK(has(read_file("links.csv"), "docs/lost.md"));
}
