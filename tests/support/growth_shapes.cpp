#include "tests/support/growth_shapes.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace linkherd::testing {
namespace {

using namespace std::literals;

constexpr char number_mark = '\1';

struct Fragment {
  std::string text;
  std::string closer = {};
};

struct Fragments {
  std::string reader;
  std::string head;
  std::vector<Fragment> all;
};

// Fragments for most readers.
const std::vector<Fragment>& common_fragments() {
  static const std::vector<Fragment> all{{""}, {"a"}, {"https://a.org/"}, {"https://a.org/("}, {"www.a.org"}, {"中"}};
  return all;
}

const std::vector<Fragments>& fragments() {
  static const std::vector<Fragments> all{
      {"markdown",
       "",
       {{"[", "]"},
        {"![", "](b)"},
        {"[a](b)"},
        {"- [a](b)"},
        {"[a](<"},
        {"[a](b \""},
        {"[a][b\1]"},
        {"[b\1]: https://a.org/\1"},
        {"[^\1]: a"},
        {"[^\1]"},
        {"> ", "a"},
        {"- ", "a"},
        {"1. a"},
        {"|a|b|"},
        {"|[a](b)|\n|-|"},
        {"*a", "*"},
        {"**", "**"},
        {"_a_*"},
        {"~~"},
        {"`", "`"},
        {"```"},
        {"    ```"},
        {"<a href=\"b\">", "</a>"},
        {"<a"},
        {"<!--", "-->"},
        {"<!-- linkherd-ignore-start -->"},
        {"<!-- linkherd-ignore-line -->"},
        {"<https://a.org"},
        {"&amp;"},
        {"&"},
        {"\\"},
        {"# a"},
        {"# [a](b) `c`"},
        {"# a\1"},
        {"a\n=="},
        {"---"},
        {"a: b"},
        {"[[a|b]]"},
        {"$a", "$"},
        {"$$", "$$"},
        {"\\(", "\\)"},
        {"<div markdown=\"1\">", "</div>"},
        {"{::comment}", "{:/comment}"},
        {"```{note}", "```"},
        {"[^\1]: a\n\n    b"},
        {"a\n: b\n\n    c"},
        {"#| label: a"},
        {"{{#include a", "}}"},
        {"{{< ref a", ">}}"},
        {"{% link a", "%}"},
        {"{% raw %}", "{% endraw %}"},
        {"<!--@include: a", "-->"},
        {"<<< a"},
        {"--8<--"},
        {"--8<-- \"a"},
        {"```{include} a"},
        {":::{figure} a"},
        {"a -- b --- c"},
        {"![[a", "]]"},
        {"[[a\\|"},
        {"{{a}}"},
        {"!!! a\n\n    "},
        {"=== \"a\"\n"},
        {"<div>\n"},
        {"$a"},
        {"[a]: b 'c"}}},
      {"mdx",
       "",
       {{"<A>", "</A>"},
        {"<A\n", "/>\n"},
        {"<A b={", "}/>"},
        {"<A b={<B>", "</B>}/>"},
        {"<A b=\""},
        {"<A b='c' "},
        {"<A href=\"b\">", "</A>"},
        {"<>", "</>"},
        {"{", "}"},
        {"{`${", "}`}"},
        {"{\""},
        {"{/* "},
        {"{a/[ "},
        {"{/* linkherd-ignore-line */}"},
        {"{require('./a.png')}"},
        {"{#a"},
        {"`", "`"},
        {"```"},
        {"[a](<"},
        {"[a](b \""},
        {"[a](b{c}"},
        {"> <A\n"},
        {"- <A>"},
        {"|{a}|"},
        {"<!--", "-->"},
        {"# a {/* #b\1 */}\n"},
        {"import a from './b\1.png'\n"},
        {"import a from './b.png'\n\n"},
        {"export const a = [\n"},
        {"export const a = <A>\n\n"},
        {"</A>"},
        {"\\{"}}},
      {"html",
       "",
       {{"<"},
        {"<a href=b>", "</a>"},
        {"<a href='"},
        {"<a href=x>y</a>"},
        {"<a name=b\1>"},
        {"<li>", "</li>"},
        {"<ul><li>", "</ul>"},
        {"<table><tr><td>", "</table>"},
        {"<dl><dt>", "</dl>"},
        {"<dd>"},
        {"<!--", "-->"},
        {"<!"},
        {"<!-- linkherd-ignore-start -->"},
        {"<?"},
        {"&"},
        {"&amp;"},
        {"<script>", "</script>"},
        {"<script type=application/ld+json>{\"url\":\"https://a.org\"}</script>"},
        {"<style>url(a)</style>"},
        {"<p style='background:url(a'>"},
        {"<textarea>"},
        {"<title>"},
        {"<svg>", "</svg>"},
        {"<h1>a</h1>"},
        {"<h2 id=a\1>"},
        {"<img srcset='a 1x, "},
        {"<img src=a alt='b"},
        {"<iframe srcdoc='&lt;a href=b&gt;'>"},
        {"<p data-proofer-ignore>", "</p>"},
        {"<b a=b c"},
        {" a=b"},
        {"<form method=post><input formaction=a>"},
        {"<nav>", "</nav>"},
        {"<meta http-equiv=refresh content='0;url=a'>"},
        {"<base href=https://a.org/>"},
        {"<a href={{a}}>"},
        {"<pre>", "</pre>"},
        {"<![CDATA["}}},
      {"bookmarks",
       "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n",
       {{"<DT><H3>a</H3>\n<DL><p>", "</DL><p>"},
        {"<DT><A HREF=\"https://a.org/\1\" TAGS=\"a,b\" ADD_DATE=\"1\">a</A>"},
        {"<DD>a"},
        {"</DL>"},
        {"<HR>"}}},
      {"text",
       "",
       {{"a:"},
        {"# a"},
        {"a - https://a.org"},
        {"<https://a.org"},
        {"mailto:a@b.org"},
        {"(", ")"},
        {"http://中文."},
        {"http://a中"},
        {"http://中。a."},
        {"https://{a}/"},
        {"https://a.org/a[1]"},
        {"😀"}}},
      {"rst",
       "",
       {{"`", "`_"},
        {"`a <b\1>`_"},
        {"a\1_"},
        {"`a`_"},
        {".. _a\1: https://a.org"},
        {".. image:: a"},
        {".. _a: b_"},
        {"|a\1|"},
        {".. |a\1| image:: b"},
        {"::\n"},
        {"===\na\n==="},
        {"a\n=="},
        {"* a"},
        {":doc:`a`"},
        {".. raw:: html\n\n <a"},
        {"__ https://a.org"},
        {"`a`__"},
        {".. note::\n\n   "},
        {"+--+\n"},
        {"- a"},
        {"``"},
        {".. [1] a"},
        {"[1]_"},
        {"|a|_"},
        {":code:`a"},
        {"`a`:code:"},
        {">>> a"},
        {"a::\n\n> a\n"},
        {":a: b::\n"},
        {".. role:: a\1(code)"},
        {".. parsed-literal::\n\n   a"}}},
      {"asciidoc",
       "",
       {{"["},
        {"link:a[b]"},
        {"https://a.org["},
        {"<<a\1,b>>"},
        {"[[a\1]]"},
        {"{a}"},
        {":a\1: b"},
        {":a: {a}{a}"},
        {"----"},
        {"////"},
        {"== a"},
        {"== a\n\n"},
        {"[#a]"},
        {"<<a>>"},
        {"anchor:a[]"},
        {"ab\n--\n\n"},
        {"a\1\n===="},
        {".a"},
        {"|==="},
        {"image::a[b]"},
        {"include::a[]"},
        {"xref:a#b[c]"},
        {"`+a+`"},
        {"*a*"},
        {"* a"},
        {"term::"},
        {"+"},
        {"++"},
        {"[source]"},
        {"// a"},
        {"ifdef::a[]"},
        {"footnote:[a"},
        {"pass:[a"},
        {"pass:m["},
        {"+++a"},
        {"++a+"},
        {"$$"},
        {":imagesdir: a\1"},
        {":!imagesdir:"},
        {"ifndef::a\1[:a: b]"},
        {"<<a#b>>"},
        {"[comment]\n--"},
        {"\\"}}},
      {"org",
       "",
       {{"@@html:a"},
        {"[[a][b]]"},
        {"[[", "]]"},
        {"[[a]["},
        {"* a"},
        {"** TODO a :b:"},
        {"#+begin_src", "#+end_src"},
        {"#+LINK: a\1 b"},
        {"[[a\1:b]]"},
        {"=a"},
        {"~a~"},
        {": a"},
        {"# a"},
        {"- a :: b"},
        {"<<a\1>>"},
        {":PROPERTIES:\n:ID: \1"},
        {"|a|"},
        {"\\"},
        {"[fn:\1]"},
        {"<https://a.org"},
        {"file:a"},
        {"src_a{b"},
        {"src_a["}}},
      {"notebook",
       "{\"cells\":[",
       {{"{\"cell_type\":\"markdown\",\"source\":[\"[a](b)\\n\",\"# c\"]},"},
        {"{\"cell_type\":\"markdown\",\"source\":\"\\r\\r\\r"},
        {"{\"cell_type\":\"markdown\",\"source\":[\"\\r\"]},"},
        {"{", "}"},
        {"[", "]"},
        {"\"a\":"},
        {"\\u0041"},
        {"\"\\"}}},
      {"csv",
       "url,title\n",
       {{","}, {"\""}, {"\"\","}, {"\"a\n"}, {"https://a.org,b"}, {";"}, {"|"}, {"\t"}, {"\"a,\"\""}}},
      {"json",
       "",
       {{"[", "]"},
        {"{\"a\":", "}"},
        {"\""},
        {"\\"},
        {"\"\\u0041"},
        {"\"a\","},
        {"//"},
        {"/*"},
        {"{\"title\":\"a\",\"url\":\"https://a.org\"},"},
        {"{\"url\":\"https://a.org\",\"a\":[", "]}"},
        {"\"https:\\/\\/a.org\","},
        {","},
        {":"},
        {"// linkherd-ignore-line\n"}}},
      {"jsonl",
       "",
       {{"{\"url\":\"https://a.org\",\"title\":\"b\"}"}, {"{"}, {"["}, {"\""}, {"{\"a\":{", "}}"}, {"{\"a\":\"\\"}}},
      {"yaml", "", {{"- "},        {"a:"},
                    {"a\1: b"},    {"a:\n ", ""},
                    {"[", "]"},    {"{", "}"},
                    {"\""},        {"'"},
                    {"\"a\n"},     {"|"},
                    {"a: |\n  b"}, {"- >"},
                    {"#"},         {"# linkherd-ignore-line"},
                    {"&a "},       {"*a"},
                    {"!a "},       {"? "},
                    {"---"},       {"- url: https://a.org\n  title: b"},
                    {" "},         {"a: 'b\n  c"},
                    {"\\"}}},
      {"toml",
       "",
       {{"[a\1]"},
        {"[[a]]"},
        {"a="},
        {"a\1 = \"https://a.org\""},
        {"\""},
        {"'"},
        {"\"\"\""},
        {"'''"},
        {"[", "]"},
        {"{", "}"},
        {"#"},
        {"a."},
        {"\\"},
        {"a = [\"b\","}}},
      {"bibtex",
       "",
       {{"@a{b\1, url={https://a.org}}"},
        {"@a{"},
        {"@a{b, title={c"},
        {"{", "}"},
        {"\""},
        {"@string{a\1 = \"b\"}"},
        {"a = b # c,"},
        {"#a"},
        {"@comment{"},
        {"%"},
        {"\\url{"},
        {"@a{b, doi={10.1/2}"},
        {"\\"},
        {"@a{b, c=\""}}},
      {"ris",
       "TY  - JOUR\n",
       {{"TY  - JOUR"},
        {"UR  - https://a.org"},
        {"ER  - "},
        {"TI  - a"},
        {"DO  - 10.1/2"},
        {"AB  - "},
        {"KW  - a"},
        {"  "}}},
      {"xml",
       "",
       {{"<", ">"},
        {"<a>", "</a>"},
        {"<a b='"},
        {"<a b='https://a.org'/>"},
        {"<a xml:base='b/'>", "</a>"},
        {"<svg xmlns='http://www.w3.org/2000/svg'><a href='b'>", "</a></svg>"},
        {"<!--", "-->"},
        {"<![CDATA[", "]]>"},
        {"<?"},
        {"<!DOCTYPE ["},
        {"&"},
        {"&amp;"},
        {"&#x"},
        {"<item><title>a</title><link>https://a.org</link>", "</item>"},
        {"<url><loc>https://a.org/\1</loc></url>"},
        {"<outline text='a' xmlUrl='https://a.org'>", "</outline>"},
        {"<description>&lt;a href=b&gt;</description>"},
        {"<description>&lt;"},
        {"<!ENTITY a '&a;'>"},
        {"</a>"},
        {"<entry><link href='https://a.org'/>", "</entry>"},
        {"]]>"},
        {"<a xmlns:b='c'>", "</a>"}}},
      {"css",
       "",
       {{"url("},
        {"url(a)"},
        {"@import \""},
        {"@import 'a';"},
        {"/*", "*/"},
        {"\""},
        {"\\"},
        {"a{b:url('c')}"},
        {"@namespace a url(b);"},
        {"{", "}"},
        {"image-set("}}},
      {"metadata",
       "<html><head><title>A title</title></head><body><h1>A title</h1>",
       {{"<p>By Jane Doe"},
        {"<p class=byline>By Jane Doe, John Roe and "},
        {"<span itemprop=author itemscope>", "</span>"},
        {"<time datetime=2020-01-02>"},
        {"<p class=date>5 March 20\1"},
        {"2020-01-02 "},
        {"2020年1月2日"},
        {"<meta name=author content=a\1>"},
        {"<meta property=og:title content=a\1>"},
        {"<link rel=canonical href=https://a.org/\1>"},
        {"<script type=application/ld+json>{\"@type\":\"Article\",\"author\":["},
        {"<script type=application/ld+json>{\"@graph\":[{\"@type\":\"Article\",\"name\":\"a\"}]}</script>"},
        {"<div>", "</div>"},
        {"<b>", "</b>"},
        {"<b><p>"},
        {"<a href=b>", "</a>"},
        {"<table><tr><td>"},
        {"<ul><li>", "</ul>"},
        {"<svg>", "</svg>"},
        {"<form><select><option>"},
        {"<h1>a\1</h1>"},
        {"<h2>a b c</h2>"},
        {"<title>a | b"},
        {"<article>", "</article>"},
        {"<p>word and more words, and so on.</p>"},
        {"&"},
        {"&amp;"},
        {"<!--"},
        {"<script>"},
        {"<script>window.a={\"b\":"},
        {"<div class='a b c d' id=e\1>"},
        {"author: "},
        {"Published 3 days ago "},
        {"| "},
        {" - "},
        {", "},
        {"1"},
        {"A"},
        {"<i><a>x"},
        {"</p></br>"},
        {"<nav><a href=b>c</a>", "</nav>"},
        {"<textarea>"},
        {"<template>", "</template>"},
        {"<button>"},
        {"@a"},
        {"© 2020 "},
        {"<cite>a"},
        {"<a rel=author href=b\1>Jane</a>"},
        {"<dl><dt>", "</dl>"},
        {"<frameset>"}}},
      {"configuration",
       "mounts\n",
       {{"addPassthroughCopy(", " "},
        {"addPassthroughCopy({", "\n"},
        {"addPassthroughCopy({\"*\":\"", "\""},
        {"addPassthroughCopy({\"*\":'addPassthroughCopy({',", "'"},
        {"input: ", " "},
        {"path: \"${", "\""},
        {"path: `${", "`"},
        {"path: [", "]"},
        {"path: [[", " "},
        {"staticDirectories: ['", "', "},
        {"base: '", "'"},
        {"\"staticDir\": [", "]"},
        {",\"staticDir\":[!,", "]"},
        {"staticDir = [!,", " "},
        {"staticDir = [\n#", "]"},
        {"staticDir = [{", "}"},
        {"staticDir:\n- ", " "},
        {"src ", "="},
        {"docs_dir: |"},
        {"docs_structure: folder\n- locale: a\1\n"},
        {"[[module.mounts]]\nsource = \"a\1\"\ntarget = \"content/\1\"\n"},
        {"{\"source\": \"a\1\", \"target\": \"static\"},"},
        {"source = \"a", "\""},
        {"html_static_path = [", "]"},
        {"html_extra_path = [", "]"},
        {"html_additional_pages = {", "}"},
        {"format: "},
        {"srcDir:", " "},
        {"/../"}}},
      {"robots",
       "User-agent: *\n",
       {{"User-agent: linkherd"},
        {"Disallow: /a\1"},
        {"Disallow: /*a*b*"},
        {"Allow: /*$"},
        {"Crawl-delay: 1"},
        {"Sitemap: https://a.org"},
        {"#"},
        {":"},
        {"\0"s}}},
      {"warc",
       "",
       {{"WARC/1.0"},
        {"WARC/1.0\nContent-Length: 1\n\n"},
        {"WARC/1.0\r\nContent-Length: 0\r\n\r\n"},
        {"WARC/1.0\nWARC-Type: response"},
        {"\x1F\x8B\x08"},
        {"a: b"},
        {" "},
        {"\x1F\x8B\x08\0\0\0\0\0\0\3"s},
        {"WARC/1.0\nContent-Length: 999999999\n\n"}}}};
  return all;
}

struct LineEnd {
  std::string name;
  std::string text;
};

void add_shapes(const std::string& reader, const std::string& head, const Fragment& fragment,
                std::vector<GrowthShape>& shapes) {
  static const std::vector<LineEnd> line_ends{
      {"repeated", ""}, {"lines", "\n"}, {"CR lines", "\r"}, {"CRLF lines", "\r\n"}, {"paragraphs", "\n\n"}};
  for (const auto& [name, end] : line_ends) {
    if (fragment.text.empty() && end.empty()) continue;
    shapes.push_back({reader, name, head, fragment.text + end, {}});
  }
  if (fragment.text.empty()) return;
  shapes.push_back({reader, "indented lines", head, " " + fragment.text + "\n", {}});
  // A fragment that may lack its end, followed by a text with links.
  shapes.push_back({reader, "links behind", head + fragment.text, "x https://a.org/ [a](b) <a href=b>\n", {}});
  shapes.push_back({reader, "CR links behind", head + fragment.text, "x https://a.org/ [a](b)\r", {}});
  if (fragment.closer.empty()) return;
  shapes.push_back({reader, "nested", head, fragment.text, fragment.closer});
  shapes.push_back({reader, "nested lines", head, fragment.text + "\n", fragment.closer + "\n"});
  shapes.push_back({reader, "closed", head, fragment.text + fragment.closer, {}});
  shapes.push_back({reader, "closers", head, fragment.closer, {}});
}

void append_unit(std::string& text, std::string_view unit, std::size_t number) {
  for (std::size_t at = 0; at < unit.size();) {
    const std::size_t mark = unit.find(number_mark, at);
    text.append(unit.substr(at, mark - at));
    if (mark == std::string_view::npos) return;
    text.append(std::to_string(number));
    at = mark + 1;
  }
}

}  // namespace

std::string GrowthShape::name() const {
  std::string shown;
  for (const char c : (head.size() < 40 ? head + "|" : "") + unit + (closer.empty() ? "" : "|" + closer)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == number_mark) {
      shown += "{n}";
    } else if (c == '\n' || c == '\r') {
      shown += c == '\n' ? "\\n" : "\\r";
    } else if (byte < 0x20) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  return fmt::format("{}: {}: {}", reader, structure, shown);
}

std::string GrowthShape::text(std::size_t bytes) const {
  std::string made = head;
  made.reserve(bytes + unit.size() + closer.size() + 32);
  const std::size_t units_end = closer.empty() ? bytes : bytes * unit.size() / (unit.size() + closer.size());
  std::size_t number = 0;
  for (; made.size() < units_end; ++number) append_unit(made, unit, number);
  for (; !closer.empty() && number > 0; --number) made.append(closer);
  return made;
}

std::vector<GrowthShape> growth_shapes(std::string_view only, bool pairs) {
  std::vector<GrowthShape> shapes;
  std::vector<Fragments> readers = fragments();
  readers.push_back({"dialects", readers.front().head, readers.front().all});  // those of Markdown, which comes first
  for (const Fragments& of_reader : readers) {
    if (!only.empty() && of_reader.reader != only) continue;
    std::vector<Fragment> all = of_reader.all;
    if (of_reader.reader != "configuration" && of_reader.reader != "robots" && of_reader.reader != "warc")
      all.insert(all.end(), common_fragments().begin(), common_fragments().end());
    for (const Fragment& fragment : all) add_shapes(of_reader.reader, of_reader.head, fragment, shapes);
    if (!pairs) continue;
    for (const Fragment& first : all) {
      for (const Fragment& second : all) {
        if (&first == &second) continue;
        for (const std::string_view between : {"", "\n"})
          shapes.push_back({of_reader.reader,
                            "pairs",
                            of_reader.head,
                            first.text + std::string(between) + second.text + std::string(between),
                            {}});
        if (!first.text.empty() && !second.text.empty())
          shapes.push_back({of_reader.reader, "half of each", of_reader.head, first.text, second.text});
      }
    }
  }
  return shapes;
}

}  // namespace linkherd::testing
