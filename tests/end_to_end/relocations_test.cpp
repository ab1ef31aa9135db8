// Tests new addresses of dead pages: `check --relocate` finds them, reports name them, and `fix --relocate` writes
// them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/made_pages.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::string old_page = "https://docs.good.herd/2014/05/kerning.html";
const std::string new_page = "https://docs.good.herd/library/kerning";

// A list with a page that moves after the first check.
struct MovedSite {
  TempDir folder;
  SmallInternet internet;

  explicit MovedSite(const std::string& list = "- [Kerning for binders](" + old_page + "#pairs)\n") {
    folder.write("list.md", list);
    site().page("/2014/05/kerning.html", made_article("Kerning for binders", 1));
    site().page("/", html_page("<title>Bindery</title><a href=/about>About</a>"));
  }
  HostScript& site() { return internet.host("docs.good.herd"); }
  void move() {
    site().page("/2014/05/kerning.html", status_page(404));
    site().page("/library/kerning", made_article("Kerning for binders", 1, "<a href=/library/ligatures>Ligatures</a>"));
    site().page("/library/ligatures", made_article("Ligatures for binders", 2));
    site().page("/sitemap.xml", sitemap_page({"https://docs.good.herd/library/ligatures", new_page}));
  }
  ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", "store", "list.md"});
    return run_linkherd(folder.path(), words);
  }
  ProgramResult check(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--max-cache-age", "0", "--store", "store", "list.md"});
    return run_linkherd(folder.path(), check_arguments(internet, words));
  }
};

}  // namespace

TEST_CASE("check --relocate names the new address, and fix --relocate writes it") {
  MovedSite sites;
  CHECK(sites.check().exit_code == 0);
  sites.move();
  const ProgramResult found = sites.check({"--relocate"});
  CAPTURE(found.out);
  CAPTURE(found.err);
  CHECK(found.exit_code == 2);
  CHECK(holds(found.out,
              "moved to docs.good.herd/library/kerning: same title, 100 % of the text; found in the "
              "site's sitemap"));

  const ProgramResult json = sites.run({"report", "--format", "jsonl"});
  const std::vector<boost::json::object> lines = json_lines(json.out);
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].at("relocated").is_object());
  const boost::json::object& relocated = lines[0].at("relocated").as_object();
  CHECK(relocated.at("url").as_string() == new_page);
  CHECK(relocated.at("level").as_string() == "sure");
  CHECK(relocated.at("source").as_string() == "sitemap");
  CHECK(relocated.at("similarity").to_number<double>() > 0.9);
  const ProgramResult sarif = sites.run({"report", "--format", "sarif"});
  CHECK(holds(sarif.out, "\"insertedContent\""));
  CHECK(holds(sarif.out, new_page + "#pairs"));

  sites.folder.write("my.toml", "relocate = true\n");  // a setting of `check`
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"fix", "--dry-run"}, {"fix", "--dry-run", "--config", "my.toml"}}) {
    const ProgramResult unchanged = sites.run(words);
    CHECK_FALSE(holds(unchanged.out, new_page));
  }
  const ProgramResult shown = sites.run({"fix", "--dry-run", "--relocate"});
  CAPTURE(shown.out);
  CHECK(shown.exit_code == 2);
  CHECK(holds(shown.out, "+- [Kerning for binders](" + new_page + "#pairs)\n"));
  CHECK(read_file(sites.folder / "list.md") == "- [Kerning for binders](" + old_page + "#pairs)\n");
  CHECK(sites.run({"fix", "--relocate"}).exit_code == 0);
  CHECK(read_file(sites.folder / "list.md") == "- [Kerning for binders](" + new_page + "#pairs)\n");
  CHECK(sites.check().exit_code == 0);
  CHECK_FALSE(holds(sites.run({"fix", "--dry-run", "--relocate"}).out, "+- ["));
}

TEST_CASE("a probable new address is written only if it is asked for") {
  MovedSite sites;
  sites.check();
  sites.move();
  // The new page has the same title, and two thirds of the text.
  std::string text = made_text(1);
  text.resize(text.size() * 7 / 10);
  text += made_text(9).substr(0, 300);
  sites.site().page("/library/kerning",
                    made_article("Kerning for binders", text, "<a href=/library/ligatures>Ligatures</a>"));
  const ProgramResult found = sites.check({"--relocate"});
  CAPTURE(found.out);
  CHECK(holds(found.out, "probably moved to docs.good.herd/library/kerning: same title, "));
  CHECK_FALSE(holds(sites.run({"fix", "--dry-run", "--relocate"}).out, new_page));
  CHECK(holds(sites.run({"fix", "--dry-run", "--relocate=probably"}).out, new_page));
  CHECK(sites.run({"fix", "--relocate=possibly"}).exit_code == 3);
}

TEST_CASE("a page that was never seen alive is not written") {
  MovedSite sites;
  sites.move();
  const ProgramResult checked =
      run_linkherd(sites.folder.path(),
                   check_arguments(sites.internet, {"--relocate", "--no-store", "--format", "jsonl", "list.md"}));
  const std::vector<boost::json::object> lines = json_lines(checked.out);
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].at("relocated").is_object());
  CHECK(lines[0].at("relocated").at("level").as_string() == "possibly");
  const ProgramResult fixed = run_linkherd(sites.folder.path(), [&] {
    std::vector<std::string> words = check_arguments(sites.internet, {"--relocate", "--store", "new", "list.md"});
    words[0] = "fix";
    return words;
  }());
  CAPTURE(fixed.out);
  CAPTURE(fixed.err);
  CHECK(fixed.exit_code == 2);  // the link stays broken
  CHECK(read_file(sites.folder / "list.md") == "- [Kerning for binders](" + old_page + "#pairs)\n");
}

TEST_CASE("fix --relocate says that links were not searched") {
  MovedSite sites;
  sites.check();
  sites.move();
  sites.check();
  const ProgramResult result = sites.run({"fix", "--dry-run", "--relocate"});
  CHECK(holds(result.err, "1 not searched for a new address: run `linkherd check --relocate`"));
  CHECK(sites.internet.count("docs.good.herd", "/sitemap.xml") == 0);
}

TEST_CASE("a site that answers every address with the old text is not believed") {
  MovedSite sites;
  sites.check();
  sites.site().page("/2014/05/kerning.html", status_page(404));
  sites.site().page("/sitemap.xml", sitemap_page({new_page, "https://docs.good.herd/library/ligatures"}));
  sites.site().handler([](const ReceivedRequest& request) {
    if (request.target == "/robots.txt") return status_page(404);
    return made_article("Kerning for binders", 1, "<a href=/library/other>Other</a>");
  });
  const ProgramResult found = sites.check({"--relocate", "--format", "jsonl"});
  const std::vector<boost::json::object> lines = json_lines(found.out);
  REQUIRE(lines.size() == 1);
  CHECK(sites.internet.count("docs.good.herd", "/library/kerning") == 1);  // it was considered
  const boost::json::value& relocated = lines[0].at("relocated");
  CHECK((relocated.is_null() || relocated.at("level").as_string() != "sure"));
  CHECK_FALSE(holds(sites.run({"fix", "--dry-run", "--relocate"}).out, "+- ["));
}

TEST_CASE("a search obeys the limits of size and time") {
  MovedSite sites;
  sites.check();
  sites.move();
  Page endless = html_page("<url><loc>https://docs.good.herd/library/kerning-pairs</loc></url>", "application/xml");
  endless.delivery = Delivery::endless;
  sites.site().page("/sitemap.xml", endless);
  Page silent = html_page("x");
  silent.delivery = Delivery::silence;
  sites.site().page("/library/kerning-pairs", silent);
  const ProgramResult found = sites.check({"--relocate", "--max-body", "1MiB", "--timeout", "2s"});
  CAPTURE(found.out);
  CAPTURE(found.err);
  CHECK(found.exit_code == 2);
  CHECK(sites.internet.requests("docs.good.herd").size() < 20);
}

TEST_CASE("the archive has the text of a page that was never seen, and the redirect that it had") {
  TempDir folder;
  SmallInternet internet;
  const std::string gone = "https://blog.herd.com/post?id=7";
  folder.write("list.md", "- [A post about glue](" + gone + ")\n");
  internet.host("blog.herd.com")
      .page("/articles/glue", made_article("A post about glue", 3, "<a href=/articles/paper>Paper</a>"))
      .page("/articles/paper", made_article("A post about paper", 4));
  internet.host("archive.herd").handler([&gone](const ReceivedRequest& request) {
    const auto starts = [&request](std::string_view begin) { return request.target.starts_with(begin); };
    if (starts("/cdx/search/cdx?url=https%3A%2F%2Fblog.herd.com%2Fpost%3Fid%3D7&"))
      return html_page(R"([["timestamp","statuscode","original"],["20190306071500","200",")" + gone +
                           R"("],["20210306071500","301",")" + gone + R"("]])",
                       "application/json");
    if (starts("/web/20190306071500id_/" + gone)) return made_article("A post about glue", 3);
    if (starts("/web/20210306071500id_/" + gone))
      return redirect_page(302, "https://archive.herd/web/20210306071500id_/https://blog.herd.com/articles/glue");
    return status_page(404);
  });
  const auto check = [&](const std::string& archive) {
    return run_linkherd(folder.path(), check_arguments(internet, {"--relocate", "--archive-url", archive, "--no-store",
                                                                  "--timeout", "5s", "--format", "jsonl", "list.md"}));
  };
  const ProgramResult found = check("https://archive.herd");
  CAPTURE(found.out);
  CAPTURE(found.err);
  std::vector<boost::json::object> lines = json_lines(found.out);
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].at("relocated").is_object());
  const boost::json::object& relocated = lines[0].at("relocated").as_object();
  CHECK(relocated.at("url").as_string() == "https://blog.herd.com/articles/glue");
  CHECK(relocated.at("level").as_string() == "sure");
  CHECK(relocated.at("source").as_string() == "archive");
  CHECK(lines[0].at("archived_copy").is_null());  // nobody asked for it

  Page silence;
  silence.delivery = Delivery::silence;
  internet.host("silent.herd").default_page(silence);
  const ProgramResult silent = check("https://silent.herd");
  CAPTURE(silent.err);
  lines = json_lines(silent.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("relocated").is_null());
}
