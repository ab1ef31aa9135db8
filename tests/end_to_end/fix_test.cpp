// Tests `linkherd fix`: it rewrites lists with the results of a check, and only if the fix is certain.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "storage/link_writer.h"
#include "storage/run_results.h"
#include "storage/store.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/git_folder.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace storage = linkherd::storage;

namespace {

namespace fs = std::filesystem;

std::string titled(const std::string& title) { return "<title>" + title + "</title><h1>" + title + "</h1><p>Text."; }

// A repository of lists, and the sites of their links.
struct Lists {
  GitFolder folder;
  SmallInternet internet;

  Lists() {
    HostScript& site = internet.host("site.herd");
    site.page("/new", html_page(titled("The new page")));
    site.page("/old", redirect_page(301, "/new"));
    site.page("/moved(1)", redirect_page(308, "/a(b"));
    site.page("/a(b", html_page(titled("Brackets")));
    site.page("/gone-home", redirect_page(301, "/"));
    site.page("/for-now", redirect_page(302, "/new"));
    site.page("/members", redirect_page(301, "/login?next=/members"));
    site.page("/login?next=/members", html_page(titled("Members")));
    site.page("/page?utm_source=x&id=7", html_page(titled("A page")));
    site.page("/q", redirect_page(301, "/new?a=1&copy=2"));
    site.page("/new?a=1&copy=2", html_page(titled("With a query")));
    site.page("/", html_page(titled("Home")));
    internet.host("plain-host.com").default_page(html_page(titled("A plain host")));
    internet.host("link.zhihu.com").default_page(html_page(titled("Leaving")));
    internet.host("secure.herd").handler([](const ReceivedRequest& request) {
      if (request.tls) return html_page(titled("Secure"));
      return redirect_page(302, "https://secure.herd" + request.target);
    });
    folder.write(".gitignore", "store/\n");
  }
  ProgramResult fix(std::vector<std::string> words = {}) const {
    std::vector<std::string> all = check_arguments(internet, {});
    all.front() = "fix";
    all.insert(all.end(), {"--store", "store"});
    all.insert(all.end(), words.begin(), words.end());
    return run_linkherd(folder.path(), all);
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_linkherd(folder.path(), words); }
  ProgramResult check(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--store", "store"});
    return run_linkherd(folder.path(), check_arguments(internet, words));
  }
};

// Stores the result of a search for the new address of a dead link of the latest run.
void relocate(const fs::path& folder, const std::string& url, const std::string& to, storage::RelocationLevel level) {
  const auto store = storage::Store::open(folder);
  const storage::Run run = store->latest_run().value();
  std::vector<storage::CheckedLink> found;
  storage::RunResults(*store, run).for_each_link([&](const storage::CheckedLink& link) {
    if (link.state.url == url) found.push_back(link);
    return true;
  });
  REQUIRE(found.size() == 1);
  found[0].state.relocation = storage::Relocation{.url = to,
                                                  .level = level,
                                                  .source = storage::RelocationSource::sitemap,
                                                  .similarity = 0.97,
                                                  .evidence = "same title",
                                                  .searched_at = found[0].state.snapshot.fetched_at};
  storage::put_link(*store, run, found[0], {});
  store->publish();
}

}  // namespace

TEST_CASE("a target without scheme is a file and its https address is written on request if it answers") {
  Lists lists;
  const std::string text =
      "- [file](README.org#usage)\n- [template](config.h.in)\n- [host](plain-host.com/new?a=1#part)\n"
      "- [no host](no-such-host.com/x)\n- [port](plain-host.com:8443/x)\n";
  lists.folder.write("list.md", text);
  lists.folder.write("README.org", "* Usage\n");
  lists.folder.write("config.h.in", "x");
  lists.folder.commit("lists");

  const ProgramResult offline = lists.check({"--offline", "list.md", "--format", "jsonl"});
  CAPTURE(offline.out);
  CHECK(offline.exit_code == 2);
  CHECK(offline.out.find("did you mean https://plain-host.com/new?a=1#part?") != std::string::npos);
  CHECK(offline.out.find("readme.org") == std::string::npos);
  const ProgramResult checked = lists.check({"list.md"});
  CHECK(checked.out.find("did you mean https://no-such-host.com/x?") != std::string::npos);
  for (const ReceivedRequest& request : lists.internet.requests())
    CHECK(request.target.find("new") == std::string::npos);

  CHECK(lists.fix({"list.md", "--only", "redirects"}).exit_code == 2);
  CHECK(lists.fix({"list.md", "--only", "schemes", "--offline"}).exit_code == 2);
  CHECK(read_file(lists.folder / "list.md").find("](plain-host.com/new?a=1#part)") != std::string::npos);
  const ProgramResult fixed = lists.fix({"list.md", "--only", "schemes"});
  CAPTURE(fixed.out);
  CAPTURE(fixed.err);
  CHECK(fixed.exit_code == 2);  // only no-such-host.com remains
  const std::string now = read_file(lists.folder / "list.md");
  CHECK(
      now.starts_with("- [file](README.org#usage)\n- [template](config.h.in)\n"
                      "- [host](https://plain-host.com/new?a=1#part)\n- [no host](no-such-host.com/x)\n"));
}

TEST_CASE("fix rewrites permanently moved links in place and leaves uncertain ones") {
  Lists lists;
  const std::string unsure =
      "- [home](https://site.herd/gone-home)\n- [now](https://site.herd/for-now)\n- [in](https://site.herd/members)\n";
  lists.folder.write(
      "list.md",
      "# Links\r\n\r\n- [old](https://site.herd/old#part) text\r\n- [brackets](<https://site.herd/moved(1)>)\r\n"
      "- [utm](https://site.herd/page?utm_source=x&id=7)\r\n- <http://secure.herd/x>\r\n"
      "- [zhihu](https://link.zhihu.com/?target=https%3A%2F%2Fsite.herd%2Fold)\r\n"
      "- [place](#lniks)\r\n- [q](https://site.herd/q) <!-- x -->\r\n" +
          unsure);
  lists.folder.write("page.html",
                     "\xEF\xBB\xBF<p><a href='https://site.herd/new'>x</a> <a href=\"https://site.herd/q\">q</a>");
  lists.folder.write(
      "gbk.txt", "\xD6\xD0\xCE\xC4\xC1\xB4\xBD\xD3\xC1\xD0\xB1\xED https://site.herd/old \xCA\xC7\xBE\xC9\xB5\xC4\n");
  lists.folder.commit("lists");
  const std::string before = read_file(lists.folder / "list.md");

  const ProgramResult planned = lists.fix({"--dry-run"});
  CAPTURE(planned.out);
  CAPTURE(planned.err);
  CHECK(planned.exit_code == 2);
  CHECK(read_file(lists.folder / "list.md") == before);
  const TempDir elsewhere;
  const fs::path diff = elsewhere.write("fix.diff", planned.out);
  CHECK_NOTHROW(lists.folder.git({"apply", "--check", diff.string()}));
  fs::permissions(lists.folder / "list.md", fs::perms(0640));

  lists.internet.clear_requests();
  const ProgramResult done = lists.fix();
  CAPTURE(done.out);
  CAPTURE(done.err);
  CHECK(done.exit_code == 0);
  CHECK(lists.internet.requests().empty());
  CHECK(read_file(lists.folder / "list.md") ==
        "# Links\r\n\r\n- [old](https://site.herd/new#part) text\r\n- [brackets](<https://site.herd/a(b>)\r\n"
        "- [utm](https://site.herd/page?id=7)\r\n- <https://secure.herd/x>\r\n"
        "- [zhihu](https://site.herd/new)\r\n"
        "- [place](#links)\r\n"
        "- [q](https://site.herd/new?a=1&copy=2) <!-- x -->\r\n" +
            unsure);
  CHECK(read_file(lists.folder / "page.html") ==
        "\xEF\xBB\xBF<p><a href='https://site.herd/new'>x</a> <a href=\"https://site.herd/new?a=1&amp;copy=2\">q</a>");
  CHECK(read_file(lists.folder / "gbk.txt") ==
        "\xD6\xD0\xCE\xC4\xC1\xB4\xBD\xD3\xC1\xD0\xB1\xED https://site.herd/new \xCA\xC7\xBE\xC9\xB5\xC4\n");
  CHECK(fs::status(lists.folder / "list.md").permissions() == fs::perms(0640));
  // The diff contains the same changes.
  const std::string fixed = lists.folder.git({"diff"});
  lists.folder.git({"checkout", "-q", "--", "."});
  lists.folder.git({"apply", diff.string()});
  CHECK(lists.folder.git({"diff"}) == fixed);

  const ProgramResult again = lists.fix();
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
  CHECK(again.out.empty());
  CHECK(lists.folder.git({"diff"}) == fixed);
}

TEST_CASE("fix leaves and reports links that it cannot write") {
  Lists lists;
  const std::string list = "[old](https://site.herd/old)\n";
  for (const char* const name : {"changed.md", "read_only.md", "gone.md", "fine.md", "# heading.md"})
    lists.folder.write(name, list);
  lists.folder.write("heading.md", "# https://site.herd/old\n\n" + list);
  const TempDir elsewhere;
  const fs::path outside = elsewhere.write("outside.md", list);
  fs::create_symlink(outside, lists.folder / "outside.md");
  lists.folder.write("docs/real.md", list);
  fs::create_symlink("docs/real.md", lists.folder / "inside.md");
  const std::vector<std::string> inputs{"changed.md", "read_only.md", "# heading.md", "fine.md",
                                        "heading.md", "outside.md",   "inside.md"};
  CHECK(lists.check(inputs).exit_code == 0);
  const std::string longer = "[new](https://site.herd/new)\n" + list;
  lists.folder.write("changed.md", longer);
  fs::permissions(lists.folder / "read_only.md", fs::perms(0444));

  const ProgramResult done = lists.fix(inputs);
  CAPTURE(done.out);
  CAPTURE(done.err);
  CHECK(done.exit_code == 2);
  const std::string fixed = "[old](https://site.herd/new)\n";
  CHECK(read_file(lists.folder / "changed.md") == longer);
  CHECK(holds(done.err, "changed.md was not changed: its links have changed since they were checked"));
  CHECK(read_file(lists.folder / "read_only.md") == list);
  CHECK(holds(done.err, "read_only.md was not changed: it is not writable"));
  CHECK(read_file(outside) == list);
  CHECK(holds(done.err, "outside.md was not changed: it is a symbolic link that points outside"));
  CHECK(fs::is_symlink(lists.folder / "inside.md"));
  CHECK(read_file(lists.folder / "docs/real.md") == fixed);
  CHECK(read_file(lists.folder / "fine.md") == fixed);
  CHECK(read_file(lists.folder / "# heading.md") == fixed);
  CHECK(read_file(lists.folder / "heading.md") == "# https://site.herd/old\n\n" + fixed);
  CHECK(holds(done.err, "heading.md:1:3: redirects: https://site.herd/old -> https://site.herd/new: not changed"));
  CHECK(holds(last_line(done.err), "4 links changed in 4 files, 4 changes that could not be written"));

  fs::remove(lists.folder / "fine.md");
  CHECK(lists.fix(inputs).exit_code == 1);
  CHECK(lists.fix({"-"}).exit_code == 3);
  CHECK(lists.fix({"https://site.herd/old"}).exit_code == 3);
  CHECK(lists.fix({"--only", "everything"}).exit_code == 3);
}

TEST_CASE("fix writes archived copies and titles on request") {
  Lists lists;
  lists.internet.host("gone-host.com");
  const std::string copy = "https://archive.herd/web/20190306071500/https://gone-host.com/none";
  lists.internet.host("archive.herd")
      .default_page(html_page(R"({"archived_snapshots":{"closest":{"status":"200","available":true,"url":")" + copy +
                                  R"(","timestamp":"20190306071500"}}})",
                              "application/json"));
  const std::string list =
      "- [none](https://gone-host.com/none)\n- [*new*](https://site.herd/new)\n- [q](https://site.herd/q)\n";
  lists.folder.write("list.md", list);
  const std::vector<std::string> archive{"--archive-url", "https://archive.herd/", "list.md"};
  const auto with = [&archive](std::vector<std::string> words) {
    words.insert(words.end(), archive.begin(), archive.end());
    return words;
  };
  CHECK(lists.fix(with({"--only", "tracking"})).exit_code == 2);
  CHECK(read_file(lists.folder / "list.md") == list);
  const ProgramResult unasked = lists.fix(with({"--only", "archived"}));
  CHECK(unasked.exit_code == 2);
  CHECK(holds(unasked.err, "not looked up in an archive"));
  const ProgramResult done = lists.fix(with({"--no-store", "--archived", "--titles"}));
  CAPTURE(done.err);
  CHECK(done.exit_code == 0);
  CHECK(read_file(lists.folder / "list.md") ==
        "- [none](" + copy +
            ")\n- [*new*](https://site.herd/new)\n- [With a query](https://site.herd/new?a=1&copy=2)\n");
}

TEST_CASE("fix writes new addresses of dead pages on request") {
  Lists lists;
  lists.internet.host("gone-host.com").page("/", html_page(titled("Home")));
  const std::string list =
      "- [sure](https://gone-host.com/sure#part)\n- <https://gone-host.com/probable>\n"
      "- [newer](https://gone-host.com/newer)\n- [never searched](https://gone-host.com/other)\n";
  const std::string page = "\xEF\xBB\xBF<a href='https://gone-host.com/sure'>x</a>\r\n";
  lists.folder.write("list.md", list);
  lists.folder.write("page.html", page);
  lists.folder.commit("lists");
  REQUIRE(lists.check({"."}).exit_code == 2);

  const ProgramResult unsearched = lists.fix({"--relocate", "."});
  CHECK(unsearched.exit_code == 2);
  CHECK(holds(unsearched.err, "4 not searched for a new address: run `linkherd check --relocate`"));
  CHECK(read_file(lists.folder / "list.md") == list);

  relocate(lists.folder / "store", "https://gone-host.com/sure", "https://site.herd/new?a=1&copy=2",
           storage::RelocationLevel::sure);
  relocate(lists.folder / "store", "https://gone-host.com/probable", "https://site.herd/new",
           storage::RelocationLevel::probably);
  relocate(lists.folder / "store", "https://gone-host.com/newer", "https://site.herd/new",
           storage::RelocationLevel::newer);
  CHECK(lists.fix({"--dry-run", "."}).out.empty());
  const ProgramResult planned = lists.fix({"--dry-run", "--relocate", "."});
  CAPTURE(planned.out);
  CAPTURE(planned.err);
  CHECK(planned.exit_code == 2);
  CHECK(holds(planned.out, "+- [sure](https://site.herd/new?a=1&copy=2#part)"));
  CHECK_FALSE(holds(planned.out, "+- <https://site.herd/new>"));
  CHECK(holds(planned.err, "1 not searched for a new address"));
  CHECK(holds(lists.fix({"--dry-run", "--relocate=probably", "."}).out, "+- <https://site.herd/new>"));
  CHECK(read_file(lists.folder / "list.md") == list);

  const ProgramResult done = lists.fix({"--only", "relocated", "."});
  CAPTURE(done.out);
  CHECK(done.exit_code == 2);
  CHECK(holds(done.out, "list.md:1:10: relocated: https://gone-host.com/sure#part -> "));
  CHECK(read_file(lists.folder / "list.md") ==
        "- [sure](https://site.herd/new?a=1&copy=2#part)\n" + list.substr(list.find("- <")));
  CHECK(read_file(lists.folder / "page.html") ==
        "\xEF\xBB\xBF<a href='https://site.herd/new?a=1&amp;copy=2'>x</a>\r\n");
  const std::string fixed = read_file(lists.folder / "list.md");
  lists.fix({"--relocate=probably", "."});
  CHECK(read_file(lists.folder / "list.md") == fixed);  // the links changed since they were checked

  const ProgramResult report = lists.run({"report", "--store", "store", "--section", "dead"});
  CHECK(holds(report.out, "moved to site.herd/new?a=1&copy=2: same title; found in the site's sitemap"));
  const ProgramResult history = lists.run({"history", "--store", "store", "https://gone-host.com/newer"});
  CHECK(holds(history.out, "newer version at site.herd/new: same title; found in the site's sitemap"));
  for (const char* const bad : {"--relocate=possibly", "--relocate=newer", "--relocate=x"})
    CHECK(lists.fix({bad, "."}).exit_code == 3);
}

TEST_CASE("fix corrects misspelled anchors of pages and of the own site") {
  Lists lists;
  lists.internet.host("site.herd")
      .page("/guide", html_page("<title>Guide</title><h1 id=install>Install</h1><h2 id=usage>Usage</h2><p>Text."));
  lists.folder.write("site/index.html", "<h1 id=begin>Begin</h1>");
  lists.folder.write("list.md", "[a](https://site.herd/guide#instal) [b](https://own.herd/#begn)\n");
  lists.folder.commit("lists");
  const ProgramResult done = lists.fix({"--include-fragments=web", "--site-url", "https://own.herd=site", "list.md"});
  CAPTURE(done.out);
  CAPTURE(done.err);
  CHECK(done.exit_code == 0);
  CHECK(read_file(lists.folder / "list.md") == "[a](https://site.herd/guide#install) [b](https://own.herd/#begin)\n");
}

TEST_CASE("the diff of a dry run applies whatever bytes the file names have") {
  Lists lists;
  const std::string list = "[old](https://site.herd/old)\n";
  const std::vector<std::string> names{"plain.md",        "with space.md", "b\xFF\xFE.md",   "tab\there.md",
                                       "line\nend.md",    "quo\"te.md",    "back\\slash.md", "\x01\x7F.md",
                                       "\xE4\xB8\xAD.md", "'$(x)'.md",     " lead.md",       "docs/\xC3\x28.md"};
  for (const std::string& name : names) lists.folder.write(name, list);
  // Git changes the target of a symbolic link, not the link itself.
  fs::create_symlink("docs", lists.folder / "linked");
  lists.folder.commit("lists");
  for (const std::string& inputs : {std::string("."), std::string("linked/\xC3\x28.md")}) {
    const ProgramResult planned = lists.fix({"--dry-run", "--", inputs});
    CAPTURE(planned.err);
    CAPTURE(planned.out);
    CHECK(planned.exit_code == 2);
    const TempDir elsewhere;
    const fs::path diff = elsewhere.write("fix.diff", planned.out);
    CHECK_NOTHROW(lists.folder.git({"apply", diff.string()}));
    for (const std::string& name : names) {
      CAPTURE(name);
      const bool is_changed = inputs == "." || name.starts_with("docs/");
      CHECK((read_file(lists.folder / name) == "[old](https://site.herd/new)\n") == is_changed);
    }
    lists.folder.git({"checkout", "-q", "--", "."});
  }
  // Git does not change files outside of the current folder, and rejects the whole diff.
  std::vector<std::string> words = check_arguments(lists.internet, {});
  words.front() = "fix";
  words.insert(words.end(), {"--store", "../store", "--dry-run", "..", "."});
  const ProgramResult inside = run_linkherd(lists.folder / "docs", words);
  CAPTURE(inside.err);
  CHECK(holds(inside.err, "../plain.md was not changed: it is outside the current folder"));
  const TempDir elsewhere;
  CHECK_NOTHROW(run_git(lists.folder / "docs", {"apply", elsewhere.write("fix.diff", inside.out).string()}));
  CHECK(read_file(lists.folder / "docs/\xC3\x28.md") == "[old](https://site.herd/new)\n");
}

TEST_CASE("fix without a run checks first and does not replace the reported run") {
  Lists lists;
  lists.folder.write("list.md", "[old](https://site.herd/old)\n");
  const ProgramResult planned = lists.fix({"--dry-run", "list.md"});
  CAPTURE(planned.err);
  CHECK(planned.exit_code == 2);
  CHECK(holds(planned.err, "linkherd: no run yet: checking first\n"));
  CHECK(holds(run_linkherd(lists.folder.path(), {"runs", "--store", "store"}).out, "only some links of the inputs"));
  CHECK(run_linkherd(lists.folder.path(), {"report", "--store", "store"}).exit_code ==
        1);  // the store has no complete run
  // The same command uses the incomplete run.
  const ProgramResult done = lists.fix({"list.md"});
  CHECK(done.exit_code == 0);
  CHECK(holds(done.err, "based on run 1 of "));
  CHECK_FALSE(holds(done.err, "checking first"));
  // After a complete check, the fixes are based on a complete run.
  CHECK(lists.check({"list.md"}).exit_code == 0);
  CHECK(holds(lists.fix({"list.md"}).err, "based on run 2 of "));
  CHECK(run_linkherd(lists.folder.path(), {"report", "--store", "store"}).exit_code == 0);
  CHECK_FALSE(holds(lists.fix({"--offline", "list.md"}).err, "checking first"));
}
