// Tests entries, roles and heading paths in every format: what a list lists and what it only mentions.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;

namespace {

using Lines = std::vector<std::string>;

// Returns lines such as "1 main https://a.org/": the number of the entry or "-", the role and the URL.
Lines roles(std::string_view text, DocumentFormat format) {
  Lines lines;
  for (const LinkOccurrence& link : links_of(text, format)) {
    const std::string entry = link.entry == 0 ? "-" : std::to_string(link.entry);
    lines.push_back(fmt::format("{} {} {}", entry, enum_name(link_role_names, link.role), link.url));
  }
  return lines;
}

struct EntryRow {
  std::string text;
  Lines links;
};

void check(DocumentFormat format, const std::vector<EntryRow>& rows) {
  for (const EntryRow& row : rows) {
    CAPTURE(row.text);
    CHECK(roles(row.text, format) == row.links);
  }
}

// Returns "A > B" for the headings of each link.
Lines paths(std::string_view text, DocumentFormat format) {
  Lines lines;
  for (const LinkOccurrence& link : links_of(text, format)) {
    lines.push_back(fmt::format("{}", fmt::join(link.headings, " > ")));
  }
  return lines;
}

}  // namespace

TEST_CASE("the first link of a list item is its main link") {
  check(DocumentFormat::markdown,
        {{"- [A](http://a) - text\n- [B](http://b)", {"1 main http://a", "2 main http://b"}},
         {"- https://a.org\n- Title: https://b.org/x", {"1 main https://a.org", "2 main https://b.org/x"}},
         {"- Name：[http://a](http://a)", {"1 main http://a"}},
         {"- [ ] **[A](http://a)** text", {"1 main http://a"}},
         {"- **New** [A](http://a) does this", {"1 main http://a"}},
         {"- Title of a paper, Authors, 2020 [paper](http://a) [code](http://b)",
          {"1 main http://a", "1 secondary http://b"}},
         {"1. [A](http://a)\n2. [B](http://b)", {"1 main http://a", "2 main http://b"}},
         {"> - [A](http://a)", {"1 main http://a"}},
         {"- [A](http://a)\n\n  More of [B](http://b) here.\n\n- [C](http://c)",
          {"1 main http://a", "1 mention http://b", "2 main http://c"}}});
}

TEST_CASE("badges and images are never the main link beside a text link") {
  check(DocumentFormat::markdown,
        {{"- [A](http://a) - text. [![oss](http://i)](http://b) ![x](http://j)",
          {"1 main http://a", "1 secondary http://i", "1 secondary http://b", "1 secondary http://j"}},
         {"- [![s](http://i)](http://b) [A](http://a)",
          {"1 secondary http://i", "1 secondary http://b", "1 main http://a"}},
         {"- [![s][icon]](http://b) [A](http://a)\n\n[icon]: http://i",
          {"1 secondary http://b", "1 main http://a", "1 secondary http://i"}},
         {"- [![only](http://i)](http://b) words", {"1 secondary http://i", "1 main http://b"}},
         {"- ![only](http://i)", {"1 secondary http://i"}},
         {"- <a href=\"http://b\"><img src=\"http://i\"></a> [A](http://a)",
          {"1 secondary http://b", "1 secondary http://i", "1 main http://a"}}});
}

TEST_CASE("links in the text of an entry are mentions and links beside it belong to it") {
  check(
      DocumentFormat::markdown,
      {{"- [A](http://a) - Like [B](http://b), but faster.", {"1 main http://a", "1 mention http://b"}},
       {"- [A](http://a) - An editor from [B](http://b).", {"1 main http://a", "1 mention http://b"}},
       {"- [A](http://a) - Uses [B](http://b), [C](http://c) and [D](http://d).",
        {"1 main http://a", "1 mention http://b", "1 mention http://c", "1 mention http://d"}},
       {"- [A](http://a) - Text. ([Demo](http://b), [Source](http://c)) `MIT`",
        {"1 main http://a", "1 secondary http://b", "1 secondary http://c"}},
       {"- [A](http://a) | [paper](http://b) | [code](http://c)",
        {"1 main http://a", "1 secondary http://b", "1 secondary http://c"}},
       {"- [A](http://a)：类似 [B](http://b) 的工具", {"1 main http://a", "1 mention http://b"}},
       {"1. If it fails, please [tell us](http://a).", {"1 mention http://a"}},
       {"- Other sites like [B](http://b), [C](http://c) are good too", {"1 mention http://b", "1 mention http://c"}}});
}

TEST_CASE("a link in the label of an item is its main link even between words") {
  check(
      DocumentFormat::markdown,
      {{"- J. Doe, [A paper](http://a), ICML 2020.", {"1 main http://a"}},
       {"- 2019 [A talk](http://a) by John", {"1 main http://a"}},
       {"- 教程 [入门](http://a)，作者张三", {"1 main http://a"}},
       {"- The [Foo](http://a) editor - fast", {"1 main http://a"}},
       {"- The [Foo](http://a) **editor** — see [docs](http://b) of it", {"1 main http://a", "1 mention http://b"}},
       {"- Doe et al, [GANs](http://a), NIPS 2014 [[code](http://b)]", {"1 main http://a", "1 secondary http://b"}},
       {"- Foo library, [docs](http://a) and [code](http://b)", {"1 main http://a", "1 mention http://b"}},
       {"- 官网 [链接](http://a) 文档 [链接](http://b)", {"1 main http://a", "1 mention http://b"}},
       {"- Please [tell us](http://a) of it. It helps - a lot", {"1 mention http://a"}},
       {"| x | y |\n|---|---|\n| like [X](http://x) so | - [D](http://d) |", {"1 mention http://x", "1 main http://d"}},
       {"- Fix the parser (thanks [@bob](http://b))", {"1 mention http://b"}},
       {"- Fix the parser （见 [b](http://b)）", {"1 mention http://b"}},
       {"- Foo ([site](http://a))", {"1 main http://a"}}});
}

TEST_CASE("the other words of an entry describe its main link if that is a web link") {
  const auto described = [](std::string_view text, DocumentFormat format) {
    Lines lines;
    for (const LinkOccurrence& link : links_of(text, format))
      lines.push_back(link.text + (link.description.empty() ? "" : " = " + link.description));
    return lines;
  };
  CHECK(described("- [A](http://a) - Async *video*, see [docs](http://b) for more.\n  - [C](http://c): a child\n",
                  DocumentFormat::markdown) == Lines{"A = Async video, see for more.", "docs", "C = a child"});
  CHECK(described("- Slides of a talk ([A](http://a))\n- [B](b.md) - a file\n- [C][c] — 视频\n\n[c]: http://c\n",
                  DocumentFormat::markdown) == Lines{"A = Slides of a talk ( )", "B", "C = 视频"});
  CHECK(described("| Name | About |\n|---|---|\n| [A](http://a) | A tool |\n\nSee [B](http://b) too.\n",
                  DocumentFormat::markdown) == Lines{"A = A tool", "B"});
  CHECK(described("<ul><li><a href='http://a'>A</a>: async <b>video</b><li><a href='b'>B</a> text</ul>",
                  DocumentFormat::html) == Lines{"A = async video", "B"});
  CHECK(described("- `A <http://a>`_ - async video\n", DocumentFormat::restructured_text) == Lines{"A = async video"});
  CHECK(described("* http://a[A] - async video\n", DocumentFormat::asciidoc) == Lines{"A = async video"});
  CHECK(described("- [[http://a][A]] - async video\n", DocumentFormat::org) == Lines{"A = async video"});

  std::string words;
  while (words.size() < 100'000) words += "视频 ";
  const std::vector<LinkOccurrence> cut = links_of("- [A](http://a) " + words, DocumentFormat::markdown);
  REQUIRE(cut.size() == 1);
  CHECK(cut.front().description.size() > 200);
  CHECK(cut.front().description.size() <= 240 + 3);
  CHECK((cut.front().description.ends_with("视频…") || cut.front().description.ends_with("视…")));
}

TEST_CASE("a nested item is an entry of its own") {
  check(DocumentFormat::markdown,
        {{"- [A](http://a)\n  - [B](http://b)\n    - [C](http://c)\n- [D](http://d)",
          {"1 main http://a", "2 main http://b", "3 main http://c", "4 main http://d"}},
         {"- Group\n  - [B](http://b)\n  - [C](http://c)", {"1 main http://b", "2 main http://c"}},
         {"- [A](http://a)\n  - [B](http://b)\n\n  and [C](http://c) too",
          {"1 main http://a", "2 main http://b", "1 mention http://c"}}});
}

TEST_CASE("a table row is an entry however many columns have links") {
  check(DocumentFormat::markdown,
        {{"| Name | Code | Site |\n|---|---|---|\n| [A](http://a) | [c](http://b) | [s](http://c) |\n| [D](http://d) | "
          "| |",
          {"1 main http://a", "1 secondary http://b", "1 secondary http://c", "2 main http://d"}},
         {"| Name | Text |\n|---|---|\n| A | see [B](http://b) for it |\n| like [X](http://x) so | [D](http://d) |",
          {"1 mention http://b", "2 mention http://x", "2 main http://d"}}});
}

TEST_CASE("links outside entries are prose") {
  check(DocumentFormat::markdown,
        {{"See [A](http://a) and [B](http://b).", {"- prose http://a", "- prose http://b"}},
         {"[![b](http://i)](http://a)\n[![c](http://j)](http://b)",
          {"- prose http://i", "- prose http://a", "- prose http://j", "- prose http://b"}},
         {"[en](http://a) | [zh](http://b)", {"- prose http://a", "- prose http://b"}},
         {"[A](http://a) is a tool.", {"- prose http://a"}},
         {"A line\n[A](http://a)\nand more.", {"- prose http://a"}},
         {"[unused]: http://a", {"- prose http://a"}},
         {"<a href=\"http://a\">A</a> text", {"- prose http://a"}},
         {"[A](http://a)", {"1 main http://a"}},
         {"[A](http://a) - text\n[B](http://b)：文字", {"1 main http://a", "2 main http://b"}}});
}

TEST_CASE("a linked heading is an entry together with the text below it") {
  check(DocumentFormat::markdown,
        {{"## [A](http://a)\nLike [B](http://b) it.\n\n- [C](http://c)\n\n## Other\n[D](http://d) is.",
          {"1 main http://a", "1 mention http://b", "2 main http://c", "- prose http://d"}},
         {"## A\n[D](http://d) is.", {"- prose http://d"}},
         {"# [L](http://l)\n\n[A](http://a) - x\n\n[B](http://b) - y\n[C](http://c)",
          {"1 main http://l", "2 main http://a", "3 main http://b", "4 main http://c"}},
         {"## Tools [top](README.md#top)\n\nSee [A](http://a) here.", {"- prose README.md#top", "- prose http://a"}},
         {"## Thanks to [A](http://a) and more\n", {"- prose http://a"}}});
}

TEST_CASE("a reference link belongs to where it is used and not to its definition") {
  check(DocumentFormat::markdown,
        {{"[b]: http://b\n[a]: http://a\n\n- [A][a] like [B][b] here\n- [C](http://c)",
          {"1 mention http://b", "1 main http://a", "2 main http://c"}},
         {"- [A][a] - [C](http://c)\n\n# H\n[a]: http://a", {"1 secondary http://c", "1 main http://a"}}});
  CHECK(paths("# One\n- [A][a]\n\n# Two\n[a]: http://a", DocumentFormat::markdown) == Lines{"One"});
}

TEST_CASE("raw HTML in Markdown has entries") {
  check(DocumentFormat::markdown,
        {{"- <a href=\"http://a\">A</a> - like [B](http://b) it", {"1 main http://a", "1 mention http://b"}},
         {"<ul>\n<li><a href=\"http://a\">A</a></li>\n<li><a href=\"http://b\">B</a></li>\n</ul>\n\n- [C](http://c)",
          {"1 main http://a", "2 main http://b", "3 main http://c"}},
         {"<h1><a href=\"http://a\">A</a></h1>\n\ntext <a href=\"http://b\">B</a>",
          {"1 main http://a", "- prose http://b"}}});
}

TEST_CASE("HTML has entries") {
  check(DocumentFormat::html,
        {{"<ul><li><a href=http://a>A</a> like <a href=http://b>B</a> it<li><a href=http://c>C</a></ul>"
          "<p><a href=http://d>D</a>",
          {"1 main http://a", "1 mention http://b", "2 main http://c", "- prose http://d"}},
         {"<li><a href=http://a>A</a><ul><li><a href=http://b>B</a></ul>and <a href=http://c>C</a> too",
          {"1 main http://a", "2 main http://b", "1 mention http://c"}},
         {"<table><tr><td><a href=http://a><img src=http://i></a><td><a href=http://b>B</a><td>"
          "<a href=http://c>c</a><tr><td>https://d.org</table>",
          {"1 secondary http://a", "1 secondary http://i", "1 main http://b", "1 secondary http://c",
           "2 main https://d.org"}},
         {"<dl><dt><a href=http://a>A</a><dd>like <a href=http://b>B</a> it<dt>C<dd><a href=http://c>C</a></dl>",
          {"1 main http://a", "1 mention http://b", "2 main http://c"}},
         {"<nav><ul><li><a href=http://a>A</a></ul></nav><ul><li><a href=http://b>B</a></ul>",
          {"- prose http://a", "1 main http://b"}},
         {"<h2><a href=http://a>A</a></h2><p>by <a href=http://b>B</a> of</p><h2>C</h2><a href=http://c>c</a>",
          {"1 main http://a", "1 mention http://b", "- prose http://c"}},
         {"</ul></li></table><li><a href=http://a>A</a></ol>", {"1 main http://a"}}});
}

TEST_CASE("a bookmark is an entry and its folders are its headings") {
  const std::string_view file =
      "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Marks</H1>\n<DL><p>\n<DT><H3>One</H3>\n<DL><p>\n"
      "<DT><H3>Deep</H3>\n<DL><p>\n<DT><A HREF=\"http://a\">A</A>\n<DD>with http://x.org in it\n</DL><p>\n"
      "<DT><A HREF=\"http://b\">B</A>\n</DL><p>\n<DT><A HREF=\"http://c\">C</A>\n</DL>";
  check(DocumentFormat::bookmarks,
        {{std::string(file), {"1 main http://a", "1 mention http://x.org", "2 main http://b", "3 main http://c"}}});
  CHECK(paths(file, DocumentFormat::bookmarks) ==
        Lines{"Marks > One > Deep", "Marks > One > Deep", "Marks > One", "Marks"});
}

TEST_CASE("reStructuredText and AsciiDoc and Org have entries") {
  check(
      DocumentFormat::restructured_text,
      {{"Use Name_ in words.\n\nAnd `Other name`_ as well.\n\n- `Third name`_ - x\n\n.. _name: http://1.o\n"
        ".. _other name: http://2.o\n.. _third name: http://3.o",
        {"- prose http://1.o", "- prose http://2.o", "1 main http://3.o"}},
       {"* `A <http://a>`_ - like `B <http://b>`_ it\n* http://c.org\n\n  more http://d.org here\n\nText http://e.org",
        {"1 main http://a", "1 mention http://b", "2 main http://c.org", "2 mention http://d.org",
         "- prose http://e.org"}},
       {"* A_ - like B_ it\n\n.. _A: http://a\n.. _B: http://b", {"1 main http://a", "1 mention http://b"}},
       {"+-----+------------+\n| A   | http://a.o |\n| x   | http://b.o |\n+-----+------------+\n| B | http://c.o |\n",
        {"1 main http://a.o", "1 secondary http://b.o", "2 main http://c.o"}},
       {".. list-table::\n\n   * - http://a.o\n     - http://b.o\n   * - http://c.o",
        {"1 main http://a.o", "1 secondary http://b.o", "2 main http://c.o"}},
       {"`A <http://a>`_\n=====\n\nby `B <http://b>`_ of", {"1 main http://a", "1 mention http://b"}}});
  check(DocumentFormat::asciidoc,
        {{"* http://a[A] - like http://b[B] it\n** http://c[C]\n. http://d[D]\n\nsee http://e[E] here",
          {"1 main http://a", "1 mention http://b", "2 main http://c", "3 main http://d", "- prose http://e"}},
         {"|===\n|http://a[A] |http://b[B]\n|http://c[C] |d\n|===",
          {"1 main http://a", "1 secondary http://b", "2 main http://c"}},
         {"|===\n|http://a[A]\n|http://b[B]\n\n|http://c[C]\n|d\n|===",
          {"1 main http://a", "1 secondary http://b", "2 main http://c"}},
         {"|===\n|http://a[A] |http://b[B]\n|===\nSee http://c[C] here.",
          {"1 main http://a", "1 secondary http://b", "- prose http://c"}},
         {"Term:: http://a[A]\n\n== http://b[B]\n", {"1 main http://a", "2 main http://b"}}});
  check(DocumentFormat::org,
        {{"- [[http://a][A]] like [[http://b][B]] it\n+ [[http://c][C]]\n\ntext [[http://d][D]] here",
          {"1 main http://a", "1 mention http://b", "2 main http://c", "- prose http://d"}},
         {"| [[http://a][A]] | [[http://b][B]] |\n| [[http://c][C]] | x |",
          {"1 main http://a", "1 secondary http://b", "2 main http://c"}},
         {"* [[http://a][A]]\nby [[http://b][B]] of", {"1 main http://a", "1 mention http://b"}}});
}

TEST_CASE("a record of data is an entry") {
  check(DocumentFormat::json,
        {{R"([{"logo":"http://l.org/i","url":"http://a","text":"like http://b.org/ it"},{"url":"http://c"}])",
          {"1 secondary http://l.org/i", "1 main http://a", "1 mention http://b.org/", "2 main http://c"}},
         {R"([{"url":"http://a","author":{"url":"http://b"}},{"url":"http://c","author":{"url":"http://b"}}])",
          {"1 main http://a", "1 secondary http://b", "2 main http://c", "2 secondary http://b"}},
         {R"({"group":"x","items":[{"url":"http://a"},{"url":"http://b"}]})", {"1 main http://a", "2 main http://b"}},
         {R"(["http://a","http://b"])", {"1 main http://a", "2 main http://b"}},
         {R"({"one":["http://a","http://b"]})", {"1 main http://a", "2 main http://b"}}});
  check(DocumentFormat::json_lines, {{"{\"paper\":\"http://a\",\"code\":\"http://b\"}\n{\"paper\":\"http://c\"}",
                                      {"1 main http://a", "1 secondary http://b", "2 main http://c"}}});
  check(DocumentFormat::yaml, {{"- name: A\n  repo: http://r\n  url: http://a\n- url: http://b\n",
                                {"1 secondary http://r", "1 main http://a", "2 main http://b"}},
                               {"- http://a\n- B http://b.org\n", {"1 main http://a", "2 main http://b.org"}}});
  check(DocumentFormat::toml, {{"[[x]]\nsrc = \"http://r\"\nurl = \"http://a\"\n[[x]]\nurl = \"http://b\"\n",
                                {"1 secondary http://r", "1 main http://a", "2 main http://b"}},
                               {"urls = [\"http://a\", \"http://b\"]", {"1 main http://a", "2 main http://b"}}});
  check(DocumentFormat::csv, {{"name,repo,url\nA,http://r,http://a\nB,,http://b\n",
                               {"1 secondary http://r", "1 main http://a", "2 main http://b"}}});
  check(DocumentFormat::bibtex,
        {{"@misc{a, doi = {10.1/x}, url = {http://a}, note = {see http://n.org}}\n@misc{b, url={http://b}}",
          {"1 secondary 10.1/x", "1 main http://a", "1 mention http://n.org", "2 main http://b"}},
         {"@string{x = {http://x}}\n@misc{b, url={http://b}}", {"- prose http://x", "1 main http://b"}}});
}

TEST_CASE("a record in an array is an entry of its own whatever is around it") {
  const Lines links{"1 main http://h", "2 main http://a", "3 main http://a"};
  const std::string json =
      R"({"homepage":"http://h","name":"L","x":[{"name":"A","url":"http://a"},{"url":"http://a"}]})";
  check(DocumentFormat::json, {{json, links},
                               {R"({"c":[{"url":"http://h","e":[{"url":"http://a"},{"url":"http://a"}]}]})", links},
                               {R"({"url":"http://h","by":{"url":"http://a"},"more":["http://b"]})",
                                {"1 main http://h", "1 secondary http://a", "1 secondary http://b"}}});
  CHECK(links_of(json, DocumentFormat::json)[1].text == "A");
  CHECK(links_of(json, DocumentFormat::json)[2].text.empty());
  check(DocumentFormat::yaml, {{"site: http://h\nx:\n  - name: A\n    url: http://a\n  - url: http://a\n", links},
                               {"site: http://h\nx:\n- {name: A, url: http://a}\n-\n  url: http://a\n", links},
                               {"{site: http://h, x: [{url: http://a}, {url: http://a}]}", links},
                               {"url: http://h\nby:\n  url: http://a\nmore:\n  - http://b\n",
                                {"1 main http://h", "1 secondary http://a", "1 secondary http://b"}}});
  check(DocumentFormat::toml, {{"site = \"http://h\"\n[[x]]\nurl = \"http://a\"\n[[x]]\nurl = \"http://a\"\n", links},
                               {"site = \"http://h\"\nx = [{url = \"http://a\"}, {url = \"http://a\"}]\n", links},
                               {"url = \"http://h\"\nby = {url = \"http://a\"}\nmore = [\"http://b\"]\n",
                                {"1 main http://h", "1 secondary http://a", "1 secondary http://b"}}});
}

TEST_CASE("a map whose values are all URLs has an entry for each") {
  const Lines links{"1 main http://a", "2 main http://b", "3 main http://a"};
  check(DocumentFormat::json,
        {{R"({"A":"http://a","B":"http://b","C":"http://a"})", links},
         {R"({"x":{"A":"http://a","B":"http://b"},"y":{"C":"http://a"}})", links},
         {R"({"A":"http://a","B":"http://b","n":1})", {"1 main http://a", "1 secondary http://b"}},
         {R"([{"A":"http://a","B":"http://b"}])", {"1 main http://a", "1 secondary http://b"}},
         {R"([{"url":"http://a","x":{"A":"http://b","B":"http://c"}}])",
          {"1 main http://a", "1 secondary http://b", "1 secondary http://c"}}});
  check(DocumentFormat::yaml, {{"A: http://a\nB: http://b\nC: http://a\n", links},
                               {"A: http://a\nB: http://b\nn: |\n  x\n", {"1 main http://a", "1 secondary http://b"}}});
  check(DocumentFormat::toml,
        {{"A = \"http://a\"\nB = \"http://b\"\nC = \"http://a\"\n", links},
         {"[x]\nA = \"http://a\"\nB = \"http://b\"\nn = 1\n", {"1 main http://a", "1 secondary http://b"}}});
}

TEST_CASE("feed items and outlines and sitemap URLs are entries") {
  check(DocumentFormat::xml,
        {{"<rss><channel><link>http://site</link><item><enclosure url=\"http://e\"/><link>http://a</link>"
          "<description>&lt;ul&gt;&lt;li&gt;&lt;a href=\"http://b\"&gt;B&lt;/a&gt;</description></item>"
          "<item><link>http://c</link></item></channel></rss>",
          {"- prose http://site", "1 secondary http://e", "1 main http://a", "1 mention http://b", "2 main http://c"}},
         {"<feed><link rel=\"self\" href=\"http://f\"/><entry><link rel=\"edit\" href=\"http://e\"/>"
          "<link href=\"http://a\"/><author><uri>http://me</uri></author></entry></feed>",
          {"- prose http://f", "1 secondary http://e", "1 main http://a", "1 secondary http://me"}},
         {"<urlset><url><loc>http://a</loc></url><url><loc>http://b</loc></url></urlset>",
          {"1 main http://a", "2 main http://b"}},
         {"<books><book><img>http://i.org/x</img><url>http://a</url></book></books>",
          {"1 secondary http://i.org/x", "1 main http://a"}}});
  const std::string_view outlines =
      "<opml><body><outline text=\"One\"><outline text=\"In\"><outline text=\"A\" htmlUrl=\"http://h\" "
      "xmlUrl=\"http://a\"/>"
      "</outline><outline xmlUrl=\"http://b\"/></outline><outline xmlUrl=\"http://c\"/></body></opml>";
  check(DocumentFormat::xml,
        {{std::string(outlines), {"1 secondary http://h", "1 main http://a", "2 main http://b", "3 main http://c"}}});
  CHECK(paths(outlines, DocumentFormat::xml) == Lines{"One > In", "One > In", "One", ""});
}

TEST_CASE("a line of text is an entry if it is mainly its URL") {
  check(DocumentFormat::plain_text,
        {{"http://a.org\nTitle\nhttp://b.org\n\nName http://c.org\nhttp://d.org - text\n- See http://e.org too",
          {"1 main http://a.org", "2 main http://b.org", "3 main http://c.org", "4 main http://d.org",
           "5 mention http://e.org"}},
         {"This text goes on and on, see\nhttp://a.org for details, or look\nat http://b.org\nfor more of it.",
          {"- prose http://a.org", "- prose http://b.org"}},
         {"A http://a.org http://b.org", {"1 main http://a.org", "1 secondary http://b.org"}}});
}

TEST_CASE("the headings above a link form its path") {
  CHECK(paths("http://0.o\n# A\nhttp://1.o\n### B\nhttp://2.o\n## C\nhttp://3.o\n# D\nhttp://4.o",
              DocumentFormat::markdown) == Lines{"", "A", "A > B", "A > C", "D"});
  CHECK(paths("<h1>A</h1><h2>B</h2><dl><dt><a href=http://1></a></dl><a href=http://2></a><h2>C</h2>http://3.o",
              DocumentFormat::html) == Lines{"A > B", "A > B", "A > C"});
  CHECK(paths("A\n===\n\nB\n---\n\nhttp://1.o\n\nC\n===\n\nhttp://2.o", DocumentFormat::restructured_text) ==
        Lines{"A > B", "C"});
  CHECK(paths("= A\n\n== B\n\nhttp://1.o", DocumentFormat::asciidoc) == Lines{"A > B"});
  CHECK(paths("A `x <http://a>`_\n=====\n\nhttp://1.o", DocumentFormat::restructured_text) == Lines{"A x", "A x"});
  CHECK(paths("= A http://a[x] `b`\n\nhttp://1.o", DocumentFormat::asciidoc) == Lines{"A x `b`", "A x `b`"});
  CHECK(paths("* A [[http://a][x]] =b=\nhttp://1.o", DocumentFormat::org) == Lines{"A x =b=", "A x =b="});
  CHECK(paths("* A\n*** B\nhttp://1.o\n* C\nhttp://2.o", DocumentFormat::org) == Lines{"A > B", "C"});
  CHECK(paths("# A\nTopic:\nhttp://1.o\nNext:\nhttp://2.o", DocumentFormat::plain_text) ==
        Lines{"A > Topic", "A > Next"});
}
