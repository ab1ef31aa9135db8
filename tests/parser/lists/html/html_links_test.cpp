// Tests HTML lists: every element with a URL and its location, with gumbo as the oracle.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/html_document.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

struct HtmlLinksRow {
  std::string text;
  Lines links;
};

void check_html_links(const std::vector<HtmlLinksRow>& rows) {
  for (const HtmlLinksRow& row : rows) {
    CAPTURE(row.text);
    CHECK(format_links(row.text, DocumentFormat::html) == row.links);
  }
}

}  // namespace

TEST_CASE("every element with a URL attribute has a link") {
  check_html_links(
      {{"<a href=\"https://x.org\">T <b>u</b>\n v</a>", {"1:10:9 https://x.org [link] T u v"}},
       {"<A HREF='https://x.org'>T</A>", {"1:10:9 https://x.org [link] T"}},
       {"<a href=https://x.org>中</a><a href=y>文</a>", {"1:9:8 https://x.org [link] 中", "1:36:37 y [link] 文"}},
       {"<a href=\" https://x.org\n\">T</a>", {"1:11:10 https://x.org [link] T"}},
       {"<a href=\"https://x.org\"><img src=p.png alt=P></a>",
        {"1:10:9 https://x.org [link] P", "1:34:33 p.png [image] P"}},
       {"<a href=x aria-label=L></a>", {"1:9:8 x [link] L"}},
       {"<map><area href=x alt=A></map>", {"1:17:16 x [link] A"}},
       {"<link rel=icon href=x>", {"1:21:20 x [resource] "}},
       {"<script src=x></script>", {"1:13:12 x [resource] "}},
       {"<iframe src=x></iframe>", {"1:13:12 x [resource] "}},
       {"<video src=x poster=y><source src=z></video>",
        {"1:12:11 x [resource] ", "1:21:20 y [image] ", "1:35:34 z [resource] "}},
       {"<audio src=x></audio><embed src=y><object data=z></object>",
        {"1:12:11 x [resource] ", "1:33:32 y [resource] ", "1:48:47 z [resource] "}},
       {"<form action=x><button formaction=y></form>", {"1:14:13 x [form] ", "1:35:34 y [form] "}},
       {"<meta http-equiv=Refresh content=\"5; url='https://x.org'\">", {"1:43:42 https://x.org [refresh] "}},
       {"<meta http-equiv=refresh content='0;https://x.org'>", {"1:37:36 https://x.org [refresh] "}},
       {"<meta http-equiv=refresh content=5>", {}},
       {"<meta name=description content='5; url=x'>", {}},
       {"<img srcset=\"a.png 1x, b.png 2x,c.png\" src=d.png>",
        {"1:14:13 a.png [image] ", "1:24:23 b.png [image] ", "1:33:32 c.png [image] ", "1:44:43 d.png [image] "}},
       {"<a href='#x'>T</a><a href=''>T</a><a>T</a>", {}}});
}

TEST_CASE("rare elements with a URL attribute have links") {
  check_html_links(
      {{"<blockquote cite=x><q cite=y></q><del cite=z></del></blockquote>",
        {"1:18:17 x [link] ", "1:28:27 y [link] ", "1:44:43 z [link] "}},
       {"<svg><use xlink:href='i.svg#a'/><image href=p.png /><a xlink:href=b>T</a></svg>",
        {"1:23:22 i.svg#a [resource] ", "1:45:44 p.png [image] ", "1:67:66 b [link] "}},
       {"<a href=x ping='https://p.org https://q.org'>T</a>",
        {"1:9:8 x [link] T", "1:17:16 https://p.org [resource] ", "1:31:30 https://q.org [resource] "}},
       {"<body background=b.png><iframe srcdoc=\"<a href='x?a&amp;amp;b'>T</a>\"></iframe>",
        {"1:18:17 b.png [image] ", "1:49:48 x?a&amp;amp;b [link] T"}},
       {"<track src=t.vtt><frame src=f><input type=image src=i><html manifest=m>",
        {"1:12:11 t.vtt [resource] ", "1:29:28 f [resource] ", "1:53:52 i [image] ", "1:70:69 m [resource] "}},
       {"<noscript><img src=x></noscript><template><a href=y>T</a></template>",
        {"1:20:19 x [image] ", "1:51:50 y [link] T"}}});
}

TEST_CASE("URLs that no browser opens as a page are no links") {
  check_html_links(
      {{"<link rel=preconnect href=x><link rel='DNS-Prefetch' href=x><link rel=pingback href=x><link rel='schema.DC' "
        "href=x>",
        {}},
       {"<link rel='preload stylesheet' href=x>", {"1:37:36 x [resource] "}},
       {"<form method=POST action=x><button formaction=y><button formmethod=get formaction=z></form><form action=v>",
        {"1:83:82 z [form] ", "1:105:104 v [form] "}},
       {"<form method=dialog action=x></form><button formaction=y>", {"1:56:55 y [form] "}}});
}

TEST_CASE("components and custom elements have links") {
  check_html_links({{"<Card href=\"https://x.org\" title=T>words</Card>", {"1:13:12 https://x.org [link] T"}},
                    {"<my-image src=x.png /><p href=y src=z>", {"1:15:14 x.png [resource] "}},
                    {"<Link to='/a'>b</Link><router-link to=/c>", {"1:11:10 /a [link] ", "1:39:38 /c [link] "}}});
}

TEST_CASE("style sheets link files") {
  check_html_links({{"<style>@import 'a.css'; p{background:url( b.png )}</style>",
                     {"1:17:16 a.css [resource] ", "1:43:42 b.png [resource] "}},
                    {"<p style=\"background: URL(&quot;https://x.org/?a=1&amp;b&quot;)\">",
                     {"1:33:32 https://x.org/?a=1&amp;b [resource] "}},
                    {"<p style='color:red' data-x='url(y)'>", {}}});
  CHECK(format_links("@import \"tailwindcss/base\"; @import '_tabs'; @import 'variables.scss'; @import '~pkg/x.css';\n"
                     "@import '//x.org/font'; @import 'css?family=A'; @import url(b); a{b:url(~pkg/c.png)}",
                     DocumentFormat::css) ==
        Lines{"2:10:102 //x.org/font [resource] ", "2:34:126 css?family=A [resource] ", "2:61:153 b [resource] "});
  CHECK(format_links(
            "@charset \"utf-8\"; @import url(\"a.css\") print;\n/* url(no.png) */ @namespace "
            "url(http://www.w3.org/1999/xhtml);\n"
            "@font-face { src: url(f\\(1\\).woff) format('woff'), url(data:x) } a::after { content: 'url(no)' }\n"
            "b { background: url(\"unclosed\n); } i { mask: url(#m); cursor: url() }",
            DocumentFormat::css) ==
        Lines{"1:32:31 a.css [resource] ", "3:23:132 f\\(1\\).woff [resource] ", "4:22:228 unclosed [resource] "});
  ExtractOptions options;
  options.base_url = Url::parse("https://x.org/css/").value();
  const std::vector<LinkOccurrence> links = links_of("a{b:url(f\\(1\\)\\26x)}", DocumentFormat::css, options);
  REQUIRE(links.size() == 1);
  CHECK(links[0].href == "https://x.org/css/f(1)&x");
}

TEST_CASE("JSON-LD in a page gives its addresses and none of its vocabulary") {
  check_html_links(
      {{"<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@id\":\"https://no.org\","
        "\"name\":\"N\",\"url\":\"https:\\/\\/x.org\",\"sameAs\":[\"https://y.org\"],\"text\":\"https://"
        "no.org\"}</script>",
        {"1:110:109 https:\\/\\/x.org [data] N", "1:138:137 https://y.org [data] N"}},
       {"<script>{\"url\":\"https://no.org\"}</script>", {}}});
}

TEST_CASE("a template page is recognised by its links and statements and name") {
  const auto is_template = [](const std::string& file, const std::string& text) {
    DocumentInfo info;
    for_each_link(
        {file, text, DocumentFormat::html}, {}, [](LinkOccurrence&) {}, &info);
    return info.is_template;
  };
  for (const char* text :
       {"<html><a href=b>", "<a href=b></HTML>", "<a href='{{ url }}'>", "{% load x %}", "<img src='$relpath^a.png'>",
        "<a href=__NAME__.html>", "<p>{{ x }}<a href=b>", "<img src=b><p ng-if=x>", "<a href=b><i (click)='x()'>"}) {
    CAPTURE(text);
    CHECK(is_template("a.html", text));
  }
  for (const char* file : {"app/templates/a.html", "x/gstringTemplates/top/a.html", "_layouts/a.html",
                           "doc/template.html", "site-template.html", "a.tmpl.html"}) {
    CAPTURE(file);
    CHECK(is_template(file, "<a href=b>"));
  }
  for (const char* file : {"a.html", "templates.html", "docs/templating/a.html", "layouts"}) {
    CAPTURE(file);
    CHECK_FALSE(is_template(file, "<a href=b>"));
    CHECK_FALSE(is_template(file, "<html lang=en><a href=b></html>"));
    CHECK_FALSE(is_template(file, "<!DOCTYPE html><p>{{ x }}<a href=b>"));
    CHECK_FALSE(is_template(file, "<p>{{ x }}" + std::string(2000, ' ') + "<BODY><a href=b>"));
  }
}

TEST_CASE("the rel attribute is kept") {
  const std::vector<LinkOccurrence> links =
      links_of("<a rel=' nofollow\nnoopener' href=x>T</a><link rel=preload href=//y><a href=z>", DocumentFormat::html);
  REQUIRE(links.size() == 3);
  CHECK(links[0].rel == "nofollow noopener");
  CHECK(links[1].rel == "preload");
  CHECK(links[2].rel.empty());
}

TEST_CASE("a line break in an attribute is noted and removed from the URL") {
  for (const std::string line_end : {"\n", "\r", "\r\n"}) {
    CAPTURE(line_end);
    const std::string list =
        "<a href='https://x.org/a" + line_end + "  b'>" + line_end + "知</a>知<a href=y>" + line_end;
    const std::vector<LinkOccurrence> links = links_of(list, DocumentFormat::html);
    REQUIRE(links.size() == 2);
    CHECK(links[0].has(LinkNote::wrapped_line));
    CHECK_FALSE(links[1].has(LinkNote::wrapped_line));
    CHECK(links[1].line == 3);
    CHECK(links[1].column == 15);
  }
}

TEST_CASE("text between tags is scanned for bare URLs and code is not") {
  check_html_links(
      {{"<p>见 https://x.org。</p>", {"1:6:7 https://x.org [bare] 见"}},
       {"<pre>https://x.org</pre><code>https://y.org</code>https://z.org", {"1:51:50 https://z.org [bare] "}},
       {"<script>var a = 'https://x.org'; '<a href=y>'</script><style>a::after{content:'https://x.org'}</style>", {}},
       {"<a href=x>https://y.org</a>", {"1:9:8 x [link] https://y.org"}},
       {"<!-- https://x.org <a href=y> -->", {}},
       {"<p>&lt;https://x.org&gt;", {"1:8:7 https://x.org [bare] "}}});
}

TEST_CASE("character references are decoded in the href and kept in the written URL") {
  const std::vector<LinkOccurrence> links =
      links_of("<a href='https://x.org/?a=1&amp;b=2&copy=3&eacute;&#x4E2D;'>A&amp;B</a>", DocumentFormat::html);
  REQUIRE(links.size() == 1);
  CHECK(links[0].url == "https://x.org/?a=1&amp;b=2&copy=3&eacute;&#x4E2D;");
  CHECK(links[0].href == "https://x.org/?a=1&b=2&copy=3%C3%A9%E4%B8%AD");
  CHECK(links[0].text == "A&B");
  struct HtmlLinksRow {
    const char* written;
    const char* text;
  };
  for (const HtmlLinksRow& row :
       {HtmlLinksRow{"&lt;a&gt; &quot;b&quot; &#39;c&#x27; &apos;", "<a> \"b\" 'c' '"}, HtmlLinksRow{"a&nbsp;b", "a b"},
        HtmlLinksRow{"&amp;lt;", "&lt;"}, HtmlLinksRow{"&lt &copy;&hellip;", "< ©…"},
        HtmlLinksRow{"&#150;&#x80;", "–€"}, HtmlLinksRow{"a&#0;b", "a\uFFFDb"},
        HtmlLinksRow{"&; &unknown; &#; &#x;", "&; &unknown; &#; &#x;"}}) {
    CAPTURE(row.written);
    CHECK(links_of("<a href=x>" + std::string(row.written) + "</a>", DocumentFormat::html).front().text == row.text);
  }
}

TEST_CASE("a base element overrides the base of the caller") {
  ExtractOptions options;
  options.base_url = Url::parse("https://x.org/a/b").value();
  CHECK(links_of("<a href=c>", DocumentFormat::html, options)[0].href == "https://x.org/a/c");
  CHECK(links_of("<base href='/d/'><a href=c>", DocumentFormat::html, options)[0].href == "https://x.org/d/c");
  CHECK(links_of("<base href='https://y.org/'><a href=c>", DocumentFormat::html)[0].href == "https://y.org/c");
  CHECK(links_of("<a href=c>", DocumentFormat::html)[0].has(LinkNote::relative));
}

TEST_CASE("links have the HTML heading above them") {
  const std::vector<LinkOccurrence> links = links_of(
      "<a href=0></a><h1>One <i>x</i></h1><a href=1></a><h2></h2><a href=2></a><h3>Three", DocumentFormat::html);
  REQUIRE(links.size() == 3);
  CHECK(links[0].heading().empty());
  CHECK(links[1].heading() == "One x");
  CHECK(links[2].heading() == "One x");
}

TEST_CASE("broken HTML hides no link after it") {
  check_html_links({{"<script><a href=x>T</a>", {"1:17:16 x [link] T"}},
                    {"<!-- <a href=x>T</a>", {"1:14:13 x [link] T"}},
                    {"<!--><a href=x>T</a>", {"1:14:13 x [link] T"}},
                    {"</ ><? x><!x><a href=y>T", {"1:22:21 y [link] T"}},
                    {"<a/href=x/>T</a>", {"1:9:8 x/ [link] T"}},
                    {"<a href=x <a href=y>T</a>", {"1:9:8 x [link] T"}},
                    {"<a href=\"x", {}},
                    {"<", {}},
                    {"<a", {}}});
}

TEST_CASE("an attribute with thousands of URLs is read in part") {
  std::string urls;
  for (int i = 0; i < 2000; ++i) urls += "u" + std::to_string(i) + " ";
  const std::string images = [&urls] {
    std::string all = urls;
    std::ranges::replace(all, ' ', ',');
    return all;
  }();
  const std::vector<LinkOccurrence> links =
      links_of("<a href=x ping='" + urls + "'>x</a><img srcset='" + images + "'><a href=y>y</a>", DocumentFormat::html);
  CHECK(std::ranges::count(links, LinkElement::resource, &LinkOccurrence::element) == 1000);
  CHECK(std::ranges::count(links, LinkElement::link, &LinkOccurrence::element) == 2);
  CHECK(links.back().url == "y");
}

TEST_CASE("gumbo finds the same links") {
  const std::vector<std::string> pages{
      "<!doctype html><title>a<b</title><body><ul><li><a href=1>x<li><a href='2'>y</a><a href=\"3&amp;4\">z</ul>",
      "<p><a href=1 href=2>x</a><A CLASS=a HREF = 3 >y</A><a\nhref\n=\n4\n>z",
      "<textarea><a href=1></textarea><a href=2><xmp><a href=3></xmp><style><a href=4></style><a href=5>",
      R"(<a title='>' href=1><a title="'" href='2"'><a href=3'4><a href==5><a =href=6 href=7>)",
      "<table><a href=2><tr><td><a href=3></table><a/href=4><a href=/5/>",
      "<script>if (a < b) '</scrip' '<a href=1>'</SCRIPT ><a href=2><title></title><a href=3>",
      "<a href=&lt;&notit;&copy&amp=1&#62;&#x;&unknown;&ampx>x</a>"};
  for (const std::string& page : pages) {
    CAPTURE(page);
    std::vector<std::string> expected;
    const HtmlDocument document = HtmlDocument::parse(page);
    for (const HtmlElement element : document.elements()) {
      if (const auto href = element.attribute("href"); element.name() == "a" && href) expected.emplace_back(*href);
    }
    ExtractOptions options;
    options.base_url = Url::parse("https://x.org/").value();
    std::vector<std::string> resolved;
    resolved.reserve(expected.size());
    for (const std::string& href : expected) resolved.emplace_back(Url::parse(href, *options.base_url).value().href());
    std::vector<std::string> found;
    for (LinkOccurrence& link : links_of(page, DocumentFormat::html, options)) found.push_back(std::move(link.href));
    std::ranges::sort(resolved);  // gumbo moves content out of the table if it is not in a cell
    std::ranges::sort(found);
    CHECK(found == resolved);
  }
}
