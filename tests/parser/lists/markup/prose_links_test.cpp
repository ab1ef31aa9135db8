// Tests link markup and bare URLs in reStructuredText, AsciiDoc and Org.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

struct ProseLinksRow {
  std::string text;
  Lines links;
};

void check_prose_links(DocumentFormat format, const std::vector<ProseLinksRow>& rows) {
  for (const ProseLinksRow& row : rows) {
    CAPTURE(row.text);
    CHECK(format_links(row.text, format) == row.links);
  }
}

// Returns the URLs of a text as written.
void check_urls(DocumentFormat format, const std::vector<ProseLinksRow>& rows) {
  for (const ProseLinksRow& row : rows) {
    CAPTURE(row.text);
    Lines urls;
    for (const LinkOccurrence& link : links_of(row.text, format)) urls.push_back(link.url);
    CHECK(urls == row.links);
  }
}

}  // namespace

TEST_CASE("reStructuredText links are found") {
  check_prose_links(
      DocumentFormat::restructured_text,
      {{"See `the text <https://x.org/a>`_ and `more <https://y.org>`__.",
        {"1:16:15 https://x.org/a [link] the text", "1:46:45 https://y.org [link] more"}},
       {"`a <https://x.org/long/\n  path>`_", {"1:5:4 https://x.org/long/\n  path [link] a"}},
       {"`a <https://x.org/b\\_c>`_", {"1:5:4 https://x.org/b\\_c [link] a"}},
       {"`a <../b.html>`_ `c <name_>`_", {"1:5:4 ../b.html [link] a"}},
       {"Use Name_ and `Other name`_.\n\n.. _name: https://x.org\n.. _Other Name: https://y.org\n.. _unused: "
        "https://z.org",
        {"3:11:40 https://x.org [link] name", "4:17:70 https://y.org [link] Other Name",
         "5:13:96 https://z.org [definition] unused"}},
       {".. _`a: b`: https://x.org/a/\n   b", {"1:13:12 https://x.org/a/\n   b [definition] a: b"}},
       {"a__\n\n.. __: https://x.org\n__ https://y.org",
        {"3:8:12 https://x.org [link] ", "4:4:29 https://y.org [link] "}},
       {".. _here:\n\n.. _alias: name_", {}},
       {".. image:: https://x.org/p.png\n   :alt: A\n   :target: https://y.org\n\n.. figure:: p.png\n",
        {"1:12:11 https://x.org/p.png [image] A", "3:13:54 https://y.org [link] A", "5:13:81 p.png [image] "}},
       {".. |x| image:: https://x.org/p.png", {"1:16:15 https://x.org/p.png [image] "}},
       {"See https://x.org/a, ok (https://y.org).",
        {"1:5:4 https://x.org/a [bare] See", "1:26:25 https://y.org [bare] ok"}},
       {"``https://no.org`` https://x.org", {"1:20:19 https://x.org [bare] "}},
       {"Code::\n\n  https://no.org\n\n  https://no.org\n\nhttps://x.org", {"7:1:44 https://x.org [bare] "}},
       {".. code-block:: sh\n   :linenos:\n\n   curl https://no.org\n\nhttps://x.org",
        {"6:1:57 https://x.org [bare] "}},
       {".. A comment https://no.org\n   https://no.org\n\nhttps://x.org", {"4:1:47 https://x.org [bare] "}},
       {".. note:: https://x.org\n\n   https://y.org",
        {"1:11:10 https://x.org [bare] ", "3:4:28 https://y.org [bare] "}},
       {".. [1] https://x.org", {"1:8:7 https://x.org [bare] [1]"}},
       {".. raw:: html\n\n   <a href=\"https://x.org\">T</a>\n", {"3:13:27 https://x.org [link] T"}},
       {":Homepage: https://x.org", {"1:12:11 https://x.org [bare] Homepage"}},
       {"**https://x.org**", {"1:3:2 https://x.org [bare] "}},
       {":doc:`a <b>` :ref:`c`", {}},
       {"`", {}},
       {"..", {}},
       {".. _`: https://no.org", {}},
       {".. _``: https://x.org", {"1:9:8 https://x.org [definition] "}},
       {".. _", {}}});
  const std::vector<LinkOccurrence> links =
      links_of("=====\nTitle\n=====\n\nhttps://x.org\n\nPart\n----\nhttps://y.org", DocumentFormat::restructured_text);
  REQUIRE(links.size() == 2);
  CHECK(links[0].heading() == "Title");
  CHECK(links[1].heading() == "Part");
}

TEST_CASE("AsciiDoc links are found") {
  check_prose_links(
      DocumentFormat::asciidoc,
      {{"See https://x.org/a[the text^] and link:https://y.org/b c[more,window=_blank].",
        {"1:5:4 https://x.org/a [link] the text", "1:41:40 https://y.org/b c [link] more"}},
       {"link:../b.adoc[T] link:++https://x.org/a[b]__c++[U]",
        {"1:6:5 ../b.adoc [link] T", "1:26:25 https://x.org/a[b]__c [link] U"}},
       {"https://x.org[], https://y.org. <https://z.org>",
        {"1:1:0 https://x.org [link] ", "1:18:17 https://y.org [bare] ", "1:34:33 https://z.org [bare] "}},
       {"https://x.org[\"a, b\",role=x] https://y.org[a \\] b]",
        {"1:1:0 https://x.org [link] a, b", "1:30:29 https://y.org [link] a \\] b"}},
       {"image::https://x.org/p.png[Alt,link=https://y.org]\n\nimage:p.png[]",
        {"1:8:7 https://x.org/p.png [image] Alt", "1:37:36 https://y.org [link] Alt", "3:7:58 p.png [image] "}},
       {"\\https://no.org[a] `https://no.org` +https://no.org+ https://x.org", {"1:54:53 https://x.org [bare] "}},
       {":base: https://x.org\n:only: https://y.org\n\n{base}/a[T] {only}[U]",
        {"2:8:28 https://y.org [link] U", "4:1:43 {base}/a [link] T"}},
       {":unused: https://x.org", {"1:10:9 https://x.org [definition] unused"}},
       {":unused: See https://no.org for it.", {}},
       {":unused: https://x.org[the text]", {"1:10:9 https://x.org [definition] unused"}},
       {"Output:\n\n  ....\n  -----\n\nhttps://x.org", {"6:1:25 https://x.org [bare] "}},
       {"As in:\n\n  irc://me@[::1]:6668/#a\n  https://no.org\n\nb\n https://x.org", {"7:2:54 https://x.org [bare] b"}},
       {"  * https://x.org\n\n  a. https://y.org\n\n  Term:: https://z.org",
        {"1:5:4 https://x.org [bare] ", "3:6:24 https://y.org [bare] a.", "5:10:48 https://z.org [bare] Term"}},
       {"|===\n\n  |https://x.org[B]\n|===", {"3:4:9 https://x.org [link] B"}},
       {"|===\n|a\n----\nhttps://no.org\n----\n----\n|===\n\nhttps://x.org", {"9:1:44 https://x.org [bare] "}},
       {"----\nhttps://no.org\n----\n\n[source,sh]\ncurl https://no.org\n\nhttps://x.org",
        {"8:1:59 https://x.org [bare] "}},
       {"////\nhttps://no.org\n////\n// https://no.org\nhttps://x.org", {"5:1:43 https://x.org [bare] "}},
       {"++++\n<a href=\"https://x.org\">T</a>\n++++", {"2:10:14 https://x.org [link] T"}},
       {"|===\n|A |https://x.org[B]\n|===", {"2:5:9 https://x.org [link] B"}},
       {"xref:other.adoc#x[T] xref:here[U] <<part>> <<a.adoc#b,C>>",
        {"1:6:5 other.adoc#x [link] T", "1:46:45 a.adoc#b [link] C"}},
       {"https://x.org[a", {"1:1:0 https://x.org [bare] "}},
       {"mailto:a@b.org[M]", {"1:1:0 mailto:a@b.org [link] M"}}});
  CHECK(links_of(":base: https://x.org\n\n{base}/a[T]", DocumentFormat::asciidoc)[0].href == "https://x.org/a");
  CHECK(links_of("= Title\n\n== Part\n\nhttps://x.org", DocumentFormat::asciidoc)[0].heading() == "Part");
}

TEST_CASE("Org links are found") {
  check_prose_links(
      DocumentFormat::org,
      {{"See [[https://x.org/a][the text]] and [[https://y.org]].",
        {"1:7:6 https://x.org/a [link] the text", "1:41:40 https://y.org [link] "}},
       {"[[https://x.org/a\\]b][T]]", {"1:3:2 https://x.org/a\\]b [link] T"}},
       {"[[file:b.org::*H][T]] [[./c.org]] [[*Heading]] [[#id]] [[id:1-2]] [[word]]",
        {"1:3:2 file:b.org::*H [link] T", "1:25:24 ./c.org [link] "}},
       {"#+LINK: gh https://github.com/%s/x\n[[gh:a][T]]", {"2:3:37 gh:a [link] T"}},
       {"[[doi:10.1/x][T]]", {"1:3:2 doi:10.1/x [link] T"}},
       {"<https://x.org> https://y.org，中文", {"1:2:1 https://x.org [bare] ", "1:17:16 https://y.org [bare] "}},
       {"=https://no.org= ~https://no.org~ https://x.org/?a=b", {"1:35:34 https://x.org/?a=b [bare] "}},
       {"#+BEGIN_SRC sh\nhttps://no.org\n#+END_SRC\n: https://no.org\n# https://no.org\nhttps://x.org",
        {"6:1:74 https://x.org [bare] "}},
       {"#+BEGIN_QUOTE\nhttps://x.org\n#+END_QUOTE", {"2:1:14 https://x.org [bare] "}},
       {"#+begin_export html\n<a href=https://x.org>T</a>\n#+end_export", {"2:9:28 https://x.org [link] T"}},
       {"| [[https://x.org][T]] | https://y.org |", {"1:5:4 https://x.org [link] T", "1:26:25 https://y.org [bare] "}},
       {"[[https://x.org", {"1:3:2 https://x.org [bare] "}}});
  CHECK(links_of("#+LINK: gh https://github.com/%s/x\n[[gh:a][T]]", DocumentFormat::org)[0].href ==
        "https://github.com/a/x");
  CHECK(links_of("[[doi:10.1/x][T]]", DocumentFormat::org)[0].href == "https://doi.org/10.1/x");
  CHECK(links_of("* One\n** Two\nhttps://x.org", DocumentFormat::org)[0].heading() == "Two");
}

TEST_CASE("reStructuredText allows unusual indentation and abbreviations") {
  check_prose_links(
      DocumentFormat::restructured_text,
      {{"..  _a: https://x.org\n..  image:: p.png", {"1:9:8 https://x.org [definition] a", "2:13:34 p.png [image] "}},
       {"`mail <a@b.org>`__", {"1:8:7 a@b.org [link] mail"}},
       {"`OUTPUT_NAME_<CONFIG>`_ `<a.txt>`_", {"1:27:26 a.txt [link] "}},
       {"`in a <section\\>`__ `in \\<b>`__", {}},
       {"`a \\<b <c.txt>`__", {"1:9:8 c.txt [link] a \\<b"}},
       {":pep:`8` and :RFC:`no` :rfc:`the text <7231#section-4>`",
        {"1:7:6 8 [link] 8", "1:40:39 7231#section-4 [link] the text"}}});
  const std::vector<LinkOccurrence> links =
      links_of("`mail <a@b.org>`__ :pep:`8` :pep:`484#x` :rfc:`2616`", DocumentFormat::restructured_text);
  REQUIRE(links.size() == 4);
  CHECK(links[0].href == "mailto:a@b.org");
  CHECK(links[1].href == "https://peps.python.org/pep-0008/");
  CHECK(links[2].href == "https://peps.python.org/pep-0484/#x");
  CHECK(links[3].href == "https://datatracker.ietf.org/doc/html/rfc2616");
}

TEST_CASE("reStructuredText has links in items and after directives") {
  check_prose_links(DocumentFormat::restructured_text,
                    {{"-  Item::\n\n     https://no.org\n\n   https://a.org\n", {"5:4:35 https://a.org [bare] "}},
                     {"12. Item::\n\n      https://no.org\n\n    https://a.org\n", {"5:5:38 https://a.org [bare] "}},
                     {"term\n  Words::\n\n    https://no.org\n\n  https://a.org\n", {"6:3:38 https://a.org [bare] "}},
                     {"Words::\n\n  https://no.org\n\nhttps://a.org\n", {"5:1:27 https://a.org [bare] "}},
                     {".. note:: See `the\n   guide <a.rst>`_ first.\n", {"2:11:29 a.rst [link] the guide"}},
                     {".. note:: See\n   :class: x\n\n   https://a.org\n", {"4:4:31 https://a.org [bare] "}},
                     {".. image:: https://a.org/\n           b.png\n   :target: https://b.org\n",
                      {"1:12:11 https://a.org/\n           b.png [image] ", "3:13:55 https://b.org [link] "}}});
  CHECK(links_of(".. image:: https://a.org/\n           b.png\n", DocumentFormat::restructured_text).front().href ==
        "https://a.org/b.png");
}

TEST_CASE("reStructuredText literal text has no links") {
  const std::string yes = "https://a.org/yes";
  check_urls(DocumentFormat::restructured_text,
             {{"Text.\n\n::\n\n   https://no.org\n\n" + yes, {yes}},
              {"::\n\n> https://no.org\n> https://no.org\n\n" + yes, {yes}},
              {"Text::\n\n$ curl https://no.org\n\n- " + yes, {yes}},
              {"- Text::\n\n  > https://no.org\n\n  " + yes, {yes}},
              {"- Text::\n\n> " + yes, {yes}},
              {"- Text\n\n  ::\n\n   https://no.org\n\n  " + yes, {yes}},
              {"a. Text::\n\n     https://no.org\n\n   " + yes, {yes}},
              {"- (1) Text::\n\n        https://no.org\n\n      " + yes, {yes}},
              {"Text\\::\n\n   " + yes, {yes}},
              {"Text\\\\::\n\n   https://no.org\n\n" + yes, {yes}},
              {"| Line::\n\n   " + yes, {yes}},
              {"|name| is::\n\n   https://no.org\n\n" + yes, {yes}},
              {":field: Text::\n\n      https://no.org\n\n   " + yes, {yes}},
              {".. note:: Text::\n\n      https://no.org\n\n   " + yes, {yes}},
              {">>> open('https://no.org')\n'https://no.org'\n\n" + yes, {yes}},
              {"- >>> open('https://no.org')\n\n  " + yes, {yes}},
              {"Text\n>>> " + yes, {yes}},
              {":code:`https://no.org` :literal:`https://no.org`, " + yes, {yes}},
              {":math:`https://no.org` `https://no.org`:code: " + yes, {yes}},
              {":samp:`https://no.org/{a}` :file:`https://no.org` " + yes, {yes}},
              {".. role:: py(code)\n   :language: python\n\n:py:`https://no.org` " + yes, {yes}},
              {".. default-role:: code\n\n`https://no.org` " + yes, {yes}},
              {".. graphviz::\n\n   digraph { a [URL=\"https://no.org\"] }\n\n" + yes, {yes}}});
}

TEST_CASE("reStructuredText parsed literals and quotes below an empty comment have links") {
  check_urls(DocumentFormat::restructured_text,
             {{".. parsed-literal::\n\n   `text <https://a.org>`_\n\n     https://b.org\n\nend",
               {"https://a.org", "https://b.org"}},
              {".. parsed-literal:: https://a.org\n\n   https://b.org", {"https://a.org", "https://b.org"}},
              {"..\n\n   https://a.org", {"https://a.org"}},
              {"..\n   https://no.org", {}}});
}

TEST_CASE("reStructuredText URLs and references resolve as in docutils") {
  CHECK(links_of("`a <https://a.org/x\n  y z>`_", DocumentFormat::restructured_text).front().href ==
        "https://a.org/xyz");
  CHECK(links_of(":RFC:`2616`", DocumentFormat::restructured_text).front().href ==
        "https://datatracker.ietf.org/doc/html/rfc2616");
  check_prose_links(DocumentFormat::restructured_text,
                    {{"|a b|_\n\n.. _a b: https://a.org", {"3:10:17 https://a.org [link] a b"}},
                     {"b_\n\n.. _a: https://a.org\n.. _b: a_", {"3:8:11 https://a.org [link] a"}}});
}

TEST_CASE("reStructuredText targets end at a colon followed by a blank") {
  check_prose_links(DocumentFormat::restructured_text,
                    {{".. _a:b: https://x.org", {"1:10:9 https://x.org [definition] a:b"}},
                     {".. _a\\: b: https://x.org", {"1:12:11 https://x.org [definition] a\\: b"}},
                     {".. __: https://x.org", {"1:8:7 https://x.org [link] "}},
                     {".. _log::\n    :version: 0.9\n\n    See https://y.org\n", {"4:9:37 https://y.org [bare] See"}},
                     {".. _a:https://x.org", {}}});
}

TEST_CASE("reStructuredText cells of several lines have links") {
  constexpr std::string_view table =
      "+----------------+---------------------------+\n"
      "| `One <https:// | `Two <https://two.org>`_  |\n"
      "| one.org/a/b>`_ | and `three                |\n"
      "| and            | <https://three.org        |\n"
      "| https://b.org  | /x>`__, then `the         |\n"
      "| *no link `at   | name`_ and                |\n"
      "| all*           |                           |\n"
      "|                | https://c.org             |\n"
      "+----------------+---------------------------+\n\n"
      ".. _the name: https://d.org\n";
  const std::vector<LinkOccurrence> links = links_of(table, DocumentFormat::restructured_text);
  std::vector<std::string> hrefs;
  for (const LinkOccurrence& link : links)
    hrefs.push_back(std::to_string(link.line) + ' ' + link.href +
                    (link.element == LinkElement::bare ? "" : ' ' + link.text));
  CHECK(hrefs == Lines{"2 https://one.org/a/b One", "2 https://two.org/ Two", "4 https://three.org/x three",
                       "5 https://b.org/", "8 https://c.org/", "11 https://d.org/ the name"});
}

namespace {

// Returns the targets of the links of an AsciiDoc file, relative to its folder.
Lines asciidoc_hrefs(const std::string& text) {
  constexpr std::string_view folder = "file:///r/docs/";
  ExtractOptions options;
  options.base_url = linkherd::parser::Url::parse("file:///r/docs/list.adoc").value();
  Lines hrefs;
  for (const LinkOccurrence& link : links_of(text, DocumentFormat::asciidoc, options)) {
    const bool is_below = link.href.starts_with(folder);
    hrefs.push_back(is_below ? link.href.substr(folder.size()) : link.href);
  }
  return hrefs;
}

}  // namespace

TEST_CASE("AsciiDoc two-line titles are no code blocks") {
  const std::string yes = "https://a.org/yes";
  for (const std::string title :
       {"NAME\n----", "Größe\n-----", "SYNOPSIS\n-------", "SYNOPSIS\n---------", "Part\n~~~~", "Deep\n^^^^",
        "Deep\n++++", "git-log(1)\n==========", "[[id]]\nNAME\n----", ".Title\nNAME\n----", "* a\n---", " NAME\n-----",
        "// No.\nNAME\n----"}) {
    CAPTURE(title);
    CHECK(asciidoc_hrefs(title + "\nSee " + yes) == Lines{yes});
    CHECK(asciidoc_hrefs("Text.\n\n" + title + "\n\nSee " + yes) == Lines{yes});
  }
  check_urls(DocumentFormat::asciidoc, {{"SYNOPSIS\n------\nhttps://no.org\n------\n\n" + yes, {yes}},
                                        {"Words\nNAME\n----\nhttps://no.org\n----\n\n" + yes, {yes}},
                                        {"====\nFoo:\n----\nhttps://no.org\n----\n====\n\n" + yes, {yes}},
                                        {"* b\n\n* ab\n----\nhttps://no.org\n----\n\n" + yes, {yes}},
                                        {"|===\n|ab\n----\nhttps://no.org\n----\n|===\n\n" + yes, {yes}},
                                        {".Cat\n----\nhttps://no.org\n----\n\n" + yes, {yes}},
                                        {"[source]\n.Title " + yes + "\n----\nhttps://no.org\n----", {yes}},
                                        {"-----\n----\n-----\n\n" + yes, {yes}}});
  const std::vector<LinkOccurrence> links =
      links_of("Book\n====\n\nPart\n----\n\nDeep\n~~~~\nhttps://x.org", DocumentFormat::asciidoc);
  REQUIRE(links.size() == 1);
  CHECK(links[0].headings == Lines{"Book", "Part", "Deep"});
}

TEST_CASE("AsciiDoc text of a term or an item may be indented by any white space") {
  const std::string yes = "https://a.org/yes";
  check_urls(DocumentFormat::asciidoc, {{"Term::\n\n\tSee\n\t" + yes, {yes}},
                                        {"Term;;\n\n  " + yes, {yes}},
                                        {"a::\nb::\n\n\t" + yes + "\n\n\thttps://no.org", {yes}},
                                        {"--\n\t\t*\tOne\n\t\t\t" + yes + "\n--", {yes}},
                                        {"  -\t" + yes, {yes}},
                                        {"Text::x\n\n  https://no.org", {}}});
}

TEST_CASE("AsciiDoc cells are literal or nested documents by their style") {
  const std::string yes = "https://a.org/yes";
  const auto table = [](const std::string& cells) { return "|===\n" + cells + "\n|===\n"; };
  check_urls(DocumentFormat::asciidoc,
             {{table("l|https://no.org link:no[x]\n|" + yes), {yes}},
              {table("2+^.>l|https://no.org |" + yes), {yes}},
              {table("|a l|https://no.org\n\nhttps://no.org/2\n|" + yes), {yes}},
              {table("html|" + yes), {yes}},
              {table("l|a \\| https://no.org\n|" + yes), {yes}},
              {table("l|https://no.org") + "\n" + yes, {yes}},
              {"[cols=\"1l,2\"]\n" + table("|https://no.org |" + yes + "\n|https://no.org\n|" + yes), {yes, yes}},
              {"[%header,cols=\"2*,<.^1l\"]\n" + table("|a|b|c\n\n2+|" + yes + "|https://no.org\n|" + yes), {yes, yes}},
              {"[cols=\"1l,2\"]\n" + table("a|" + yes + " |" + yes), {yes, yes}},
              {"[cols=\"2*l\"]\n" + table(".2+|https://b.org |" + yes), {"https://b.org", yes}},
              {"[cols=\"1l\"]\n" + table("|https://no.org") + "\n" + table("|" + yes), {yes}},
              {"[cols=\"1l\",format=csv]\n" + table(yes), {yes}},
              {table("a|" + yes + "\n\n  https://no.org\n\n" + yes), {yes, yes}},
              {"[cols=\"1,a\"]\n" + table("|b\n|c\n\n  https://no.org"), {}},
              {table("|b\n\n  " + yes), {yes}},
              {table("a|\n* " + yes + "\n\n----\nhttps://no.org\n----\n|image:p.png[]"), {yes, "p.png"}},
              {table("a|\n!===\n!" + yes + "\n!===\n\nhttps://a.org/2\n|x"), {yes, "https://a.org/2"}},
              {"|===\n|a\n|===\n\nl|" + yes, {yes}}});
}

TEST_CASE("AsciiDoc attributes of one environment apply only there") {
  const std::vector<LinkOccurrence> links = links_of(
      ":base: https://x.org\nifdef::env-github[]\n:base: https://no.org\nifdef::x[]\nendif::[]\n:other: "
      "https://y.org\nendif::[]\n"
      "\nlink:{base}/a[t] link:{other}/b[t] image::p.png[P, link=\"{base}/c\"]\n",
      DocumentFormat::asciidoc);
  REQUIRE(links.size() == 4);
  CHECK(links[0].href == "https://x.org/a");
  CHECK(links[1].href == "https://y.org/b");
  CHECK(links[3].href == "https://x.org/c");
}

TEST_CASE("AsciiDoc images are in the folder that imagesdir names at that point") {
  const std::vector<ProseLinksRow> rows{
      {"= T\n:imagesdir: i\n\nimage::a.png[]\n", {"i/a.png"}},
      {":imagesdir: i\n\nSee image:a.png[] and image:https://a.org/b.png[]", {"i/a.png", "https://a.org/b.png"}},
      {":imagesdir: i\n\nimage::a.png[]\n\n:imagesdir: j/\n\nimage::b.png[]\n\n:!imagesdir:\n\nimage::c.png[]",
       {"i/a.png", "j/b.png", "c.png"}},
      {":imagesdir: i\n:imagesdir!:\n\nimage::a.png[]", {"a.png"}},
      {":imagesdir: i\n\nimage::a.png[]\n:imagesdir: j\n\nimage::b.png[]", {"i/a.png", "j/b.png"}},
      {":imagesdir: i\n\n'''\n:imagesdir: j\nimage::a.png[]\nimage::b.png[]", {"j/a.png", "j/b.png"}},
      {":imagesdir: i\n\ntoc::[]\n:imagesdir: j\n\nimage::a.png[]", {"j/a.png"}},
      {":imagesdir: i\n\nifdef::x[]\nText\nendif::[]\n:imagesdir: j\n\nimage::a.png[]", {"j/a.png"}},
      {":imagesdir: i\n\nText\n:imagesdir: no\n\nimage::a.png[]", {"i/a.png"}},
      {"Text\nifdef::x[]\n  and link:b.html[x]\nendif::[]", {"b.html"}},
      {"ifndef::imagesdir[:imagesdir: ../i]\n\nimage::a.png[]", {"file:///r/i/a.png"}},
      {":imagesdir: i\nifndef::imagesdir[:imagesdir: j]\n\nimage::a.png[]", {"i/a.png"}},
      {":imagesdir: i\nifndef::imagesdir[]\n:imagesdir: j\nendif::[]\n\nimage::a.png[]", {"i/a.png"}},
      {"ifndef::imagesdir[]\n:imagesdir: j\nendif::[]\n\nimage::a.png[]", {"j/a.png"}},
      {":imagesdir: {docdir}/i\n\nimage::a.png[]", {"i/a.png"}},
      {":base: b\n:imagesdir: {base}/i\n\nimage::a.png[]", {"b/i/a.png"}},
      {":imagesdir: https://a.org/i\n\nimage::a.png[link=b.html]", {"https://a.org/i/a.png", "b.html"}},
      {":imagesdir: i\n\nvideo::a.mp4[]\n\naudio::b.ogg[]\n\nlink:c.png[]", {"i/a.mp4", "i/b.ogg", "c.png"}},
      {"image::a.png[link=self]\n\n[link=b.html]\nimage::c.png[]", {"a.png", "b.html", "c.png"}},
      {"[Alt, 200, link=b.html]\nimage::c.png[]\n\n[blink=d.html,link=e.html]\nimage::f.png[]",
       {"b.html", "c.png", "e.html", "f.png"}},
      {"[music, \"m.png\", link=\"m.ly\"]\n----\n\\relative\n----\n\n[link=g.html]\n.Title\nimage::h.png[]",
       {"g.html", "h.png"}}};
  for (const ProseLinksRow& row : rows) {
    CAPTURE(row.text);
    CHECK(asciidoc_hrefs(row.text) == row.links);
  }
}

TEST_CASE("AsciiDoc references to other documents imply their extension") {
  CHECK(asciidoc_hrefs("<<b#id>> <<b.adoc#id,text>> xref:b#id[] xref:d/b#id[] xref:b.adoc[] xref:v1.2/b#x[]") ==
        Lines{"b.adoc#id", "b.adoc#id", "b.adoc#id", "d/b.adoc#id", "b.adoc", "v1.2/b.adoc#x"});
  CHECK(asciidoc_hrefs(":d: ../x\n\n<<{d}/b#id>> xref:{d}/c.adoc[]") ==
        Lines{"file:///r/x/b.adoc#id", "file:///r/x/c.adoc"});
  CHECK(asciidoc_hrefs("xref:b.html[] <<b.html#x>> <<id>> <<id,text>> xref:id[]") == Lines{"b.html", "b.html#x"});
}

TEST_CASE("AsciiDoc passthrough text has no links except those of raw HTML") {
  const std::string yes = " https://a.org/yes";
  for (const std::string literal :
       {"pass:[https://no.org]", "pass:q[https://no.org]", "+++https://no.org+++", "++https://no.org++",
        "$$https://no.org$$", "+https://no.org+", "`+https://no.org+`", "stem:[https://no.org]", "kbd:[https://no.org]",
        "latexmath:[https://no.org]"}) {
    CAPTURE(literal);
    CHECK(asciidoc_hrefs(literal + yes) == Lines{"https://a.org/yes"});
    CHECK(asciidoc_hrefs("Text " + literal + yes) == Lines{"https://a.org/yes"});
  }
  CHECK(asciidoc_hrefs("pass:m[https://a.org/m] link:++https://a.org/a__b++[x] link:pass:[https://a.org/c__d][y]") ==
        Lines{"https://a.org/m", "https://a.org/a__b", "https://a.org/c__d"});
  CHECK(asciidoc_hrefs("+++<a href=\"a.html\">x</a>+++ pass:[<a href=\"b.html\">x</a>]") == Lines{"a.html", "b.html"});
  CHECK(asciidoc_hrefs("[comment]\nhttps://no.org\n\n[comment]\n--\nhttps://no.org\n\nhttps://no.org\n--\n\nSee" +
                       yes) == Lines{"https://a.org/yes"});
  CHECK(asciidoc_hrefs("[stem]\n++++\nhttps://no.org\n++++\n\nSee" + yes) == Lines{"https://a.org/yes"});
  CHECK(asciidoc_hrefs("[source,subs=\"+macros\"]\n----\nhttps://a.org[x]\n----\n") == Lines{"https://a.org/"});
  CHECK(asciidoc_hrefs("C++ and C++ and a++b" + yes) == Lines{"https://a.org/yes"});
}

TEST_CASE("AsciiDoc resources of Antora are paths only in a module, and hosted videos never") {
  const std::string text =
      "xref:mod:page.adoc[t] xref:2.0@page.adoc[t] image::mod:p.png[] image:img$p.png[] xref:attachment$a.zip[t]\n"
      "include::partial$x.adoc[]\nvideo::abc[youtube] video::v.mp4[]\nxref:a.adoc#b[t] image::p.png[]\n";
  CHECK(format_links(text, DocumentFormat::asciidoc) ==
        Lines{"3:28:159 v.mp4 [resource] ", "4:6:172 a.adoc#b [link] t", "4:25:191 p.png [image] "});
  ExtractOptions options;
  options.base_url = Url::parse("file:///docs/modules/ROOT/pages/sub/x.adoc").value();
  const std::vector<LinkOccurrence> links =
      extract_links({"docs/modules/ROOT/pages/sub/x.adoc", text, DocumentFormat::asciidoc}, options);
  Lines hrefs;
  for (const LinkOccurrence& link : links)
    hrefs.push_back(link.href.substr(std::string("file:///docs/modules/").size()));
  CHECK(hrefs == Lines{"mod/pages/page.adoc", "mod/images/p.png", "ROOT/images/p.png", "ROOT/attachments/a.zip",
                       "ROOT/partials/x.adoc", "ROOT/pages/sub/v.mp4", "ROOT/pages/a.adoc#b", "ROOT/images/p.png"});
}

TEST_CASE("AsciiDoc in an Antora module is relative to its pages") {
  const auto hrefs = [](const std::string& file) {
    ExtractOptions options;
    options.base_url = Url::parse("file:///" + file).value();
    std::vector<std::string> all;
    for (const LinkOccurrence& link :
         extract_links({file, "xref:a/b.adoc[t] xref:./c.adoc[t] image::p.png[]", DocumentFormat::asciidoc}, options))
      all.push_back(link.href);
    return all;
  };
  const std::string module = "file:///d/modules/ROOT/";
  CHECK(hrefs("d/modules/ROOT/nav.adoc") ==
        Lines{module + "pages/a/b.adoc", module + "c.adoc", module + "images/p.png"});
  CHECK(hrefs("modules/ROOT/nav/x.adoc") == Lines{"file:///modules/ROOT/pages/a/b.adoc",
                                                  "file:///modules/ROOT/nav/c.adoc",
                                                  "file:///modules/ROOT/images/p.png"});
  CHECK(hrefs("d/modules/ROOT/partials/x/y.adoc") ==
        Lines{module + "pages/a/b.adoc", module + "partials/x/c.adoc", module + "images/p.png"});
  CHECK(hrefs("d/modules/ROOT/README.adoc") == Lines{module + "a/b.adoc", module + "c.adoc", module + "p.png"});
}

TEST_CASE("Org pictures and files are found and drafts are skipped") {
  check_prose_links(DocumentFormat::org,
                    {{"[[https://x.org][file:p.png]]", {"1:3:2 https://x.org [link] ", "1:18:17 file:p.png [image] "}},
                     {"[[https://x.org][file:https://b.org/p.svg]]",
                      {"1:3:2 https://x.org [link] ", "1:18:17 file:https://b.org/p.svg [image] "}},
                     {"[[https://x.org][words.png or not]]", {"1:3:2 https://x.org [link] words.png or not"}}});
  const std::vector<LinkOccurrence> links = links_of(
      "* A\n[[file:b.org::*H][t]]\n* Draft :x:noexport:\nhttps://a.org\n** Below\nhttps://b.org\n* COMMENT "
      "C\nhttps://c.org\n"
      "* D\nhttps://d.org",
      DocumentFormat::org);
  REQUIRE(links.size() == 5);
  CHECK(links[0].notes == std::vector{LinkNote::relative});
  for (std::size_t i = 0; i < links.size(); ++i) CHECK(links[i].ignored_by == (i >= 1 && i <= 3 ? ":noexport:" : ""));
}

TEST_CASE("Org finds files without brackets and nothing in inline code") {
  const std::string yes = "https://a.org/yes";
  check_urls(DocumentFormat::org,
             {{"See file:gone.org, and (file:b.org::*Part).", {"file:gone.org", "file:b.org::*Part"}},
              {"src_sh{curl https://no.org} " + yes, {yes}},
              {"src_sh[:exports code]{curl https://no.org} " + yes, {yes}},
              {"profile:x file: file:// " + yes, {yes}},
              {"=file:no.org= ~file:no.org~ " + yes, {yes}},
              {"[[Part 1. A place here]] [[#a.b]] [[*A.b]] [[b.org]]", {"b.org"}}});
  CHECK(links_of("file:b.org::*Part", DocumentFormat::org).front().text.empty());
  CHECK(links_of("file:gone.org", DocumentFormat::org,
                 {.base_url = linkherd::parser::Url::parse("file:///r/x.org").value()})
            .front()
            .href == "file:///r/gone.org");
  CHECK(links_of("[[file:https://b.org/p.svg]]", DocumentFormat::org).front().href == "https://b.org/p.svg");
}

TEST_CASE("Org HTML export text and drawer values are parsed") {
  check_urls(DocumentFormat::org,
             {{"@@html:<a href=\"a.html\">x</a>@@ @@latex:https://no.org@@ https://a.org", {"a.html", "https://a.org"}},
              {"a@@b.org @@ @@html: @@x:y [[b.org]]", {"b.org"}},
              {"@@html:<img src=\"p.png\">@@ and\n@@HTML:<a\nhref=\"b.html\">@@", {"p.png", "b.html"}},
              {"#+HTML: <a href=\"a.html\">x</a>\nhttps://a.org", {"a.html", "https://a.org"}},
              {"#+begin_export html\n<a href=\"a.html\">\n#+end_export\n#+begin_export "
               "latex\n\\url{https://no.org}\n#+end_export",
               {"a.html"}},
              // Emacs follows the links in all drawers, including property drawers.
              {"* H\n:PROPERTIES:\n:URL: https://a.org\n:FILE: [[file:b.org][t]]\n:END:\n:LOGBOOK:\n- State "
               "[[file:c.org]]\n:END:\n",
               {"https://a.org", "file:b.org", "file:c.org"}}});
}
