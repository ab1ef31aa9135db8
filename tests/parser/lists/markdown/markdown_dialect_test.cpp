// Tests what Markdown dialects add to CommonMark, by the generator that reads the file.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

Lines targets_of(std::string_view text, SiteGenerator generator, DocumentFormat format = DocumentFormat::markdown) {
  Lines targets;
  ExtractOptions options;
  options.include_local = true;
  for (const LinkOccurrence& link : extract_links({"list", text, format, generator}, options)) {
    CHECK(text.substr(link.offset, link.length) == link.url);
    targets.emplace_back(link.url);
  }
  return targets;
}

struct DialectRow {
  SiteGenerator generator;
  std::string text;
  Lines targets;
};

void check_dialects(const std::vector<DialectRow>& rows) {
  for (const DialectRow& row : rows) {
    CAPTURE(row.text);
    CHECK(targets_of(row.text, row.generator) == row.targets);
  }
}

}  // namespace

TEST_CASE("HTML marked as Markdown has links in its content") {
  using enum SiteGenerator;
  check_dialects(
      {{jekyll, "<div markdown=\"1\">\n[a](b)\n</div>\n[c](d)", {"b", "d"}},
       {mkdocs, "<div class=\"x\" markdown>\n[a](b)\n</div>", {"b"}},
       {mkdocs, "<div markdown=\"block\">[a](b)</div>", {"b"}},
       {mkdocs, "<p markdown='span'>[a](b)\n[c](d)</p>", {"b", "d"}},
       {mkdocs, "<details markdown=\"1\"><summary>[a](b)</summary>\n[c](d)\n</details>\n[e](f)", {"b", "d", "f"}},
       {mkdocs, "<div markdown=\"1\">\n[a](b)\n<div>\n[raw](x)\n</div>\n</div>\n[c](d)", {"b", "d"}},
       {jekyll, "<div markdown=\"1\">\n<div>\n[raw](x)\n</div>\n[c](d)\n</div>\n[e](f)", {"d", "f"}},
       {mkdocs, "<div markdown=\"1\">\n<p>x\n</div>\n[c](d)", {"d"}},
       {jekyll, "<div>\n<div>\n[raw](x)\n</div>\n[raw](x)\n</div>\n[a](b)", {"b"}},
       {none, "<div>\n[raw](x)\n</div>\n[raw](x)", {}},
       {jekyll, "<div>\n<div markdown=\"1\">\n[a](b)\n</div>\n[raw](x)\n</div>\n[c](d)", {"b", "d"}},
       {jekyll,
        "<div>\n[raw](x)\n</div>\n\n{::options parse_block_html=\"true\" /}\n\n<div>\n[a](b)\n</div>\n\n"
        "{::options parse_block_html=\"false\" /}\n\n<div>\n[raw](x)\n</div>",
        {"b"}},
       {mkdocs, "<a href=\"b\" markdown=\"1\">\n![c](d)\n</a>", {"b", "d"}},
       {none, "<div markdown=\"1\">\n[a](b)\n</div>", {"b"}},
       {none, "<div markdown=\"0\">\n[a](b)\n</div>", {}},
       {none, "<div data-markdown=\"1\">\n[a](b)\n</div>", {}},
       {mkdocs, "<div markdown=\"1\">\n    <a href=\"b\">c</a>\n</div>", {"b"}},
       {mkdocs, "<pre markdown=\"1\">\n[a](b)\n</pre>", {}},
       {jekyll, "{::options parse_block_html=\"true\" /}\n\n<div>\n[a](b)\n</div>", {"b"}},
       {jekyll, "<div>\n[a](b)\n</div>", {}},
       {quarto, "<div>\n[a](b)\n</div>", {"b"}},
       {quarto, "<center>\n[a](b)\n</center>", {"b"}},
       {quarto, "<section class=\"x\">\n[a](b)\n</section>\n[c](d)", {"b", "d"}},
       {mkdocs, "<div markdown=\"1\"><div>\n[a](b)\n</div></div>\n[c](d)", {"b", "d"}},
       {jekyll, "<div markdown=\"1\"><div markdown=\"1\">\n[a](b)\n</div></div>\n[c](d)", {"b", "d"}},
       {jekyll, "<div><div markdown=\"1\">\n[a](b)\n</div></div>\n\n[c](d)", {"b", "d"}},
       {jekyll, "<table><tr><td markdown=\"1\">[a](b)</td></tr></table>\n\n[c](d)", {"b", "d"}},
       {jekyll, "<div class=\"x\"><p markdown=\"1\">[a](b)</p></div>\n\n<div>\n[raw](x)\n</div>", {"b"}},
       {jekyll, "<div><pre markdown=\"1\">\n[a](b)\n</pre></div>", {}},
       {jekyll, "<div><p markdown=\"1\"></p></div>", {}},
       {none, "```\n<div markdown=\"1\">\n[a](b)\n</div>\n```", {}}});
}

TEST_CASE("kramdown reads the Markdown in HTML if its configuration says so") {
  const auto targets = [](std::string_view text) {
    const DocumentText document{
        "t.md", text, DocumentFormat::markdown, SiteGenerator::jekyll, true, /*parses_block_html=*/true};
    std::string found;
    for (const LinkOccurrence& link : extract_links(document, {})) found += link.url + ' ';
    return found;
  };
  CHECK(targets("<div>\n[a](b)\n</div>\n[c](d)") == "b d ");
  CHECK(targets("<div class=\"x\">[a](b)</div>\n[c](d)") == "b d ");
  CHECK(targets("<div>\n<div>\n[a](b)\n</div>\n</div>\n[c](d)") == "b d ");
  CHECK(targets("<blockquote>\n[a](b)\n</blockquote>") == "b ");
  CHECK(targets("<figure><figcaption>[a](b)</figcaption></figure>\n[c](d)") == "b d ");
  CHECK(targets("<figure><figcaption>\n[a](b)\n</figcaption></figure>\n\n[c](d)") == "b d ");
  CHECK(targets("<figure>\n<img src=\"i.png\">\n<figcaption>[a](b)</figcaption>\n</figure>") == "i.png b ");
  CHECK(targets("<figure>\n  <img src=\"i.png\">\n  <figcaption>[a](b)</figcaption>\n</figure>\n\n[c](d)") ==
        "i.png b d ");
  CHECK(targets("<details><summary>[a](b)</summary>\n[c](d)\n</details>\n[e](f)") == "b d f ");
  CHECK(targets("<details>\n<summary>[a](b)</summary> [c](d)\n</details>\n[e](f)") == "b d f ");
  CHECK(targets("<section><h2>T</h2>\n[c](d)\n</section>") == "d ");
  CHECK(targets("<dl>\n<dt>[a](b)</dt>\n<dd>[c](d)</dd>\n</dl>") == "b d ");
  CHECK(targets("<ul>\n<li>[raw](x)</li>\n</ul>").empty());
  CHECK(targets("<div><table>\n<tr>[raw](x)</tr>\n</table></div>").empty());
  CHECK(targets("<div markdown=\"0\">\n[raw](x)\n</div>").empty());
  CHECK(targets("<pre>\n[raw](x)\n</pre>").empty());
  CHECK(targets("<div><pre>\n[raw](x)\n</pre></div>").empty());
  CHECK(targets("<table>\n<tr>[raw](x)</tr>\n</table>").empty());
  CHECK(targets("<center>\n[raw](x)\n</center>\n[a](b)") == "b ");
  CHECK(targets("<math>\n[raw](x)\n</math>").empty());
  CHECK(targets("{::options parse_block_html=\"false\" /}\n\n<div>\n[raw](x)\n</div>").empty());
}

TEST_CASE("comments and raw parts of kramdown have no Markdown") {
  using enum SiteGenerator;
  check_dialects({{jekyll, "{::comment}\n[a](b)\n{:/comment}\n\n[c](d)", {"d"}},
                  {jekyll, "a {::comment}[a](b){:/} [c](d)", {"d"}},
                  {jekyll, "{::comment}\n[a](b)", {"b"}},
                  {jekyll, "{% comment %}\n[a](b)\n{% endcomment %}\n[c](d)", {"d"}},
                  {jekyll, "{::nomarkdown}\n<a href=\"b\">[c](d)</a>\n{:/nomarkdown}\n\n[e](f)", {"b", "f"}},
                  {none, "{::comment}\n[a](b)\n{:/comment}", {"b"}}});
}

TEST_CASE("math has no links in dialects with math") {
  using enum SiteGenerator;
  check_dialects({{quarto, "$f[x](y)$ and $$g[x](y)$$ [a](b)", {"b"}},
                  {quarto, "costs $5 [a](b) or $6, or $ 7 [c](d)$", {"b", "d"}},
                  {quarto, "a $x\n[y](z)$ [a](b)", {"b"}},
                  {quarto, "`$` [a](b) `$` and \\$ [c](d) $", {"b", "d"}},
                  {quarto, "a $x\n\n[a](b)$", {"b"}},
                  {jekyll, "$f[a](b)$ and $$g[x](y)$$", {"b"}},
                  {mkdocs, "\\(f[x](y)\\) \\([a](b)\\)\n\n\\[\nf[x](y)\n\\]", {"b"}},
                  {mdbook, "\\\\( f[x](y) \\\\) and \\\\[a](b)", {"b"}},
                  {docusaurus, "$$\nf[x](y)\n\n[z](y)\n$$\n\n[a](b)", {"b"}},
                  {docusaurus, "$$ never closes\n\n[a](b)", {"b"}},
                  {docusaurus, "$$\n\n# Heading\n\n[a](b)\n\n$$\n\n[c](d)", {"b", "d"}},
                  {none, "$f[x](y)$ and ($g[x](y)$), $$h[x](y)$$ [a](b)", {"b"}},
                  {none, "`` $`f[x](y)`$ `` [a](b)\n\n$`f[x](y)`$\n\n```math\nf[x](y)\n```\n\n$$\nf[x](y)\n$$", {"b"}},
                  {none, "$5 [a](b) and $6, $5/[c](d)/$6, 5$, [e](f) and 6$", {"b", "d", "f"}},
                  {none, "**$5** [a](b) **$6**, US$5,[c](d),US$", {"b", "d"}},
                  {none, "$HOME/[a](b):$PATH or $HOME [c](d) $PATH$", {"b", "d"}},
                  {none, "$x,[a](https://b.org),$ and $$[c](https://d.org)$$", {"https://b.org", "https://d.org"}},
                  {none, "|x|y|z|\n|-|-|-|\n|$|[a](b)|$|\n|$5|[c](d)|$6|", {"b", "d"}},
                  {none, "$ [a](b)$ and $[c](d) $", {"b", "d"}},
                  {none, "\\$f[a](b)\\$", {"b"}},
                  {none, "[a](/b?c=$.d) [e](/f?g=$.h)", {"/b?c=$.d", "/f?g=$.h"}},
                  {docusaurus, "[a](/b?c=$.d) [e](/f?g=$.h)", {"/b?c=$.d", "/f?g=$.h"}},
                  {docusaurus, "- $a\n- [b](c)\n  1. $d\n  2. [e](f) $", {"c", "f"}},
                  {docusaurus, "- $a\n  [x](y)$ [b](c)", {"c"}}});
  CHECK(targets_of("$f[x](y)$", none, DocumentFormat::mdx) == Lines{"y"});
  const std::string cell =
      R"json({"cells":[{"cell_type":"markdown","source":["$f[x](y)$ \\\\(f[x](y)\\\\) [a](b)"]}]})json";
  CHECK(targets_of(cell, none, DocumentFormat::notebook) == Lines{"b"});
}

TEST_CASE("text indented by four below a footnote or a definition is no code") {
  using enum SiteGenerator;
  check_dialects({{none, "a[^1]\n\n[^1]: One\n\n    [a](b)\n\n        [code](c)\n", {"b"}},
                  {none, "[^1]: One\n[^b]: [a](b)\n\n    [c](d)\n\n[e](f)", {"b", "d", "f"}},
                  {none, "word\n\n    [code](c)", {}},
                  {mkdocs, "Term\n:   [a](b)\n\n    [c](d)\n", {"b", "d"}},
                  {jekyll, "Term\n: [a](b)\n\n    [c](d)\n", {"b", "d"}},
                  {none, "Term\n: [a](b)\n\n    [code](d)\n", {"b"}}});
}

TEST_CASE("MyST directives with Markdown content have links") {
  using enum SiteGenerator;
  check_dialects(
      {{sphinx, "```{note}\n[a](b)\n```\n[c](d)", {"b", "d"}},
       {sphinx, "````{tip} T\n[a](b)\n```{warning}\n[c](d)\n```\n```py\n[code](e)\n```\n````\n[f](g)", {"b", "d", "g"}},
       {sphinx, "```{code-block} py\n[code](b)\n```", {}},
       {none, "```{note}\n[code](b)\n```", {}}});
}

TEST_CASE("Sphinx takes the argument of an image for a file name") {
  ExtractOptions options;
  options.base_url = Url::parse("https://base.org/").value();
  const auto hrefs_of = [&options](SiteGenerator generator) {
    constexpr std::string_view images = ".. image:: img_#1?.png\n.. image:: https://a.org/b?c#d\n";
    Lines hrefs;
    for (const LinkOccurrence& link :
         extract_links({"list", images, DocumentFormat::restructured_text, generator}, options))
      hrefs.push_back(link.href);
    return hrefs;
  };
  CHECK(hrefs_of(SiteGenerator::sphinx) == Lines{"https://base.org/img_%231%3F.png", "https://a.org/b?c#d"});
  CHECK(hrefs_of(SiteGenerator::none) == Lines{"https://base.org/img_#1?.png", "https://a.org/b?c#d"});
}

TEST_CASE("compact and JSON front matter is no text") {
  using enum SiteGenerator;
  check_dialects({{hugo, "+++\nurl=\"https://x.org/a\"\n+++\n[a](b)", {"b"}},
                  {hugo, "{\n  \"url\": \"https://x.org/a\"\n}\n\n[a](b)", {"b"}},
                  {hugo, "{\n\nhttps://x.org/a\n}\n", {"https://x.org/a"}}});
}

TEST_CASE("abbreviations and attribute lists and containers are no links") {
  using enum SiteGenerator;
  check_dialects({{mkdocs, "*[W3C]: World Wide Web\n\nThe W3C [a](b){: .x} and [c](d){.y}", {"b", "d"}},
                  {vitepress, "::: tip\n[a](b)\n:::\n\n::: {#x .y}\n[c](d)\n:::", {"b", "d"}},
                  {quarto, "See @fig-x and [-@sec-y].\n", {}}});
}
