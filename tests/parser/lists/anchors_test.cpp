// Tests the anchors of a text by the rules of GitHub and of browsers.
#include "parser/lists/anchors.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/lists/heading_slugs.h"
#include "parser/lists/readers.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

TEST_CASE("GitHub slugs of headings are computed") {
  struct Row {
    std::string heading;
    std::string slug;
  };
  const std::vector<Row> rows{{"Hello World", "hello-world"},
                              {"Hello, World!", "hello-world"},
                              {"C++ & C#", "c--c"},
                              {"snake_case and-dash", "snake_case-and-dash"},
                              {"1. 安装（可选）", "1-安装可选"},
                              {"常见问题：FAQ", "常见问题faq"},
                              {"Überschrift ÄÖ", "überschrift-äö"},
                              {"日本語のテスト", "日本語のテスト"},
                              {"한국어 제목", "한국어-제목"},
                              {"emoji 🎉 here", "emoji--here"},
                              {"v1.2.3", "v123"},
                              {"a  b", "a--b"},
                              {"", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.heading);
    CHECK(github_slug(row.heading) == row.slug);
  }
}

TEST_CASE("Markdown anchors come from headings and named elements") {
  CHECK(find_anchors("# One\n\n## One\n\n## *Two* `code` [link](x)\n\n### 三 {#san}\n\n<a name=\"four\"></a>\n"
                     "<h2 id='Five'>Six</h2>\n\nOne\n===\n```\n# no\n```\n",
                     DocumentFormat::markdown) == Lines{"-1", "Five", "_1", "four", "one", "one-1", "one-2", "one_1",
                                                        "one_2", "san", "section", "six", "two-code-link", "三"});
  CHECK(find_anchors("", DocumentFormat::markdown).empty());
  CHECK(find_anchors("# Dup\n# Dup\n# Dup-1\n# Dup\n", DocumentFormat::markdown) ==
        Lines{"dup", "dup-1", "dup-1-1", "dup-2", "dup_1", "dup_2"});
}

TEST_CASE("explicit names in Markdown are anchors") {
  const AnchorSet anchors(
      find_anchors(
          "# One { #first }\n\n## Two {: #second .x toc }\n\n### Three {#third .y k=v}\n\n## Four {.unnumbered}\n\n"
          "(a-label)=\n#### Five\n\nA paragraph.\n{: #block}\n\nA [span]{#inline}, ^x^{#\\_fn_1} and {no #name} and {{ "
          "x }}.\n\n"
          "```\n{#code}\n```\n",
          DocumentFormat::markdown),
      DocumentFormat::markdown);
  for (const char* name :
       {"first", "one", "second", "two", "third", "three", "four", "a-label", "five", "block", "inline", "_fn_1"}) {
    CAPTURE(std::string(name));
    CHECK(anchors.has(name));
  }
  for (const char* name : {"name", "code", "x", "four-unnumbered", "no"}) {
    CAPTURE(std::string(name));
    CHECK_FALSE(anchors.has(name));
  }
}

TEST_CASE("headings have the anchors of every site that may show them") {
  const AnchorSet anchors(
      find_anchors(
          "# ![logo](l.png) Über C++ & 1.2\n\n## A  B\n\n## A\u00A0B c\n\n## 3. Setup: Step_1\n\n## Dup!\n\n## Dup\n\n"
          "## News [![n](n.png)](n) ![m](m.png)\n",
          DocumentFormat::markdown),
      DocumentFormat::markdown);
  for (const char* name : {"-über-c--12",
                           "über-c--12",
                           "logo-über-c--12",
                           "uber-c-12",
                           "ÜBER-C--12",  // GitHub, GitLab, MkDocs
                           "news--",
                           "news",
                           "a--b",
                           "a-b",
                           "ab-c",
                           "a-b-c",
                           "3-setup-step_1",
                           "setup-step-1",
                           "_3-setup-step-1",
                           "dup",
                           "dup-1",
                           "dup_1",
                           "readme",
                           "README",
                           "top"}) {
    CAPTURE(std::string(name));
    CHECK(anchors.has(name));
  }
  CHECK_FALSE(anchors.has("uber"));
  CHECK_FALSE(anchors.has("dup-2"));
}

// Most values are the output of Python-Markdown 3.4, Pandoc 2.17, VitePress 1.6 and docutils 0.19.
TEST_CASE("headings have the anchors of the common generators") {
  struct Row {
    std::string heading;
    std::vector<std::string> anchors;
  };
  const std::vector<Row> rows{
      {"A - B", {"a---b", "a-b"}},
      {"v1.0 - b", {"v1.0---b", "v1-0-b", "v10---b", "v10-b"}},
      {"Foo -", {"foo--", "foo-", "foo"}},
      {"Features 🚀", {"features-🚀", "features", "features-"}},
      {"安装，设置", {"安装-设置", "安装设置"}},
      {"日本語。テスト", {"日本語。テスト", "日本語テスト"}},
      {"don't — stop", {"don-t-—-stop", "dont-stop", "dont--stop"}},
      {"हिन्दी भाषा", {"हिन्दी-भाषा", "हनद-भष"}},
      {"2. Setup: Step_1", {"_2-setup-step-1", "2-setup-step_1", "setup-step_1", "setup-step1"}},
      {"Größe & Maß", {"größe--maß", "größe-maß", "grosze-masz", "große-maß"}},
      {"x² and ½", {"x²-and-½", "x2-and-1⁄2", "x-and-"}},
      {"Über Ärger", {"uber-arger", "über-ärger", "ber-rger"}},
      {"_x_ my_func()", {"x-my_func", "x-my-func", "x-myfunc"}},
      {"Dash -", {"dash--"}},
      {"2024", {"2024", "_2024", "section"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.heading);
    const AnchorSet anchors(find_anchors("# " + row.heading + "\n", DocumentFormat::markdown),
                            DocumentFormat::markdown);
    for (const std::string& anchor : row.anchors) {
      CAPTURE(anchor);
      CHECK(anchors.has(anchor));
    }
    CHECK_FALSE(anchors.has("other"));
  }
  const AnchorSet flag(find_anchors("# `--flag`\n", DocumentFormat::markdown), DocumentFormat::markdown);
  for (const char* const name : {"--flag", "-flag", "flag"}) CHECK(flag.has(name));
}

// Derived from the sources of the programs: Hugo's sanitizeAnchorName, mdBook's id_from_content, kramdown's
// basic_generate_id and its GFM parser's generate_gfm_header_id.
TEST_CASE("unusual headings have the anchors of Hugo and mdBook and kramdown") {
  using enum SiteGenerator;
  struct Row {
    std::string heading;
    std::string github, github_ascii, blackfriday;  // Hugo's
    std::string mdbook;
    std::string kramdown, gfm;
  };
  const std::vector<Row> rows{
      {"Number 32", "number-32", "number-32", "number-32", "number-32", "number-32", "number-32"},
      {"Question?", "question", "question", "question", "question", "question", "question"},
      {"1+2=3", "123", "123", "1-2-3", "123", "section", "123"},
      {"Special !\"#$%&(parens)=?´* chars", "special-parens-chars", "special-parens-chars", "special-parens-chars",
       "special-parens-chars", "special-parens-chars", "special-parens-chars"},
      {"Resumé", "resumé", "resume", "resumé", "resumé", "resum", "resumé"},
      {"One-Hyphen", "one-hyphen", "one-hyphen", "one-hyphen", "one-hyphen", "one-hyphen", "one-hyphen"},
      {"Multiple--Hyphens", "multiple--hyphens", "multiple--hyphens", "multiple-hyphens", "multiple--hyphens",
       "multiple--hyphens", "multiplehyphens"},
      {"Trailing hyphen-", "trailing-hyphen-", "trailing-hyphen-", "trailing-hyphen", "trailing-hyphen-",
       "trailing-hyphen-", "trailing-hyphen-"},
      {"Forward/slash", "forwardslash", "forwardslash", "forward-slash", "forwardslash", "forwardslash",
       "forwardslash"},
      {"Under_score", "under_score", "under_score", "under-score", "under_score", "underscore", "under_score"},
      {"Nonbreaking Space", "nonbreakingspace", "nonbreakingspace", "nonbreaking-space", "nonbreaking-space",
       "nonbreakingspace", "nonbreakingspace"},
      {"God is good: 神真美好", "god-is-good-神真美好", "god-is-good-", "god-is-good-神真美好", "god-is-good-神真美好",
       "god-is-good-", "god-is-good-神真美好"},
      {"`--passes`: more passes", "--passes-more-passes", "--passes-more-passes", "passes-more-passes",
       "--passes-more-passes", "passes-more-passes", "--passes-more-passes"},
      {"Method-call 🐙 expressions", "method-call--expressions", "method-call--expressions", "method-call-expressions",
       "method-call--expressions", "method-call--expressions", "method-call--expressions"},
      {"_-_12345", "_-_12345", "_-_12345", "12345", "_-_12345", "section", "_-_12345"},
      {"Über Ärger", "über-ärger", "uber-arger", "über-ärger", "über-ärger", "ber-rger", "über-ärger"},
      {"12. Zwölf & mehr", "12-zwölf--mehr", "12-zwolf--mehr", "12-zwölf-mehr", "12-zwölf--mehr", "zwlf--mehr",
       "12-zwölf--mehr"},
      {"Ⅷ and ½ x²", "-and--x", "-and--x", "ⅷ-and-½-x²", "ⅷ-and-½-x²", "and--x", "-and--x"},
      {"हिन्दी भाषा", "हनद-भष", "-", "ह-न-द-भ-ष", "हिनदी-भाषा", "section", "हिन्दी-भाषा"},
      {"3D-Ⓐ…", "3d-", "3d-", "3d", "3d-ⓐ", "d-", "3d-"},
      {"Let's try this, shall we?", "lets-try-this-shall-we", "lets-try-this-shall-we", "let-s-try-this-shall-we",
       "lets-try-this-shall-we", "lets-try-this-shall-we", "lets-try-this-shall-we"},
      {"...", "heading", "heading", "heading", "", "section", ""},
  };
  const auto anchors_of = [](const std::string& heading, SiteGenerator generator) {
    return AnchorSet(find_anchors("# " + heading + "\n", DocumentFormat::markdown, generator),
                     DocumentFormat::markdown);
  };
  for (const Row& row : rows) {
    CAPTURE(row.heading);
    for (const std::string* const anchor : {&row.github, &row.github_ascii, &row.blackfriday}) {
      CAPTURE(*anchor);
      CHECK(anchors_of(row.heading, hugo).has(*anchor));
    }
    CAPTURE(row.mdbook);
    CHECK(anchors_of(row.heading, mdbook).has(row.mdbook));
    for (const std::string* const anchor : {&row.kramdown, &row.gfm}) {
      CAPTURE(*anchor);
      CHECK(anchors_of(row.heading, jekyll).has(*anchor));
    }
  }
}

TEST_CASE("a kramdown heading has its link targets in its anchor") {
  const std::string text = "## [Foo](https://b.org) x\n";
  const AnchorSet jekyll(find_anchors(text, DocumentFormat::markdown, SiteGenerator::jekyll), DocumentFormat::markdown);
  CHECK(jekyll.has("foohttpsborg-x"));
  CHECK(jekyll.has("foo-x"));
}

TEST_CASE("a Hugo heading has its link targets in its anchor") {
  const std::string text =
      "## [Foo](https://b.org) x ##\n\n> ### R&amp;D {.c}\n\n[Bar](b.md)\n=====\n\n## [Foo](https://b.org) x {#own}\n";
  const AnchorSet hugo(find_anchors(text, DocumentFormat::markdown, SiteGenerator::hugo), DocumentFormat::markdown);
  for (const char* const name : {"foohttpsborg-x", "foo-x", "rampd", "rd", "barbmd", "bar", "own"}) {
    CAPTURE(std::string(name));
    CHECK(hugo.has(name));
  }
  const AnchorSet other(find_anchors(text, DocumentFormat::markdown), DocumentFormat::markdown);
  CHECK_FALSE(other.has("foohttpsborg-x"));
}

TEST_CASE("footnotes have the anchors of their dialect") {
  using enum SiteGenerator;
  const std::string text = "Text[^note] and[^Other] and[^note].\n\n[^note]: One.\n[^Other]: Two.\n";
  struct Row {
    std::vector<SiteGenerator> generators;
    std::vector<const char*> anchors;
    std::vector<const char*> others;
  };
  const Row rows[] = {
      {{mkdocs, pelican, jekyll},
       {"fn:note", "fnref:note", "fnref2:note", "fnref:note:1", "fn:Other", "fnref:Other"},
       {"fn1", "fnref1", "footnote-note", "fn:1", "fnref3:note", "fn:gone"}},
      {{hugo, quarto, vitepress, vuepress},
       {"fn1", "fnref1", "fn:1", "fnref:1", "fnref1:1", "fn2", "fnref2", "fn:2"},
       {"fn3", "fnref3", "fn:note", "footnote-note"}},
      {{mdbook},
       {"footnote-note", "fr-note-1", "fr-note-2", "footnote-Other", "note"},
       {"fn1", "fn:note", "fr-note-3"}},
      {{docusaurus, astro, none},
       {"fn-note", "fnref-note", "fnref-note-2", "user-content-fn-note", "user-content-fnref-note", "fn-other"},
       {"fn-gone", "fnref-note-3"}},
      {{sphinx, obsidian, none}, {"fn-note", "fn1", "fn:note", "footnote-note"}, {"fn3", "fn:gone"}},
  };
  for (const Row& row : rows) {
    for (const SiteGenerator generator : row.generators) {
      const AnchorSet anchors(find_anchors(text, DocumentFormat::markdown, generator), DocumentFormat::markdown);
      CAPTURE(static_cast<int>(generator));
      for (const char* const anchor : row.anchors) {
        CAPTURE(std::string(anchor));
        CHECK(anchors.has(anchor));
      }
      for (const char* const other : row.others) {
        CAPTURE(std::string(other));
        CHECK_FALSE(anchors.has(other));
      }
    }
  }
  CHECK_FALSE(AnchorSet(find_anchors("No footnote.\n", DocumentFormat::markdown), DocumentFormat::markdown).has("fn1"));
}

TEST_CASE("dashes in a heading become typographic dashes in kramdown") {
  const AnchorSet anchors(find_anchors("# A -- B\n\n# C --- D\n\n# E - F\n\n# G---H\n\n# I ---- J\n",
                                       DocumentFormat::markdown, SiteGenerator::jekyll),
                          DocumentFormat::markdown);
  for (const char* const anchor : {"a--b", "a----b", "c--d", "c-----d", "e---f", "gh", "g---h", "i---j", "i------j"}) {
    CAPTURE(std::string(anchor));
    CHECK(anchors.has(anchor));
  }
  CHECK_FALSE(anchors.has("a---b"));
}

TEST_CASE("labels of Quarto cells are anchors") {
  const AnchorSet anchors(
      find_anchors(
          "```{python}\n#| label: fig-a\n#| fig-cap: x\n```\n\n```{ojs}\n//| label: tbl-b\n```\n\n"
          "- a\n\n  ```{r}\n  #| label: fig-c  \n  ```\n\nText #| label: no\n\n![x](y.png){#fig-d}\n\n## H {#sec-e}\n",
          DocumentFormat::markdown, SiteGenerator::quarto),
      DocumentFormat::markdown);
  for (const char* const anchor : {"fig-a", "tbl-b", "fig-c", "fig-d", "sec-e"}) {
    CAPTURE(std::string(anchor));
    CHECK(anchors.has(anchor));
  }
  CHECK_FALSE(anchors.has("no"));
  CHECK_FALSE(anchors.has("x"));
}

TEST_CASE("HTML anchors are named elements and not headings") {
  CHECK(find_anchors("<h1>One</h1><p id=a>x<a name=b>y</a><input name=c><div ID='a'>", DocumentFormat::html) ==
        Lines{"a", "b"});
}

TEST_CASE("reading a page for its links finds the same anchors as reading it for its anchors") {
  constexpr std::string_view page =
      "<p id=one><!-- <p id=no> --><script id=two>'<p id=no>'</script><textarea><p id=no></textarea>"
      "<a name='a&amp;b' href=x></a><svg><rect id=three /></svg><iframe srcdoc='<p id=of_the_frame>'></iframe>"
      "<title><p id=no></title><p id=''><a id=four name=five><!-- <p id=six>";
  const Lines anchors{"a&b", "five", "four", "one", "six", "three", "two"};
  CHECK(find_anchors(page, DocumentFormat::html) == anchors);
  CHECK(find_anchors(read_html_links(page, false), DocumentFormat::html) == anchors);
}

TEST_CASE("the anchors of other formats are unknown") {
  CHECK(has_known_anchors(DocumentFormat::markdown));
  CHECK(has_known_anchors(DocumentFormat::html));
  CHECK_FALSE(has_known_anchors(DocumentFormat::plain_text));
  CHECK(find_anchors("# One", DocumentFormat::plain_text).empty());
}

TEST_CASE("a fragment matches its anchor in every spelling") {
  const AnchorSet anchors(find_anchors("# Hello World\n\n# 安装\n\n<a id=\"MiXed\"></a>", DocumentFormat::markdown),
                          DocumentFormat::markdown);
  for (const char* fragment : {"hello-world", "Hello-World", "安装", "%E5%AE%89%E8%A3%85", "MiXed", "", "top", "Top",
                               "user-content-hello-world", ":~:text=x", "hello-world:~:text=x"}) {
    CAPTURE(fragment);
    CHECK(anchors.has(fragment));
  }
  for (const char* fragment : {"hello", "mixed", "%", "hello-world-1"}) {
    CAPTURE(fragment);
    CHECK_FALSE(anchors.has(fragment));
  }
}

TEST_CASE("HTML anchors match case-sensitively") {
  const AnchorSet anchors(find_anchors("<p id=Mixed>x<p id=日本>", DocumentFormat::html), DocumentFormat::html);
  for (const char* fragment : {"Mixed", "%4Dixed", "日本", "TOP", ""}) CHECK(anchors.has(fragment));
  for (const char* fragment : {"mixed", "MIXED", "readme"}) CHECK_FALSE(anchors.has(fragment));
}

TEST_CASE("a line range exists if both lines exist") {
  const AnchorSet lines(find_anchors("<a id=9>9</a><a id=10>10</a><a id=a>a</a>", DocumentFormat::html),
                        DocumentFormat::html);
  for (const char* fragment : {"9-10", "9", "10-10"}) CHECK(lines.has(fragment));
  for (const char* fragment : {"9-11", "8-10", "9-", "-9", "-", "9-10-10", "a-10", "9-a"})
    CHECK_FALSE(lines.has(fragment));
}

TEST_CASE("a page is built by script if it shows hardly any text") {
  const std::string script = "<script>" + std::string(100'000, 'x') + "</script>";
  const std::string text = "<p>" + std::string(300, 't') + "</p>";
  CHECK(has_generated_anchors("<body>" + script + script + "<p>Loading", DocumentFormat::html));
  CHECK_FALSE(has_generated_anchors("<body>" + script + text + script, DocumentFormat::html));
  CHECK_FALSE(has_generated_anchors("<body>" + text + script, DocumentFormat::html));
  CHECK_FALSE(has_generated_anchors("<body><p>" + std::string(100'000, ' ') + "short", DocumentFormat::html));
}

TEST_CASE("Markdown that documents code or shows components has generated anchors") {
  for (const char* text :
       {"# A\n\n::: package.module\n", "::: mkdocs-click\n    :module: a", "```{eval-rst}\n```",
        "```{autofunction} x\n```", "# A\n<BuiltinTable category={\"strings\"}/>\n", "```jsx\n```\n  <Options />"}) {
    CAPTURE(text);
    CHECK(has_generated_anchors(text, DocumentFormat::markdown));
  }
  for (const char* text : {"::: tip\nWords.\n:::", "::: code-group", "a ::: b.c", "::: {.note}",
                           "```jsx\n<Options />\n```", "<Tabs>\n</Tabs>", "<br />", "a <Options />"}) {
    CAPTURE(text);
    CHECK_FALSE(has_generated_anchors(text, DocumentFormat::markdown));
  }
}

TEST_CASE("MyST directives name anchors") {
  const std::vector<std::string> anchors = find_anchors(
      ":::{figure} x.png\n:label: fig:one\n:::\n\n```{code} sh\n:linenos:\n:name: code-two\n\n$ x\n```\n\n"
      "Words :name: no\n",
      DocumentFormat::markdown);
  CHECK(anchors == std::vector<std::string>{"code-two", "fig:one"});
}

TEST_CASE("anchors of the same list are links on request") {
  ExtractOptions options;
  options.include_local = true;
  options.base_url = linkherd::parser::Url::parse("file:///a/b.md").value();
  const std::vector<LinkOccurrence> links = links_of("[a](#b) [c]() ![i]() [d](<>)", DocumentFormat::markdown, options);
  REQUIRE(links.size() == 3);
  CHECK(links[0].href == "file:///a/b.md#b");
  CHECK(format_link(links[1]) == "1:13:12  [link] c");
  CHECK(format_link(links[2]) == "1:27:26  [link] d");
  for (const LinkOccurrence& empty : {links[1], links[2]}) {
    CHECK(empty.href.empty());
    CHECK(empty.notes == std::vector{LinkNote::empty_target});
  }
  const std::vector<LinkOccurrence> html =
      links_of("<a href=\"\">a</a><a href>b</a><a href=' '>c</a><img src=''><a>d</a>", DocumentFormat::html, options);
  REQUIRE(html.size() == 3);
  for (const LinkOccurrence& empty : html) CHECK(empty.notes == std::vector{LinkNote::empty_target});
  CHECK(links_of("[c]() <a href=\"\">a</a>", DocumentFormat::markdown).empty());
}
