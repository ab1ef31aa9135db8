#include "parser/html/html_document.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/selector.h"

using namespace linkherd::parser;
using namespace std::string_literals;

TEST_CASE("parsing always returns a tree") {
  CHECK(HtmlDocument::parse("").root().name() == "html");
  CHECK(HtmlDocument::parse("\xFF\xFE<<<>>>").root().name() == "html");
  CHECK(HtmlDocument::parse("text").root().text() == "text");
}

TEST_CASE("texts that bypass gumbo return to their position in the tree") {
  const HtmlDocument document = HtmlDocument::parse(
      "<body class=first><p title='5 &gt; 4' id=para>some text &amp; more, <b>and bold text</b> &lt; that</p>"
      "<table>in front of it<tr><td lang=en>in a cell</table><body class=second id=late><p>behind the table</p>"
      "<a href=/somewhere>a link that<div>goes on in a block</a> and ends");
  const HtmlElement paragraph = select(document.elements(), "#para").at(0);
  CHECK(paragraph.attribute("title") == "5 > 4");
  CHECK(paragraph.text() == "some text & more, and bold text < that");
  CHECK(select(document.elements(), "[lang=en]").at(0).text() == "in a cell");
  CHECK(document.by_name("body").front().attribute("class") == "first");
  CHECK(document.by_name("body").front().attribute("id") == "late");
  const std::vector<HtmlElement> links = select(document.elements(), "[href=/somewhere]");
  REQUIRE(links.size() == 2);  // gumbo repeats a link in each block that it spans
  CHECK(links.front().text() == "a link that");
  CHECK(links.back().text() == "goes on in a block");
  CHECK(document.root().text() ==
        "some text & more, and bold text < that in front of it in a cell behind the table a link that goes on in a "
        "block and ends");
}

TEST_CASE("references mean the same in texts that bypass gumbo") {
  for (const std::string text :
       {"a &lt;b&gt; c", "&amp;lt; &amp;#39;", "&quot;a&quot;&nbsp;&nbsp;b &#39;c&#39;", "a &LT; b", "a &lt b",
        "a&nbsp", "&notit; &amp &#60;p&#62;", "&amp;amp;", "a & b", "&", "&lt;/p&gt;"}) {
    CAPTURE(text);
    // A reference that is in no short table is decoded by gumbo itself.
    const HtmlDocument by_gumbo = HtmlDocument::parse("<p>&sect; " + text + "</p>");
    CHECK("\u00A7 " + HtmlDocument::parse("<p>" + text + "</p>").by_name("p").front().text() ==
          by_gumbo.by_name("p").front().text());
  }
}

TEST_CASE("control characters count as white space everywhere") {
  CHECK(collapse_spaces("a\x7F\x1B b\u009B31m\u0085") == "a b 31m");
  CHECK(HtmlDocument::parse("<p>some text\u009B31m in red").root().text() == "some text 31m in red");
}

TEST_CASE("a page that contains the placeholder mark keeps its other text") {
  const std::string mark(text_placeholder);
  CHECK(HtmlDocument::parse("<p>" + mark + "</p><p>a long text</p>").root().text().ends_with(" a long text"));
  CHECK_FALSE(
      HtmlDocument::parse("<p>&amp; " + mark + "<b>a long text</b>" + mark + "&#x10FFFD;").root().text().empty());
}

TEST_CASE("elements are found by name attribute class and id") {
  const HtmlDocument document = HtmlDocument::parse(
      "<html lang=en><body class='home dark'><h1 id=top>One</h1><P Title=x>two</P><my-card>three</my-card><p "
      "class=dark>");
  CHECK(document.by_name("p").size() == 2);
  CHECK(document.by_name("my-card").front().name() == "my-card");
  CHECK(select(document.elements(), ".dark").size() == 2);
  CHECK(select(document.elements(), ".dar").empty());
  CHECK(select(document.elements(), "[title=x]").at(0).text() == "two");
  const HtmlElement top = select(document.elements(), "#top").at(0);
  CHECK(top.text() == "One");
  CHECK(top.parent()->name() == "body");
  CHECK(select(document.elements(), "#bottom").empty());
  CHECK_FALSE(document.root().parent().has_value());
  CHECK_FALSE(document.root().attribute("class").has_value());
}

TEST_CASE("text is what a reader sees with collapsed spaces") {
  const HtmlDocument document = HtmlDocument::parse(
      "<h1>\n  Foo<br>bar\xC2\xA0 <span>b</span>az &amp; "
      "q\x01ux</h1><div><p>a</p><p>b</p></div><p>un<em>believ</em>able");
  CHECK(document.by_name("h1").front().text() == "Foo bar baz & q ux");
  CHECK(document.by_name("div").front().text() == "a b");
  CHECK(document.by_name("p").back().text() == "unbelievable");
}

TEST_CASE("attributes keep their names and values however long they are") {
  const HtmlDocument document = HtmlDocument::parse(
      "<body class=one-of-the-body a=12 b=1><p class='two words' id=short title=\"it's &lt;long&gt;\" lang=\"" +
      std::string(70'000, 'x') + "\"><a href=https://example.org/?a=b&amp;c>x</a><a href=https://example.org/d/>y</a>" +
      "<b datetime=2024-01-02 class=long-name-of-b>z</b><my-card a=0 title='a long\0 title'>w</my-card>"s);
  const HtmlElement body = document.by_name("body").front();
  CHECK(body.attribute("class") == "one-of-the-body");
  CHECK_FALSE(body.attribute("a").has_value());
  const HtmlElement paragraph = document.by_name("p").front();
  CHECK(paragraph.has_class("words"));
  CHECK(paragraph.attribute("id") == "short");
  CHECK(paragraph.attribute("title") == "it's <long>");
  CHECK(paragraph.attribute("lang")->size() == 70'000);
  CHECK(document.by_name("a")[0].attribute("href") == "https://example.org/?a=b&c");
  CHECK(document.by_name("a")[1].attribute("href") == "https://example.org/d/");
  CHECK(document.by_name("span").front().attribute("datetime") == "2024-01-02");
  CHECK(document.by_name("my-card").front().attribute("title") == "a long title");
}

TEST_CASE("no text or attribute becomes a tag") {
  for (const std::string& page : {"<<!---->div>x"s, "<\0div>x"s, "<<b></b>div>x"s, "<title>&</ti\0tle><div></title>x"s,
                                  "<xmp>&</xm\0p><div></xmp>x"s, "<textarea>&</\0textarea><div></textarea>x"s,
                                  "<p class=\0\"&><p title=\"&<div>\">x"s, "<p class=\x01\"&><p title='&<div>'>x"s,
                                  "<body class=\0\"><p title=\"&<div>\">x"s, "<p xml:lang=\0'><p title='&<div>'>x"s}) {
    CAPTURE(page);
    const HtmlDocument document = HtmlDocument::parse(page);
    CHECK(document.by_name("div").empty());
    CHECK(document.root().text().ends_with("x"));
  }
  CHECK(HtmlDocument::parse("<p>1 <<b>b</b> &amp; <\0i>"s).root().text() == "1 <b & <i>");
  const HtmlDocument document = HtmlDocument::parse(
      "<title>1 < 2 &amp; 3 <b></title><p title='\"a\" &lt; <b> &amp &quot' lang=a/>x<a title=&amp;/>y");
  CHECK(document.by_name("title").front().text() == "1 < 2 & 3 <b>");
  CHECK(document.by_name("p").front().attribute("title") == "\"a\" < <b> & \"");
  CHECK(document.by_name("p").front().attribute("lang") == "a/");
  CHECK(document.by_name("a").front().attribute("title") == "&/");
}

TEST_CASE("classes and ids are cut at 1024 bytes") {
  const std::string classes = "first " + std::string(1'000'000, 'x');
  const auto check = [](const std::string& names) {
    const HtmlDocument document =
        HtmlDocument::parse("<body class='" + names + "'><p id='" + names + "' class=short>x");
    CHECK(document.by_name("body").front().has_class("first"));
    CHECK(document.by_name("body").front().attribute("class")->size() == 1024);
    CHECK(document.by_name("p").front().attribute("id")->size() == 1024);
    CHECK(document.by_name("p").front().attribute("class") == "short");
  };
  check(classes);  // detached
  check(classes + "&amp;");
}

TEST_CASE("a moved document keeps its tree") {
  HtmlDocument first = HtmlDocument::parse("<custom-tag>x</custom-tag><script id=s>a=1</script>");
  const HtmlDocument second = std::move(first);
  CHECK(second.by_name("custom-tag").front().text() == "x");
  CHECK(second.scripts().front().id == "s");
  CHECK_FALSE(second.truncated());
}

TEST_CASE("selectors find the elements that rules name") {
  const HtmlDocument document = HtmlDocument::parse(
      "<div class=AuthorInfo itemprop=author><div><meta itemprop=name content=A></div></div>"
      "<meta itemprop=name content=B><h1 class='t x' id=h data-qa=value>C</h1>");
  CHECK(select(document.elements(), "meta[itemprop=name]").size() == 2);
  CHECK(select(document.elements(), "meta[itemprop=name]", 1).size() == 1);
  CHECK(select(document.elements(), ".AuthorInfo meta[itemprop=name]").size() == 1);
  CHECK(select(document.elements(), "[itemprop=author] div meta").size() == 1);
  CHECK(select(document.elements(), "section meta").empty());
  CHECK(select(document.elements(), "h1.t#h[data-qa]").size() == 1);
  CHECK(select(document.elements(), "h1[data-qa^=val]").size() == 1);
  CHECK(select(document.elements(), "h1.y, h1.x").size() == 1);
  CHECK(select(document.elements(), "h2").empty());
}
