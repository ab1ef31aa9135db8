// Tests MDX: Markdown with JSX, expressions and modules. The expected links are those of remark-mdx.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/lists/anchors.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

struct MdxRow {
  std::string text;
  Lines links;  // "line:column url [element] text"
};

Lines mdx_links(std::string_view text, DocumentFormat format = DocumentFormat::mdx,
                SiteGenerator generator = SiteGenerator::none) {
  Lines lines;
  for (const LinkOccurrence& link : extract_links({"list", text, format, generator}, {})) {
    CHECK(text.substr(link.offset, link.length) == link.url);
    lines.push_back(fmt::format("{}:{} {} [{}] {}", link.line, link.column, link.url,
                                enum_name(link_element_names, link.element), link.text));
  }
  return lines;
}

void check_mdx_rows(const std::vector<MdxRow>& rows) {
  for (const MdxRow& row : rows) {
    CAPTURE(row.text);
    CHECK(mdx_links(row.text) == row.links);
  }
}

}  // namespace

TEST_CASE("Markdown in the children of JSX is parsed at any indentation") {
  check_mdx_rows(
      {{"<Card>\n    [a](x.md)\n\n        ```js\n        [b](c)\n        ```\n</Card>", {"2:9 x.md [link] a"}},
       {"<Tabs><TabItem value=\"a\">\n\n[a](b)\n\n</TabItem></Tabs>", {"3:5 b [link] a"}},
       {"<Steps>\n### One [a](b)\n<p>[c](d)</p>\n</Steps>", {"2:13 b [link] a", "3:8 d [link] c"}},
       {"<Card>\n| a | b |\n|---|---|\n| [x](y) | 2 |\n</Card>", {"4:7 y [link] x"}},
       {"<TabItem>\n    - item [x](y.md)\n    - item [z](w.md)\n</TabItem>",
        {"2:16 y.md [link] x", "3:16 w.md [link] z"}},
       {"- <Card>\n  [a](x)\n  </Card>", {"2:7 x [link] a"}},
       {"- a\n\n      [b](c)", {"3:11 c [link] b"}},
       {"    [a](b)", {"1:9 b [link] a"}},
       {"para\n<Card>\n[a](x)\n</Card>", {"3:5 x [link] a"}},
       {"<Card># no heading</Card>\n<Foo a='b>c'\nd>[x](y)</Foo>", {"3:7 y [link] x"}},
       {"<details>\n<summary>S [a](b)</summary>\n\n[c](d)\n</details>", {"2:16 b [link] a", "4:5 d [link] c"}}});
}

TEST_CASE("constant attributes are links") {
  check_mdx_rows(
      {{"<Link to={'./x.md'}>Text</Link> <Card href=\"y.md\" />", {"1:12 ./x.md [link] Text", "1:45 y.md [link] "}},
       {"<Link to={`./x.md`} /> <Link to={`${base}/x`} /> <Link to={base + '/x'} />", {"1:12 ./x.md [link] "}},
       {R"(<a href={"https://a.org/1"} target="_blank">two</a>)", {"1:11 https://a.org/1 [link] two"}},
       {"<a href=\"x&amp;y\" {...rest} b={c > d}>t</a>", {"1:10 x&amp;y [link] t"}},
       {"<a href={url}>t</a> <img src={ './a.png' } alt=\"b\"/>", {"1:33 ./a.png [image] b"}},
       {"<Image img={require('./x.png')} /> <img src={require(\"./y.png\").default} />",
        {"1:22 ./x.png [resource] ", "1:55 ./y.png [resource] "}},
       {"<Card icon={<Icon src=\"./i.svg\" />} href=\"./c.md\">\n  [x](y)\n</Card>",
        {"1:24 ./i.svg [resource] ", "1:43 ./c.md [link] ", "2:7 y [link] x"}},
       {"{list.map(x => <Link key={x} to=\"/docs/x\">{x.name} isn't</Link>)}", {"1:34 /docs/x [link] "}},
       {R"(<Video src="https://a.org/v.mp4" poster="./p.png" />)",
        {"1:13 https://a.org/v.mp4 [resource] ", "1:42 ./p.png [resource] "}},
       {"<iframe src=\"https://a.org/i\" />\n\n[after](x)", {"1:14 https://a.org/i [resource] ", "3:9 x [link] after"}},
       {R"(<Trans to="en" from="de" /> <X src="code" />)", {}},
       {"> <Card\n>   href=\"x\" />\n> [a](b)", {"2:11 x [link] ", "3:7 b [link] a"}},
       {"<Frame>\n  <img\n    src=\"/a.png\"\n    alt=\"It's > that\"\n  />\n</Frame>",
        {"3:10 /a.png [image] It's > that"}},
       {"| A | B |\n|---|---|\n| <Link to=\"./t.md\">t</Link> | [x](y) |",
        {"3:13 ./t.md [link] t", "3:36 y [link] x"}}});
}

TEST_CASE("imported files are links and other code has none") {
  check_mdx_rows(
      {{"import X from './x.mdx'\nimport img from \"../x.png\";\nimport './style.css'",
        {"1:16 ./x.mdx [resource] ", "2:18 ../x.png [resource] ", "3:9 ./style.css [resource] "}},
       {"import React from 'react'\nimport T from '@theme/Tabs'\nimport F from './component'\n", {}},
       {"import code from '!!raw-loader!./code.txt?x'", {"1:32 ./code.txt?x [resource] "}},
       {"export const link = 'https://a.org/not'\nexport * from './d.mdx'\n\nhttps://b.org",
        {"2:16 ./d.mdx [resource] ", "4:1 https://b.org [bare] "}},
       {"export const x = `\n\na [b](c)`\n\n[d](e)", {"5:5 e [link] d"}},
       {"export const F = () => {\n  return <a href=\"https://a.org\">it's</a>\n\n}\n\n[a](b)", {"6:5 b [link] a"}},
       {"a\nimport X from './x.mdx'", {}},
       {" import A from './a.mdx'\n\n- import A from './a.mdx'", {}},
       {"import is a word of [prose](b)", {"1:29 b [link] prose"}}});
}

TEST_CASE("expressions are code unless escaped or inside code") {
  check_mdx_rows({{"{'[a](b)'} {[c](d)} [e](f)", {"1:25 f [link] e"}},
                  {"text {a\nb} [x](y)", {"2:8 y [link] x"}},
                  {"a \\{ [b](c) \\} `{` [d](e) `<f`", {"1:10 c [link] b", "1:24 e [link] d"}},
                  {"[a](x{y}.md) [b](<c {d}.md>) [e](f \"t {g} <h>\")",
                   {"1:5 x{y}.md [link] a", "1:19 c {d}.md [link] b", "1:34 f [link] e"}},
                  {"https://a.org/{id} {x}", {"1:1 https://a.org/{id} [bare] "}},
                  {"<C>{`\n[not](alink)\n`}</C>\n\n[yes](b)", {"5:7 b [link] yes"}},
                  {"{/[}]/.test(a) /* } */ // }\n}[x](y)", {"2:6 y [link] x"}},
                  {":::note[Title]{x=\"y\"}\n\n[a](b)\n\n:::", {"3:5 b [link] a"}}});
}

TEST_CASE("invalid MDX keeps the links around it") {
  check_mdx_rows({{"a { b [c](d)", {"1:11 d [link] c"}},
                  {"<Card [a](b)", {"1:11 b [link] a"}},
                  {"1 < 2 and <3 [a](b)", {"1:18 b [link] a"}},
                  {"<https://a.org>", {"1:2 https://a.org [autolink] https://a.org"}},
                  {"<!-- [a](b) -->\n\n[c](d)", {"3:5 d [link] c"}},
                  {"<br>\n[a](b)", {"2:5 b [link] a"}}});
}

TEST_CASE("MDX comments ignore links") {
  const std::string text =
      "{/* linkherd-ignore-next-line */}\n[a](gone)\n[b](there)\n\n{/* linkherd-ignore-start */}\n[c](gone)\n\n"
      "> {/* linkherd-ignore-end */}\n\n[d](there)\n\n<!-- linkherd-ignore-next-line -->\n[e](gone)\n"
      "[f](gone) {/* linkherd-ignore-line */}\n";
  for (const LinkOccurrence& link : extract_links({"list", text, DocumentFormat::mdx}, {})) {
    CAPTURE(link.text);
    CHECK(link.ignored_by.empty() == (link.url == "there"));
  }
}

TEST_CASE("MDX headings and components have ids") {
  const std::string text =
      "# One {/* #first */}\n\n## Two <Badge text=\"x\"/> more\n\n## Three {#third}\n\n<Heading "
      "id=\"four\">F</Heading>\n\n"
      "<div id={'five'} />\n";
  const AnchorSet anchors(find_anchors(text, DocumentFormat::mdx), DocumentFormat::mdx);
  for (const char* name : {"first", "one", "two--more", "third", "three", "four", "five"}) {
    CAPTURE(name);
    CHECK(anchors.has(name));
  }
  CHECK_FALSE(anchors.has("two-badge-textx-more"));
}

TEST_CASE("Docusaurus Markdown is read as MDX if it is valid MDX") {
  const std::string valid = "{/* [a](b) */}\n\n    [c](d)\n";
  CHECK(mdx_links(valid, DocumentFormat::markdown, SiteGenerator::docusaurus) == Lines{"3:9 d [link] c"});
  CHECK(mdx_links(valid, DocumentFormat::markdown) == Lines{"1:9 b [link] a"});
  const std::string invalid = "<br>\n\n    [c](d)\n\n{[e](f)}\n";
  CHECK(mdx_links(invalid, DocumentFormat::markdown, SiteGenerator::docusaurus) == Lines{"5:6 f [link] e"});
}
