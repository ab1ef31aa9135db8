// Tests which links Markdown lists have and exactly where their URLs are written.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/lists/anchors.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

Lines markdown(std::string_view text, const ExtractOptions& options = {}) {
  return format_links(text, DocumentFormat::markdown, options);
}

struct MarkdownLinksRow {
  std::string text;
  Lines links;
};

void check_markdown_links(const std::vector<MarkdownLinksRow>& rows) {
  for (const MarkdownLinksRow& row : rows) {
    CAPTURE(row.text);
    CHECK(markdown(row.text) == row.links);
  }
}

}  // namespace

TEST_CASE("an inline link is located at its URL") {
  check_markdown_links(
      {{"[a](https://x.org)", {"1:5:4 https://x.org [link] a"}},
       {"- [x] **[网](https://x.org)**：", {"1:13:14 https://x.org [link] 网"}},
       {"**[GPT文章解析**](https://x.org)", {"1:15:22 https://x.org [link] GPT文章解析**"}},
       {"[[源码] b](https://x.org) @ 罗西", {"1:10:13 https://x.org [link] [源码] b"}},
       {"[a](https://x.org \"title\") [b](<https://y.org/c d>)",
        {"1:5:4 https://x.org [link] a", "1:33:32 https://y.org/c d [link] b"}},
       {"[a](https://x.org/(b)) c", {"1:5:4 https://x.org/(b) [link] a"}},
       {"[ a\n  b ](https://x.org)", {"2:7:10 https://x.org [link] a b"}},
       {"> 1. [a]( https://x.org )", {"1:11:10 https://x.org [link] a"}},
       {"[](https://x.org)", {"1:4:3 https://x.org [link] "}},
       {"[*a* `b` **c**](https://x.org)", {"1:17:16 https://x.org [link] a b c"}},
       {"[a](https://x.org)[b](https://x.org)", {"1:5:4 https://x.org [link] a", "1:23:22 https://x.org [link] b"}},
       {"[a](b c)", {}},
       {"[a]()", {}},
       {"[a](#section)", {}},
       {"\\[a](https://x.org)", {"1:6:5 https://x.org [bare] [a]"}}});
}

TEST_CASE("delimiters in or before a bare URL are no emphasis as on GitHub") {
  const auto urls = [](std::string_view text) {
    Lines found;
    for (const LinkOccurrence& link : links_of(text, DocumentFormat::markdown)) found.push_back(link.url);
    return found;
  };
  struct Case {
    std::string text;
    Lines urls;
  };
  const std::vector<Case> cases{
      {"https://w.org/b_(c)_d and https://w.org/e_(f)", {"https://w.org/b_(c)_d", "https://w.org/e_(f)"}},
      {"https://w.org/b_(c)_d\nand https://w.org/e_(f)", {"https://w.org/b_(c)_d", "https://w.org/e_(f)"}},
      {"a _b https://w.org/e_(f) x", {"https://w.org/e_(f)"}},
      {"- a *b\n  https://w.org/e*(f) x", {"https://w.org/e*(f)"}},
      {"a *b https://w.org/o*p*q x", {"https://w.org/o*p*q"}},
      {"a *b https://w.org/wiki/M*A*S*H_(film) x", {"https://w.org/wiki/M*A*S*H_(film)"}},
      {"a _b https://w.org/e_/f x", {"https://w.org/e_/f"}},
      {"a _b https://w.org/e_?f=1 x", {"https://w.org/e_?f=1"}},
      {"| _a https://w.org/b_(c) | https://w.org/d_(e) |\n|---|---|\n", {"https://w.org/b_(c)", "https://w.org/d_(e)"}},
      {"**a _b https://w.org/e_(f) x**", {"https://w.org/e_(f)"}},
      {"*https://w.org/g* **https://w.org/h** _https://w.org/j_ __https://w.org/k__ ~~https://w.org/i~~",
       {"https://w.org/g", "https://w.org/h", "https://w.org/j", "https://w.org/k", "https://w.org/i"}},
      {"*见 https://w.org/g*，和", {"https://w.org/g"}},
      {"(_https://w.org/j_), *https://w.org/g*.", {"https://w.org/j", "https://w.org/g"}},
      {"&lt;https://w.org/v_(x)&gt; *a*", {"https://w.org/v_(x)"}}};
  for (const Case& each : cases) {
    CAPTURE(each.text);
    CHECK(urls(each.text) == each.urls);
  }
}

TEST_CASE("a link with an unclosed parenthesis is a bare URL") {
  const std::vector<LinkOccurrence> links = links_of("[text](https://x.org/a\n\nb", DocumentFormat::markdown);
  REQUIRE(links.size() == 1);
  CHECK(format_link(links[0]) == "1:8:7 https://x.org/a [bare] [text]");
  CHECK(links[0].has(LinkNote::unbalanced_bracket));
}

TEST_CASE("targets with escapes and character references keep their location") {
  check_markdown_links(
      {{"[a](https://x.org/?a=1&amp;b=2)", {"1:5:4 https://x.org/?a=1&amp;b=2 [link] a"}},
       {"[a](https://x.org/b\\_c\\))", {"1:5:4 https://x.org/b\\_c\\) [link] a"}},
       {"[](https://x.org/&amp;)[](https://x.org/&amp;)",
        {"1:4:3 https://x.org/&amp; [link] ", "1:27:26 https://x.org/&amp; [link] "}},
       {"**[a**](<https://x.org/&amp; b>)", {"1:10:9 https://x.org/&amp; b [link] a**"}},
       {"[a][b] [c](https://x.org/&amp;)\n\n[b]: https://x.org/&amp;",
        {"1:12:11 https://x.org/&amp; [link] c", "3:6:38 https://x.org/&amp; [link] a"}},
       {"[a](>b\\_c)", {"1:5:4 >b\\_c [link] a"}},
       {"[![i](p\\_q)](https://x.org/\\_)", {"1:7:6 p\\_q [image] i", "1:14:13 https://x.org/\\_ [link] i"}}});
  const std::vector<LinkOccurrence> links =
      links_of("[a](https://x.org/b\\_c?d&amp;e&copy;)", DocumentFormat::markdown);
  REQUIRE(links.size() == 1);
  CHECK(links[0].href == "https://x.org/b_c?d&e%C2%A9");
}

TEST_CASE("a reference link is located at its definition") {
  check_markdown_links({{"[a][r] [R]\n\n[r]: https://x.org 'title'\n", {"3:6:17 https://x.org [link] a"}},
                        {"[r]: <https://x.org/b c>\n\n[r]", {"1:7:6 https://x.org/b c [link] r"}},
                        {"[r]:\n  https://x.org\n\n![p][r]", {"2:3:7 https://x.org [image] p"}},
                        {"> [r]: https://x.org\n\n[r][]", {"1:8:7 https://x.org [link] r"}},
                        {"[r]: https://x.org\n", {"1:6:5 https://x.org [definition] r"}},
                        {"[r]: https://x.org\n[r]: https://y.org\n\n[r]",
                         {"1:6:5 https://x.org [link] r", "2:6:24 https://y.org [definition] r"}},
                        {"text\n[r]: https://x.org", {"2:6:10 https://x.org [bare] [r]"}},
                        {"- [r]: `x` is no title\n", {}},
                        {"text\n[r]: _x y_ of [r]\n\n[r]: https://x.org", {"4:6:29 https://x.org [link] r"}},
                        {"    [r]: https://x.org", {}},
                        {"```\n[r]: https://x.org\n```", {}},
                        {"[r]: #top\n", {}}});
}

TEST_CASE("a footnote that resembles a definition is text") {
  check_markdown_links({{"a[^1]\n\n[^1]: https://x.org", {"3:7:13 https://x.org [bare] "}},
                        {"a[^1]\n\n[^1]: See https://x.org for more", {"3:11:17 https://x.org [bare] [^1]: See"}},
                        {"a[^1]\n\n[^1]: word", {}}});
}

TEST_CASE("images and links around them are both found") {
  check_markdown_links({{"![alt](https://x.org/p.png)", {"1:8:7 https://x.org/p.png [image] alt"}},
                        {"[![alt](https://x.org/p.png)](https://y.org)",
                         {"1:9:8 https://x.org/p.png [image] alt", "1:31:30 https://y.org [link] alt"}}});
}

TEST_CASE("autolinks are found") {
  check_markdown_links({{"see <https://x.org/a> and <a@b.org>",
                         {"1:6:5 https://x.org/a [autolink] https://x.org/a", "1:28:27 a@b.org [autolink] a@b.org"}},
                        {"<<https://x.org>", {"1:3:2 https://x.org [autolink] <https://x.org"}},
                        {"<https://x.org/?a&amp;b>", {"1:2:1 https://x.org/?a&amp;b [autolink] https://x.org/?a&b"}}});
  CHECK(links_of("<a@b.org>", DocumentFormat::markdown)[0].href == "mailto:a@b.org");
}

TEST_CASE("bare URLs in running text are found") {
  check_markdown_links(
      {{"见 https://x.org/z，中文", {"1:3:4 https://x.org/z [bare] 见"}},
       {"**https://x.org/a** b", {"1:3:2 https://x.org/a [bare] "}},
       {"**https://x.org/a**：b", {"1:3:2 https://x.org/a [bare] "}},
       {"*https://x.org/a*b", {"1:2:1 https://x.org/a*b [bare] "}},
       {"https://x.org/*a*/b", {"1:1:0 https://x.org/*a*/b [bare] "}},
       {"https://x.org/a_b_c\\_d", {"1:1:0 https://x.org/a_b_c\\_d [bare] "}},
       {"~~https://x.org/a~~", {"1:3:2 https://x.org/a [bare] "}},
       {"**https://x.org/a****https://y.org/b**", {"1:3:2 https://x.org/a [bare] ", "1:22:21 https://y.org/b [bare] "}},
       {"https://x.org[b](https://y.org)", {"1:1:0 https://x.org [bare] ", "1:18:17 https://y.org [link] b"}},
       {"[https://x.org](https://y.org)", {"1:17:16 https://y.org [link] https://x.org"}},
       {"| a | b |\n|---|---|\n| t | https://x.org |", {"3:7:26 https://x.org [bare] "}},
       {"Title\nhttps://x.org", {"2:1:6 https://x.org [bare] Title"}},
       {"- Title: https://x.org", {"1:10:9 https://x.org [bare] Title"}},
       {"https://x.org/<host>/a", {"1:1:0 https://x.org/<host>/a [bare] "}},
       {"a\\\nwww.python.org/x", {"2:1:3 www.python.org/x [bare] a"}}});
}

TEST_CASE("table rows keep every cell") {
  check_markdown_links({{"| a | b |\n|---|---|\n| [c](/d) | e | [f](/g|h) | https://x.org |\n",
                         {"3:7:26 /d [link] c", "3:21:40 /g|h [link] f", "3:29:48 https://x.org [bare] "}},
                        {"a | b | [c](/d)\n---|---\n`|` | [e](/f)\n", {"1:13:12 /d [link] c", "3:11:34 /f [link] e"}},
                        {"- [x] | [a](/b)\n", {"1:13:12 /b [link] a"}}});
}

TEST_CASE("wikilinks are found on request") {
  const std::string text = "[[Page]] and [[Other Page#Part|the text]] [[a](https://x.org)] [[_TOC_]]";
  CHECK(markdown(text) == Lines{"1:48:47 https://x.org [link] a"});
  ExtractOptions options;
  options.include_wikilinks = true;
  CHECK(markdown(text, options) == Lines{"1:3:2 Page [wikilink] Page", "1:16:15 Other Page#Part [wikilink] the text",
                                         "1:48:47 https://x.org [link] a"});
}

TEST_CASE("wikilinks are found in tables and embeds and headings but not in code") {
  ExtractOptions options;
  options.include_wikilinks = true;
  CHECK(markdown("| a |\n|---|\n| [[Gone\\|x]] | [[b]] |", options) ==
        Lines{"3:5:16 Gone [wikilink] x", "3:19:30 b [wikilink] b"});
  CHECK(markdown("![[x.png]] ![[a b.png|200x100]] ![[Note#H|t]] [[c|1]]", options) ==
        Lines{"1:4:3 x.png [wikilink] x.png", "1:15:14 a b.png [wikilink] ", "1:36:35 Note#H [wikilink] t",
              "1:49:48 c [wikilink] 1"});
  CHECK(markdown("`[[a]]` \\[[b]] [[1]](https://x.org) [[c]\n\n```\n[[d]]\n```\n\n<div>\n[[e]]\n</div>\n\n# [[f]]",
                 options) == Lines{"1:22:21 https://x.org [link] [1]", "11:5:81 f [wikilink] f"});
  const std::string long_name(300, 'a');
  CHECK(markdown("**[[" + long_name + "]]** [[|a]] [[ b ]]", options) ==
        Lines{"1:5:4 " + long_name + " [wikilink] " + long_name, "1:320:319 b [wikilink] b"});
}

TEST_CASE("Obsidian notes have wikilinks and anchors from headings and block ids") {
  const std::string text = "# Plan A: more\n\n[[Note]] text ^block-1\n\n- item ^b2\n\n^b3\n\nx^4 is ^no id\n";
  const std::vector<LinkOccurrence> links =
      extract_links({"list", text, DocumentFormat::markdown, SiteGenerator::obsidian}, {});
  REQUIRE(links.size() == 1);
  CHECK(links.front().url == "Note");
  const AnchorSet anchors(find_anchors(text, DocumentFormat::markdown, SiteGenerator::obsidian),
                          DocumentFormat::markdown);
  for (const char* name :
       {"Plan%20A:%20more", "Plan%20A%20more", "plan a more", "plan-a-more", "^block-1", "%5Eb2", "^b3"}) {
    CAPTURE(name);
    CHECK(anchors.has(name));
  }
  for (const char* name : {"^4", "^no", "Plan B"}) CHECK_FALSE(anchors.has(name));
}

TEST_CASE("mail addresses in running text are links as on GitHub") {
  check_markdown_links(
      {{"write to foo.bar+x@mail.example.org.", {"1:10:9 foo.bar+x@mail.example.org [bare] "}},
       {"a@b, @name, a@b.c_ https://u@x.org/d@e.f", {"1:20:19 https://u@x.org/d@e.f [bare] a@b, @name, a@b.c"}},
       {"`a@b.org` <a@c.org>", {"1:12:11 a@c.org [autolink] a@c.org"}},
       {"gateway@4.0.146, @scope/name@1.2.x, a@b.c4, x/y@b.org", {}},
       {"mailto:a@b.org", {"1:1:0 mailto:a@b.org [bare] "}}});
  CHECK(links_of("a@b.org", DocumentFormat::markdown)[0].href == "mailto:a@b.org");
}

TEST_CASE("a mark in front of a scheme makes no autolink and hides no bare URL") {
  check_markdown_links({{"< https://x.org>", {"1:3:2 https://x.org [bare] "}}, {"<+a:b>", {}}});
}

TEST_CASE("code is skipped unless requested") {
  const std::string text = "`https://x.org/1`\n\n```\nhttps://x.org/2\n```\n\n    https://x.org/3\n\nhttps://x.org/4\n";
  CHECK(markdown(text) == Lines{"9:1:65 https://x.org/4 [bare] "});
  ExtractOptions verbatim;
  verbatim.include_verbatim = true;
  CHECK(markdown(text, verbatim).size() == 4);
}

TEST_CASE("raw HTML inside Markdown has links") {
  check_markdown_links({{"a <a href=\"https://x.org\">text *b*</a>", {"1:12:11 https://x.org [link] text b"}},
                        {"<p>\n<a href='https://x.org?a&amp;b'>t</a> https://y.org\n</p>",
                         {"2:10:13 https://x.org?a&amp;b [link] t", "2:39:42 https://y.org [bare] "}},
                        {"> <img alt=\"i\"\n> src=https://x.org/p.png>", {"2:7:21 https://x.org/p.png [image] i"}},
                        {"the <script> tag and <a href=\"https://x.org\">b</a>", {"1:31:30 https://x.org [link] b"}},
                        {"<!-- <a href=\"https://x.org\">b</a> -->", {}},
                        {"`<a href=\"https://x.org\">`", {}},
                        {"<div>[a](https://x.org)</div>", {"1:10:9 https://x.org [bare] [a]"}}});
}

TEST_CASE("a link has the nearest headings above it") {
  const std::vector<LinkOccurrence> links = links_of(
      "[0](a://0)\n# One *x* &amp; "
      "[1](a://1)\n[2](a://2)\n\n**bold**\n\n[3](a://3)\n\nTwo\n---\n[4](a://4)\n\n<h3>Three</h3>\n\n[5](a://5)\n",
      DocumentFormat::markdown);
  REQUIRE(links.size() == 6);
  CHECK(links[0].heading().empty());
  CHECK(links[1].heading() == "One x & 1");
  CHECK(links[2].heading() == "One x & 1");
  CHECK(links[3].heading() == "One x & 1");
  CHECK(links[4].heading() == "Two");
  CHECK(links[5].heading() == "Three");
}

TEST_CASE("front matter is no text") {
  check_markdown_links(
      {{"---\nurl: https://x.org\ndate: 2026-01-29\n---\n[a](https://y.org)", {"5:5:48 https://y.org [link] a"}},
       {"+++\nurl = \"https://x.org\"\n+++\n[a](https://y.org)", {"4:5:34 https://y.org [link] a"}},
       {"---\n[a](https://y.org)\n---\n", {"2:5:8 https://y.org [link] a"}},
       {"---\n[a](https://y.org)", {"2:5:8 https://y.org [link] a"}},
       {"\n---\nurl: https://x.org\n---\n", {"3:6:10 https://x.org [bare] url"}}});
}

TEST_CASE("an unbalanced bracket in the text of a link is noted") {
  const std::vector<LinkOccurrence> links =
      links_of("[详解（图解最完整版](https://x.org) [(a) 【b】](https://y.org)", DocumentFormat::markdown);
  REQUIRE(links.size() == 2);
  CHECK(links[0].has(LinkNote::unbalanced_bracket));
  CHECK(links[1].notes.empty());
}

TEST_CASE("NULs hide no link") {
  using namespace std::literals;
  const std::vector<LinkOccurrence> links =
      links_of("\0[a\0](https://x.org/b)\0\n\0- https://y.org/c\0d [e](https://z.org/\0)"sv, DocumentFormat::markdown);
  REQUIRE(links.size() == 3);
  CHECK(links[0].url == "https://x.org/b");
  CHECK(links[1].url == "https://y.org/c");
  CHECK(links[2].url == "https://z.org/\0"sv);
}

TEST_CASE("links with other schemes are occurrences with their href") {
  const std::vector<LinkOccurrence> links =
      links_of("[a](mailto:a@b.org) [b](javascript:void) [c](tel:+1) [d](data:,x)", DocumentFormat::markdown);
  REQUIRE(links.size() == 4);
  CHECK(links[0].href == "mailto:a@b.org");
  CHECK(links[1].href == "javascript:void");
  CHECK(links[2].href == "tel:+1");
  CHECK(links[3].href == "data:,x");
}

TEST_CASE("admonitions and tabs of Python-Markdown contain text and blocks") {
  check_markdown_links(
      {{"=== \"A\"\n\n    ```sh\n    curl https://no.org\n    ```\n\n    [a](https://a.org)\n",
        {"7:9:60 https://a.org [link] a"}},
       {"=== \"A\"\n    ```\n    https://no.org\n    ```\n\n[a](https://a.org)", {"6:5:48 https://a.org [link] a"}},
       {"!!! note \"T [a](https://a.org)\"\n\n    ???+ tip\n        [b](https://b.org)\n",
        {"1:17:16 https://a.org [link] a", "4:13:58 https://b.org [link] b"}},
       {"!!! danger inline end\n\n    [a](https://a.org)", {"3:9:31 https://a.org [link] a"}},
       {"!!! Stop !!!\n\n    [a](https://no.org)", {}},
       {"=== not a tab\n\n    [a](https://no.org)", {}},
       {"!!! note\n\n[a](https://a.org)", {"3:5:14 https://a.org [link] a"}}});
  const std::vector<LinkOccurrence> links =
      links_of("???+ note\n    [a](https://a.org)\n\n    - [b](https://b.org)\n\n0. [c](https://c.org)\n",
               DocumentFormat::markdown);
  REQUIRE(links.size() == 3);
  CHECK(links[0].role == LinkRole::prose);
  CHECK(links[1].role == LinkRole::main);
  CHECK(links[2].role == LinkRole::main);
}

TEST_CASE("Hugo code shortcodes are fences") {
  check_markdown_links(
      {{"{{< highlight html \"linenos=table\" >}}\n<a href=\"https://no.org\">\n```\n```\n{{< /highlight "
        ">}}\n[a](https://a.org)",
        {"6:5:96 https://a.org [link] a"}},
       {"- a\n\n  {{% code %}}\n  https://no.org\n  {{% /code %}}\n- [a](https://a.org)",
        {"6:7:59 https://a.org [link] a"}},
       {"{{< highlight go >}}\n[a](https://a.org)", {"2:5:25 https://a.org [link] a"}},
       {"{{< code >}}\n[a](https://a.org)\n    {{< /code >}}\n[b](https://b.org)",
        {"2:5:17 https://a.org [link] a", "4:5:54 https://b.org [link] b"}},
       {"```\n{{< code >}}\n```\n[a](https://a.org)\n{{< /code >}}\n[b](https://b.org)",
        {"4:5:25 https://a.org [link] a", "6:5:58 https://b.org [link] b"}},
       {"<!--\n{{< code >}}\n{{< /code >}} -->\n[a](https://a.org)\n{{< output >}}\n{{< /output "
        ">}}\n[b](https://b.org)\n"
        "{{< code >}}\n{{< /code >}}\n[c](https://c.org)",
        {"4:5:40 https://a.org [link] a", "7:5:90 https://b.org [link] b", "10:5:136 https://c.org [link] c"}},
       {"{{< note >}}\n[a](https://a.org)\n{{< /note >}}", {"2:5:17 https://a.org [link] a"}}});
  ExtractOptions with_code;
  with_code.include_verbatim = true;
  CHECK(links_of("{{< code >}}\nhttps://a.org\n{{< /code >}}\n", DocumentFormat::markdown, with_code).size() == 1);
}

// md4c 0.4.8 reads the first of these fences as one that is never closed.
TEST_CASE("a fence indented by four below a paragraph is text") {
  check_markdown_links({{"a\n    ```\n    x\n    ```\n\n[a](https://a.org)", {"6:5:29 https://a.org [link] a"}},
                        {"a\n\t~~~\n\tx\n\t~~~\n\n[a](https://a.org)", {"6:5:20 https://a.org [link] a"}},
                        {"- a\n      ```\n      x\n      ```\n\n[a](https://a.org)", {"6:5:37 https://a.org [link] a"}},
                        {"a\n    ```\n    https://x.org\n\n[a](https://a.org)",
                         {"3:5:14 https://x.org [bare] ", "5:5:33 https://a.org [link] a"}}});
  // These are fences.
  check_markdown_links(
      {{"- a\n    ```\n    https://no.org\n    ```\n\n[a](https://a.org)", {"6:5:44 https://a.org [link] a"}},
       {"1. a\n    ```\n    https://no.org\n    ```\n\n[a](https://a.org)", {"6:5:45 https://a.org [link] a"}},
       {"- - a\n      ```\n      https://no.org\n      ```\n[a](https://a.org)", {"5:5:51 https://a.org [link] a"}},
       {"   ```\n   https://no.org\n   ```\n[a](https://a.org)", {"4:5:36 https://a.org [link] a"}},
       {"````\n    ```\n    https://no.org\n````\n[a](https://a.org)", {"5:5:41 https://a.org [link] a"}},
       {"- ```\n  https://no.org\n  ```\n- [a](https://a.org)", {"4:7:35 https://a.org [link] a"}}});
}

TEST_CASE("a link with an undefined label has no target") {
  const auto undefined = [](std::string_view text, SiteGenerator generator = SiteGenerator::none) {
    ExtractOptions options;
    options.include_local = true;
    std::vector<std::string> labels;
    const std::string list = std::string(text) + "\n\n[known]: https://a.org\n[^1]: A footnote.\n";
    for (const LinkOccurrence& link : extract_links({"list.md", list, DocumentFormat::markdown, generator}, options)) {
      if (link.has(LinkNote::empty_target)) labels.push_back(link.url + ' ' + link.text);
    }
    return labels;
  };
  using Labels = std::vector<std::string>;
  CHECK(undefined("See [the text][missing].") == Labels{"missing the text"});
  CHECK(undefined("*[the `code`][other-label]* and ![a picture][Logo 2]") ==
        Labels{"other-label the `code`", "Logo 2 a picture"});
  CHECK(undefined("- [one][gone-1]\n- [two][gone-2]\n\n| [three][gone-3] |\n|---|\n") ==
        Labels{"gone-1 one", "gone-2 two", "gone-3 three"});
  CHECK(undefined("[the text][known] [known][missing-2]") == Labels{"missing-2 known"});  // as in CommonMark
  for (const char* const text : {"`[text][missing]`",
                                 "    [text][missing]",
                                 "```\n[text][missing]\n```",
                                 "<!-- [text][missing] -->",
                                 "array[index][key]",
                                 "a[text][missing]",
                                 "[i][j]",
                                 "- [x][missing]",
                                 "- [ ][missing]",
                                 "[text][^1]",
                                 "[text][^gone]",
                                 "[1][2]",
                                 "[text][12]",
                                 "[text][]",
                                 "[text][a::b]",
                                 "[`text`][module.Class]",
                                 "[text][{{ x }}]",
                                 "[text][$x]",
                                 "\\[text][missing]",
                                 "[text] [missing]",
                                 "[[text][missing]]",
                                 "[text][missing](x)",
                                 "[text][missing][more]",
                                 "f()[text][missing]",
                                 "[MIT][MI]T\\]"}) {
    CAPTURE(text);
    CHECK(undefined(text).empty());
  }
  CHECK(undefined("[the text][missing]", SiteGenerator::mkdocs).empty());
  CHECK(undefined("[the text][missing]\n\n--8<-- \"links.md\"").empty());
  ExtractOptions local;
  local.include_local = true;
  const std::vector<LinkOccurrence> without =
      extract_links({"list.md", "[the text][missing]\n", DocumentFormat::markdown}, local);
  CHECK(without.empty());  // a document without definitions has no such links
  CHECK(links_of("[the text][missing]\n\n[known]: https://a.org", DocumentFormat::markdown).size() == 1);
}
