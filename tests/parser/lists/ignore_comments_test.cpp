// Tests comments and attributes that ignore links: ignored links are still extracted and name their cause.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;

namespace {

// Returns the ignored links with the directive that excludes them: "https://x.org linkherd-ignore-line".
std::vector<std::string> ignored(std::string_view text, DocumentFormat format) {
  std::vector<std::string> lines;
  for (const LinkOccurrence& link : links_of(text, format)) {
    if (!link.ignored_by.empty()) lines.push_back(link.url + " " + link.ignored_by);
  }
  return lines;
}

struct IgnoreCommentsRow {
  DocumentFormat format;
  std::string text;
  std::vector<std::string> ignored;
};

}  // namespace

TEST_CASE("Markdown comments ignore links") {
  const std::vector<IgnoreCommentsRow> rows{
      {DocumentFormat::markdown,
       "a://0\n<!-- linkherd-ignore-start -->\nhttps://a.org/1 [x](https://a.org/2)\n\nhttps://a.org/3\n"
       "<!-- linkherd-ignore-end -->\nhttps://a.org/4",
       {"https://a.org/1 linkherd-ignore-start", "https://a.org/2 linkherd-ignore-start",
        "https://a.org/3 linkherd-ignore-start"}},
      {DocumentFormat::markdown,
       "https://a.org/0\n\n<!--linkherd-ignore-start-->\nhttps://a.org/1\n\nhttps://a.org/2",
       {"https://a.org/1 linkherd-ignore-start, without linkherd-ignore-end",
        "https://a.org/2 linkherd-ignore-start, without linkherd-ignore-end"}},
      {DocumentFormat::markdown,
       "<!-- markdown-link-check-disable -->\nhttps://a.org/1",
       {"https://a.org/1 markdown-link-check-disable, without markdown-link-check-enable"}},
      {DocumentFormat::markdown,
       "https://a.org/0 <!-- linkherd-ignore-line --> https://a.org/1\nhttps://a.org/2",
       {"https://a.org/0 linkherd-ignore-line", "https://a.org/1 linkherd-ignore-line"}},
      {DocumentFormat::markdown,
       "<!-- linkherd-ignore-next-line: flaky -->\nhttps://a.org/1\nhttps://a.org/2",
       {"https://a.org/1 linkherd-ignore-next-line"}},
      {DocumentFormat::markdown,
       "<!-- markdown-link-check-disable -->\nhttps://a.org/1\n<!-- markdown-link-check-enable -->\nhttps://a.org/2",
       {"https://a.org/1 markdown-link-check-disable"}},
      {DocumentFormat::markdown,
       "<!-- markdown-link-check-disable-next-line -->\r\nhttps://a.org/1\r\nhttps://a.org/2",
       {"https://a.org/1 markdown-link-check-disable-next-line"}},
      {DocumentFormat::markdown,
       "[a](https://a.org/1) <!-- markdown-link-check-disable-line -->\nhttps://a.org/2",
       {"https://a.org/1 markdown-link-check-disable-line"}},
      {DocumentFormat::markdown, "`<!-- linkherd-ignore-line -->` https://a.org/1", {}},
      {DocumentFormat::markdown, "```\n<!-- linkherd-ignore-start -->\n```\nhttps://a.org/1", {}},
      {DocumentFormat::markdown, "<!-- linkherd-ignore-starter -->\nhttps://a.org/1", {}},
      {DocumentFormat::markdown, "<!-- linkherd-ignore-end -->\nhttps://a.org/1", {}},
      {DocumentFormat::markdown, "linkherd-ignore-line https://a.org/1", {}}};
  for (const IgnoreCommentsRow& row : rows) {
    CAPTURE(row.text);
    CHECK(ignored(row.text, row.format) == row.ignored);
  }
}

TEST_CASE("anchors of the all-contributors bot are ignored and its other links are not") {
  const std::string text =
      "[a](#a)\n\n<!-- ALL-CONTRIBUTORS-LIST:START - Do not remove or modify this section -->\n<!-- "
      "markdownlint-disable "
      "-->\n<table>\n<tr><td><a href=\"https://a.org/x\"><b>X</b></a> <a href=\"#infra-x\" title=\"Infra\">i</a></td>\n"
      "</table>\n\n<!-- ALL-CONTRIBUTORS-LIST:END -->\n\n[b](#b)\n";
  ExtractOptions options;
  options.include_local = true;
  std::vector<std::string> lines;
  for (const LinkOccurrence& link : links_of(text, DocumentFormat::markdown, options))
    lines.push_back(link.url + " " + link.ignored_by);
  CHECK(lines == std::vector<std::string>{"#a ", "https://a.org/x ", "#infra-x ALL-CONTRIBUTORS-LIST:START", "#b "});
}

TEST_CASE("ignore comments work in every format that has comments") {
  const std::vector<std::string> one{"https://a.org/1 linkherd-ignore-next-line"};
  const std::vector<IgnoreCommentsRow> rows{
      {DocumentFormat::html, "<!-- linkherd-ignore-next-line -->\n<a href=https://a.org/1>x</a>\n<a href=y>", one},
      {DocumentFormat::plain_text, "# linkherd-ignore-next-line\nhttps://a.org/1\nhttps://a.org/2", one},
      {DocumentFormat::plain_text, "<!-- linkherd-ignore-next-line -->\nhttps://a.org/1\nhttps://a.org/2", one},
      {DocumentFormat::plain_text, "// linkherd-ignore-next-line\nhttps://a.org/1\nhttps://a.org/2", one},
      {DocumentFormat::restructured_text, ".. linkherd-ignore-next-line\nhttps://a.org/1\n\nhttps://a.org/2", one},
      {DocumentFormat::asciidoc, "// linkherd-ignore-next-line\nhttps://a.org/1\nhttps://a.org/2", one},
      {DocumentFormat::org, "# linkherd-ignore-next-line\nhttps://a.org/1\nhttps://a.org/2", one},
      {DocumentFormat::yaml, "# linkherd-ignore-next-line\n- https://a.org/1\n- https://a.org/2", one},
      {DocumentFormat::toml, "# linkherd-ignore-next-line\na = 'https://a.org/1'\nb = 'https://a.org/2'", one},
      {DocumentFormat::json, "[\n// linkherd-ignore-next-line\n\"https://a.org/1\",\n\"https://a.org/2\"]", one},
      {DocumentFormat::csv, "# linkherd-ignore-next-line\nhttps://a.org/1\nhttps://a.org/2", one},
      {DocumentFormat::bibtex,
       "% linkherd-ignore-next-line\n@a{k, url={https://a.org/1}}\n@a{l, url={https://a.org/2}}", one},
      {DocumentFormat::xml,
       "<a><!-- linkherd-ignore-next-line -->\n<loc>https://a.org/1</loc>\n<loc>https://a.org/2</loc></a>", one}};
  for (const IgnoreCommentsRow& row : rows) {
    CAPTURE(row.text);
    CHECK(ignored(row.text, row.format) == row.ignored);
  }
}

TEST_CASE("the data-proofer-ignore attribute applies to the content of its element") {
  const std::string by = " data-proofer-ignore";
  const std::vector<IgnoreCommentsRow> rows{
      {DocumentFormat::html, "<a href=1 data-proofer-ignore>x</a><a href=2>", {"1" + by}},
      {DocumentFormat::html, "<img src=1 data-proofer-ignore><img src=2>", {"1" + by}},
      {DocumentFormat::html,
       "<div DATA-PROOFER-IGNORE><div><a href=1></a></div><a href=2></a> https://a.org</div><a href=3>",
       {"1" + by, "2" + by, "https://a.org" + by}},
      {DocumentFormat::html, "<p data-proofer-ignore><a href=1></a><p><a href=2>", {"1" + by}},
      {DocumentFormat::markdown,
       "a <a href=\"https://a.org/1\" data-proofer-ignore>x</a> https://a.org/2",
       {"https://a.org/1" + by}}};
  for (const IgnoreCommentsRow& row : rows) {
    CAPTURE(row.text);
    CHECK(ignored(row.text, row.format) == row.ignored);
  }
}
