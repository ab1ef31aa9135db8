#include "parser/html/sanitizer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/charset.h"
#include "parser/html/html_document.h"
#include "parser/html/sanitizer_output.h"

using namespace linkherd::parser;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string repeated;
  repeated.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

// Returns the HTML with all detached values in place. Attributes follow the name of their tag as name=value.
std::string with_all(const SanitizedHtml& sanitized) {
  std::string shown;
  auto tag = sanitized.tags.begin();
  auto text = sanitized.texts.begin();
  for (std::size_t at = 0; at < sanitized.html.size();) {
    if (tag != sanitized.tags.end() && tag->at == at) {
      while (sanitized.html[at] != ' ' && sanitized.html[at] != '>') shown += sanitized.html[at++];
      for (std::uint32_t i = 0; i < tag->attribute_count; ++i) {
        const DetachedAttribute& attribute = sanitized.attributes[tag->first_attribute + i];
        shown += ' ' + std::string(kept_attributes[attribute.name]) + '=';
        shown += sanitized.detached_values.substr(attribute.value, attribute.size);
      }
      ++tag;
    } else if (text != sanitized.texts.end() && text->at == at) {
      shown += sanitized.detached_values.c_str() + text++->value;
      at += text_placeholder.size();
    } else {
      shown += sanitized.html[at++];
    }
  }
  return shown;
}

std::size_t depth_of(const HtmlDocument& document) {
  std::size_t max_depth = 0;
  for (const HtmlElement element : document.elements()) {
    std::size_t depth = 0;
    for (const GumboNode* node = element.node(); node != nullptr; node = node->parent) ++depth;
    max_depth = std::max(max_depth, depth);
    if (document.elements().size() > 20'000 && max_depth > 500) break;  // larger limits would not show more
  }
  return max_depth;
}

}  // namespace

TEST_CASE("the sanitizer keeps what gumbo needs and writes implied tags") {
  struct Row {
    std::string_view page;
    std::string_view sanitized;
  };
  for (const auto& [page, sanitized] : std::vector<Row>{
           {"", ""},
           {"plain text", "plain text"},
           {"<!doctype html><p>x</p>", "<!doctype html><p>x</p>"},
           {"<P CLASS='a>b' id=c>x", "<p class=a>b id=c>x</p>"},
           {"<p>one<p>two", "<p>one</p><p>two</p>"},
           {"<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"},
           {"<ul><li>a<ul><li>b</ul><li>c</ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"},
           {"<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"},
           {"<table><tr><td>a<td>b<tr><td>c</table>",
            "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"},
           {"<td>no table</td>", "no table"},
           {"<div><table><tr><td></div>x</table></div>", "<div><table><tr><td>x</td></tr></table></div>"},
           {"<span><div></span>x</div></span>", "<span><div>x</div></span>"},
           {"<h1>a</h2>b", "<h1>a</h1>b"},
           {"<a href=1>x<a href=2>y</a>", "<a href=1>x</a><a href=2>y</a>"},
           {"<a href=1><div>x</a>y</div>", "<a href=1><div>x</a>y</div>"},
           {"<b>x</b> <i>y</i>", "x y"},
           {"<b class=name>x</b>", "<span class=name>x</span>"},
           {"<b class=a>x<b>y</b>z</b>w", "<span class=a>xyz</span>w"},
           {"a<br>b<br/>c</br>", "a b c"},
           {"y<img src=a>x", "y x"},
           {"<p id=a/>x", "<p id=a/>x</p>"},
           {"<p dc:a=b/>x", "<p dc:a=\"b/\">x</p>"},
           {"<p style=a ID=b onclick='c' id=d data-x=e>x", "<p id=b>x</p>"},
           {"<rdf:description dc:title=a xmlns:dc=b>", "<rdf:description dc:title=\"a\"></rdf:description>"},
           {"<link rel=stylesheet href=a><link rel=canonical href=b>", "<link rel=canonical href=b>"},
           {" <ul>\n <li> a \t\n b <span class=c>\n d </span> </li>\n</ul> e",
            "<ul><li>a b <span class=c> d </span> </li></ul>e"},
           {"<p>a</div> b", "<p>a b</p>"},
           {"<i class=a>b</i> c", "<span class=a>b</span> c"},
           {"<p class='long name' id=\"also long\" title='a &lt; b'>",
            "<p class=long name id=also long title=\"a &lt; b\"></p>"},
           {"<p>a &lt; b</p>", "<p>a < b</p>"},
           {"<p>&quot;a&quot; &amp; b</p>", "<p>\"a\" & b</p>"},
           {"<p>a &lt; &eacute;</p>", "<p>a &lt; &eacute;</p>"},
           {"<p>a long text <b>in  bold</b> letters", "<p>a long text in bold letters</p>"},
           {"<p>some <span> spaces  between</span>", "<p>some <span> spaces between</span></p>"},
           {"<p dc:a='\"<b>'>x", "<p dc:a=\"&quot;&lt;b>\">x</p>"},
           {"<html lang=en><p>fish", "<html lang=\"en\"><p>fish</p>"},
           {"x<!-- y <p> -->z", "xz"},
           {"x<!-->y", "xy"},
           {"x<!--->y", "xy"},
           {"x<!-- y", "x"},
           {"a<![CDATA[<p>]]>b", "a]]>b"},
           {"a<?php echo 1 ?>b", "ab"},
           {"a</ p>b", "ab"},
           {"a</>b", "ab"},
           {"1 < 2 <3", "1 < 2 <3"},
           {"<p a=\"unclosed", ""},
           {"x<p", "x"},
           {"<script>var a = '<p>';</script>x", "x"},
           {"<style>p > a {}</style>x", "x"},
           {"<noscript><p>no</p></noscript>x", "x"},
           {"<template><p>no</p><template></template></template>x", "x"},
           {"<svg><title>no</title><path d='<p>'/></svg>x", "x"},
           {"<svg/>x", "x"},
           {"<svg><path><p>x", "<p>x</p>"},
           {"<div><svg><path></div>x", "<div></div>x"},
           {"<svg><foreignObject><p>no</p></foreignObject></svg>x", "x"},
           {"<math><mi>x</mi></math>y", "y"},
           {"<title>a <b> c</title>", "<title>a <b> c</title>"},
           {"<textarea><p>x</textarea>y", "<textarea><p>x</textarea>y"},
           {"<iframe src=a><p>x</iframe>y", "y"},
           {"<select><option>a<option>b<div>c", "<select><option>a</option><option>b</option></select><div>c</div>"},
           {"<form><form>x</form>y</form>", "<form>x</form>y"},
           {"<frameset><frame src=a></frameset>x", "x"},
           {"<my-card title=x>y</my-card>", "<my-card title=x>y</my-card>"},
           {"a\0b<p\0 id='x\0y'>c"sv, "ab<p id=xy>c</p>"},
       }) {
    CAPTURE(page);
    const SanitizedHtml result = sanitize_html(page);
    CHECK(with_all(result) == sanitized);
    CHECK_FALSE(result.truncated);
  }
}

TEST_CASE("scripts with data are captured and others are not") {
  const SanitizedHtml result = sanitize_html(R"(
    <script src="https://example.org/a.js"></script>
    <script type="application/ld+json; charset=utf-8">{"@type":"Article"}</script>
    <SCRIPT ID=js-initialData TYPE=text/json>{"a":"</p>"}</SCRIPT>
    <script>window.__INITIAL_STATE__={"b":1};</script>
    <script>   </script>)");
  REQUIRE(result.scripts.size() == 3);
  CHECK(result.scripts[0].type == "application/ld+json");
  CHECK(result.scripts[0].text == R"({"@type":"Article"})");
  CHECK(result.scripts[1].id == "js-initialData");
  CHECK(result.scripts[1].text == R"({"a":"</p>"})");
  CHECK(result.scripts[2].type.empty());
  CHECK(result.scripts[2].text == R"(window.__INITIAL_STATE__={"b":1};)");
}

TEST_CASE("data is captured after a crowd of scripts") {
  const SanitizedHtml result =
      sanitize_html(repeat("<script>track()</script>", 500) + "<script type=application/ld+json>{}</script>");
  CHECK(result.truncated);
  CHECK(result.scripts.size() <= SanitizerLimits().max_scripts);
  CHECK(result.scripts.back().type == "application/ld+json");
}

TEST_CASE("every sanitizer limit cuts the page and marks it") {
  const SanitizedHtml long_text = sanitize_html("<title>kept</title><p>" + std::string(5000, 'x'), {.max_bytes = 1000});
  CHECK(long_text.truncated);
  CHECK(with_all(long_text).starts_with("<title>kept</title><p>xxx"));
  CHECK(with_all(long_text).size() < 1100);

  const SanitizedHtml long_value = sanitize_html("<p title='" + std::string(5000, 'x') + "'>x", {.max_bytes = 1000});
  CHECK(long_value.truncated);
  CHECK(long_value.html.empty());
  CHECK(long_value.detached_values.empty());
  CHECK(long_value.tags.empty());

  const SanitizedHtml hanzi = sanitize_html(repeat("字", 1000), {.max_bytes = 1000});
  CHECK(with_all(hanzi).size() == 996);  // the placeholder counts as well

  const SanitizedHtml many_tags = sanitize_html(repeat("<p>x", 100), {.max_tags = 10});
  CHECK(many_tags.truncated);
  CHECK(many_tags.html == repeat("<p>x</p>", 10));

  const SanitizedHtml two_texts = sanitize_html("<p>" + repeat("鱼", 100) + "<p>fish", {.max_text = 20});
  CHECK(two_texts.truncated);
  CHECK(with_all(two_texts) == "<p>" + repeat("鱼", 6) + "</p><p>fish</p>");

  const SanitizedHtml many_nodes = sanitize_html(repeat("<p>x", 100), {.max_nodes = 10});
  CHECK(many_nodes.truncated);
  CHECK(many_nodes.html == repeat("<p>x</p>", 5));

  const SanitizedHtml many_links = sanitize_html(repeat("<a id=b>", 100), {.max_nodes = 10});
  CHECK(many_links.truncated);
  CHECK(with_all(many_links) == repeat("<a id=b></a>", 5));

  const SanitizedHtml deep = sanitize_html(repeat("<div>", 20) + "x" + repeat("</div>", 20) + "<p>y", {.max_depth = 5});
  CHECK(deep.truncated);
  CHECK(deep.html == repeat("<div>", 5) + "x" + repeat("</div>", 5) + "<p>y</p>");

  const SanitizedHtml attributes = sanitize_html("<p" + repeat(" dc:a=1", 300) + ">x");
  CHECK(attributes.truncated);
  CHECK(attributes.html == "<p" + repeat(" dc:a=\"1\"", 256) + ">x</p>");

  const SanitizedHtml script = sanitize_html("<script>0123456789</script>x", {.max_script_bytes = 5});
  CHECK(script.truncated);
  CHECK(script.scripts.empty());
}

TEST_CASE("hostile pages are sanitized in bounded time to a shallow tree" * doctest::test_suite("timing")) {
  const auto numbered = [](std::string_view before, std::string_view after, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::string(before) + std::to_string(i) + std::string(after);
    return text;
  };
  struct Row {
    const char* name;
    std::string page;
  };
  const std::vector<Row> rows = {
      {"a million nested div", repeat("<div>", 1'000'000)},
      {"nesting hidden by wrong end tags", repeat("<div><table><td></div>", 100'000)},
      {"nesting hidden by ignored end tags", repeat("<div></b></span></p></table>", 100'000)},
      {"a million end tags", "<span>" + repeat("<div>", 500) + repeat("</span>", 500'000)},
      {"ten thousand attributes", "<p" + numbered(" a", "=x", 10'000) + ">x"},
      {"four megabytes of less-than", std::string(4'000'000, '<')},
      {"four megabytes of NUL", std::string(4'000'000, '\0')},
      {"formatting over paragraphs", repeat("<b id=i>", 500) + repeat("<p>x", 5'000)},
      {"unclosed tables", repeat("<table><tr><td>", 100'000)},
      {"a hundred thousand meta", numbered("<meta name=n", " content=x>", 100'000)},
      {"nested a", repeat("<a href=x>", 5'000) + repeat("</a>", 5'000)},
      {"nested a and div", repeat("<a href=x><div>", 5'000)},
      {"nested table", repeat("<table>", 5'000)},
      {"nested select", repeat("<select>", 5'000)},
      {"unclosed quotes", repeat("<a href=\"x>", 300'000)},
      {"unclosed comments", repeat("<!--", 1'000'000)},
      {"unclosed svg", repeat("<svg><p>", 300'000)},
      {"scripts that never end", repeat("<script></scrip", 300'000)},
  };
  for (const auto& [name, page] : rows) {
    CAPTURE(name);
    const auto start = std::chrono::steady_clock::now();
    const HtmlDocument document = HtmlDocument::parse(page);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK(depth_of(document) < 1100);  // gumbo only adds a <tbody> to each table
    CHECK(document.elements().size() < 250'000);
  }
}
