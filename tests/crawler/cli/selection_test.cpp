// Tests options of `check` that need no network: exclusion and links to files.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/crawler/cli/run_command.h"

using namespace linkherd::crawler;

namespace {

// Runs `check` on documents whose links are all decided without a request.
Outcome check(std::vector<std::string> more) {
  std::vector<std::string> words{"check", "--no-store", "--format", "jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

std::string line_with(const std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "no line";
  const std::size_t start = text.rfind('\n', at) + 1;
  return text.substr(start, text.find('\n', at) - start);
}

}  // namespace

TEST_CASE("links to files are judged without the network") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "# Top\n\n[a](other.md) [b](other.md#here) [c](#top) [d](img/x.png)\n");
  here.folder.write("other.md", "# Here\n");
  here.folder.write("img/x.png", "");
  const Outcome fine = check({"list.md"});
  CHECK(fine.code == 0);
  here.folder.write("list.md", "[a](gone.md) [b](other.md#gone)\n");
  const Outcome broken = check({"list.md"});
  CHECK(broken.code == 2);
  CHECK(has(line_with(broken.out, "gone.md does not exist"), R"("reason":"file_not_found")"));
  CHECK(has(line_with(broken.out, "other.md#gone"), R"("reason":"anchor_not_found")"));
  CHECK(check({"--include-fragments=none", "--exclude", "^gone", "list.md"}).code == 0);
  const Outcome text = run({"check", "--no-store", "list.md"});
  CHECK(has(text.out, "no such file"));
}

TEST_CASE("excluded and ignored links are skipped with their cause") {
  const TempCurrentFolder here;
  here.folder.write("list.md",
                    "[a](https://a.cn/) [b](https://b.cn/) [c](https://c.cn/) [m](mailto:a@b.cn)\n\n"
                    "<!-- linkherd-ignore-next-line -->\n[d](https://d.cn/)\n");
  here.folder.write(".linkherdignore", "# ours\n^https://a\\.cn\n");
  here.folder.write(".lycheeignore", "b\\.cn/\n");
  const Outcome outcome = check({"--exclude", "c\\.cn", "list.md"});
  CHECK(outcome.code == 0);
  CHECK(has(line_with(outcome.out, "https://a.cn/"), ".linkherdignore:2 matches: ^https://a"));
  CHECK(has(line_with(outcome.out, "https://b.cn/"), ".lycheeignore:1 matches: b"));
  CHECK(has(line_with(outcome.out, "https://c.cn/"), "--exclude matches: c"));
  CHECK(has(line_with(outcome.out, "https://d.cn/"), R"("reason":"ignored")"));
  CHECK(has(line_with(outcome.out, "mailto:a@b.cn"), "--include-mail"));
  const Outcome mail = check({"--include-mail", "--scheme", "mailto", "list.md"});
  CHECK(mail.code == 0);
  CHECK(has(line_with(mail.out, "mailto:a@b.cn"), R"("health":"alive")"));
  CHECK(has(line_with(mail.out, "https://c.cn/"), "--scheme does not include https"));
}

TEST_CASE("the links command excludes the same links as check") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](other.md) [b](img/x.png) [c](https://c.cn/) [d](mailto:a@b.cn)\n");
  const auto links = [](std::vector<std::string> more) {
    std::vector<std::string> words{"links", "list.md"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words).out;
  };
  CHECK(has(links({}), "img/x.png"));
  const std::string excluded = links({"--exclude", "\\.png$"});
  CHECK_FALSE(has(excluded, "img/x.png"));
  CHECK(has(excluded, "other.md"));
  const std::string web = links({"--scheme", "https"});
  CHECK(has(web, "https://c.cn/"));
  for (const char* const other : {"other.md", "img/x.png", "mailto:"}) CHECK_FALSE(has(web, other));
  const std::string files = links({"--scheme", "file"});
  CHECK(has(files, "other.md"));
  CHECK(has(files, "img/x.png"));
  CHECK_FALSE(has(files, "c.cn"));
  CHECK_FALSE(has(links({"--exclude", "^file:.*/other"}), "other.md"));
}

TEST_CASE("the links command resolves wikilinks and aliases and directives as check does") {
  const TempCurrentFolder here;
  here.folder.write("docusaurus.config.js", "export default {};\n");
  here.folder.write("src/b.mdx", "# B\n");
  here.folder.write("notes/python.org.md", "# P\n");
  here.folder.write("docs/a.md", "[b](@site/src/b.mdx) [c](@theme/Tabs) [[python.org]]\n");
  here.folder.write("book/book.toml", "[book]\n");
  here.folder.write("book/src/a.md", "{{#include x.rs}} {{#include {{y}}.rs}}\n");
  const auto line = [](const char* list, std::string_view part) {
    return line_with(run({"links", "--include-wikilinks", list}).out, part);
  };
  CHECK(has(line("docs/a.md", "@site/src/b.mdx"), "[relative]"));
  CHECK_FALSE(has(line("docs/a.md", "@site/src/b.mdx"), "[placeholder]"));
  CHECK(has(line("docs/a.md", "@theme"), "[placeholder]"));
  CHECK_FALSE(has(line("docs/a.md", ": python.org"), "[missing_scheme]"));
  CHECK(has(line("book/src/a.md", "x.rs"), "[relative]"));
  CHECK(has(line("book/src/a.md", "{{y"), "[placeholder]"));
  const std::string filtered = run({"links", "--exclude", "^file:.*/src/b\\.mdx$", "docs/a.md"}).out;
  CHECK_FALSE(has(filtered, "@site"));
  CHECK(has(filtered, "@theme"));
  const std::string json = run({"links", "--format", "jsonl", "docs/a.md"}).out;
  CHECK_FALSE(has(json, here.folder.path().string()));
}

TEST_CASE("input and pattern files are read with comments and blank lines") {
  const TempCurrentFolder here;
  here.folder.write("a.md", "[a](https://a.cn/)\n");
  here.folder.write("b.md", "[b](https://b.cn/)\n");
  here.folder.write("lines.txt",
                    "\xEF\xBB\xBF"
                    "a.md\r\n# not this\nb.md\n");
  here.folder.write("nuls.txt", std::string("a.md\0b.md\0", 10));
  for (const char* file : {"lines.txt", "nuls.txt"}) {
    CAPTURE(file);
    const Outcome outcome = run({"links", "--format", "jsonl", "--files-from", file});
    CHECK(outcome.code == 0);
    CHECK(has(outcome.out, R"("file":"a.md")"));
    CHECK(has(outcome.out, R"("file":"b.md")"));
  }
  for (const std::string& names : {std::string("a.md\0b.md\0", 10), std::string("a.md\0b.md", 9)}) {
    const Outcome outcome = run({"links", "--format", "jsonl", "--files-from", "-"}, names);
    CHECK(outcome.code == 0);
    CHECK(has(outcome.out, R"("file":"b.md")"));
    CHECK_FALSE(has(outcome.err, "does not exist"));
  }
  here.folder.write(".linkherdignore",
                    "\xEF\xBB\xBF"
                    "a\\.cn\r\nb\\.cn\r\n");
  const Outcome outcome = check({"a.md", "b.md"});
  CHECK(has(line_with(outcome.out, "https://a.cn/"), "excluded"));
  CHECK(has(line_with(outcome.out, "https://b.cn/"), "excluded"));
}

TEST_CASE("include overrides exclude and remap changes the target") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](https://a.cn/x)\n");
  here.folder.write("there.md", "");
  const std::string target = "file://" + (here.folder / "there.md").string();
  CHECK(has(check({"--include", "nothing", "list.md"}).out, "no --include matches"));
  const Outcome remapped =
      check({"--exclude", ".*", "--include", "there", "--remap", "^https://a\\.cn/x$ " + target, "list.md"});
  CHECK(remapped.code == 0);
  CHECK(has(remapped.out, R"("health":"alive")"));
}

TEST_CASE("an unusable pattern exits with 3 and one line that names its location") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "[a](gone.md)\n");
  for (const char* option : {"--include", "--exclude", "--exclude-path"}) {
    const Outcome outcome = check({option, "a(?=b)", "list.md"});
    CHECK(outcome.code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(has(outcome.err, option));
    CHECK(has(outcome.err, "a(?=b)"));
  }
  CHECK(check({"--remap", "only", "list.md"}).code == 3);
  CHECK(check({"--root-dir", "nowhere", "list.md"}).code == 3);
  for (const char* site : {"docs", "ftp://a.cn", "https://me:s3cret@a.cn", "https://a.cn/?q=1", "https://a.cn/#x",
                           "https://a.cn=", "https://a.cn=nowhere", "https://a.cn=list.md"}) {
    CAPTURE(site);
    const Outcome refused = check({"--site-url", site, "list.md"});
    CHECK(refused.code == 3);
    CHECK(is_one_line(refused.err));
    CHECK(has(refused.err, "--site-url"));
    CHECK_FALSE(has(refused.err, "s3cret"));
  }
  CHECK(check({"--include-fragments=most", "list.md"}).code == 3);
  here.folder.write(".lycheeignore", "fine\n(\n");
  const Outcome outcome = check({"list.md"});
  CHECK(outcome.code == 3);
  CHECK(has(outcome.err, ".lycheeignore:2"));
  std::filesystem::remove(here.folder.path() / ".lycheeignore");
  std::filesystem::create_symlink(".lycheeignore", here.folder.path() / ".lycheeignore");  // a link to itself
  const Outcome unreadable = check({"list.md"});
  CHECK(unreadable.code == 3);
  CHECK(has(unreadable.err, ".lycheeignore"));
}

TEST_CASE("a file can name the inputs and paths can be excluded") {
  const TempCurrentFolder here;
  here.folder.write("a.md", "[a](a.md)\n");
  here.folder.write("docs/b.md", "[b](b.md)\n");
  here.folder.write("inputs", "# lists\n\n  a.md\ndocs\n");
  const Outcome links = run({"links", "--files-from", "inputs"});
  CHECK(links.code == 0);
  CHECK(has(links.out, "a.md:1"));
  CHECK(has(links.out, "docs/b.md:1"));
  CHECK(has(run({"links", "--files-from", "-"}, "a.md\n").out, "a.md:1"));
  const Outcome some = run({"links", "--files-from", "inputs", "--exclude-path", "^docs/"});
  CHECK(has(some.out, "a.md:1"));
  CHECK_FALSE(has(some.out, "docs/b.md"));
  CHECK(has(some.err, "docs/b.md: excluded by --exclude-path ^docs/"));
  for (const char* file : {"missing", "."}) {
    const Outcome refused = run({"links", "--files-from", file});
    CHECK(refused.code == 1);
    CHECK(is_one_line(refused.err));
  }
}

TEST_CASE("the links command does not fetch a list from the web") {
  const Outcome outcome = run({"links", "https://x.org/list.md"});
  CHECK(outcome.code == 1);
  CHECK(has(outcome.err, "linkherd check"));
}

TEST_CASE("an offline run checks only files and anchors and skips every web link with that reason") {
  const TempCurrentFolder here;
  here.folder.write("list.md", "# Top\n\n[a](#top) [b](#gone) [c](gone.md) [d](https://x.org/) [e](mailto:a@b.cn)\n");
  const Outcome outcome = run({"check", "--offline", "--format", "jsonl", "list.md"});
  CHECK(outcome.code == 2);
  CHECK(has(line_with(outcome.out, "#top"), R"("health":"alive")"));
  CHECK(has(line_with(outcome.out, "#gone"), R"("reason":"anchor_not_found")"));
  CHECK(has(line_with(outcome.out, "\"gone.md"), R"("reason":"file_not_found")"));
  CHECK(has(line_with(outcome.out, "https://x.org/"), R"("health":"skipped","reason":"offline")"));
  CHECK_FALSE(std::filesystem::exists(here.folder / ".linkherd"));
  const Outcome listed = run({"check", "--offline", "-v", "list.md"});
  CHECK(has(listed.out, "not checked in an offline run"));
  CHECK(run({"check", "--offline", "https://x.org/list.md"}).code == 1);
}
