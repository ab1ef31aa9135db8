#include "crawler/sources/local_links.h"

#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "parser/lists/extract_links.h"
#include "tests/crawler/sources/test_folder.h"

using namespace linkherd;
using namespace linkherd::crawler;
namespace fs = std::filesystem;

namespace {

InputDocument list_at(const std::string& file, std::string text = "# My List\n") {
  InputDocument list;
  list.file = file;
  list.text = std::move(text);
  list.format = parser::DocumentFormat::markdown;
  list.path = file;
  return list;
}

struct LocalVerdict {
  storage::Verdict verdict;
  std::string name;
};

LocalVerdict evaluate(LocalLinks& links, const InputDocument& list, const parser::Url& target,
                      const std::string& written) {
  DocumentContext context = links.context_of(list);
  context.has_base_element = list.text.find("<base") != std::string::npos;
  links.keep_anchors(context, list.format,
                     parser::AnchorSet(parser::find_anchors(list.text, list.format), list.format));
  const LocalLink link = links.look_up(context, target, written);
  return {links.evaluate(link), link.name()};
}
LocalVerdict evaluate(LocalLinks& links, const InputDocument& list, const std::string& written) {
  const auto base = LocalLinks::base_of(list);
  REQUIRE(base.has_value());
  return evaluate(links, list, parser::Url::parse(written, *base).value(), written);
}

// "alive ok", "dead file_not_found".
std::string evaluated(LocalLinks& links, const InputDocument& list, const std::string& written) {
  const LocalVerdict local = evaluate(links, list, written);
  return std::string(enum_name(storage::health_names, local.verdict.health)) + " " + local.verdict.reason;
}

}  // namespace

TEST_CASE("a linked file either exists or not") {
  const TestFolder folder;
  folder.write("docs/list.md");
  folder.write("docs/other.md");
  folder.write("docs/with space.md");
  folder.write("docs/中文.md");
  folder.write("docs/100%.md");
  folder.write("readme.md");
  fs::create_symlink("other.md", "docs/link.md");
  fs::create_symlink("loop.md", "docs/loop.md");
  ::mkfifo("docs/pipe.md", 0600);
  LocalLinks links({});
  const InputDocument list = list_at("docs/list.md");
  struct Row {
    std::string written;
    std::string evaluated;
  };
  const Row rows[] = {
      {"other.md", "alive ok"},
      {"./other.md", "alive ok"},
      {"other.md?plain=1", "alive ok"},
      {"../readme.md", "alive ok"},
      {"../docs", "alive ok"},
      {"..", "alive ok"},
      {"with%20space.md", "alive ok"},
      {"with space.md", "alive ok"},
      {"中文.md", "alive ok"},
      {"100%25.md", "alive ok"},
      {"link.md", "alive ok"},
      {"pipe.md", "alive ok"},
      {"pipe.md#x", "alive ok"},
      {"missing.md", "dead file_not_found"},
      {"other.md/", "dead file_not_found"},
      {"other.md/x", "dead file_not_found"},
      {"loop.md", "dead file_not_found"},
      {"a%00b", "dead file_not_found"},
      {"../../../../../../../../nowhere/x.md", "skipped outside_root"},
      {std::string(5000, 'a'), "dead file_not_found"},
      {"file:///nowhere/at/all", "skipped outside_root"},
      {"file://server/share", "skipped unsupported_scheme"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.written);
    CHECK(evaluated(links, list, row.written) == row.evaluated);
  }
  const LocalVerdict missing = evaluate(links, list, "sub/../missing.md#x");
  CHECK(missing.name == "docs/missing.md");
  CHECK(missing.verdict.evidence == "docs/missing.md does not exist");
}

TEST_CASE("a missing file or anchor gets the nearest name as suggestion") {
  const TestFolder folder;
  folder.write("docs/list.md", "# Überblick\n");
  folder.write("docs/guide.md", "# Install\n# Usage\n# 安装与设置\n");
  folder.write("docs/other.md");
  folder.write("docs/setup/index.md");
  folder.write("secret.md");
  fs::create_directory_symlink("..", "docs/up");
  fs::create_symlink("deleted.txt", "docs/dangling.txt");
  fs::current_path(folder.path() / "docs");
  LocalLinks links({});
  const InputDocument list = list_at("list.md");
  struct Row {
    const char* written;
    const char* evidence;
  };
  for (const Row& row :
       {Row{"guid.md", "guid.md does not exist; did you mean guide.md?"},
        Row{"gudie.md#install", "gudie.md does not exist; did you mean guide.md?"},
        Row{"dangling.txt", "dangling.txt does not exist"}, Row{"elsewhere.md", "elsewhere.md does not exist"},
        Row{"nowhere/guid.md", "nowhere/guid.md does not exist"},
        Row{"me@b.org", "me@b.org does not exist; did you mean mailto:me@b.org?"},
        Row{"guide@", "guide@ does not exist"},
        Row{"(https://b.org/x)", "(https:/b.org/x) does not exist; did you mean https://b.org/x?"},
        Row{"setpu/", "setpu/ does not exist; did you mean setup/?"},
        Row{"guide.dm/", "guide.dm/ does not exist; did you mean guide.md?"},
        Row{"guide.md#instal", "guide.md has no anchor \"instal\"; did you mean #install?"},
        Row{"guide.md#%E5%AE%89%E8%A3%9D%E4%B8%8E%E8%AE%BE%E7%BD%AE",
            "guide.md has no anchor \"安裝与设置\"; did you mean #安装与设置?"},
        Row{"guide.md#license", "guide.md has no anchor \"license\""}}) {
    CAPTURE(row.written);
    CHECK(evaluate(links, list, row.written).verdict.evidence == row.evidence);
  }
  // File names outside of the allowed folders are not read.
  CHECK(evaluate(links, list, "up/secre.md").verdict.evidence.find("secret") == std::string::npos);
}

TEST_CASE("a missing file gets a name in another spelling as suggestion") {
  const TestFolder folder;
  folder.write("about.html");
  folder.write("docs/Guide/intro.md");
  folder.write("cafe\u0301.md");  // NFD
  folder.write("list.md");
  LocalLinks links({});
  const InputDocument list = list_at("list.md");
  const auto evidence_of = [&](const char* written) { return evaluate(links, list, written).verdict.evidence; };
  CHECK(evidence_of("about") == "about does not exist; did you mean about.html (--fallback-extensions html)?");
  CHECK(evidence_of("Docs/guide/intro.md") == "Docs/guide/intro.md does not exist; did you mean docs/Guide/intro.md?");
  CHECK(evidence_of("docs/guide/gone.md") == "docs/guide/gone.md does not exist");
  CHECK(evidence_of("caf%C3%A9.md") ==
        "caf\u00e9.md does not exist; did you mean cafe\u0301.md, which looks the same but uses another Unicode "
        "normalization form?");
  CHECK(evidence_of("docs/Guide/intro.md/") ==
        "docs/Guide/intro.md/ does not exist; did you mean intro.md, without the slash at the end?");
  CHECK(evidence_of("v2@1.5x.png") == "v2@1.5x.png does not exist");
}

TEST_CASE("a folder of a built site needs an index page if its siblings have one") {
  const TestFolder folder;
  folder.write("public/index.html");
  folder.write("public/a/index.html");
  folder.write("public/b/x.txt");
  folder.write("public/files/one/x.txt");
  folder.write("public/files/two/x.txt");
  InputDocument page = list_at("public/index.html");
  page.format = parser::DocumentFormat::html;
  LocalLinks links({});
  CHECK(evaluated(links, page, "b/") == "alive ok");
  page.site = "public";
  CHECK(evaluated(links, page, "a/") == "alive ok");
  CHECK(evaluated(links, page, "b/") == "suspect file_not_found");
  CHECK(evaluated(links, page, "files/one/") == "alive ok");
}

TEST_CASE("the search for similar names is bounded") {
  const TestFolder folder;
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += "<a id=n" + std::to_string(i) + "x></a>\n";
  LocalLinks links({});
  folder.write("list.md", text);
  const InputDocument list = list_at("list.md", text);
  const std::string evidence = "list.md has no anchor \"n149999y\"";
  CHECK(evaluate(links, list, "#n149999y").verdict.evidence == evidence + "; did you mean #n149999x?");
  CHECK(evaluate(links, list, "#n149999y").verdict.evidence == evidence);
}

TEST_CASE("files outside the folder of a list are never accessed") {
  const TestFolder outer;
  outer.write("secret.md");
  outer.write("here/docs/list.md");
  outer.write("here/inside.md");
  fs::create_symlink("../../secret.md", "here/docs/relative.md");
  fs::create_symlink(outer.path() / "secret.md", "here/docs/absolute.md");
  fs::create_directory_symlink("..", "here/up");
  fs::create_directory_symlink("docs", "here/around");
  fs::create_symlink(outer.path() / "here/inside.md", "here/docs/back.md");
  fs::create_symlink("../../secret.md", "here/docs/relative_again.md");
  fs::create_symlink("../inside.md", "here/docs/beside.md");
  fs::current_path(outer.path() / "here");
  LocalLinks links({});
  const InputDocument list = list_at("docs/list.md");
  struct Row {
    std::string written;
    std::string evaluated;
  };
  const std::string top = outer.path().string();
  const std::vector<Row> rows{
      {"/etc/passwd", "skipped relative_link"},
      {"\\etc\\passwd", "skipped outside_root"},
      {"../../secret.md", "skipped outside_root"},
      {"../../not_there.md", "skipped outside_root"},
      {"../../../../../../../etc/passwd", "skipped outside_root"},
      {"..%2F..%2Fsecret.md", "skipped outside_root"},
      {"%2Fetc%2Fpasswd", "dead file_not_found"},  // below the folder of the list
      {"file:///etc/passwd", "skipped outside_root"},
      {"file://localhost/etc/passwd", "skipped outside_root"},
      {"file:////server/share", "skipped outside_root"},
      {"//server/share", "skipped unsupported_scheme"},
      {"\\\\server\\share", "skipped unsupported_scheme"},
      {"file://" + top + "/secret.md", "skipped outside_root"},
      {"file://" + top + "/here/inside.md", "alive ok"},
      {"relative.md", "skipped outside_root"},
      {"relative.md/x", "skipped outside_root"},
      {"absolute.md#x", "skipped outside_root"},
      {"../up/secret.md", "skipped outside_root"},
      {"../up/not_there.md", "skipped outside_root"},
      {"../up/here/inside.md", "skipped outside_root"},  // the path leaves the folder on its way
      {"../inside.md", "alive ok"},
      {"../around/list.md", "alive ok"},
      {"back.md", "alive ok"},
      {"relative_again.md", "skipped outside_root"},  // the folder is in the cache now
      {"beside.md", "alive ok"},
      {"beside.md/x", "dead file_not_found"},
      {"gone.md", "dead file_not_found"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.written);
    CHECK(evaluated(links, list, row.written) == row.evaluated);
  }
  // A repository bounds the allowed folder, regardless of the current folder.
  fs::create_directory(outer.path() / "here/docs/.git");
  LocalLinks in_repository({});
  CHECK(evaluated(in_repository, list, "../inside.md") == "skipped outside_root");
  CHECK(evaluated(in_repository, list, "list.md") == "alive ok");
  LocalLinks opened({outer.path().string(), {}, {}, true});
  CHECK(evaluated(opened, list, "../inside.md") == "alive ok");
  CHECK(evaluated(opened, list, "relative.md") == "alive ok");
  CHECK(evaluated(opened, list, "/secret.md") == "alive ok");
}

TEST_CASE("the folder of a list is accessible through any symbolic link") {
  const TestFolder folder;
  folder.write("elsewhere/docs/list.md");
  folder.write("elsewhere/docs/x.md");
  folder.write("elsewhere/y.md");
  fs::create_directory(folder.path() / "here");
  fs::create_directory_symlink("../elsewhere/docs", "here/docs");
  fs::current_path(folder.path() / "here");
  LocalLinks links({});
  const InputDocument list = list_at("docs/list.md");
  CHECK(evaluated(links, list, "x.md") == "alive ok");
  CHECK(evaluated(links, list, "gone.md") == "dead file_not_found");
  const InputDocument far = list_at("../elsewhere/docs/list.md");
  CHECK(evaluated(links, far, "x.md") == "alive ok");
  CHECK(evaluated(links, far, "../y.md") == "skipped outside_root");
}

TEST_CASE("an anchor is looked up in the linked file") {
  const TestFolder folder;
  folder.write("list.md");
  folder.write("other.md", "# Getting Started\n\n## 安装 指南\n\n## Again\n\n## Again\n\n<a id=\"here\"></a>\n");
  folder.write("page.html", "<h1 id=top-part>x</h1><a name=named>y</a>");
  folder.write("shell.html", "<div id=root></div><p>Loading…</p><script src=app.js></script>");
  folder.write("code.py", "print()\n");
  folder.write("image.md", std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16));
  LocalLinks links({});
  const InputDocument list = list_at("list.md", "# My List\n\n## Part Two\n");
  struct Row {
    std::string written;
    std::string evaluated;
  };
  const Row rows[] = {
      {"other.md#getting-started", "alive ok"},
      {"other.md#安装-指南", "alive ok"},
      {"other.md#%E5%AE%89%E8%A3%85-%E6%8C%87%E5%8D%97", "alive ok"},
      {"other.md#again-1", "alive ok"},
      {"other.md#here", "alive ok"},
      {"other.md#", "alive ok"},
      {"other.md#L10", "alive ok"},
      {"other.md#L10-L20", "alive ok"},
      {"other.md#/route", "alive ok"},
      {"other.md#Large", "dead anchor_not_found"},
      {"other.md#nowhere", "dead anchor_not_found"},
      {"page.html#top-part", "alive ok"},
      {"page.html#named", "alive ok"},
      {"page.html#nothing", "dead anchor_not_found"},
      {"shell.html#root", "alive ok"},
      {"shell.html#nothing", "suspect anchor_not_found"},
      {"code.py#anything", "alive ok"},
      {"image.md#anything", "alive ok"},
      {"#part-two", "alive ok"},
      {"#part-three", "dead anchor_not_found"},
      {"list.md#my-list", "alive ok"},
      {"missing.md#x", "dead file_not_found"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.written);
    CHECK(evaluated(links, list, row.written) == row.evaluated);
    CHECK(evaluated(links, list, row.written) == row.evaluated);  // also from the cache
  }
  CHECK(evaluate(links, list, "other.md#nowhere").verdict.evidence == "other.md has no anchor \"nowhere\"");
  const storage::Verdict unsure = evaluate(links, list, "shell.html#nothing").verdict;
  CHECK(unsure.confidence < storage::sure_of_death);
  CHECK(unsure.evidence.find("scripts") != std::string::npos);
  CHECK(evaluate(links, list, "other.md#nowhere").name == "other.md#nowhere");

  LocalLinks without_anchors({"", {}, {}, false});
  CHECK(evaluated(without_anchors, list, "other.md#nowhere") == "alive ok");
  CHECK(evaluate(without_anchors, list, "other.md#nowhere").name == "other.md");
}

TEST_CASE("a page that only redirects has the anchors of its target") {
  const TestFolder folder;
  const auto sends_to = [](const std::string& target) {
    return "<meta http-equiv=refresh content=\"0; URL=" + target +
           "\"><p>Moved <a href=x>there</a>.<script>location.replace(x + location.hash)</script>";
  };
  folder.write("docs/list.md");
  folder.write("docs/new/page.html", "<h1 id=there>x</h1>");
  folder.write("docs/new/index.html", "<h1 id=start>x</h1>");
  folder.write("docs/old.html", sends_to("new/page.html"));
  folder.write("docs/older.html", sends_to("./old.html"));
  folder.write("docs/folder.html", sends_to("new/"));
  folder.write("docs/loop.html", sends_to("loop.html"));
  folder.write("docs/gone.html", sends_to("missing.html"));
  folder.write("docs/web.html", sends_to("https://a.cn/page.html"));
  folder.write("docs/outside.html", sends_to("/etc/passwd"));  // has no known anchors
  LocalLinks links({});
  const InputDocument list = list_at("docs/list.md");
  for (const std::string written : {"old.html#there", "older.html#there", "folder.html#start"}) {
    CAPTURE(written);
    CHECK(evaluated(links, list, written) == "alive ok");
    CHECK(evaluated(links, list, written) == "alive ok");  // also from the cache
  }
  for (const std::string page : {"old", "older", "folder", "loop", "gone", "web", "outside"}) {
    CAPTURE(page);
    CHECK(evaluated(links, list, page + ".html#nothing") == "suspect anchor_not_found");
  }
}

TEST_CASE("a leading slash means the root folder that the user names") {
  const TestFolder folder;
  folder.write("site/docs/list.md");
  folder.write("site/a.md");
  const InputDocument list = list_at("site/docs/list.md");
  LocalLinks rooted({"site", {}, {}, true});
  CHECK(evaluated(rooted, list, "/a.md") == "alive ok");
  CHECK(evaluated(rooted, list, "/b.md") == "dead file_not_found");
  LocalLinks links({});
  CHECK(evaluated(links, list, "/a.md") == "skipped relative_link");
  CHECK(evaluate(links, list, "/a.md").verdict.evidence.find("--root-dir") != std::string::npos);
  // In a repository the path is relative to its root or to the root of the documentation. A page without an extension
  // may be generated.
  fs::create_directory("site/.git");
  folder.write("site/docs/c.md");
  LocalLinks in_repository({});
  CHECK(evaluated(in_repository, list, "/a.md") == "alive ok");
  CHECK(evaluated(in_repository, list, "/c.md") == "alive ok");
  CHECK(evaluated(in_repository, list, "/b.md") == "dead file_not_found");
  CHECK(evaluated(in_repository, list, "/b") == "skipped relative_link");
  CHECK(evaluated(in_repository, list, "/b.html") == "skipped relative_link");
}

TEST_CASE("a leading slash means the root of the site that a page belongs to") {
  const TestFolder folder;
  folder.write("public/index.html");
  folder.write("public/deep/down/page.html");
  folder.write("public/style.css");
  InputDocument page = list_at("public/deep/down/page.html");
  page.site = "public";
  LocalLinks links({});
  CHECK(evaluated(links, page, "/style.css") == "alive ok");
  CHECK(evaluated(links, page, "/gone.css") == "dead file_not_found");
  CHECK(evaluated(links, page, "/../list.md") == "dead file_not_found");
  LocalLinks rooted({"public/deep", {}, {}, true});
  CHECK(evaluated(rooted, page, "/down/page.html") == "alive ok");
}

TEST_CASE("pages of a site are those below its URL") {
  const auto path = [](const char* site, const char* page) {
    const SiteMapping own{parser::Url::parse(site).value()};
    const parser::Url url = parser::Url::parse(page).value();
    const auto found = path_in_site(own, url);
    return found ? std::string(*found) : std::string("none");
  };
  CHECK(path("https://docs.cn", "http://DOCS.cn:80/guide/?page=2#top") == "/guide/");
  CHECK(path("http://docs.cn:80/", "https://docs.cn") == "/");
  CHECK(path("https://a.cn/docs/", "https://a.cn/docs") == "");
  CHECK(path("https://a.cn/docs", "https://a.cn/docs/x.html") == "/x.html");
  CHECK(path("https://a.cn/docs", "https://a.cn/docs/../docs/x") == "/x");
  CHECK(path("https://a.cn/docs", "https://a.cn/docs2") == "none");
  CHECK(path("https://a.cn/docs", "https://a.cn/") == "none");
  CHECK(path("https://a.cn", "https://a.cn.evil.com/") == "none");
  CHECK(path("https://a.cn", "https://a.cn@evil.com/") == "none");
  CHECK(path("https://a.cn", "https://a.cn:8443/") == "none");
  CHECK(path("https://a.cn", "ftp://a.cn/") == "none");
}

TEST_CASE("links to the own site are links to its files") {
  const TestFolder folder;
  folder.write("repo/list.md", "# List\n");
  folder.write("repo/docs/index.md", "# Home\n");
  folder.write("repo/docs/guide.md", "# Install\n");
  folder.write("repo/docs/api/index.html", "<h1 id=a>A</h1>");
  folder.write("secret.md", "# Secret\n");
  fs::create_directory("repo/.git");
  fs::create_symlink("../../secret.md", "repo/docs/secret.md");
  const auto looked_up = [](LocalLinks& links, const InputDocument& list, const std::string& written) -> std::string {
    const DocumentContext context = links.context_of(list);
    const auto link = links.look_up_page(context, parser::Url::parse(written).value(), written);
    return link ? links.evaluate(*link).reason : "elsewhere";
  };
  const SiteMapping site{parser::Url::parse("https://own.cn/docs/").value(), "repo/docs"};
  LocalLinks named({.sites = {site}});
  const InputDocument list = list_at("repo/list.md");
  CHECK(looked_up(named, list, "https://own.cn/docs") == "ok");
  CHECK(looked_up(named, list, "http://own.cn/docs/guide/?q=1#install") == "ok");
  CHECK(looked_up(named, list, "https://own.cn/docs/guide.html#gone") == "anchor_not_found");
  CHECK(looked_up(named, list, "https://own.cn/docs/api/#a") == "ok");
  CHECK(looked_up(named, list, "https://own.cn/docs/api/#b") == "anchor_not_found");
  CHECK(looked_up(named, list, "https://own.cn/docs/gone/") == "file_not_found");
  CHECK(looked_up(named, list, "https://own.cn/docs/secret") == "file_not_found");
  CHECK(looked_up(named, list, "https://own.cn/docs/secret.md") == "outside_root");
  CHECK(looked_up(named, list, "https://own.cn/docs/..%2F..%2Fsecret.md") == "outside_root");
  CHECK(looked_up(named, list, "https://own.cn/") == "elsewhere");
  InputDocument on_the_web = list;
  on_the_web.path.clear();
  on_the_web.base_url = parser::Url::parse("https://own.cn/").value();
  CHECK(looked_up(named, on_the_web, "https://own.cn/docs/guide/") == "ok");

  // If the folder of the site is unknown, only existing files count. The others may be generated.
  LocalLinks guessing({.sites = {{site.url}}});
  const InputDocument below = list_at("repo/docs/guide.md");
  CHECK(looked_up(guessing, below, "https://own.cn/docs/api/") == "ok");
  CHECK(looked_up(guessing, below, "https://own.cn/docs/guide#gone") == "anchor_not_found");
  CHECK(looked_up(guessing, below, "https://own.cn/docs/docs/") == "ok");
  CHECK(looked_up(guessing, below, "https://own.cn/docs/gone.md") == "elsewhere");
  CHECK(looked_up(guessing, list, "https://own.cn/docs/guide/") == "elsewhere");
  CHECK(looked_up(guessing, on_the_web, "https://own.cn/docs/docs/guide/") == "elsewhere");
  InputDocument page = list_at("repo/docs/api/index.html");
  page.site = "repo/docs/api";
  CHECK(looked_up(guessing, page, "https://own.cn/docs/index.html") == "ok");
  CHECK(looked_up(guessing, page, "https://own.cn/docs/gone.html") == "file_not_found");
  LocalLinks rooted({.root_dir = "repo/docs", .sites = {{site.url}}});
  CHECK(looked_up(rooted, list, "https://own.cn/docs/guide/") == "ok");
  CHECK(looked_up(rooted, list, "https://own.cn/docs/gone/") == "file_not_found");
}

TEST_CASE("a generated page exists if its source does") {
  const TestFolder folder;
  folder.write("docs/a.md");
  folder.write("docs/guide.md", "# Install\n");
  folder.write("docs/deep/index.rst");
  folder.write("docs/_index.md");
  const InputDocument list = list_at("docs/a.md");
  folder.write("mkdocs.yml");
  fs::create_directory(".git");
  LocalLinks links({});
  for (const char* there : {"guide.html", "guide", "guide/", "../guide/", "guide.html#install", "../guide/#install"}) {
    CAPTURE(std::string(there));
    CHECK(evaluated(links, list, there) == "alive ok");
  }
  CHECK(evaluated(links, list, "guide/#remove") == "dead anchor_not_found");
  CHECK(evaluated(links, list, "guide.png") == "dead file_not_found");
  CHECK(evaluated(links, list, "gone.html") == "dead file_not_found");
  CHECK(evaluated(links, list, "/guide/#install") == "alive ok");
  CHECK(evaluated(links, list, "/guide/#remove") == "suspect anchor_not_found");  // the root of the site is a guess
  CHECK(evaluated(links, list, "/llms.txt") == "suspect file_not_found");
  CHECK(evaluated(links, list, "llms.txt") == "dead file_not_found");
  folder.write("docs/a.png");
  CHECK(evaluated(links, list, "../a.png") == "alive ok");
}

TEST_CASE("links of an index page are relative to its parent folder unless pages are shown as folders") {
  const TestFolder folder;
  folder.write("docs/errors/index.md");
  folder.write("docs/errors/README.md");
  folder.write("docs/errors/other.md");
  folder.write("docs/a.png");
  folder.write("docs/cli.md", "# Run\n");
  folder.write("docs/errors/parse/name.md");
  folder.write("docusaurus.config.js");
  fs::create_directory(".git");
  LocalLinks links({});
  for (const char* index : {"docs/errors/index.md", "docs/errors/README.md"}) {
    const InputDocument list = list_at(index);
    for (const char* there :
         {"./errors/parse/name", "parse/name", "./cli", "./cli/#run", "../docs/cli", "./errors/parse"}) {
      CAPTURE(std::string(there));
      CHECK(evaluated(links, list, there) == "alive ok");
    }
    CHECK(evaluated(links, list, "./cli/#gone") == "dead anchor_not_found");
    for (const char* gone : {"./errors/gone", "a.png", "cli.md"})
      CHECK(evaluated(links, list, gone) == "dead file_not_found");
  }
  CHECK(evaluated(links, list_at("docs/errors/other.md"), "./errors/parse/name") == "dead file_not_found");
}

TEST_CASE("the @site prefix is the folder of the Docusaurus configuration") {
  const TestFolder folder;
  folder.write("website/docusaurus.config.js");
  folder.write("website/docs/a.mdx");
  folder.write("website/src/b.mdx", "# Part\n");
  folder.write("other.md");
  fs::create_directory(".git");
  LocalLinks links({});
  const auto resolved = [&links](const InputDocument& list, const std::string& written) {
    parser::LinkOccurrence occurrence;
    occurrence.url = written;
    occurrence.notes = {parser::LinkNote::placeholder};
    const DocumentContext context = links.context_of(list);
    links.resolve(context, occurrence);
    if (!occurrence.notes.empty()) return std::string("placeholder");
    const auto target = parser::Url::parse(occurrence.href);
    REQUIRE(target.has_value());
    return links.evaluate(links.look_up(context, *target, written)).reason;
  };
  const InputDocument list = list_at("website/docs/a.mdx");
  CHECK(resolved(list, "@site/src/b.mdx") == "ok");
  CHECK(resolved(list, "@site/src/b.mdx#part") == "ok");
  CHECK(resolved(list, "@site/src/b.mdx#gone") == "anchor_not_found");
  CHECK(resolved(list, "@site/src/gone.mdx") == "file_not_found");
  CHECK(resolved(list, "@site/../../../etc/passwd") != "ok");
  CHECK(resolved(list, "@theme/Tabs") == "placeholder");
  CHECK(resolved(list_at("other.md"), "@site/src/b.mdx") == "placeholder");
}

TEST_CASE("Docusaurus reads Markdown as MDX unless its configuration says otherwise") {
  const TestFolder folder;
  folder.write("mdx/docusaurus.config.js", "export default {title: 'format'};\n");
  folder.write("detect/docusaurus.config.js",
               "export default {\n  markdown: { format: 'detect', mermaid: true },\n};\n");
  folder.write("json/docusaurus.config.ts", "{\"markdown\": {\"format\":\"md\"}}\n");
  folder.write("auto/docusaurus.config.ts", "export default {markdown: {format: 'mdx'}};\n");
  fs::create_directory(".git");
  LocalLinks links({});
  CHECK(links.context_of(list_at("mdx/a.md")).dialect == SiteGenerator::docusaurus);
  CHECK(links.context_of(list_at("auto/a.md")).dialect == SiteGenerator::docusaurus);
  CHECK(links.context_of(list_at("detect/a.md")).dialect == SiteGenerator::none);
  CHECK(links.context_of(list_at("json/a.md")).dialect == SiteGenerator::none);
  CHECK(links.context_of(list_at("json/a.md")).configuration.generator == SiteGenerator::docusaurus);
}

TEST_CASE("Docusaurus makes pages of the documents beside its folder that its configuration names") {
  const TestFolder folder;
  folder.write("website/docusaurus.config.js",
               "module.exports = {presets: [['classic', {docs: {path: '../docs', routeBasePath: 'docs'}}]]};\n");
  folder.write("website/static/img/x.png");
  folder.write("docs/deep/a.md");
  folder.write("docs/b.md");
  folder.write("guides/c.md");
  folder.write("other/site/docusaurus.config.ts", "docs: {path: path.resolve(__dirname, \"../../manual/\")}\n");
  folder.write("other/d.md");
  folder.write("manual/e.md");
  fs::create_directory(".git");
  LocalLinks links({});
  for (const char* document : {"docs/deep/a.md", "docs/b.md"})
    CHECK(links.context_of(list_at(document)).configuration.folder == folder.path() / "website");
  for (const char* document : {"guides/c.md", "other/d.md", "manual/e.md"})
    CHECK(links.context_of(list_at(document)).configuration.generator == SiteGenerator::none);
  const InputDocument list = list_at("docs/deep/a.md");
  CHECK(links.context_of(list).dialect == SiteGenerator::docusaurus);
  CHECK(evaluated(links, list, "/img/x.png") == "alive ok");
  CHECK(evaluated(links, list, "/docs/b") == "alive ok");
  CHECK(evaluated(links, list, "../b") == "alive ok");
  CHECK(evaluated(links, list, "../gone.md") == "dead file_not_found");
}

TEST_CASE("kramdown reads Markdown in HTML if the configuration of Jekyll says so") {
  const TestFolder folder;
  folder.write("on/_config.yml", "kramdown:\n  input: GFM\n  parse_block_html: true\n");
  folder.write("off/_config.yml", "kramdown:\n  parse_block_html: false\n");
  folder.write("none/_config.yml", "title: x  # parse_block_html: true\n");
  fs::create_directory(".git");
  LocalLinks links({});
  CHECK(links.context_of(list_at("on/a.md")).parses_block_html);
  CHECK_FALSE(links.context_of(list_at("off/a.md")).parses_block_html);
  CHECK_FALSE(links.context_of(list_at("none/a.md")).parses_block_html);
}

TEST_CASE("Docusaurus and Astro have math if a math plugin is configured") {
  const TestFolder folder;
  folder.write("plain/docusaurus.config.js", "export default {title: 'x'};\n");
  folder.write("math/docusaurus.config.js", "import remarkMath from 'remark-math';\n");
  folder.write("stars/astro.config.mjs", "export default {};\n");
  folder.write("empty/docusaurus.config.js", "");
  folder.write("quarto/_quarto.yml", "project: x\n");
  fs::create_directory(".git");
  LocalLinks links({});
  CHECK_FALSE(links.context_of(list_at("plain/a.md")).has_math);
  CHECK(links.context_of(list_at("math/a.md")).has_math);
  CHECK_FALSE(links.context_of(list_at("stars/a.md")).has_math);
  CHECK(links.context_of(list_at("empty/a.md")).has_math);
  CHECK(links.context_of(list_at("quarto/a.qmd")).has_math);
  const auto targets = [&links](const char* file) {
    const std::string text = "$f[x](y)$ [a](b)";
    const DocumentContext context = links.context_of(list_at(file));
    std::size_t count = 0;
    parser::for_each_link({file, text, parser::DocumentFormat::mdx, context.dialect, context.has_math}, {},
                          [&count](parser::LinkOccurrence&) { ++count; });
    return count;
  };
  CHECK(targets("plain/a.mdx") == 2);
  CHECK(targets("math/a.mdx") == 1);
}

TEST_CASE("without a known generator a source means that its page exists or may exist") {
  const TestFolder folder;
  folder.write("docs/a.md");
  folder.write("docs/guide.md", "# Install\n");
  folder.write("docs/contents.html.erb");
  folder.write("docs/acl.html.in");
  const InputDocument list = list_at("docs/a.md");
  LocalLinks links({});
  CHECK(evaluated(links, list, "guide.html") == "alive ok");
  CHECK(evaluated(links, list, "guide.md.html") == "alive ok");
  CHECK(evaluated(links, list, "guide.html#install") == "alive ok");
  CHECK(evaluated(links, list, "guide.html#remove") == "suspect anchor_not_found");
  CHECK(evaluated(links, list, "contents.html") == "alive ok");
  CHECK(evaluated(links, list, "acl.html") == "alive ok");
  folder.write("docs/quickref.txt");
  CHECK(evaluated(links, list, "quickref.html") == "alive ok");
  CHECK(evaluated(links, list, "quickref") == "dead file_not_found");
  folder.write("docs/run.1.md.in", "# Run\n");
  folder.write("docs/to-1.0.0.md");
  LocalLinks later({});
  CHECK(evaluated(later, list, "run.1.md") == "alive ok");
  CHECK(evaluated(later, list, "run.1.md#made") == "alive ok");  // the build may generate it
  CHECK(evaluated(later, list, "to-1.0.0") == "suspect file_not_found");
  CHECK(evaluated(links, list, "gone.html") == "suspect file_not_found");
  folder.write("docs/docinfo-footer.html");  // Asciidoctor includes it in pages
  LocalLinks beside_parts({});
  CHECK(evaluated(beside_parts, list, "gone.html") == "suspect file_not_found");
  CHECK(evaluated(links, list, "guide") == "suspect file_not_found");
  CHECK(evaluate(links, list, "guide/#install").verdict.evidence ==
        "docs/guide/ does not exist, but docs/guide.md does: only a site generator creates a page with that name from "
        "it");
  CHECK(evaluated(links, list, "guide.md#remove") == "dead anchor_not_found");
  CHECK(evaluate(links, list, "../api/class.html#new").verdict.evidence ==
        "api/class.html does not exist; the site generator may create it");
  CHECK(evaluated(links, list, "../api/class.html") == "suspect file_not_found");
  CHECK(evaluated(links, list, "../api/class.md") == "dead file_not_found");
  CHECK(evaluated(links, list, "guide.png") == "dead file_not_found");
  InputDocument page = list_at("docs/a.html");
  page.format = parser::DocumentFormat::html;
  CHECK(evaluated(links, page, "guide.html") == "suspect file_not_found");  // Jekyll generates it
  CHECK(evaluated(links, page, "guide") == "dead file_not_found");
  folder.write("docs/Parser.java");
  folder.write("docs/hello.jsp");
  CHECK(evaluated(links, page, "Parser.html") == "alive ok");
  CHECK(evaluated(links, page, "hello.jsp.html") == "alive ok");
  CHECK(evaluated(links, page, "hello.html") == "dead file_not_found");
  folder.write("docs/other.html");
  LocalLinks anew({});
  CHECK(evaluated(anew, list, "gone.html") == "dead file_not_found");
}

TEST_CASE("the location of style sheets is known only inside a site") {
  const TestFolder folder;
  folder.write("theme/a.css");
  folder.write("theme/there.png");
  InputDocument list = list_at("theme/a.css");
  list.format = parser::DocumentFormat::css;
  LocalLinks links({});
  CHECK(evaluated(links, list, "there.png") == "alive ok");
  CHECK(evaluated(links, list, "gone.png") == "suspect file_not_found");
  list.site = ".";
  CHECK(evaluated(links, list, "gone.png") == "dead file_not_found");
  CHECK(evaluated(links, list, "/theme/there.png") == "alive ok");
}

TEST_CASE("Markdown that documents code may have anchors that its text does not show") {
  const TestFolder folder;
  folder.write("a.md");
  folder.write("api.md", "# API\n\n::: package.module\n");
  LocalLinks links({});
  CHECK(evaluated(links, list_at("a.md"), "api.md#api") == "alive ok");
  CHECK(evaluate(links, list_at("a.md"), "api.md#package.module").verdict.evidence ==
        "api.md has no anchor \"package.module\"; the site generator may create one");
  CHECK(evaluated(links, list_at("a.md"), "api.md#package.module") == "suspect anchor_not_found");
}

TEST_CASE("AsciiDoc paths may be relative to the including document") {
  const TestFolder folder;
  folder.write("book/chapters/one/a.adoc");
  folder.write("book/chapters/two/a.adoc");
  folder.write("book/images/p.png");
  folder.write("book/chapters/images/one.png");
  InputDocument list = list_at("book/chapters/one/a.adoc");
  LocalLinks plain({});
  CHECK(evaluated(plain, list, "images/p.png") == "dead file_not_found");
  list.format = parser::DocumentFormat::asciidoc;
  LocalLinks links({});
  CHECK(evaluated(links, list, "images/p.png") == "alive ok");
  CHECK(evaluated(links, list, "images/one.png") == "alive ok");
  CHECK(evaluated(links, list, "images/gone.png") == "dead file_not_found");
  CHECK(evaluated(links, list, "../images/p.png") == "dead file_not_found");
  InputDocument above = list_at("book/a.adoc");
  above.format = parser::DocumentFormat::asciidoc;
  CHECK(evaluated(links, above, "chapters/one/images/p.png") == "dead file_not_found");
}

namespace {

InputDocument document_at(const std::string& file, const std::string& text) {
  InputDocument list = list_at(file, text);
  list.format = parser::DocumentFormat::asciidoc;
  return list;
}

// Returns the health of each link of the document, such as "alive dead ".
std::string healths_of_links(LocalLinks& links, const InputDocument& list) {
  const DocumentContext context = links.context_of(list);
  parser::ExtractOptions options;
  options.base_url = context.base;
  std::string all;
  parser::for_each_link({list.file, list.text, list.format, context.dialect}, options,
                        [&](parser::LinkOccurrence& link) {
                          const storage::Verdict verdict =
                              links.evaluate(links.look_up(context, parser::Url::parse(link.href).value(), link.url));
                          all += std::string(enum_name(storage::health_names, verdict.health)) + ' ';
                        });
  return all;
}

}  // namespace

TEST_CASE("AsciiDoc anchors may be in an included or an including document") {
  const TestFolder folder;
  const std::string book = "= Book\n\ninclude::parts/one.adoc[]\n\ninclude::parts/two.adoc[]\n\n== Own Part\n";
  const std::string one = "== One\n\n<<two-id>> <<_own_part>> <<gone>>\n";
  folder.write("book/book.adoc", book);
  folder.write("book/parts/one.adoc", one);
  folder.write("book/parts/two.adoc", "[[two-id]]\n== Two\n");
  folder.write("book/alone.adoc", "== Alone\n");
  folder.write("other/partly.adoc", "include::gone.adoc[]\n");
  folder.write("other/remote.adoc", "include::https://a.org/x.adoc[]\n");
  folder.write("other/attribute.adoc", "include::{gone}/attribute-part.adoc[]\n");
  folder.write("other/attribute-part.adoc", "== Part\n");
  LocalLinks links({});
  const InputDocument whole = document_at("book/book.adoc", book);
  CHECK(evaluated(links, whole, "#two-id") == "alive ok");
  CHECK(evaluated(links, whole, "#_one") == "alive ok");
  CHECK(evaluated(links, whole, "#gone") == "dead anchor_not_found");
  CHECK(evaluated(links, whole, "parts/one.adoc#_one") == "alive ok");
  CHECK(evaluated(links, whole, "alone.adoc#_alone") == "alive ok");
  CHECK(evaluated(links, whole, "alone.adoc#_one") == "dead anchor_not_found");
  const InputDocument part = document_at("book/parts/one.adoc", one);
  CHECK(evaluated(links, part, "#two-id") == "alive ok");
  CHECK(evaluated(links, part, "#_own_part") == "alive ok");
  CHECK(evaluated(links, part, "#gone") == "dead anchor_not_found");
  CHECK(evaluated(links, part, "two.adoc#_own_part") == "alive ok");
  for (const char* const file : {"partly", "remote", "attribute", "attribute-part"}) {
    CAPTURE(file);
    CHECK(evaluated(links, whole, "../other/" + std::string(file) + ".adoc#gone") == "suspect anchor_not_found");
  }
  CHECK(evaluate(links, whole, "../other/partly.adoc#gone").verdict.evidence ==
        "other/partly.adoc has no anchor \"gone\"; an included or including file may have it");
}

TEST_CASE("images of an included file are resolved against the including document") {
  const TestFolder folder;
  folder.write("book/book.adoc", "= Book\n:imagesdir: pictures\n\ninclude::../parts/one.adoc[]\n");
  folder.write("book/pictures/p.png");
  folder.write("book/beside.png");
  folder.write("parts/one.adoc", "image::p.png[]\n");
  LocalLinks links({});
  const InputDocument part = document_at("parts/one.adoc", "image::p.png[]\n");
  CHECK(evaluated(links, part, "p.png") == "alive ok");
  CHECK(evaluated(links, part, "beside.png") == "alive ok");
  CHECK(evaluated(links, part, "gone.png") == "dead file_not_found");
  CHECK(evaluated(links, document_at("parts/two.adoc", "image::p.png[]\n"), "p.png") == "dead file_not_found");
}

TEST_CASE("AsciiDoc includes are read only in allowed folders") {
  const TestFolder folder;
  folder.write("secret.adoc", "[[secret]]\n");
  folder.write("docs/list.adoc", "include::../secret.adoc[]\n");
  folder.write("docs/part.adoc", "[[part]]\n");
  fs::create_symlink("../secret.adoc", "docs/linked.adoc");
  const fs::path here = fs::current_path();
  fs::current_path(here / "docs");
  LocalLinks links({});
  const DocumentContext context = links.context_of(document_at("list.adoc", ""));
  const parser::ReadInclude read = LocalLinks::include_reader_of(context);
  REQUIRE(read);
  CHECK(read("part.adoc") == "[[part]]\n");
  CHECK_FALSE(read("../secret.adoc"));
  CHECK_FALSE(read("linked.adoc"));
  CHECK_FALSE(read((here / "secret.adoc").string()));
  CHECK_FALSE(read("."));
  CHECK(evaluated(links, document_at("list.adoc", "include::../secret.adoc[]\n"), "#secret") ==
        "suspect anchor_not_found");
  CHECK_FALSE(LocalLinks::include_reader_of(links.context_of(list_at("list.md"))));
}

TEST_CASE("a missing file may be a cross reference if Sphinx reads the Markdown") {
  const TestFolder folder;
  folder.write("docs/a.md");
  folder.write("docs/guide.md");
  folder.write("docs/part/b.md");
  folder.write("docs/conf.py");
  const InputDocument list = list_at("docs/a.md");
  LocalLinks links({});
  for (const char* reference : {"instance-config", "sympy.core.Equality", "a.b.jordan_block", "labels/first"}) {
    CAPTURE(std::string(reference));
    CHECK(evaluated(links, list, reference) == "skipped relative_link");
  }
  for (const char* missing :
       {"gone.md", "part/gone", "labels/a.md", "./gone.png", "gone.html", "two words", "../label"}) {
    CAPTURE(std::string(missing));
    CHECK(evaluated(links, list, missing) == "dead file_not_found");
  }
  CHECK(evaluated(links, list, "guide") == "alive ok");
  CHECK(evaluated(links, list, "#label-of-another-page") == "skipped relative_link");
  CHECK(evaluated(links, list, "guide.md#gone") == "dead anchor_not_found");
  InputDocument other = list;
  other.format = parser::DocumentFormat::restructured_text;
  CHECK(evaluated(links, other, "instance-config") == "dead file_not_found");
}

TEST_CASE("missing pages that Sphinx generates without a source are suspect") {
  const TestFolder folder;
  folder.write("docs/a.rst");
  folder.write("docs/part/b.rst");
  folder.write("docs/conf.py", "html_additional_pages = {'contents': 'contents.html'}\n");
  InputDocument list = list_at("docs/a.rst");
  list.format = parser::DocumentFormat::restructured_text;
  LocalLinks links({});
  for (const char* made : {"genindex.html", "py-modindex.html", "search.html", "contents.html", "_static/a.css",
                           "../_images/a.png", "_modules/a.html"}) {
    CAPTURE(std::string(made));
    CHECK(evaluated(links, list, made) == "suspect file_not_found");
  }
  folder.write("docs/_static/there.css");
  LocalLinks anew({});
  CHECK(evaluated(anew, list, "_static/a.css") == "dead file_not_found");  // a folder of sources
  for (const char* missing : {"other.html", "part/genindex.html", "genindex", "static/a.css", "part/a.png"}) {
    CAPTURE(std::string(missing));
    CHECK(evaluated(links, list, missing) == "dead file_not_found");
  }
}

TEST_CASE("missing files in a generated folder of the configuration are suspect") {
  const TestFolder folder;
  folder.write("docs/part/b.rst");
  folder.write("docs/there/c.rst");
  folder.write("docs/extra/download.html");
  folder.write(
      "docs/conf.py",
      "gallery = {'gallery_dirs': 'auto_examples'}\nhtml_extra_path = [\n  'extra', \"../gone\"]\nx = 'there'\n");
  InputDocument list = list_at("docs/part/b.rst");
  list.format = parser::DocumentFormat::restructured_text;
  LocalLinks links({});
  CHECK(evaluated(links, list, "../auto_examples/images/a.png") == "suspect file_not_found");
  CHECK(evaluated(links, list, "../auto_examples.png") == "dead file_not_found");
  CHECK(evaluated(links, list, "auto_examples/a.png") == "dead file_not_found");  // another folder
  CHECK(evaluated(links, list, "../examples/a.png") == "dead file_not_found");
  CHECK(evaluated(links, list, "../examples/a.html") == "suspect file_not_found");  // a folder without pages
  CHECK(evaluated(links, list, "../there/a.png") == "dead file_not_found");
  CHECK(evaluated(links, list, "../download.html") == "alive ok");  // html_extra_path
  CHECK(evaluated(links, list, "download.html") == "dead file_not_found");
  folder.write("man/.sphinx/conf.py", "gallery_dirs = ['examples']\n");  // relative to the folder above it
  folder.write("man/a.rst");
  list = list_at("man/a.rst");
  list.format = parser::DocumentFormat::restructured_text;
  CHECK(evaluated(links, list, "examples/a.png") == "suspect file_not_found");
}

TEST_CASE("a missing page outside the sources of a book is suspect and not dead") {
  const TestFolder folder;
  folder.write("doc/book.toml", "[book]\ntitle = \"A\"\n");
  folder.write("doc/src/part/a.md");
  folder.write("doc/there.md");
  const InputDocument list = list_at("doc/src/part/a.md");
  LocalLinks links({});
  CHECK(evaluated(links, list, "../../rustc/json.md#x") == "suspect file_not_found");
  CHECK(evaluated(links, list, "../../there.md") == "alive ok");
  CHECK(evaluated(links, list, "../../there.png") == "dead file_not_found");
  CHECK(evaluated(links, list, "../json.md") == "dead file_not_found");
  folder.write("doc/book.toml", "[book]\nsrc = \"text\"\n");
  folder.write("doc/text/b.md");
  LocalLinks other({});
  CHECK(evaluated(other, list_at("doc/text/b.md"), "../json.md") == "suspect file_not_found");
  CHECK(evaluated(other, list_at("doc/text/b.md"), "json.md") == "dead file_not_found");
}

TEST_CASE("the root of a site follows from its generator configuration") {
  struct Row {
    const char* configuration;
    const char* text;
    const char* list;
    std::vector<const char*> files;
    std::vector<const char*> found;
  };
  const Row rows[] = {
      {"hugo.toml",
       "staticDir = [\"files\", 'more files']  # two\n",
       "content/docs/a.md",
       {"static/img/a.png", "files/b.pdf", "more files/c.png", "assets/d.png", "content/docs/x.md",
        "content/docs/deep/_index.md", "content/docs/e.png"},
       {"/img/a.png", "/b.pdf", "/c.png", "/d.png", "/docs/x/", "/docs/x", "/docs/x.html", "/docs/x.md", "/docs/deep/",
        "/docs/e.png"}},
      {"config/_default/hugo.toml", "", "content/a.md", {"static/a.png"}, {"/a.png"}},
      {"hugo.yaml",
       "title: x\nstaticDir:\n  - one\n  - \"two\"\ncontentDir: pages # of it\n",
       "pages/en/a.md",
       {"one/a.png", "two/b.png", "pages/c/index.md", "pages/en/d.md"},
       {"/a.png", "/b.png", "/c/", "/d/"}},
      {"docusaurus.config.js", "", "docs/a.md", {"static/img/a.png", "docs/b.mdx"}, {"/img/a.png", "/docs/b"}},
      {"docusaurus.config.mjs", "", "docs/a.md", {"static/img/a.png"}, {"/img/a.png"}},
      {".vitepress/config.ts",
       "",
       "guide/a.md",
       {"public/a.png", "guide/b.md"},
       {"/a.png", "/guide/b", "/guide/b.html"}},
      {".vitepress/config.ts", "", "docs/guide/a.md", {"docs/public/a.png", "docs/b.md"}, {"/a.png", "/b"}},
      {".vuepress/config.js", "", "guide/a.md", {".vuepress/public/a.png", "b/README.md"}, {"/a.png", "/b/"}},
      {"astro.config.mjs", "", "src/content/docs/a.md", {"public/a.png", "src/content/docs/b.mdx"}, {"/a.png", "/b/"}},
      {"gatsby-config.js", "", "content/a.md", {"static/a.png"}, {"/a.png"}},
      {"next.config.mjs", "", "pages/a.mdx", {"public/a.png", "pages/b.mdx"}, {"/a.png", "/b"}},
      {"_config.yml",
       "source: \"site\"\n",
       "site/a.md",
       {"site/img/a.png", "site/b.md", "site/_docs/c.md"},
       {"/img/a.png", "/b/", "/b.html", "/docs/c/"}},
      {"mkdocs.yml", "docs_dir: text\n", "text/a.md", {"text/img/a.png", "text/b/index.md"}, {"/img/a.png", "/b/"}},
      {"book.toml",
       "[book]\nsrc = \"text\"\n",
       "text/a.md",
       {"text/img/a.png", "text/b.md"},
       {"/img/a.png", "/b.html"}},
      {"conf.py",
       "html_static_path = ['files']\n",
       "a.md",
       {"img/a.png", "_static/b.png", "files/c.css"},
       {"/img/a.png", "/_static/b.png", "/_static/c.css"}},
      {"_quarto.yml", "", "posts/a.qmd", {"img/a.png", "posts/b.qmd"}, {"/img/a.png", "/posts/b.html"}},
      {"pelicanconf.py", "PATH = 'texts'\n", "texts/a.md", {"texts/images/a.png"}, {"/images/a.png"}},
      {"hugo.toml",
       "[module]\n[[module.mounts]]\nsource = \"guides\" # of people\ntarget = \"content/docs\"\n"
       "[[module.mounts]]\n  target = 'static'\n  source = '../files'\n"
       "[[module.mounts]]\nsource = \"logo.png\"\ntarget = \"static/img/mark.png\"\n",
       "content/a.md",
       {"guides/b.md", "../files/c.pdf", "logo.png"},
       {"/docs/b/", "/c.pdf", "/img/mark.png"}},
      {"hugo.yaml",
       "module:\n  mounts:\n    - source: guides\n      target: content\n    - target: \"static/x\"\n"
       "      source: more\n",
       "content/a.md",
       {"guides/b.md", "more/c.png"},
       {"/b/", "/x/c.png"}},
      {"docusaurus.config.js",
       "export default {\n  baseUrl: '/project/',\n};\n",
       "docs/a.md",
       {"static/img/a.png", "docs/b.mdx"},
       {"/img/a.png", "/project/img/a.png", "/docs/b", "/project/docs/b"}},
      {"astro.config.mjs",
       "export default defineConfig({\n  base: '/x',\n});\n",
       "src/content/docs/a.md",
       {"public/a.png", "src/content/docs/b.mdx"},
       {"/a.png", "/x/a.png", "/x/b/"}},
      {"_config.yml", "baseurl: /x\n", "a.md", {"img/a.png", "b.md"}, {"/img/a.png", "/x/img/a.png", "/x/b/"}},
      {".vitepress/config.mts",
       "export default { srcDir: './packages/docs/text', base: \"/x/\" }\n",
       "packages/docs/text/guide/a.md",
       {"packages/docs/text/public/a.png", "packages/docs/text/b.md"},
       {"/a.png", "/b", "/x/b.html"}},
      {".vitepress/config.js",
       "export default { srcDir: process.env.TEXTS }\n",
       "packages/docs/guide/a.md",
       {"packages/docs/public/a.png", "packages/docs/b.md"},
       {"/a.png", "/b"}},
      {"eleventy.config.js",
       "export default function (config) {\n  config.addPassthroughCopy(\"img\");\n"
       "  config.addPassthroughCopy({ \"assets/files\": \"files\", 'public/': '/', \"f.png\": \"g.png\" });\n"
       "  return { dir: { input: \"src\" } };\n}\n",
       "src/posts/a.md",
       {"img/a.png", "assets/files/b.pdf", "public/c.txt", "f.png", "src/d.md"},
       {"/img/a.png", "/files/b.pdf", "/c.txt", "/g.png", "/d/"}},
      {".eleventy.js", "module.exports = (c) => c.addPassthroughCopy('img');\n", "a.md", {"img/a.png"}, {"/img/a.png"}},
      {"hugo.json",
       "{\"staticDir\": [\"one\", \"two\"],\n  \"module\": {\"mounts\": [{\"source\": \"guides\", \"target\": "
       "\"content/docs\"}, {\"target\": \"static/x\", \"source\": \"more\"}]}}\n",
       "content/a.md",
       {"one/a.png", "two/b.png", "guides/c.md", "more/d.png"},
       {"/a.png", "/b.png", "/docs/c/", "/x/d.png"}},
      {"hugo.json",
       "{\"title\":\"x\",\"contentDir\":\"pages\",\"staticDir\":\"files\"}",
       "pages/en/a.md",
       {"files/a.png", "pages/b.md"},
       {"/a.png", "/b/"}},
      {"hugo.toml",
       "staticdir = \"one\"\nstaticDir2 = 'two'\n[module]\nmounts = [{source = \"guides\", target = \"content\"}]\n",
       "content/a.md",
       {"one/a.png", "two/b.png", "guides/c.md"},
       {"/a.png", "/b.png", "/c/"}},
      {".vuepress/config.ts",
       "export default defineUserConfig({\n  base: '/x/',\n  public: 'files',\n})\n",
       "guide/a.md",
       {".vuepress/public/a.png", "files/c.png", "guide/b.md", "d.md"},
       {"/a.png", "/x/a.png", "/c.png", "/x/c.png", "/x/guide/b.html", "/x/d.html"}},
      {".vuepress/config.yml", "base: /x/\n", "guide/a.md", {".vuepress/public/a.png"}, {"/a.png", "/x/a.png"}},
      {".vuepress/config.toml", "base = \"/x/\"\n", "guide/a.md", {".vuepress/public/a.png"}, {"/x/a.png"}},
      {".vuepress/config/index.js", "module.exports = { base: '/x/' }\n", "a.md", {"b.md"}, {"/x/b.html"}},
      {".vitepress/config/shared.mts",
       "export const shared = defineConfig({ base: '/x/', vite: { publicDir: 'files' } })\n",
       "guide/a.md",
       {"public/a.png", "files/c.png", "b.md"},
       {"/x/a.png", "/c.png", "/x/b"}},
      {"docusaurus.config.ts",
       "export default {\n  staticDirectories: ['static', // usual\n    \"files\"],\n"
       "  presets: [['classic', { docs: { path: 'texts', routeBasePath: '/guide' } }]],\n};\n",
       "texts/a.md",
       {"static/a.png", "files/b.png", "texts/c.md"},
       {"/a.png", "/b.png", "/guide/c", "/texts/c"}},
      {"astro.config.mjs", "export default { publicDir: './files' };\n", "src/pages/a.md", {"files/a.png"}, {"/a.png"}},
      {"_config.yml",
       "collections_dir: parts\n",
       "parts/_docs/a.md",
       {"parts/_docs/b.md", "img/a.png"},
       {"/docs/b/", "/img/a.png"}},
  };
  for (const bool has_repository : {true, false}) {
    for (const Row& row : rows) {
      const TestFolder folder;
      if (has_repository) fs::create_directory(".git");
      const fs::path site = "website";
      folder.write(site / row.configuration, row.text);
      folder.write(site / row.list);
      for (const char* const file : row.files) folder.write(site / file, "# Part\n");
      LocalLinks links({});
      const InputDocument list = list_at(site / row.list);
      CAPTURE(row.configuration);
      for (const std::string written : row.found) {
        CAPTURE(written);
        CHECK(evaluated(links, list, written) == "alive ok");
      }
      for (const char* const unknown : {"/gone.png", "/gone/gone.png", "/gone/", "/gone.html", "/"}) {
        CAPTURE(std::string(unknown));
        CHECK(evaluated(links, list, unknown).find("dead") == std::string::npos);
      }
      CHECK(evaluated(links, list, "/..%2f..%2f..%2f..%2fetc%2fpasswd").find("alive") == std::string::npos);
    }
  }
}

TEST_CASE("the configuration of a site may be in several files") {
  using Files = std::vector<std::pair<const char*, const char*>>;
  struct Row {
    Files configuration;
    const char* list;
    std::vector<const char*> files;
    std::vector<const char*> found;
  };
  const char* const toml = "[[mounts]]\nsource = \"guides\"\ntarget = \"content/docs\"\n";
  const char* const yaml = "mounts:\n- source: guides\n  target: content/docs\n";
  const char* const json = "{\"mounts\": [{\"source\": \"guides\", \"target\": \"content/docs\"}]}";
  const std::vector<const char*> guide{"guides/b.md"};
  const std::vector<const char*> page{"/docs/b/"};
  const Row rows[] = {
      {Files{{"hugo.toml", "title = \"x\"\n"}, {"config/_default/module.toml", toml}}, "content/a.md", guide, page},
      {Files{{"config/_default/module.yaml", yaml}}, "content/a.md", guide, page},
      {Files{{"config/_default/hugo.yml", "title: x\n"}, {"config/_default/module.yml", yaml}}, "content/a.md", guide,
       page},
      {Files{{"config/_default/params.json", "{}"}, {"config/_default/module.json", json}}, "content/a.md", guide,
       page},
      {Files{{"hugo.yaml", ""}, {"config/production/module.toml", toml}}, "content/a.md", guide, page},
      {Files{{"config/_default/hugo.toml", ""}, {"config/staging/hugo.toml", "staticDir = ['files']\n"}},
       "content/a.md",
       {"static/a.png", "files/b.png"},
       {"/a.png", "/b.png"}},
      {Files{{"config/_default/config.yaml", "title: x\n"},
             {"config/_default/languages.toml", "[fr]\n  contentDir = \"pages/fr\"\n  staticDir = \"files\"\n"}},
       "pages/fr/a.md",
       {"files/a.png", "pages/fr/b.md"},
       {"/a.png", "/b/"}},
      {Files{{".vitepress/config/index.ts", "export default { srcDir: 'text' }\n"},
             {".vitepress/config/fr.ts", "export default { base: '/x/' }\n"}},
       "text/a.md",
       {"text/public/a.png", "text/b.md"},
       {"/a.png", "/x/b"}},
      {Files{{"mkdocs.yml", "INHERIT: ./base/first.yml\nsite_name: x\n"},
             {"base/first.yml", "INHERIT: '../second.yml'\n"},
             {"second.yml", "INHERIT: mkdocs.yml\ndocs_dir: texts\n"}},
       "texts/part/a.md",
       {"texts/a.png", "texts/b.md"},
       {"/a.png", "/b/"}},
      {Files{{"_config.yml", "title: x\n"},
             {"_config.production.yml", "baseurl: /x\n"},
             {"_config_dev.yml", "source: s"}},
       "a.md",
       {"b.md", "s/c.png"},
       {"/x/b.html", "/c.png"}},
  };
  for (const Row& row : rows) {
    const TestFolder folder;
    fs::create_directory(".git");
    const fs::path site = "website";
    for (const auto& [name, text] : row.configuration) folder.write(site / name, text);
    folder.write(site / row.list);
    for (const char* const file : row.files) folder.write(site / file, "# Part\n");
    LocalLinks links({});
    const InputDocument list = list_at(site / row.list);
    for (const auto& [name, text] : row.configuration) CAPTURE(name);
    for (const std::string written : row.found) {
      CAPTURE(written);
      CHECK(evaluated(links, list, written) == "alive ok");
    }
    CHECK(evaluated(links, list, "/gone/").find("dead") == std::string::npos);
  }
}

TEST_CASE("configuration files outside of the repository are not read") {
  const TestFolder folder;
  folder.write("outside.yml", "docs_dir: texts\n");
  folder.write("outside/module.toml", "[[mounts]]\nsource = \"guides\"\ntarget = \"content\"\n");
  fs::create_directories("repository/.git");
  folder.write("repository/mkdocs.yml", "INHERIT: ../outside.yml\n");
  folder.write("repository/texts/part/a.md");
  folder.write("repository/texts/b.md");
  LocalLinks links({});
  CHECK(evaluated(links, list_at("repository/texts/part/a.md"), "/b/") != "alive ok");
  folder.write("repository/site/hugo.toml");
  folder.write("repository/site/content/a.md");
  folder.write("repository/site/guides/b.md");
  fs::create_directory("repository/site/config");
  fs::create_directory_symlink("../../../outside", "repository/site/config/_default");
  CHECK(evaluated(links, list_at("repository/site/content/a.md"), "/b/") != "alive ok");
}

TEST_CASE("Markdown links of a vault are names of notes as wikilinks are") {
  const TestFolder folder;
  fs::create_directory(".git");
  folder.write("vault/.obsidian/app.json", "{}");
  folder.write("vault/deep/a.md");
  folder.write("vault/Home.md");
  folder.write("vault/sub/Ann Lee.md", "# Part\n");
  folder.write("vault/files/x.png");
  LocalLinks links({});
  const InputDocument list = list_at("vault/deep/a.md");
  for (const std::string written :
       {"Ann%20Lee.md", "Ann%20Lee", "sub/Ann%20Lee.md", "Home", "../Home.md", "x.png", "Ann%20Lee.md#Part"}) {
    CAPTURE(written);
    CHECK(evaluated(links, list, written) == "alive ok");
  }
  CHECK(evaluated(links, list, "gone.md") == "dead file_not_found");
  CHECK(evaluated(links, list, "gone/Ann%20Lee.md") == "dead file_not_found");
  CHECK(evaluated(links, list, "Ann%20Lee.md#Gone") == "dead anchor_not_found");
  folder.write("plain/deep/a.md");  // in no vault
  folder.write("plain/Home.md");
  CHECK(evaluated(links, list_at("plain/deep/a.md"), "Home.md") == "dead file_not_found");
}

TEST_CASE("a document that is not translated is the original") {
  struct Row {
    const char* configuration;
    const char* text;
    const char* list;
    std::vector<const char*> files;
    std::vector<const char*> found;
  };
  const Row rows[] = {
      {"docusaurus.config.js",
       "module.exports = {};\n",
       "i18n/fr/docusaurus-plugin-content-docs/current/part/a.md",
       {"docs/part/b.md", "docs/c.mdx"},
       {"b.md", "../c.mdx", "./b.md"}},
      {"docusaurus.config.js",
       "module.exports = { docs: { path: '../texts' } };\n",
       "i18n/fr/docusaurus-plugin-content-docs/current/a.md",
       {"../texts/b.md"},
       {"b.md"}},
      {"docusaurus.config.js",
       "module.exports = {};\n",
       "i18n/fr/docusaurus-plugin-content-docs-api/version-1.0/a.md",
       {"api_versioned_docs/version-1.0/b.md"},
       {"b.md"}},
      {"docusaurus.config.js",
       "module.exports = {};\n",
       "i18n/fr/docusaurus-plugin-content-blog/2020-01-02-a.md",
       {"blog/2020-01-03-b.md"},
       {"2020-01-03-b.md"}},
      {"mkdocs.yml",
       "plugins:\n  - i18n:\n      docs_structure: folder\n      languages:\n        - locale: en\n          default: "
       "true\n"
       "        - locale: fr\n",
       "docs/fr/part/a.md",
       {"docs/en/part/b.md"},
       {"b.md"}},
  };
  for (const Row& row : rows) {
    const TestFolder folder;
    fs::create_directory(".git");
    const fs::path site = "website";
    folder.write(site / row.configuration, row.text);
    folder.write(site / row.list);
    for (const char* const file : row.files) folder.write(site / file, "# Part\n");
    LocalLinks links({});
    const InputDocument list = list_at(site / row.list);
    CAPTURE(row.list);
    for (const std::string written : row.found) {
      CAPTURE(written);
      CHECK(evaluated(links, list, written) == "alive ok");
      CHECK(evaluated(links, list, written + "#part") == "alive ok");
      CHECK(evaluated(links, list, written + "#gone") == "dead anchor_not_found");
    }
    CHECK(evaluated(links, list, "gone.md") == "dead file_not_found");
  }
}

namespace {

// Returns the files that the directives of a document name, each with its verdict: "x.rs alive ok".
std::vector<std::string> evaluate_includes(LocalLinks& links, const InputDocument& list) {
  std::vector<std::string> evaluated;
  const DocumentContext context = links.context_of(list);
  parser::ExtractOptions options;
  options.base_url = context.base;
  options.include_local = true;
  parser::for_each_link(
      {list.file, list.text, list.format, context.dialect}, options, [&](parser::LinkOccurrence& link) {
        if (link.element != parser::LinkElement::include && link.element != parser::LinkElement::image) return;
        links.resolve(context, link);
        if (link.has(parser::LinkNote::placeholder)) return evaluated.push_back(link.url + " placeholder");
        const auto target = parser::Url::parse(link.href);
        REQUIRE(target.has_value());
        const storage::Verdict verdict = links.evaluate(links.look_up(context, *target, target->href()));
        evaluated.push_back(link.url + " " + std::string(enum_name(storage::health_names, verdict.health)) + " " +
                            verdict.reason);
      });
  return evaluated;
}

}  // namespace

TEST_CASE("files named by generator directives exist or not") {
  struct Row {
    const char* configuration;
    const char* text;
    const char* list;
    std::vector<const char*> files;
    const char* markdown;
    std::vector<std::string> evaluated;
  };
  using Lines = std::vector<std::string>;
  const Row rows[] = {
      {"book.toml",
       "",
       "src/part/a.md",
       {"src/part/x.rs", "src/y.md", "code/z.rs"},
       "{{#include x.rs}}\n\n```rust\n{{#rustdoc_include ../../code/z.rs:2:10}}\n{{ #playground x.rs editable }}\n```\n"
       "{{#include ../y.md:part}} {{#include gone.rs}} \\{{#include no.rs}} {{#title x}} {{#include {{x}}.rs}}\n"
       "{{#include ../../../../../../../../etc/passwd}}\n",
       Lines{"x.rs alive ok", "../../code/z.rs alive ok", "x.rs alive ok", "../y.md alive ok",
             "gone.rs dead file_not_found", "{{x placeholder",
             "../../../../../../../../etc/passwd skipped outside_root"}},
      {"hugo.toml",
       "",
       "content/docs/a.md",
       {"content/docs/b.md", "content/docs/deep/_index.md", "content/blog/c/index.md", "content/docs/d.fr.md",
        "content/docs/tree/e.md"},
       "# Part\n[x]({{< ref \"b\" >}}) [x]({{< relref \"b.md#part\" >}}) [x]({{% ref \"/docs/b\" %}}) {{< ref `c` >}}\n"
       "{{< ref \"docs/deep\" >}} {{< ref \"../blog/c/\" >}} {{< ref \"#part\" >}} {{< ref path=\"b.md\" >}}\n"
       "{{< ref \"docs/tree\" >}} {{< ref \"gone\" >}} {{< ref \"b#gone\" >}} {{</* ref \"no\" */>}}"
       "\n"
       "{{< ref path=\"x\" lang=\"fr\" >}} {{< figure src=\"no.png\" >}} {{< ref \"{{ .x }}\" >}}\n",
       Lines{"b alive ok", "b.md#part dead anchor_not_found", "/docs/b alive ok", "c alive ok", "docs/deep alive ok",
             "../blog/c/ alive ok", "#part alive ok", "b.md alive ok", "docs/tree alive ok", "gone dead file_not_found",
             "b#gone dead anchor_not_found", "{{ .x }} placeholder"}},
      {"hugo.toml",
       "[module]\n[[module.imports]]\npath = \"github.com/a/b\"\n",
       "content/a.md",
       {},
       "{{< ref \"gone\" >}}",
       Lines{"gone placeholder"}},
      {"_config.yml",
       "",
       "a.md",
       {"_posts/2020-01-02-post.md", "sub/_posts/2020-01-03-other.markdown", "docs/b.md", "part.md", "c.pdf"},
       "---\ntitle: x\n---\n[x]({% link docs/b.md %}) {%- link /c.pdf -%} {% post_url 2020-01-02-post %}\n"
       "{% post_url /sub/2020-01-03-other %} {% include_relative part.md x=\"y\" %} {% link gone.md %}\n"
       "{% post_url 2020-01-09-gone %} {% raw %}{% link no.md %}{% endraw %} {% comment %}{% link no.md %}{% "
       "endcomment %}\n"
       "{% link {{ page.x }} %} {% include_relative {{ page.x }} %}\n",
       Lines{"docs/b.md alive ok", "/c.pdf alive ok", "2020-01-02-post alive ok", "/sub/2020-01-03-other alive ok",
             "part.md alive ok", "gone.md dead file_not_found", "2020-01-09-gone dead file_not_found",
             "{{ placeholder"}},
      {"_config.yml",
       "title: x\n",
       "a.md",
       {"_includes/x.html", "_includes/deep/y.md"},
       "---\n---\n{% include x.html a=\"b\" %} {%- include_cached deep/y.md -%} {% include gone.html %}\n"
       "{% include {{ page.x }} %} {% include ../../../../../../../../etc/passwd %}\n",
       Lines{"x.html alive ok", "deep/y.md alive ok", "gone.html dead file_not_found", "{{ placeholder",
             "../../../../../../../../etc/passwd skipped outside_root"}},
      {"_config.yml",
       "theme: minima\nincludes_dir: parts\n",
       "a.md",
       {"parts/x.html"},
       "---\n---\n{% include x.html %} {% include head.html %}\n",
       Lines{"x.html alive ok", "head.html placeholder"}},
      {"_config.yml", "", "a.md", {}, "No page: {% link gone.md %}\n", {}},
      {".vitepress/config.ts",
       "",
       "docs/guide/a.md",
       {"docs/snippets/x.js", "docs/guide/y.ts", "docs/z.md"},
       "<<< @/snippets/x.js#part{2,3 js} [title]\n\n<<< ./y.ts{1}\n\n<!--@include: ../z.md{1,3}-->\n\n<<< @/gone.js\n\n"
       "<!-- @include: ./gone.md#part -->\n\n```md\n<<< @/no.js\n<!--@include: ./no.md-->\n```\n`<<< no.js`\n",
       Lines{"@/snippets/x.js alive ok", "./y.ts alive ok", "../z.md alive ok", "@/gone.js dead file_not_found",
             "./gone.md dead file_not_found"}},
      {"mkdocs.yml",
       "markdown_extensions:\n  - pymdownx.snippets:\n      base_path: [parts, \"more\"]\n",
       "docs/sub/a.md",
       {"parts/x.md", "more/y.md", "docs/z.md", "docs/sub/w.md"},
       "--8<-- \"x.md\"\n\n```py\n--8<-- 'y.md:part'\n```\n--8<--\nz.md\n; no.md\n\nw.md\n--8<--\n\n;--8<-- \"no.md\"\n"
       "--8<-- \"gone.md\"\n--8<-- \"https://b.org/x.md\"\n--8<-- \"x.md\" and words\n",
       Lines{"x.md alive ok", "y.md alive ok", "z.md alive ok", "w.md alive ok", "gone.md dead file_not_found"}},
      {"mkdocs.yml", "site_name: x\n", "docs/a.md", {}, "--8<-- \"gone.md\"\n", Lines{"gone.md placeholder"}},
      {"mkdocs.yml",
       "plugins:\n  - include-markdown\n",
       "docs/sub/a.md",
       {"README.md", "docs/x.md", "docs/sub/y.py"},
       "{% include-markdown \"../../README.md\" start=\"<!--a-->\" %}\n{%\n  include-markdown '/x.md'\n%}\n"
       "{% include \"y.py\" %} {% include-markdown \"gone.md\" %} {% include-markdown \"*.md\" %}\n"
       "{% include-markdown page.x %}\n",
       Lines{"../../README.md alive ok", "/x.md alive ok", "y.py alive ok", "gone.md dead file_not_found"}},
      {"mkdocs.yml", "site_name: x\n", "docs/a.md", {}, "{% include \"gone.md\" %}\n", Lines{"gone.md placeholder"}},
      {"conf.py",
       "",
       "sub/a.md",
       {"sub/x.md", "y.py", "sub/p.png"},
       "```{include} x.md\n:start-line: 2\n```\n\n```{literalinclude} /y.py\n```\n\n:::{figure} p.png\nWords\n:::\n\n"
       "```{image} gone.png\n```\n\n```{include} gone.md\n```\n\n```{include} <isonum.txt>\n```\n\n```{image} "
       "p.*\n```\n"
       "\n````md\n```{include} no.md\n```\n````\n",
       Lines{"x.md alive ok", "/y.py alive ok", "p.png alive ok", "gone.png dead file_not_found",
             "gone.md dead file_not_found"}},
      {"_quarto.yml",
       "",
       "posts/a.qmd",
       {"posts/_x.qmd", "_y.qmd", "n.ipynb"},
       "{{< include _x.qmd >}}\n\n{{< include /_y.qmd >}}\n\n{{< embed ../n.ipynb#fig >}}\n\n{{< include gone.qmd "
       ">}}\n\n"
       "{{{< include no.qmd >}}}\n\n{{< video no.mp4 >}}\n",
       Lines{"_x.qmd alive ok", "/_y.qmd alive ok", "../n.ipynb alive ok", "gone.qmd dead file_not_found"}},
      {"README.md", "", "a.md", {}, "{{#include gone.rs}} {{< ref \"x\" >}} {% link x %}\n\n<<< x\n--8<-- \"x\"\n", {}},
  };
  for (const Row& row : rows) {
    const TestFolder folder;
    fs::create_directory(".git");
    const fs::path site = "website";
    folder.write(site / row.configuration, row.text);
    folder.write(site / row.list, row.markdown);
    for (const char* const file : row.files) folder.write(site / file, "# Other\n");
    LocalLinks links({});
    CAPTURE(row.configuration);
    CHECK(evaluate_includes(links, list_at(site / row.list, row.markdown)) == row.evaluated);
  }
}

TEST_CASE("documents and files that Sphinx includes exist or not") {
  using Lines = std::vector<std::string>;
  const auto evaluated_in = [](const std::string& configuration, const std::string& text) {
    const TestFolder folder;
    folder.write("docs/conf.py", configuration);
    for (const char* file : {"docs/a.rst", "docs/part/b.md", "docs/part/c.rst", "docs/inc.txt", "docs/x.py",
                             "docs/files/y.zip", "docs/part/d.note", "README.rst"})
      folder.write(file);
    fs::create_directory(".git");
    InputDocument list = list_at("docs/part/list.rst", text);
    list.format = parser::DocumentFormat::restructured_text;
    LocalLinks links({});
    return evaluate_includes(links, list);
  };
  CHECK(evaluated_in("",
                     ".. toctree::\n   :maxdepth: 2\n   :caption: no\n\n   b\n   c.rst\n   /a\n   Title <../a>\n"
                     "   gone\n   self\n   genindex\n   https://b.org/x\n   pages/*\n   .. no\n\n"
                     ".. toctree::\n   :glob:\n\n   gone*\n\nText\n") ==
        Lines{"b alive ok", "c.rst alive ok", "/a alive ok", "../a alive ok", "gone dead file_not_found"});
  CHECK(evaluated_in("",
                     "See :doc:`b`, :doc:`words </a>`, :doc:`../gone`, :doc:`python:library/os`, :doc:`!no`,\n"
                     ":download:`y <../files/y.zip>`, :download:`/files/gone.zip` and ``:doc:`no```.\n") ==
        Lines{"b alive ok", "/a alive ok", "../gone dead file_not_found", "../files/y.zip alive ok",
              "/files/gone.zip dead file_not_found"});
  CHECK(evaluated_in("",
                     ".. include:: ../inc.txt\n   :start-line: 2\n\n.. include:: ../../README.rst\n\n"
                     ".. literalinclude:: /x.py\n   :language: python\n\n.. include:: gone.txt\n\n"
                     ".. literalinclude:: gone.py\n\n.. include:: <isonum.txt>\n\n.. .. include:: no.txt\n\n"
                     ".. code-block:: rst\n\n   .. include:: no.txt\n\n"
                     ".. include:: ../../../../../../../../etc/passwd\n") ==
        Lines{"../inc.txt alive ok", "../../README.rst alive ok", "/x.py alive ok", "gone.txt dead file_not_found",
              "gone.py dead file_not_found", "../../../../../../../../etc/passwd skipped outside_root"});
  CHECK(evaluated_in("\nsource_suffix = {'.rst': 'restructuredtext', '.note': 'markdown'}\n",
                     ":doc:`d` :doc:`e` :doc:`b/`") == Lines{"d alive ok", "e dead file_not_found", "b/ alive ok"});
  CHECK(evaluated_in("", ":doc:`d`") == Lines{"d dead file_not_found"});
  CHECK(evaluated_in("", ":external:doc:`no` :external+python:doc:`no` :std:doc:`b` ``:doc:`no``` and :doc:`gone`") ==
        Lines{"b alive ok", "gone dead file_not_found"});
  CHECK(evaluated_in("intersphinx_disabled_reftypes = []\n", ":doc:`library/re`") == Lines{"library/re placeholder"});
  // A document above may include this one.
  CHECK(evaluated_in("", ".. include:: inc.txt\n\n.. literalinclude:: x.py\n\n.. include:: files/gone.txt\n") ==
        Lines{"inc.txt placeholder", "x.py placeholder", "files/gone.txt dead file_not_found"});
  // Files that an extension or a script makes may be missing in the repository.
  CHECK(evaluated_in("extensions = ['autoapi.extension']\n", ":doc:`gone` :doc:`b`") ==
        Lines{"gone placeholder", "b alive ok"});
  CHECK(evaluated_in("extensions = ['sphinx.ext.autosummary']\n", ":doc:`generated/gone` :doc:`gone`") ==
        Lines{"generated/gone placeholder", "gone dead file_not_found"});
  CHECK(evaluated_in("", ".. toctree::\n\n   modules\n") == Lines{"modules placeholder"});
}

TEST_CASE("documents that Sphinx or its build generates may be missing") {
  using Lines = std::vector<std::string>;
  struct GeneratedRow {
    std::vector<std::pair<const char*, const char*>> files;  // with their texts
    const char* text;
    Lines evaluated;
  };
  const char* const gone = ":doc:`gone`";
  const Lines is_dead{"gone dead file_not_found"};
  const Lines is_skipped{"gone placeholder"};
  const char* const includes = ".. include:: gone.inc\n\n.. toctree::\n\n   /api/gone\n   gone\n";
  const GeneratedRow rows[] = {
      // indices of Sphinx, and patterns
      {{},
       ".. toctree::\n\n   /genindex\n   /modindex\n   All <../search>\n   /py-modindex\n   gone\n   /genindex/x\n",
       {"gone dead file_not_found", "/genindex/x dead file_not_found"}},
      {{}, ".. toctree::\n   :glob:\n\n   ch[12]\n   Ch <ch[12]>\n", {"ch[12] dead file_not_found"}},
      {{}, ".. toctree::\n\n   ch[12]\n", {"ch[12] dead file_not_found"}},
      // rules of git
      {{{".gitignore", "docs/api/\ndocs/part/*.inc\n"}},
       includes,
       {"gone.inc placeholder", "/api/gone placeholder", "gone dead file_not_found"}},
      {{{"docs/.gitignore", "/part/gone.md\n"}}, gone, is_skipped},
      {{{".gitignore", "gone.html\n*.txt\n*.ipynb\n/gone.rst\n"}}, gone, is_dead},
      // extensions of the repository, and unknown ones
      {{{"docs/conf.py", "extensions = [\n  # can't ]\n  'sphinx.ext.autodoc',\n  'ours.pages',\n]\n"}},
       gone,
       is_skipped},
      {{{"docs/conf.py", "extensions = ['sphinx.ext.autodoc']\nif x:\n    extensions.append('ours')\n"}},
       gone,
       is_skipped},
      {{{"docs/conf.py", "extensions = ['sphinx.ext.autodoc', \"myst_parser\", 'sphinx_copybutton']\nx = ['ours']\n"}},
       gone,
       is_dead},
      {{{"docs/conf.py", "sys.path.insert(0, os.path.abspath('../ext'))\nextensions = ['sphinx_pages']\n"},
        {"ext/sphinx_pages.py", ""}},
       gone,
       is_skipped},
      {{{"docs/conf.py", "extensions = ['sphinx_pages']\n"}, {"docs/sphinx_pages/__init__.py", ""}}, gone, is_skipped},
      {{{"docs/conf.py", "extensions = ['ours']\n"}}, ".. include:: gone.inc\n", {"gone.inc dead file_not_found"}},
      // files that build the documents
      {{{"docs/Makefile", "api:\n\tsphinx-apidoc -o . ../src\n"}}, gone, is_skipped},
      {{{"tox.ini", "commands = sphinx-autogen -o generated index.rst\n"}}, gone, is_skipped},
      {{{"noxfile.py", "session.run('better-apidoc')\n"}}, gone, is_skipped},
      {{{"docs/Makefile", "html:\n\tsphinx-build . out\n"}, {"src/tox.ini", "sphinx-apidoc"}}, gone, is_dead},
      {{}, ":doc:`/api/modules`", {"/api/modules placeholder"}},
  };
  for (const GeneratedRow& row : rows) {
    const TestFolder folder;
    folder.write("docs/conf.py", "");
    for (const auto& [file, text] : row.files) folder.write(file, text);
    fs::create_directory(".git");
    InputDocument list = list_at("docs/part/list.rst", row.text);
    list.format = parser::DocumentFormat::restructured_text;
    LocalLinks links({});
    CAPTURE(row.files.empty() ? row.text : row.files.front().second);
    CHECK(evaluate_includes(links, list) == row.evaluated);
  }
}

TEST_CASE("ignore rules that are a pipe do not block the check of a missing document") {
  const TestFolder folder;
  folder.write("docs/conf.py", "");
  fs::create_directory(".git");
  REQUIRE(::mkfifo(".gitignore", 0600) == 0);
  InputDocument list = list_at("docs/list.rst", ":doc:`gone`");
  list.format = parser::DocumentFormat::restructured_text;
  LocalLinks links({});
  CHECK(evaluate_includes(links, list) == std::vector<std::string>{"gone dead file_not_found"});
}

TEST_CASE("only Sphinx resolves the documents that reStructuredText names") {
  const TestFolder folder;
  InputDocument list = list_at("list.rst", ":doc:`gone`\n\n.. toctree::\n\n   gone\n\n.. include:: gone.txt\n");
  list.format = parser::DocumentFormat::restructured_text;
  LocalLinks links({});
  CHECK(evaluate_includes(links, list).empty());
}

TEST_CASE("resources of Antora are files of a module or another component") {
  const TestFolder folder;
  folder.write("shop/antora.yml", "name: shop\nversion: '2.0'\n");
  folder.write("shop/modules/ROOT/pages/index.adoc");
  folder.write("shop/modules/ROOT/partials/p.adoc");
  folder.write("shop/modules/ROOT/examples/e.rb");
  folder.write("shop/modules/ROOT/attachments/f.pdf");
  folder.write("shop/modules/ROOT/images/i.png");
  folder.write("shop/modules/api/pages/deep/a.adoc", "= A\n\n[#part]\n== Part\n");
  folder.write("shop/modules/api/images/i.png");
  folder.write("shop/modules/api/partials/q.adoc");
  folder.write("stock/antora.yml", "name: stock\nversion: ~\n");
  folder.write("stock/modules/ROOT/pages/s.adoc");
  fs::create_directory(".git");
  LocalLinks links({});
  const auto evaluated_in = [&](const std::string& file, const std::string& text) {
    const InputDocument list = document_at(file, text);
    const DocumentContext context = links.context_of(list);
    parser::ExtractOptions options;
    options.base_url = context.base;
    std::vector<std::string> lines;
    parser::for_each_link(
        {list.file, list.text, list.format, context.dialect}, options, [&](parser::LinkOccurrence& link) {
          const auto target = parser::Url::parse(link.href);
          REQUIRE(target.has_value());
          const storage::Verdict verdict = links.evaluate(links.look_up(context, *target, link.url));
          lines.push_back(link.url + " " + std::string(enum_name(storage::health_names, verdict.health)) + " " +
                          verdict.reason);
        });
    return lines;
  };
  using Lines = std::vector<std::string>;
  const std::string page = "shop/modules/ROOT/pages/deep/list.adoc";
  CHECK(evaluated_in(page, "xref:index.adoc[] xref:gone.adoc[] xref:api:deep/a.adoc#part[] xref:api:gone.adoc[]\n") ==
        Lines{"index.adoc alive ok", "gone.adoc dead file_not_found", "api:deep/a.adoc#part alive ok",
              "api:gone.adoc dead file_not_found"});
  CHECK(evaluated_in(page, "xref:api:deep/a.adoc#gone[] xref:attachment$f.pdf[] xref:attachment$gone.pdf[]\n") ==
        Lines{"api:deep/a.adoc#gone dead anchor_not_found", "attachment$f.pdf alive ok",
              "attachment$gone.pdf dead file_not_found"});
  CHECK(evaluated_in(page,
                     "include::partial$p.adoc[]\n\ninclude::api:partial$q.adoc[]\n\ninclude::example$e.rb[]\n\n"
                     "include::partial$gone.adoc[]\n\nimage::api:i.png[]\n\nimage::api:gone.png[]\n\n"
                     "image::image$i.png[]\n\nimage::logo@2x.png[]\n") ==
        Lines{"partial$p.adoc alive ok", "api:partial$q.adoc alive ok", "example$e.rb alive ok",
              "partial$gone.adoc dead file_not_found", "api:i.png alive ok", "api:gone.png dead file_not_found",
              "image$i.png alive ok"});
  CHECK(evaluated_in(page,
                     "xref:shop:api:deep/a.adoc#part[] xref:2.0@shop::index.adoc[] xref:shop::gone.adoc[]\n"
                     "xref:stock::s.adoc[] xref:stock::gone.adoc[]\n") ==
        Lines{"shop:api:deep/a.adoc#part alive ok", "2.0@shop::index.adoc alive ok",
              "shop::gone.adoc dead file_not_found", "stock::s.adoc alive ok", "stock::gone.adoc dead file_not_found"});
  CHECK(evaluated_in(page, "xref:other:api:a.adoc[] xref:1.0@shop:api:deep/a.adoc[] xref:elsewhere:a.adoc[]\n") ==
        Lines{"other:api:a.adoc skipped relative_link", "1.0@shop:api:deep/a.adoc skipped relative_link",
              "elsewhere:a.adoc suspect file_not_found"});
  CHECK(evaluated_in("shop/modules/ROOT/nav.adoc",
                     "* xref:index.adoc[]\n* xref:api:deep/a.adoc[]\n* xref:gone.adoc[]\n") ==
        Lines{"index.adoc alive ok", "api:deep/a.adoc alive ok", "gone.adoc dead file_not_found"});
  CHECK(evaluated_in("shop/list.adoc", "xref:api:a.adoc[] image::api:i.png[] include::partial$p.adoc[]\n").empty());
  const InputDocument list = document_at(page, "");
  const LocalLink link =
      links.look_up(links.context_of(list), *parser::Url::parse("file:///x/pages/a.adoc"), "other::a.adoc");
  CHECK(links.evaluate(link).evidence == "the Antora component \"other\" was not found beside this one");
}

TEST_CASE("a component of Antora may have several folders, old names of folders, and no files elsewhere") {
  const TestFolder folder;
  folder.write("outside/antora.yml", "name: secret\n");
  folder.write("outside/modules/ROOT/pages/a.adoc");
  folder.write("r/own/antora.yml", "# c\n'name': own\nversion: '1.10' # c\nasciidoc:\n  name: nested\n");
  folder.write("r/own/modules/ROOT/pages/index.adoc");
  folder.write("r/own/modules/ROOT/assets/images/i.png");
  folder.write("r/own/modules/ROOT/assets/attachments/f.pdf");
  folder.write("r/own/modules/ROOT/pages/_partials/p.adoc");
  folder.write("r/own/modules/ROOT/documents/d.adoc");
  folder.write("r/more/antora.yml", "{nav: [{name: x}], name: \"own\", version: '1.10'}\n");
  folder.write("r/more/modules/ROOT/pages/b.adoc");
  folder.write("r/old/antora.yml", "name: own\nversion: '1.9'\n");
  folder.write("r/old/modules/ROOT/pages/o.adoc");
  folder.write("r/v1/antora.yml", "name: two\nversion: 1\n");
  folder.write("r/v1/modules/ROOT/pages/first.adoc");
  folder.write("r/v2/antora.yml", "name: two\nversion: 2\n");
  folder.write("r/v2/modules/ROOT/pages/second.adoc");
  fs::create_directory("r/.git");
  fs::create_directory_symlink("../outside", "r/linked");
  fs::create_directory("r/file");
  fs::create_symlink("../../outside/antora.yml", "r/file/antora.yml");
  LocalLinks links({});
  const auto evaluated_as = [&links](const std::string& text) {
    return healths_of_links(links, document_at("r/own/modules/ROOT/pages/list.adoc", text));
  };
  CHECK(evaluated_as("xref:secret::a.adoc[] xref:secret::gone.adoc[] xref:nested::a.adoc[] xref:x::a.adoc[]") ==
        "skipped skipped skipped skipped ");
  CHECK(evaluated_as("xref:b.adoc[] xref:ROOT:b.adoc[] xref:own::b.adoc[] xref:1.10@own::b.adoc[]") ==
        "alive alive alive alive ");
  CHECK(evaluated_as("xref:o.adoc[] xref:own::o.adoc[] xref:1.9@own::o.adoc[] xref:1.10@own::o.adoc[]") ==
        "dead alive alive dead ");
  CHECK(evaluated_as("xref:two::first.adoc[] xref:two::second.adoc[] xref:two::third.adoc[]") == "alive alive dead ");
  CHECK(evaluated_as("xref:1@two::first.adoc[] xref:1@two::second.adoc[] xref:3@two::first.adoc[]") ==
        "alive dead skipped ");
  CHECK(evaluated_as("image::i.png[]\n\nxref:attachment$f.pdf[] xref:d.adoc[] xref:own::d.adoc[] xref:e.adoc[]\n\n"
                     "include::partial$p.adoc[]\n") == "alive alive alive alive dead alive ");
  const InputDocument list = document_at("r/own/modules/ROOT/pages/list.adoc", "");
  const DocumentContext context = links.context_of(list);
  const parser::Url third = parser::Url::parse("x/../third.adoc", *context.base).value();
  CHECK(links.evaluate(links.look_up(context, third, "two::third.adoc")).evidence ==
        "r/v2/modules/ROOT/pages/third.adoc does not exist");
}

TEST_CASE("an alias of an Antora page is a page, and the anchors are those of the page that has the alias") {
  const TestFolder folder;
  folder.write("shop/antora.yml", "name: shop\nversion: '2.0'\n");
  folder.write("shop/modules/ROOT/pages/new.adoc",
               "= New\nJane Doe\n:page-aliases: old.adoc, api:moved.adoc, 1.0@deep/first.adoc, \\\n"
               "  stock::given.adoc, ./beside\n\n[#part]\n== Part\n");
  folder.write("shop/modules/api/pages/deep/a.adoc", ":page-aliases: ./b.adoc, ROOT:page$c.adoc\n\n= A\n");
  folder.write("shop/modules/ROOT/pages/example.adoc", "= Example\n\n----\n:page-aliases: shown.adoc\n----\n");
  folder.write("first/antora.yml", "name: shop\nversion: '1.0'\n");
  folder.write("stock/antora.yml", "name: stock\nversion: '3'\n");
  folder.write("stock/modules/ROOT/pages/s.adoc");
  fs::create_directory(".git");
  LocalLinks links({});
  const auto evaluated = [&links](const std::string& text) {
    return healths_of_links(links, document_at("shop/modules/ROOT/pages/list.adoc", text));
  };
  CHECK(evaluated("xref:old.adoc[] xref:old.adoc#part[] xref:old.adoc#gone[] xref:gone.adoc[]") ==
        "alive alive dead dead ");
  CHECK(evaluated("xref:api:moved.adoc[] xref:moved.adoc[] xref:beside.adoc[] xref:shown.adoc[]") ==
        "alive dead alive dead ");
  CHECK(evaluated("xref:shop::old.adoc[] xref:1.0@shop::old.adoc[] xref:1.0@shop::deep/first.adoc[] "
                  "xref:deep/first.adoc[]") == "alive dead alive dead ");
  CHECK(evaluated("xref:stock::given.adoc[] xref:3@stock::given.adoc[] xref:stock::gone.adoc[]") ==
        "alive alive dead ");
  CHECK(evaluated("xref:api:deep/b.adoc[] xref:c.adoc[] xref:api:c.adoc[]") == "alive alive dead ");
}

TEST_CASE("the aliases of a page are those of its header") {
  using Aliases = std::vector<std::string>;
  CHECK(parse_page_aliases("= A\n:page-aliases: b.adoc,c:d.adoc , \r\n\nText\n") == Aliases{"b.adoc", "c:d.adoc"});
  CHECK(parse_page_aliases("// a\n\n:page-aliases: b.adoc, \\\nc.adoc\n\n# A\n") == Aliases{"b.adoc", "c.adoc"});
  CHECK(parse_page_aliases("= A\n:page-aliases: b.adoc\n:page-aliases: c.adoc\n") == Aliases{"c.adoc"});
  CHECK(parse_page_aliases("= A\n\n:page-aliases: b.adoc\n").empty());
  CHECK(parse_page_aliases("Text\n:page-aliases: b.adoc\n").empty());
  CHECK(parse_page_aliases("= A\n:page-aliases: \\").empty());
  CHECK(parse_page_aliases("").empty());
}

TEST_CASE("the component of an antora.yml is that of its top level") {
  const auto component = [](std::string_view yaml) {
    const std::optional<AntoraComponent> parsed = parse_antora_component(yaml);
    return parsed ? describe(*parsed) : std::string("none");
  };
  CHECK(component("name: r\n") == "r");
  CHECK(component("\xEF\xBB\xBF---\n'name': r\r\n\"version\": '2' # two\r\n") == "2@r");
  CHECK(component("{name: 'q', version: '1'}") == "1@q");
  CHECK(component("{\n  nav: [{name: x}],\n  name: q,\n  version: ~\n}\n") == "q");
  CHECK(component("asciidoc:\n  name: nested\n") == "none");
  CHECK(component("title: x\nasciidoc:\n  name: nested\nname: r\nversion: true") == "true@r");
  CHECK(component("  name: r\n  version: 1.0\n") == "1.0@r");
  CHECK(component("{name") == "none");
  CHECK(component("{a: [") == "none");
  CHECK(component("") == "none");
}

TEST_CASE("after many missing files the folder is listed and existing files are still found") {
  const TestFolder folder;
  folder.write("a.md");
  folder.write("Guide.md");
  folder.write("deep/b.md");
  LocalLinks links({});
  const InputDocument list = list_at("a.md");
  for (int i = 0; i < 150; ++i) {
    CAPTURE(i);
    CHECK(evaluated(links, list, "gone" + std::to_string(i) + ".md") == "dead file_not_found");
  }
  CHECK(evaluated(links, list, "Guide.md") == "alive ok");
  CHECK(evaluated(links, list, "Guide.html") == "alive ok");
  CHECK(evaluated(links, list, "deep/b.md") == "alive ok");
  CHECK(evaluated(links, list, "./deep/../Guide.md") == "alive ok");
  CHECK(evaluated(links, list, "gone/../Guide.md") == "alive ok");
  CHECK(evaluated(links, list, "gone/b.md") == "dead file_not_found");
  CHECK(evaluated(links, list, "../../../../../etc/passwd") == "skipped outside_root");
  const LocalVerdict other_case = evaluate(links, list, "guide.md");
  CHECK(other_case.verdict.evidence == "guide.md does not exist; did you mean Guide.md?");
}

TEST_CASE("an image missing in Docusaurus is dead because the build fails") {
  const TestFolder folder;
  folder.write("website/docusaurus.config.js", "export default {};\n");
  folder.write("website/static/img/a.png");
  folder.write("website/README.md");
  fs::create_directory(".git");
  LocalLinks links({});
  const InputDocument list = list_at("website/docs/a.md");
  CHECK(evaluated(links, list, "/img/a.png") == "alive ok");
  const LocalVerdict gone = evaluate(links, list, "/img/b.png");
  CHECK(gone.verdict.health == storage::Health::dead);
  CHECK(gone.verdict.evidence == "website/static/img/b.png does not exist; did you mean a.png?");
  CHECK(evaluated(links, list, "/project/img/b.png") == "skipped relative_link");  // "project" may be its baseUrl
  CHECK(evaluated(links, list, "/b.png") == "skipped relative_link");
  CHECK(evaluated(links, list, "/img/b.pdf") == "skipped relative_link");
  CHECK(evaluated(links, list_at("website/README.md"), "/img/b.png") == "skipped relative_link");
  folder.write("website/docusaurus.config.js", "export default {staticDirectories: ['static', 'more']};\n");
  LocalLinks other({});
  CHECK(evaluated(other, list, "/img/b.png") == "skipped relative_link");
}

TEST_CASE("without a repository the generator is searched up to the current folder") {
  const TestFolder folder;
  folder.write("docs/deep/a.md");
  folder.write("docs/deep/guide.md");
  folder.write("mkdocs.yml");
  LocalLinks links({});
  CHECK(evaluated(links, list_at("docs/deep/a.md"), "guide/") == "alive ok");
}

TEST_CASE("front matter shows that a generator makes the page") {
  const TestFolder folder;
  folder.write("docs/a.md");
  folder.write("docs/guide.md");
  LocalLinks links({});
  CHECK(evaluated(links, list_at("docs/a.md", "# A\n\n---\n"), "guide/") == "suspect file_not_found");
  LocalLinks others({});
  CHECK(evaluated(others, list_at("docs/a.md", "---\ntitle: A\n---\n"), "guide/") == "alive ok");
}

TEST_CASE("missing relative links of a template are not judged") {
  const TestFolder folder;
  folder.write("theme/base.html");
  folder.write("theme/x.css");
  InputDocument page = list_at("theme/base.html");
  page.format = parser::DocumentFormat::html;
  LocalLinks links({});
  DocumentContext context = links.context_of(page);
  context.is_template = true;
  const auto reason = [&](const std::string& written) {
    const parser::Url target = parser::Url::parse(written, LocalLinks::base_of(page).value()).value();
    return links.evaluate(links.look_up(context, target, written)).reason;
  };
  CHECK(reason("x.css") == "ok");
  CHECK(reason("gone.css") == "relative_link");
  CHECK(reason("#icon") == "ok");
}

TEST_CASE("the anchors of a folder are those of its index page") {
  const TestFolder folder;
  folder.write("list.md");
  folder.write("site/index.html", "<h1 id=welcome>x</h1>");
  folder.write("site/README.md", "# Sources\n");
  folder.write("docs/README.md", "# Contents\n");
  folder.write("bare/x.txt", "x");
  const InputDocument list = list_at("list.md");
  LocalLinks links({});
  CHECK(evaluated(links, list, "site/#welcome") == "alive ok");
  CHECK(evaluated(links, list, "site#sources") == "dead anchor_not_found");
  CHECK(evaluate(links, list, "site/#wellcome").verdict.evidence ==
        "site/index.html has no anchor \"wellcome\"; did you mean #welcome?");
  CHECK(evaluated(links, list, "docs/#contents") == "alive ok");
  CHECK(evaluated(links, list, "bare/#x") == "alive ok");
}

TEST_CASE("options can require an index file or add an extension") {
  const TestFolder folder;
  folder.write("list.md");
  folder.write("with/index.md", "# Welcome\n");
  folder.write("without/x.md");
  folder.write("page.html", "<h1 id=part>x</h1>");
  const InputDocument list = list_at("list.md");
  LocalLinks plain({});
  CHECK(evaluated(plain, list, "without/") == "alive ok");
  CHECK(evaluated(plain, list, "page") == "dead file_not_found");
  LocalLinks strict({"", {"index.html", "index.md"}, {"htm", "html"}, true});
  CHECK(evaluated(strict, list, "with/") == "alive ok");
  CHECK(evaluated(strict, list, "with#welcome") == "alive ok");
  CHECK(evaluated(strict, list, "with#nowhere") == "dead anchor_not_found");
  CHECK(evaluated(strict, list, "without/") == "dead file_not_found");
  CHECK(evaluate(strict, list, "without/").name == "without/index.html");
  CHECK(evaluated(strict, list, "page") == "alive ok");
  CHECK(evaluated(strict, list, "page#nowhere") == "dead anchor_not_found");
  LocalLinks lenient({"", {"index.html", "."}, {}, true});
  CHECK(evaluated(lenient, list, "without/") == "alive ok");
}

TEST_CASE("only a list in a file has a base folder") {
  InputDocument from_stdin;
  from_stdin.file = "-";
  CHECK_FALSE(LocalLinks::base_of(from_stdin).has_value());
  const TestFolder folder;
  const auto base = LocalLinks::base_of(list_at("a b%/中#?.md"));
  REQUIRE(base.has_value());
  CHECK(base->href() == "file://" + folder.path().string() + "/a%20b%25/%E4%B8%AD%23%3F.md");
}

TEST_CASE("a base at the site root does not mean the root of this machine") {
  const TestFolder folder;
  folder.write("docs/x.html");
  folder.write("docs/sub/x.html");
  InputDocument page = list_at("docs/page.html", "<base href=/docs/>");
  page.format = parser::DocumentFormat::html;
  const auto evaluate_at = [&](LocalLinks& links, const std::string& base, const std::string& written) {
    const parser::Url home = LocalLinks::base_of(page).value();
    const parser::Url target = parser::Url::parse(written, parser::Url::parse(base, home).value()).value();
    return evaluate(links, page, target, written).verdict.reason;
  };
  LocalLinks links({});
  CHECK(evaluate_at(links, "/docs/", "x.html") == "relative_link");
  CHECK(evaluate_at(links, "sub/", "x.html") == "ok");
  CHECK(evaluate_at(links, "sub/", "gone.html") == "file_not_found");
  LocalLinkOptions rooted;
  rooted.root_dir = ".";
  LocalLinks below_root(rooted);
  CHECK(evaluate_at(below_root, "/docs/", "x.html") == "ok");
  CHECK(evaluate_at(below_root, "/docs/", "gone.html") == "file_not_found");
}
