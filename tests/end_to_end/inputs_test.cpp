// Tests the inputs of the command line: different spellings of one input, and the files of a folder that are skipped.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/git_folder.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

namespace fs = std::filesystem;

// A repository with a store, and the site of its links.
struct Repository {
  GitFolder folder;
  SmallInternet internet;

  Repository() {
    internet.host("good.herd").default_page(html_page("<title>A page</title><h1>A page</h1><p>Text."));
    folder.write(".gitignore", ".linkherd/\n");
    folder.write("README.md", "[read](https://good.herd/read)\n");
    folder.write("docs/a.md", "[a](https://good.herd/a) [file](b.md)\n");
    folder.write("docs/b.md", "[b](https://good.herd/b)\n");
    folder.commit("lists");
  }
  ProgramResult check_in(const fs::path& current, std::vector<std::string> words) const {
    return run_linkherd(current, check_arguments(internet, words));
  }
  ProgramResult run_in(const fs::path& current, const std::vector<std::string>& words) const {
    return run_linkherd(current, words);
  }
};

std::string text_of(const boost::json::object& run, const char* key) { return std::string(run.at(key).as_string()); }

std::set<std::string> places_of(const std::string& jsonl) {
  std::set<std::string> files;
  for (const boost::json::object& link : json_lines(jsonl)) {
    for (const boost::json::value& occurrence : link.at("occurrences").as_array())
      files.insert(std::string(occurrence.at("file").as_string()));
  }
  return files;
}

}  // namespace

TEST_CASE("a folder is one input with one identity and one baseline in every spelling") {
  const Repository repository;
  const fs::path root = repository.folder.path();
  const fs::path docs = root / "docs";
  struct Row {
    fs::path current;
    std::string input;
  };
  const std::vector<Row> rows{{root, "docs"},    {root, "docs/"},       {root, "./docs/"},          {docs, "."},
                              {docs, "../docs"}, {docs, docs.string()}, {root, docs.string() + "/"}};
  for (const Row& row : rows) {
    CAPTURE(row.input);
    const ProgramResult checked = repository.check_in(row.current, {row.input});
    CAPTURE(checked.err);
    CHECK(checked.exit_code == 0);
  }
  const auto runs = json_lines(repository.run_in(root, {"runs", "--format", "jsonl"}).out);
  REQUIRE(runs.size() == rows.size());
  for (const boost::json::object& run : runs) {
    CHECK(text_of(run, "identity") == text_of(runs.front(), "identity"));
    CHECK(run.at("inputs") == boost::json::parse(R"(["docs"])"));
  }
  const auto inside = json_lines(repository.run_in(docs, {"runs", "--format", "jsonl"}).out);
  CHECK(inside.front().at("inputs") == boost::json::parse(R"(["."])"));

  // The last run is compared with the run before it.
  const ProgramResult changes = repository.run_in(root, {"report", "--changes", "./docs"});
  CAPTURE(changes.out);
  CHECK(holds(changes.out, "run 6"));
  CHECK_FALSE(holds(changes.out, "no earlier complete run"));
}

TEST_CASE("symbolic links on the path of an input do not change its identity") {
  const Repository repository;
  const fs::path root = repository.folder.path();
  const TempDir elsewhere;
  fs::create_directory_symlink(root, elsewhere / "checkout");
  fs::create_directory_symlink("docs", root / "alias");
  fs::create_directory_symlink(root / "docs", elsewhere / "deep");
  const fs::path checkout = elsewhere / "checkout";
  const auto inputs_of = [&](const std::string& input) {
    const ProgramResult checked = repository.check_in(checkout, {"--format", "jsonl", input});
    CAPTURE(checked.err);
    CHECK(checked.exit_code == 0);
    const auto run = json_lines(repository.run_in(root, {"runs", "--format", "jsonl"}).out).front();
    return text_of(run, "identity") + boost::json::serialize(run.at("inputs")) + *places_of(checked.out).begin();
  };
  for (const auto& [usual, others] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"docs", {checkout / "docs", elsewhere / "deep", "alias", "alias/", "alias/../docs"}},
           {"docs/a.md", {checkout / "docs/a.md", "alias/a.md", elsewhere / "deep/a.md", checkout / "alias/./a.md"}},
           {"README.md", {checkout / "README.md", elsewhere / "deep/../README.md"}},
           {"docs/*.md", {checkout / "docs/*.md", "alias/*.md", elsewhere / "deep/*.md"}}}) {
    const std::string expected = inputs_of(usual);
    CHECK(holds(expected, usual));
    for (const std::string& other : others) {
      CAPTURE(other);
      CHECK(inputs_of(other) == expected);
    }
  }
  CHECK(repository.check_in(root, {"docs"}).exit_code == 0);
  fs::remove(root / "docs/b.md");
  for (const std::string& gone : {std::string("alias/b.md"), (checkout / "docs/b.md").string()}) {
    const ProgramResult report = repository.run_in(checkout, {"report", "--format", "jsonl", gone});
    CAPTURE(report.err);
    CHECK(places_of(report.out) == std::set<std::string>{"docs/b.md"});
  }
}

TEST_CASE("clones and worktrees that share a store have one identity and one baseline") {
  const Repository repository;
  const TempDir machines;
  const fs::path first = repository.folder.path();
  const fs::path second = machines / "builds/42/clone";
  const fs::path third = machines / "tree";
  fs::create_directories(second.parent_path());
  repository.folder.git({"clone", "-q", first.string(), second.string()});
  repository.folder.git({"worktree", "add", "-q", third.string()});
  const std::string store = machines / "cache/links.store";
  fs::create_directories(machines / "cache");
  for (const auto& [current, input] : std::vector<std::pair<fs::path, std::string>>{
           {first, "docs"}, {second, "docs"}, {third, "docs"}, {second / "docs", "."}, {second, second / "docs"}}) {
    CAPTURE(current);
    const ProgramResult checked = repository.check_in(current, {"--store", store, "--exclude-path", "nowhere/", input});
    CAPTURE(checked.err);
    CHECK(checked.exit_code == 0);
  }
  const auto runs = json_lines(repository.run_in(second, {"runs", "--format", "jsonl", "--store", store}).out);
  REQUIRE(runs.size() == 5);
  // If a pattern for paths is given, the identity of a run includes the folder that paths are relative to.
  for (const std::size_t i : {0U, 2U, 3U, 4U}) CHECK(text_of(runs[i], "identity") == text_of(runs[0], "identity"));
  for (const boost::json::object& run : runs) CHECK(run.at("inputs") == boost::json::parse(R"(["docs"])"));
  const ProgramResult report = repository.run_in(second, {"report", "--format", "jsonl", "--store", store});
  CHECK(places_of(report.out) == std::set<std::string>{"docs/a.md", "docs/b.md"});
  const ProgramResult changes = repository.run_in(third, {"report", "--changes", "--store", store});
  CHECK_FALSE(holds(changes.out, "no earlier complete run"));
}

TEST_CASE("shards checked in clones at other paths merge into one run") {
  const Repository repository;
  const TempDir machines;
  std::vector<std::string> stores;
  for (const std::string part : {"1", "2"}) {
    const fs::path clone = machines / ("machine-" + part + "/a/clone");
    fs::create_directories(clone.parent_path());
    repository.folder.git({"clone", "-q", repository.folder.path().string(), clone.string()});
    stores.push_back(part == "1" ? clone / "deep/part.store" : machines / "cache/part.store");
    fs::create_directories(fs::path(stores.back()).parent_path());
    const ProgramResult checked =
        repository.check_in(clone, {"--shard", part + "/2", "--store", stores.back(), "README.md", "docs"});
    CAPTURE(checked.err);
    CHECK(checked.exit_code == 0);
  }
  const fs::path root = repository.folder.path();
  const ProgramResult merged = repository.run_in(root, {"store", "merge", stores[0], stores[1]});
  CAPTURE(merged.err);
  CHECK(holds(merged.out, "1 run"));
  CHECK(repository.check_in(root, {"README.md", "docs"}).exit_code == 0);
  const auto runs = json_lines(repository.run_in(root, {"runs", "--format", "jsonl"}).out);
  REQUIRE(runs.size() == 2);
  CHECK(text_of(runs[0], "identity") == text_of(runs[1], "identity"));
}

TEST_CASE("without an input the lists of the repository are checked") {
  const Repository repository;
  const fs::path root = repository.folder.path();
  CHECK(repository.check_in(root, {}).exit_code == 0);
  CHECK(repository.check_in(root / "docs", {}).exit_code == 0);
  CHECK(repository.check_in(root, {"."}).exit_code == 0);
  const auto runs = json_lines(repository.run_in(root, {"runs", "--format", "jsonl"}).out);
  REQUIRE(runs.size() == 3);
  CHECK(text_of(runs[0], "identity") == text_of(runs[1], "identity"));
  CHECK(text_of(runs[0], "identity") == text_of(runs[2], "identity"));
}

TEST_CASE("a web list is one input in every spelling") {
  Repository repository;
  repository.internet.host("good.herd").page("/list", html_page("<a href=https://good.herd/a>a</a>"));
  const fs::path root = repository.folder.path();
  for (const char* const url :
       {"https://good.herd/list", "HTTPS://GOOD.herd:443/list#top", "https://good.herd/x/../list"})
    CHECK(repository.check_in(root, {url}).exit_code == 0);
  const auto runs = json_lines(repository.run_in(root, {"runs", "--format", "jsonl"}).out);
  REQUIRE(runs.size() == 3);
  for (const boost::json::object& run : runs) {
    CHECK(text_of(run, "identity") == text_of(runs.front(), "identity"));
    CHECK(run.at("inputs") == boost::json::parse(R"(["https://good.herd/list"])"));
  }
}

TEST_CASE("a report of a file uses the latest run that contains the file") {
  const Repository repository;
  const fs::path root = repository.folder.path();
  CHECK(repository.check_in(root, {"README.md"}).exit_code == 0);
  CHECK(repository.check_in(root, {"docs/b.md"}).exit_code == 0);
  CHECK(repository.check_in(root, {"docs"}).exit_code == 0);
  const auto report_in = [&repository](const fs::path& current, const std::string& input) {
    return repository.run_in(current, {"report", "--format", "jsonl", input});
  };
  CHECK(places_of(report_in(root, "docs").out) == std::set<std::string>{"docs/a.md", "docs/b.md"});
  for (const char* const input : {"docs/a.md", "./docs/a.md", "docs/../docs/a.md"}) {
    CAPTURE(input);
    const ProgramResult report = report_in(root, input);
    CAPTURE(report.err);
    CHECK(report.exit_code == 0);
    CHECK(places_of(report.out) == std::set<std::string>{"docs/a.md"});
    CHECK(json_lines(report.out).size() == 2);
  }
  CHECK(places_of(report_in(root / "docs", "a.md").out) == std::set<std::string>{"a.md"});
  CHECK(places_of(report_in(root / "docs", (root / "docs/a.md").string()).out) == std::set<std::string>{"a.md"});
  CHECK(places_of(report_in(root, "README.md").out) == std::set<std::string>{"README.md"});
  const ProgramResult text = repository.run_in(root, {"report", "docs/b.md"});
  CAPTURE(text.out);
  CHECK(holds(text.out, "Run 3 of "));  // run 2 includes the file as well
  CHECK(holds(text.out, "Only links in docs/b.md."));
  CHECK(holds(text.out, "All links are fine (1)"));
  CHECK(report_in(root, "other.md").exit_code == 1);
  const ProgramResult csv = repository.run_in(root, {"export", "--format", "csv", "docs/a.md"});
  CHECK(holds(csv.out, "https://good.herd/a"));
  CHECK_FALSE(holds(csv.out, "https://good.herd/b,"));
  CHECK(repository.run_in(root, {"report", "--audit", "audit", "docs/a.md"}).exit_code == 3);
}

TEST_CASE("fix works from any folder") {
  Repository repository;
  repository.internet.host("good.herd").page("/a", redirect_page(301, "/new"));
  const fs::path root = repository.folder.path();
  CHECK(repository.check_in(root, {"docs"}).exit_code == 0);
  std::vector<std::string> words = check_arguments(repository.internet, {"."});
  words.front() = "fix";
  const ProgramResult fixed = run_linkherd(root / "docs", words);
  CAPTURE(fixed.err);
  CHECK(fixed.exit_code == 0);
  CHECK(holds(fixed.err, "based on run 1 of "));
  CHECK(read_file(root / "docs/a.md") == "[a](https://good.herd/new) [file](b.md)\n");
}

TEST_CASE("untracked lists of a repository are named unless git ignores them") {
  const Repository repository;
  const fs::path root = repository.folder.path();
  const auto links = [&repository](const fs::path& current, std::vector<std::string> words) {
    words.insert(words.begin(), "links");
    return repository.run_in(current, words);
  };
  CHECK(links(root, {"."}).err.empty());
  repository.folder.write("b.md", "[b](https://good.herd/new)\n");
  CHECK(links(root, {}).err == "linkherd: 1 untracked file skipped: b.md; --no-git reads it\n");
  CHECK(holds(links(root, {"--no-git"}).out, "https://good.herd/new"));
  CHECK(links(root, {"-q"}).err.empty());
  CHECK(links(root, {".", "b.md"}).err.empty());  // the file is read
  CHECK(links(root, {"--exclude-path", "^b"}).err.empty());
  CHECK(links(root, {"docs"}).err.empty());
  CHECK(holds(links(root / "docs", {}).err, "1 untracked file skipped: ../b.md;"));
  CHECK(holds(repository.check_in(root, {"--offline"}).err, "1 untracked file skipped: b.md; --no-git reads it\n"));

  repository.folder.write("docs/c.md", "[c](https://good.herd/c)\n");
  repository.folder.write("docs/d.md", "[d](https://good.herd/d)\n");
  repository.folder.write("docs/new/e.md", "[e](https://good.herd/e)\n");
  repository.folder.write("docs/data.json", "{}\n");
  repository.folder.write(".hidden/f.md", "[f](https://good.herd/f)\n");
  CHECK(links(root, {}).err ==
        "linkherd: 4 untracked files skipped: b.md, docs/c.md, docs/d.md and 1 more; --no-git reads them\n");
  CHECK(links(root / "docs", {"."}).err ==
        "linkherd: 3 untracked files skipped: c.md, d.md, new/e.md; --no-git reads them\n");

  // The only rules are in parent folders, the folder itself and the repository.
  repository.folder.write(".gitignore", ".linkherd/\nb.md\n/docs/c.md\n");
  repository.folder.write("docs/.gitignore", "d.md\n");
  repository.folder.write(".git/info/exclude", "new/\n");
  CHECK(links(root, {}).err.empty());
  CHECK(links(root / "docs", {"."}).err.empty());
  // Another repository is not part of this one.
  repository.folder.write("other/.git/HEAD", "ref: refs/heads/main\n");
  repository.folder.write("other/g.md", "[g](https://good.herd/g)\n");
  CHECK(links(root, {}).err.empty());
}

TEST_CASE("an input instead of a command is checked") {
  const Repository repository;
  const fs::path root = repository.folder.path();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"README.md"},
                                                {"./docs"},
                                                {"docs/*.md"},
                                                {"--format", "text", "README.md"},
                                                {"-o", "report.txt", "README.md"},
                                                {"--", "README.md"}}) {
    CAPTURE(words.front());
    std::vector<std::string> all = words;
    all.insert(all.begin(), {"--offline", "--no-store"});
    const ProgramResult checked = repository.run_in(root, all);
    CAPTURE(checked.err);
    CHECK(checked.exit_code == 0);
    CHECK(holds(last_line(checked.err), "nothing broken"));
  }
  const ProgramResult missing = repository.run_in(root, {"docs/none.md"});
  CHECK(missing.exit_code == 3);
  CHECK(holds(missing.err, "there is no command, file or folder docs/none.md"));
  CHECK(holds(repository.run_in(root, {"chekc"}).err, "did you mean check?"));
  repository.folder.write("links", "");
  CHECK(holds(repository.run_in(root, {"links", "README.md"}).out,
              "https://good.herd/read"));  // a command takes precedence over a file
}

TEST_CASE("a glob instead of a regular expression is refused with the expression to use") {
  const Repository repository;
  const fs::path root = repository.folder.path();
  const auto refusal = [&](const std::vector<std::string>& words) {
    const ProgramResult result = repository.run_in(root, words);
    CHECK(result.exit_code == 3);
    CHECK(result.out.empty());
    return result.err;
  };
  const std::string said = "*.good.herd is a glob, but a regular expression is needed: '\\.good\\.herd'";
  for (const char* const option : {"--exclude", "--include"})
    CHECK(holds(refusal({"check", "--offline", option, "*.good.herd", "README.md"}), said));
  CHECK(holds(refusal({"links", "--exclude-path", "docs/*.md"}), "'docs/[^/]*\\.md'"));
  CHECK(holds(refusal({"check", "--recursive", "--follow", "*.good.herd", "https://good.herd/"}), said));
  CHECK(holds(refusal({"check", "--header-for", "https://*.good.herd X-A: b", "README.md"}),
              "'https://[^/]*\\.good\\.herd'"));
  CHECK(holds(refusal({"check", "--remap", "*.good.herd https://a.herd/", "README.md"}), said));
  CHECK(holds(refusal({"store", "forget", "--pattern", "*.good.herd"}), said));
  CHECK(holds(refusal({"accept", "https://*.good.herd/", "--reason", "known", "--until", "2099-12-31"}),
              "url must be a single address, but https://*.good.herd/ is a glob: use pattern = "
              "'https://[^/]*\\.good\\.herd/'"));
  repository.folder.write("linkherd.toml", "exclude = [\"*.good.herd\"]\n");
  CHECK(holds(refusal({"check", "--offline", "README.md"}), "linkherd.toml:1: "));
  CHECK(holds(refusal({"check", "--offline", "README.md"}), said));
  repository.folder.write("linkherd.toml",
                          "[[accepted]]\npattern = \"*.good.herd\"\nreason = \"known\"\nuntil = 2099-12-31\n");
  CHECK(holds(refusal({"check", "--offline", "README.md"}), "pattern = '\\.good\\.herd'"));
  fs::remove(root / "linkherd.toml");
  repository.folder.write(".linkherdignore", "*.good.herd\n");
  CHECK(holds(refusal({"check", "--offline", "README.md"}), ".linkherdignore:1: " + said));
  repository.folder.write(".linkherdignore",
                          "https://good.herd/*\n");  // the same text as a regular expression would match
  CHECK(repository.run_in(root, {"check", "--offline", "README.md"}).exit_code == 0);
}
