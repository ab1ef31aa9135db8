// Tests `--changed-since`: only the changes of a pull request determine its result, in repositories as git and CI
// services create them.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/git_folder.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

using Words = std::vector<std::string>;

ProgramResult check_offline(const std::filesystem::path& folder, Words words) {
  const Words always{"check", "--offline", "--format", "jsonl"};
  words.insert(words.begin(), always.begin(), always.end());
  return run_linkherd(folder, words);
}

// Returns "FILE:LINE URL HEALTH" for each occurrence in a report, sorted.
Words occurrences(const ProgramResult& result) {
  Words all;
  for (const boost::json::object& line : json_lines(result.out)) {
    for (const boost::json::value& occurrence : line.at("occurrences").as_array()) {
      all.push_back(std::string(occurrence.at("file").as_string()) + ':' +
                    std::to_string(occurrence.at("line").to_number<int>()) + ' ' +
                    std::string(occurrence.at("url").as_string()) + ' ' + std::string(line.at("health").as_string()));
    }
  }
  std::ranges::sort(all);
  return all;
}

// Returns the evidence of each link by its URL as first written.
std::map<std::string, std::string> evidence(const ProgramResult& result) {
  std::map<std::string, std::string> all;
  for (const boost::json::object& line : json_lines(result.out)) {
    const boost::json::array& written = line.at("occurrences").as_array();
    all[std::string(written.at(0).at("url").as_string())] = std::string(line.at("evidence").as_string());
  }
  return all;
}

// `main` has a list with a broken link. `feature` adds two links, one of them to a page that it creates. `main` has
// since received another broken link.
struct Fork : GitFolder {
  Fork() {
    write("list.md", "# List\n\n- [a](a.md)\n- [gone](gone.md)\n\nText.\n\n## More\n\n- [a again](a.md)\n");
    write("a.md", "# A\n");
    commit("base");
    git({"checkout", "-q", "-b", "feature"});
    write("list.md",
          "# List\n\n- [a](a.md)\n- [gone](gone.md)\n- [new](new.md)\n\nText.\n\n## More\n\n- [a again](a.md)\n"
          "- [typing error](nwe.md)\n");
    write("new.md", "# New\n");
    commit("feature");
    git({"checkout", "-q", "main"});
    write("list.md",
          "# List\n\n- [theirs](theirs.md)\n- [a](a.md)\n- [gone](gone.md)\n\nText.\n\n## More\n\n"
          "- [a again](a.md)\n");
    commit("main goes on");
    git({"checkout", "-q", "feature"});
  }
};

const Words of_feature{"list.md:12 nwe.md dead", "list.md:5 new.md alive"};

}  // namespace

TEST_CASE("only lines that the branch changes since the merge base are checked") {
  const Fork fork;
  const ProgramResult result = check_offline(fork.path(), {"--changed-since", "main"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  CHECK(occurrences(result) == of_feature);
  CHECK(holds(last_line(result.err), "1 broken link"));

  const ProgramResult text = run_linkherd(fork.path(), {"check", "--offline", "--changed-since", "main"});
  CHECK(holds(text.out, "Only links that were added, moved or broken since main (merge base " +
                            fork.git({"merge-base", "main", "HEAD"}).substr(0, 7) +
                            "); 2 other links of the changed documents not checked, 1 of them broken before."));

  const ProgramResult preview = run_linkherd(fork.path(), {"links", "--changed-since", "main"});
  CHECK(preview.exit_code == 0);
  CHECK(preview.out == "list.md:5:9: new.md  [relative]\nlist.md:12:18: nwe.md  [relative]\n");
}

TEST_CASE("uncommitted changes count and untracked files count only if named") {
  const Fork fork;
  fork.write("a.md", "# A\n\n[draft](draft.md)\n");
  fork.write("untracked.md", "[u](u.md)\n");
  const ProgramResult result = check_offline(fork.path(), {"--changed-since", "main"});
  Words expected = of_feature;
  expected.insert(expected.begin(), "a.md:3 draft.md dead");
  CHECK(occurrences(result) == expected);
  CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "main", "untracked.md"})) ==
        Words{"untracked.md:1 u.md dead"});
}

TEST_CASE("merges of the base and a detached HEAD do not change what the branch changed") {
  const Fork fork;
  fork.git({"merge", "-q", "--no-edit", "main"});
  const Words merged{"list.md:13 nwe.md dead", "list.md:6 new.md alive"};
  CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "main"})) == merged);
  // CI services check out a pull request as a merge commit without a branch, whose first parent is the base.
  fork.git({"checkout", "-q", "-B", "pull", "main"});
  fork.git({"merge", "-q", "--no-ff", "--no-edit", "feature~1"});
  fork.git({"checkout", "-q", "--detach"});
  CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "main"})) == merged);
  CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "HEAD^1"})) == merged);
  const ProgramResult none = check_offline(fork.path(), {"--changed-since", "HEAD"});
  CHECK(none.exit_code == 0);
  CHECK(none.out.empty());
  CHECK(holds(none.err, "nothing to check: no link was added, moved or broken since HEAD"));
}

TEST_CASE("renames and deletions of a change break links in untouched files") {
  const GitFolder folder;
  folder.write("guide.md", "# Guide\n\nA text that is long enough to be recognised as the same one later.\n");
  folder.write("setup.md", "# Setup\n\n## Linux\n");
  folder.write("api.md", "# API\n\n## Install\n\nText.\n\n## Use\n");
  folder.write("docs/b.md", "# B\n");
  folder.write("docs/a.md", "# A\n\n[b](b.md), [missing](missing.md) and a text of some length for this list too.\n");
  folder.write("pictures/x.png", "PNG");
  folder.write("index.md",
               "[guide](guide.md) [linux](setup.md#linux) [install](api.md#install) [use](api.md#use)\n"
               "[nowhere](nowhere.md) [absent](api.md#absent) [pictures](pictures/)\n");
  folder.commit("base");
  folder.git({"checkout", "-q", "-b", "feature"});
  folder.git({"mv", "guide.md", "handbook.md"});
  folder.git({"rm", "-q", "setup.md", "pictures/x.png"});
  std::filesystem::create_directories(folder / "other");
  folder.git({"mv", "docs/a.md", "other/a.md"});
  folder.write("api.md", "# API\n\n## Installation\n\nText.\n\n## Use\n");
  folder.commit("feature");

  const ProgramResult result = check_offline(folder.path(), {"--changed-since", "main"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  CHECK(evidence(result) ==
        std::map<std::string, std::string>{
            {"guide.md", "broken by this change, which renames guide.md to handbook.md"},
            {"setup.md#linux", "broken by this change, which removes setup.md"},
            {"api.md#install", "broken by this change, which removes the anchor \"install\" from api.md"},
            {"pictures/", "broken by this change, which removes pictures/"},
            {"b.md", "broken by this change, which moves the document from docs/a.md"}});
  for (const boost::json::object& line : json_lines(result.out)) CHECK(line.at("health").as_string() == "dead");
  const ProgramResult annotated =
      run_linkherd(folder.path(), {"check", "--offline", "--changed-since", "main", "--output", "github:-"});
  CHECK(holds(annotated.out, "::error file=index.md,line=1"));
  CHECK(holds(annotated.out, "broken by this change, which renames guide.md to handbook.md"));
}

TEST_CASE("a change adds and removes pages of the own site") {
  const GitFolder folder;
  folder.write("docs/old.md", "# Old\n\nA text.\n");
  folder.write("README.md", "[old](https://own.herd/docs/old/) [gone](https://own.herd/docs/gone/)\n");
  folder.commit("base");
  folder.git({"checkout", "-q", "-b", "feature"});
  folder.git({"rm", "-q", "docs/old.md"});
  folder.write("docs/new.md", "# New\n\n[typo](https://own.herd/docs/nwe/) [other](https://other.herd/docs/new/)\n");
  folder.write("docs/list.md", "[new](http://own.herd/docs/new/#new)\n");
  folder.commit("feature");
  const ProgramResult result =
      check_offline(folder.path(), {"--changed-since", "main", "--site-url", "https://own.herd/docs=docs"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 2);
  CHECK(occurrences(result) ==
        Words{"README.md:1 https://own.herd/docs/old/ dead", "docs/list.md:1 http://own.herd/docs/new/#new alive",
              "docs/new.md:3 https://other.herd/docs/new/ skipped", "docs/new.md:3 https://own.herd/docs/nwe/ dead"});
  CHECK(evidence(result).at("https://own.herd/docs/old/") == "broken by this change, which removes docs/old.md");
  // Without an explicit folder, the folder of the site is searched.
  const ProgramResult found =
      check_offline(folder.path(), {"--changed-since", "main", "--site-url", "https://own.herd"});
  CHECK(evidence(found).at("https://own.herd/docs/old/") == "broken by this change, which removes docs/old.md");
}

TEST_CASE("a partial run fetches only changed links and is not reported by default") {
  SmallInternet internet;
  internet.host("good.herd")
      .page("/old", html_page("<title>Old</title>"))
      .page("/new", html_page("<title>New</title>"));
  const GitFolder folder;
  folder.write("list.md", "- <https://good.herd/old>\n- <https://good.herd/gone>\n");
  folder.write(".gitignore", "/store/\n");
  folder.commit("base");
  const auto check = [&](Words words) {
    words.insert(words.end(), {"--store", "store", "--max-cache-age", "0"});
    return run_linkherd(folder.path(), check_arguments(internet, words));
  };
  CHECK(check({}).exit_code == 2);
  internet.clear_requests();
  folder.git({"checkout", "-q", "-b", "feature"});
  folder.write("list.md", "- <https://good.herd/old>\n- <https://good.herd/new>\n- <https://good.herd/gone>\n");
  const ProgramResult result = check({"--changed-since", "main", "--fail-if-empty", "--format", "jsonl"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(occurrences(result) == Words{"list.md:2 https://good.herd/new alive"});
  CHECK(internet.count("good.herd", "/new") == 1);
  CHECK(internet.count("good.herd", "/old") == 0);
  CHECK(internet.count("good.herd", "/gone") == 0);
  const ProgramResult report = run_linkherd(folder.path(), {"report", "--store", "store", "--format", "jsonl"});
  CHECK(occurrences(report).size() == 2);
  CHECK(holds(run_linkherd(folder.path(), {"runs", "--store", "store"}).out, "only some links of the inputs"));
}

TEST_CASE("a shallow clone gets the command that fetches the missing history") {
  const Fork fork;
  fork.git({"checkout", "-q", "-B", "pull", "main"});
  fork.git({"merge", "-q", "--no-ff", "--no-edit", "feature"});
  const TempDir folder;
  const auto clone = [&](const std::string& depth, const std::string& name) {
    run_git(folder.path(), {"clone", "-q", "--no-single-branch", "--branch", "feature", "--depth", depth,
                            "file://" + fork.path().string(), name});
    return folder / name;
  };
  const std::filesystem::path shallow = clone("1", "shallow");
  for (const char* revision : {"origin/main", "HEAD~1", "0123456789012345678901234567890123456789"}) {
    CAPTURE(revision);
    const ProgramResult refused = check_offline(shallow, {"--changed-since", revision});
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 3);
    CHECK(refused.out.empty());
    CHECK(holds(refused.err, "shallow"));
    CHECK(holds(refused.err, "`fetch-depth: 0` for actions/checkout"));
  }
  run_git(shallow, {"fetch", "-q", "--unshallow"});
  CHECK(occurrences(check_offline(shallow, {"--changed-since", "origin/main"})) == of_feature);

  // Two commits are enough for a merge commit and its first parent.
  const std::filesystem::path pull = clone("2", "pull");
  run_git(pull, {"checkout", "-q", "--detach", "origin/pull"});
  CHECK(occurrences(check_offline(pull, {"--changed-since", "HEAD^1"})) ==
        Words{"list.md:13 nwe.md dead", "list.md:6 new.md alive"});
}

TEST_CASE("an incomparable base is refused with what to do") {
  const Fork fork;
  fork.git({"tag", "picture", fork.git({"rev-parse", "HEAD:a.md"}).substr(0, 40)});
  fork.git({"update-ref", "refs/remotes/origin/stable", "main"});
  fork.git({"checkout", "-q", "--orphan", "apart"});
  fork.commit("another beginning");
  const std::map<std::string, std::string> refused{{"nowhere", "there is no revision nowhere in this repository"},
                                                   {"stable", "but there is origin/stable: use that"},
                                                   {"origin/", "the variable it comes from seems to be empty"},
                                                   {"main..HEAD", "name one revision"},
                                                   {"picture", "picture is not a commit"},
                                                   {"main", "main and HEAD have no commit in common"},
                                                   {"no\x1b[31m such\nname", "there is no revision"}};
  for (const auto& [revision, message] : refused) {
    CAPTURE(revision);
    const ProgramResult result = check_offline(fork.path(), {"--changed-since", revision});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK(result.out.empty());
    CHECK(count_lines(result.err) == 1);
    CHECK(holds(result.err, "--changed-since"));
    CHECK(holds(result.err, message));
    CHECK_FALSE(holds(result.err, "\x1b"));
  }
  CHECK(check_offline(fork.path(), {"--changed-since", "main", "--shard", "1/2"}).exit_code == 3);
  CHECK(run_linkherd(fork.path(), {"links", "--changed-since", "nowhere"}).exit_code == 3);
}

TEST_CASE("folders without a repository or commits are refused with the reason") {
  const TempDir folder;
  folder.write("plain/list.md", "[a](a.md)\n");
  run_git(folder.path(), {"init", "-q", "--bare", "bare"});
  run_git(folder.path(), {"init", "-q", "unborn"});
  folder.write("unborn/list.md", "[a](a.md)\n");
  folder.write("damaged/.git/HEAD", "ref: refs/heads/main\n");
  const std::map<std::string, std::string> refused{{"plain", "the current folder is not in a git repository"},
                                                   {"bare", "is bare"},
                                                   {"unborn", "there is no commit on the current branch yet"},
                                                   {"damaged", "not in a git repository"}};
  for (const auto& [name, message] : refused) {
    CAPTURE(name);
    const ProgramResult result = check_offline(folder / name, {"--changed-since", "HEAD"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    CHECK(holds(result.err, message));
  }
}

TEST_CASE("unusual repositories and inputs are compared") {
  const Fork fork;
  const TempDir folder;
  SUBCASE("a repository of another user is read and runs nothing") {
    if (geteuid() != 0) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(fork.path()))
      REQUIRE(lchown(entry.path().c_str(), 12345, 12345) == 0);
    REQUIRE(lchown(fork.path().c_str(), 12345, 12345) == 0);
    CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "main"})) == of_feature);
  }
  SUBCASE("a worktree") {
    fork.git({"worktree", "add", "-q", "--detach", (folder / "tree").string(), "feature"});
    CHECK(occurrences(check_offline(folder / "tree", {"--changed-since", "main"})) == of_feature);
  }
  SUBCASE("sparse checkouts and a sparse index") {
    fork.write("deep/other.md", "# Other\n\n[x](x.md)\n");
    fork.write("deep/gone.md", "# Gone\n");
    fork.commit("more");
    fork.git({"checkout", "-q", "-b", "pull"});
    fork.git({"rm", "-q", "deep/gone.md"});
    fork.write("a.md", "# A\n\n[o](deep/other.md#no) [d](deep/) [g](deep/gone.md) [n](deep/never.md)\n");
    fork.commit("links");
    for (const Words& how :
         {Words{"set", "--no-cone", "/*", "!/deep/"}, Words{"set", "--cone", "--sparse-index", "x"}}) {
      Words words{"sparse-checkout"};
      words.insert(words.end(), how.begin(), how.end());
      fork.git(words);
      REQUIRE_FALSE(std::filesystem::exists(fork / "deep"));
      const ProgramResult result = check_offline(fork.path(), {"--changed-since", "feature"});
      CAPTURE(result.err);
      CHECK(occurrences(result) == Words{"a.md:3 deep/ alive", "a.md:3 deep/gone.md dead", "a.md:3 deep/never.md dead",
                                         "a.md:3 deep/other.md#no alive"});
      CHECK(evidence(result).at("deep/gone.md") == "broken by this change, which removes deep/gone.md");
      CHECK(evidence(result).at("deep/other.md#no") == "git tracks deep/other.md, but it is not in this working tree");
      CHECK_FALSE(holds(result.err, "passed over"));
    }
  }
  SUBCASE("a submodule") {
    run_git(folder.path(), {"init", "-q", "library"});
    folder.write("library/list.md", "[x](x.md)\n");
    run_git(folder / "library", {"add", "-A"});
    run_git(folder / "library", {"commit", "-q", "-m", "library"});
    fork.git({"submodule", "add", "-q", (folder / "library").string(), "library"});
    fork.write("a.md", "# A\n\n[in it](library/list.md)\n");
    fork.commit("with a library");
    Words expected = of_feature;
    expected.insert(expected.begin(), "a.md:3 library/list.md alive");
    CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "main"})) == expected);
    // A new commit of the submodule changes no list. A submodule that is not checked out is not a failure.
    run_git(fork / "library", {"commit", "-q", "--allow-empty", "-m", "more"});
    fork.commit("another library");
    CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "HEAD^1"})).empty());
    fork.git({"submodule", "deinit", "-q", "--force", "library"});
    expected.front() = "a.md:3 library/list.md skipped";
    const ProgramResult without = check_offline(fork.path(), {"--changed-since", "main"});
    CHECK(occurrences(without) == expected);
    CHECK(holds(evidence(without).at("library/list.md"), "in a submodule that is not checked out"));
  }
  SUBCASE("lists outside git are skipped") {
    folder.write("elsewhere.md", "[x](x.md)\n");
    const ProgramResult result =
        check_offline(fork.path(), {"--changed-since", "main", "list.md", (folder / "elsewhere.md").string()});
    CHECK(occurrences(result) == of_feature);
    CHECK(holds(result.err, "elsewhere.md: it has no earlier version in git"));
  }
  SUBCASE("line ends and encodings are not changes") {
    fork.git({"checkout", "-q", "-b", "ends"});
    std::string text = read_file(fork / "list.md");
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) text.insert(at, "\r");
    fork.write("list.md", "\xEF\xBB\xBF" + text);
    CHECK(occurrences(check_offline(fork.path(), {"--changed-since", "feature"})).empty());
  }
  SUBCASE("a folder below the root as current folder") {
    std::filesystem::create_directories(fork / "below");
    const ProgramResult result = check_offline(fork / "below", {"--changed-since", "main"});
    CHECK(occurrences(result).size() == of_feature.size());
  }
}
