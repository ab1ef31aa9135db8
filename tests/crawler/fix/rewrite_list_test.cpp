#include "crawler/fix/rewrite_list.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/fix/spellings.h"
#include "parser/lists/extract_links.h"

using namespace linkherd;
using namespace linkherd::crawler;
using parser::DocumentFormat;

namespace {

const std::string old_url = "https://old.herd/a";

// Returns the document with each link to `from` changed to `to`. Begins with "refused" if a link was not changed.
std::string rewritten(const parser::DocumentText& list, const std::string& to, const std::string& from = old_url) {
  const DocumentFormat format = list.format;
  const std::string_view text = list.text;
  std::vector<ReadLink> links;
  std::vector<WantedChange> changes;
  parser::for_each_link(list, {}, [&](parser::LinkOccurrence& link) {
    links.push_back(read_link(link));
    if (link.href != from) return;
    const WrittenUrl written{format, link.element, link.url, text.substr(0, link.offset),
                             text.substr(link.offset + link.length)};
    const bool follows = link.element == parser::LinkElement::autolink || link.element == parser::LinkElement::bare;
    changes.push_back({links.size() - 1, list_url_spellings(written, from, to), to, follows || link.text == link.url});
  });
  REQUIRE(!changes.empty());
  const Rewritten made = rewrite_list(list, {}, links, changes, {});
  CHECK(with_edits(text, made.edits) == made.text);
  return made.refused_changes.empty() ? made.text : "refused: " + made.text;
}

std::string rewritten(DocumentFormat format, const std::string& text, const std::string& to,
                      const std::string& from = old_url) {
  return rewritten(parser::DocumentText{"list", text, format}, to, from);
}

std::string with_text(DocumentFormat format, const std::string& text, const std::string& title) {
  const parser::DocumentText list{"list", text, format};
  std::vector<ReadLink> links;
  std::vector<WantedText> texts;
  parser::for_each_link(list, {}, [&](parser::LinkOccurrence& link) {
    links.push_back(read_link(link));
    const WrittenUrl written{format, link.element, link.url, std::string_view(text).substr(0, link.offset),
                             std::string_view(text).substr(link.offset + link.length)};
    texts.push_back({links.size() - 1, find_text_span(text, written, link.offset, link.text),
                     spelling_of_text(format, title), title});
  });
  return rewrite_list(list, {}, links, {}, texts).text;
}

}  // namespace

TEST_CASE("the result is read in the dialect of the document") {
  const parser::DocumentText list{.file = "list",
                                  .text = "$x[a](https://old.herd/a)$\n",
                                  .format = DocumentFormat::markdown,
                                  .generator = parser::SiteGenerator::mkdocs,
                                  .has_math = false};
  CHECK(rewritten(list, "https://new.herd/b") == "$x[a](https://new.herd/b)$\n");
}

TEST_CASE("a URL is written in the syntax of its occurrence") {
  struct Row {
    DocumentFormat format;
    std::string before, to, after;
  };
  const std::string query = "https://new.herd/?a=1&copy=2";
  const std::vector<Row> rows{
      {DocumentFormat::markdown, "[a](https://old.herd/a \"t\") b", "https://new.herd/b",
       "[a](https://new.herd/b \"t\") b"},
      {DocumentFormat::markdown, "[a](https://old.herd/a)", "https://new.herd/b_(c)", "[a](https://new.herd/b_(c))"},
      {DocumentFormat::markdown, "[a](https://old.herd/a)", "https://new.herd/b)c", "[a](https://new.herd/b\\)c)"},
      {DocumentFormat::markdown, "[a](<https://old.herd/a>)", "https://new.herd/b)c", "[a](<https://new.herd/b)c>)"},
      {DocumentFormat::markdown, "[a][b]\n\n[b]: https://old.herd/a\n", "https://new.herd/b",
       "[a][b]\n\n[b]: https://new.herd/b\n"},
      {DocumentFormat::markdown, "[a](https://old.herd/a)", "https://new.herd/?b&copy;c",
       "[a](https://new.herd/?b&amp;copy;c)"},
      {DocumentFormat::markdown, "| a |\n|---|\n| [a](https://old.herd/a) |\n", "https://new.herd/b|c",
       "| a |\n|---|\n| [a](https://new.herd/b\\|c) |\n"},
      {DocumentFormat::markdown, "<https://old.herd/a>, https://old.herd/a.\n", "https://new.herd/b_c",
       "<https://new.herd/b_c>, https://new.herd/b_c.\n"},
      {DocumentFormat::markdown, "a <a href=\"https://old.herd/a\">b</a>", query,
       "a <a href=\"https://new.herd/?a=1&amp;copy=2\">b</a>"},
      {DocumentFormat::html, "<a href=https://old.herd/a>b</a>", query,
       "<a href=https://new.herd/?a=1&amp;copy=2>b</a>"},
      {DocumentFormat::html, "<a href='https://old.herd/a'>b</a>", "https://new.herd/it's",
       "<a href='https://new.herd/it&#39;s'>b</a>"},
      {DocumentFormat::xml, "<rss><channel><item><link>https://old.herd/a</link></item></channel></rss>", query,
       "<rss><channel><item><link>https://new.herd/?a=1&amp;copy=2</link></item></channel></rss>"},
      {DocumentFormat::json, R"({"url": "https:\/\/old.herd\/a"})", "https://new.herd/b",
       R"({"url": "https:\/\/new.herd\/b"})"},
      {DocumentFormat::json, R"({"url": "https://old.herd/a"})", R"(https://new.herd/?a\b)",
       R"({"url": "https://new.herd/?a\\b"})"},
      {DocumentFormat::json_lines, "{\"url\": \"https://old.herd/a\"}\n", "https://new.herd/b",
       "{\"url\": \"https://new.herd/b\"}\n"},
      {DocumentFormat::yaml, "- url: https://old.herd/a # x\n", "https://new.herd/b#c",
       "- url: https://new.herd/b#c # x\n"},
      {DocumentFormat::yaml, "- url: 'https://old.herd/a'\n", "https://new.herd/it's",
       "- url: 'https://new.herd/it''s'\n"},
      {DocumentFormat::toml, "url = \"https://old.herd/a\"\n", R"(https://new.herd/?a\b)",
       "url = \"https://new.herd/?a\\\\b\"\n"},
      {DocumentFormat::csv, "name,url\nx,https://old.herd/a\n", "https://new.herd/b,c",
       "name,url\nx,\"https://new.herd/b,c\"\n"},
      {DocumentFormat::csv, "name,url\nx,\"https://old.herd/a\"\n", "https://new.herd/b,c",
       "name,url\nx,\"https://new.herd/b,c\"\n"},
      {DocumentFormat::bibtex, "@misc{x, url = {https://old.herd/a}}\n", "https://new.herd/b_c",
       "@misc{x, url = {https://new.herd/b_c}}\n"},
      {DocumentFormat::restructured_text, "`a <https://old.herd/a>`_\n", "https://new.herd/b",
       "`a <https://new.herd/b>`_\n"},
      {DocumentFormat::restructured_text, ".. _a: https://old.herd/a\n\na_\n", "https://new.herd/b",
       ".. _a: https://new.herd/b\n\na_\n"},
      {DocumentFormat::asciidoc, "https://old.herd/a[a]\n", "https://new.herd/b", "https://new.herd/b[a]\n"},
      {DocumentFormat::org, "[[https://old.herd/a][a]]\n", "https://new.herd/b", "[[https://new.herd/b][a]]\n"},
      {DocumentFormat::plain_text, "see https://old.herd/a, please", "https://new.herd/b",
       "see https://new.herd/b, please"},
      {DocumentFormat::notebook,
       R"x({"cells":[{"cell_type":"markdown","source":["[a](https://old.herd/a)"]}],"nbformat":4})x",
       "https://new.herd/b)c",
       R"x({"cells":[{"cell_type":"markdown","source":["[a](https://new.herd/b\\)c)"]}],"nbformat":4})x"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.before);
    CHECK(rewritten(row.format, row.before, row.to) == row.after);
  }
}

TEST_CASE("a rewrite that would be read differently is refused") {
  // A full stop or bracket at the end of a bare URL does not belong to the URL.
  CHECK(rewritten(DocumentFormat::plain_text, "see https://old.herd/a", "https://new.herd/b.") ==
        "refused: see https://old.herd/a");
  // The anchor of a heading changes with its text.
  CHECK(rewritten(DocumentFormat::markdown, "# https://old.herd/a\n\n[b](https://b.herd/)\n", "https://new.herd/b") ==
        "refused: # https://old.herd/a\n\n[b](https://b.herd/)\n");
  // The remaining links are changed.
  CHECK(rewritten(DocumentFormat::plain_text, "https://old.herd/a\n", "https://new.herd/b)") ==
        "refused: https://old.herd/a\n");
  const std::string mixed = "[a](https://old.herd/a) https://old.herd/a [c](https://c.herd/)\n";
  CHECK(rewritten(DocumentFormat::markdown, mixed, "https://new.herd/b,") ==
        "refused: [a](https://new.herd/b,) https://old.herd/a [c](https://c.herd/)\n");
}

TEST_CASE("many refused rewrites do not prevent the others") {
  std::string before, after;
  for (int i = 0; i < 200; ++i) {
    before += "[a](https://old.herd/a) https://old.herd/a\n\n";
    after += "[a](https://new.herd/b,) https://old.herd/a\n\n";
  }
  CHECK(rewritten(DocumentFormat::markdown, before, "https://new.herd/b,") == "refused: " + after);
}

TEST_CASE("characters that need escapes keep their spelling in the list") {
  CHECK(rewritten(DocumentFormat::markdown, "[a](http://old.herd/页?x=é)", "https://old.herd/%E9%A1%B5?x=%C3%A9",
                  "http://old.herd/%E9%A1%B5?x=%C3%A9") == "[a](https://old.herd/页?x=é)");
  CHECK(rewritten(DocumentFormat::markdown, "[a](https://old.herd/页?id=1&utm_source=x)",
                  "https://old.herd/%E9%A1%B5?id=1",
                  "https://old.herd/%E9%A1%B5?id=1&utm_source=x") == "[a](https://old.herd/页?id=1)");
}

TEST_CASE("a link text is written in the syntax of its occurrence") {
  CHECK(with_text(DocumentFormat::markdown, "[a](https://a.herd/)", "A [b] *c* | <d> `e`") ==
        "[A \\[b\\] \\*c\\* \\| \\<d> \\`e\\`](https://a.herd/)");
  CHECK(with_text(DocumentFormat::html, "<a href=\"https://a.herd/\">a</a>", "A & <b>") ==
        "<a href=\"https://a.herd/\">A &amp; &lt;b&gt;</a>");
  CHECK(with_text(DocumentFormat::org, "[[https://a.herd/][a]]", "A page") == "[[https://a.herd/][A page]]");
  CHECK(with_text(DocumentFormat::restructured_text, "`a <https://a.herd/>`_\n", "A page") ==
        "`A page <https://a.herd/>`_\n");
  CHECK(with_text(DocumentFormat::asciidoc, "https://a.herd/[a]\n", "A page") == "https://a.herd/[A page]\n");
  // Neither text with markup nor text that the format cannot express is changed.
  CHECK(with_text(DocumentFormat::markdown, "[*a*](https://a.herd/)", "A page") == "[*a*](https://a.herd/)");
  CHECK(with_text(DocumentFormat::org, "[[https://a.herd/][a]]", "A ]] page") == "[[https://a.herd/][a]]");
}
