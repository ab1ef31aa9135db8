// Tests data formats: JSON, YAML, TOML, CSV, BibTeX and XML. Escapes are decoded in the href and kept in the written
// URL.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

struct DataLinksRow {
  std::string text;
  Lines links;
};

void check_data_links(DocumentFormat format, const std::vector<DataLinksRow>& rows) {
  for (const DataLinksRow& row : rows) {
    CAPTURE(row.text);
    CHECK(format_links(row.text, format) == row.links);
  }
}

struct Meant {
  std::string text;
  std::vector<std::string> hrefs;
};

void check_hrefs(DocumentFormat format, const std::vector<Meant>& rows) {
  for (const Meant& row : rows) {
    CAPTURE(row.text);
    std::vector<std::string> hrefs;
    for (LinkOccurrence& link : links_of(row.text, format)) hrefs.push_back(std::move(link.href));
    CHECK(hrefs == row.hrefs);
  }
}

}  // namespace

TEST_CASE("JSON strings that are URLs or contain them are links") {
  check_data_links(DocumentFormat::json,
                   {{R"~({"url": "https://x.org/a"})~", {"1:10:9 https://x.org/a [data] "}},
                    {R"~({"title": "T 中", "url": "https://x.org"})~", {"1:26:27 https://x.org [data] T 中"}},
                    {R"~({"href": "https://x.org", "name": "late"})~", {"1:11:10 https://x.org [data] late"}},
                    {R"~(["https://x.org/1", ["https://x.org/2"]])~",
                     {"1:3:2 https://x.org/1 [data] ", "1:23:22 https://x.org/2 [data] "}},
                    {R"~({"a": "see https://x.org/b, and (https://y.org)."})~",
                     {"1:12:11 https://x.org/b [bare] see", "1:34:33 https://y.org [bare] and"}},
                    {R"~({"https://key.org": 1})~", {}},
                    {R"~({"url": "newsletter.substack.com/p/x"})~", {"1:10:9 newsletter.substack.com/p/x [data] "}},
                    {R"~({"x": "newsletter.substack.com/p/x"})~", {}},
                    {R"~({"url": "docs/a.md", "uri": "../b.md"})~", {"1:30:29 ../b.md [data] "}},
                    {"{\"url\": \"https://x.org\n\"v\": \"https://y.org\"}",
                     {"1:10:9 https://x.org [data] ", "2:7:29 https://y.org [data] "}},
                    {"// https://no.org\n[/* https://no.org */ \"https://x.org\"]", {"2:24:41 https://x.org [data] "}},
                    {"", {}},
                    {"{", {}},
                    {"\"", {}}});
}

TEST_CASE("JSON escapes are decoded in the href and kept as written") {
  check_data_links(
      DocumentFormat::json,
      {{R"~(["https:\/\/x.org\/a?b=1\u0026c=2"])~", {R"~(1:3:2 https:\/\/x.org\/a?b=1\u0026c=2 [data] )~"}},
       {R"~(["见 https:\/\/x.org\/a\u3002后"])~", {R"~(1:5:6 https:\/\/x.org\/a [bare] 见)~"}}});
  check_hrefs(DocumentFormat::json,
              {{R"~(["https:\/\/x.org\/a?b=1\u0026c=2"])~", {"https://x.org/a?b=1&c=2"}},
               {R"~(["\u0068ttps://x.org/\u4E2D"])~", {"https://x.org/%E4%B8%AD"}},
               {R"~(["https://x.org/\uD83D\uDE00x"])~", {"https://x.org/%F0%9F%98%80x"}},
               {R"~(["https://x.org/\uD83D \uDE00 https://y.org"])~", {"https://x.org/", "https://y.org/"}},
               {R"~(["https://x.org/\q"])~", {"https://x.org//q"}}});
}

TEST_CASE("each JSON line is a value of its own") {
  check_data_links(DocumentFormat::json_lines,
                   {{"{\"url\":\"https://x.org\",\"title\":\"A\"}\n{\"url\":\"https://y.org\"}\n",
                     {"1:9:8 https://x.org [data] A", "2:9:44 https://y.org [data] "}},
                    {"{\"url\":\"https://x.org\n{\"url\":\"https://y.org\"}",
                     {"1:9:8 https://x.org [data] ", "2:9:30 https://y.org [data] "}}});
}

TEST_CASE("notebooks have Markdown in their cells") {
  check_data_links(
      DocumentFormat::notebook,
      {{R"~({"cells":[{"cell_type":"markdown","source":["# T\n","[a\"b](https:\/\/x.org/c_d \"t\")"]}],"nbformat":4})~",
        {R"~(1:61:60 https:\/\/x.org/c_d [link] a"b)~"}},
       {R"~({"cells":[{"source":"[a](https://x.org)","cell_type":"markdown"}]
})~",
        {"1:26:25 https://x.org [link] a"}},
       {R"~({"cells":[{"cell_type":"code","source":["# https://x.org"],"outputs":[{"text":["https://y.org"]}]}]})~",
        {}},
       {R"~({"cells":[{"cell_type":"markdown","metadata":{"source":"https://no.org"},"source":"<https://x.org>"}]})~",
        {"1:85:84 https://x.org [autolink] https://x.org"}},
       {R"~({"cells":[{"cell_type":"raw","source":"见 https://x.org。"}]})~", {"1:42:43 https://x.org [bare] 见"}},
       {R"~({"metadata":{"a":"https://no.org"},"cells":[]})~", {}},
       {R"~({"worksheets":[{"cells":[{"cell_type":"markdown","source":["<https://x.org>"]}]}]})~",
        {"1:62:61 https://x.org [autolink] https://x.org"}}});
  const std::vector<LinkOccurrence> links = links_of(
      R"~({"cells":[{"cell_type":"markdown","source":["# One\n"]},{"cell_type":"markdown","source":["[a](https://x.org)"]
  }]
  })~",
      DocumentFormat::notebook);
  REQUIRE(links.size() == 1);
  CHECK(links[0].heading() == "One");
  ExtractOptions verbatim;
  verbatim.include_verbatim = true;
  CHECK(
      links_of(R"~({"cells":[{"cell_type":"code","source":["# https://x.org"]}]})~", DocumentFormat::notebook, verbatim)
          .size() == 1);
}

TEST_CASE("YAML scalars of every style have links") {
  check_data_links(
      DocumentFormat::yaml,
      {{"url: https://x.org/a", {"1:6:5 https://x.org/a [data] "}},
       {"- title: T\n  url: https://x.org # note https://no.org\n- url: https://y.org\n  title: 'U'\n",
        {"2:8:18 https://x.org [data] T", "3:8:61 https://y.org [data] U"}},
       {"a: 'https://x.org/it''s'", {"1:5:4 https://x.org/it''s [data] "}},
       {R"~(a: "https:\/\/x.org/\x41?b\u0026c")~", {R"~(1:5:4 https:\/\/x.org/\x41?b\u0026c [data] )~"}},
       {"a: \"https://x.org/\\\n   b\"\nc: d", {"1:5:4 https://x.org/\\\n   b [data] "}},
       {"a: |\n  see https://x.org.\n  and https://y.org\nb: c",
        {"2:7:11 https://x.org [bare] see", "3:7:32 https://y.org [bare] and"}},
       {"[{title: T, url: https://x.org/a}, 'https://y.org', \"https://z.org\"]",
        {"1:18:17 https://x.org/a [data] T", "1:37:36 https://y.org [data] ", "1:54:53 https://z.org [data] "}},
       {"{\"url\": \"https://x.org\", \"name\": \"N\"}", {"1:10:9 https://x.org [data] N"}},
       {"a: &b !!str https://x.org", {"1:13:12 https://x.org [data] "}},
       {"# https://no.org\n---\nhttps://x.org\n...\n", {"3:1:21 https://x.org [data] "}},
       {"- https://x.org\n-   - https://y.org\n", {"1:3:2 https://x.org [data] ", "2:7:22 https://y.org [data] "}},
       {"homepage: blog.substack.com/p", {"1:11:10 blog.substack.com/p [data] "}},
       {"a: \"lost https://x.org\nb: \"https://y.org\"\n",
        {"1:10:9 https://x.org [bare] \"lost", "2:5:27 https://y.org [data] "}},
       {"a: [https://x.org\nb: https://y.org", {"1:5:4 https://x.org [data] ", "2:4:21 https://y.org [data] "}}});
  check_hrefs(DocumentFormat::yaml, {{R"~(a: "https:\/\/x.org/\x41?b\u0026c")~", {"https://x.org/A?b&c"}},
                                     {"a: 'https://x.org/it''s'", {"https://x.org/it's"}},
                                     {"a: \"https://x.org/\\\n   b\"", {"https://x.org/b"}}});
  CHECK(links_of("a: \"https://x.org/\\\n   b\"", DocumentFormat::yaml)[0].has(LinkNote::wrapped_line));
}

TEST_CASE("TOML strings of every kind have links") {
  check_data_links(
      DocumentFormat::toml,
      {{"url = \"https://x.org/a\" # https://no.org", {"1:8:7 https://x.org/a [data] "}},
       {"[[link]]\ntitle = 'T'\nurl = 'https://x.org'\n[[link]]\nurl = 'https://y.org'\n",
        {"3:8:28 https://x.org [data] T", "5:8:59 https://y.org [data] "}},
       {"a = '''\nhttps://x.org\n'''\nb = \"\"\"see https://y.org\"\"\"",
        {"2:1:8 https://x.org [data] ", "4:12:37 https://y.org [bare] see"}},
       {"a = [\n  \"https://x.org\",\n  { name = \"N\", url = \"https://y.org\" },\n]",
        {"2:4:9 https://x.org [data] ", "3:24:48 https://y.org [data] N"}},
       {"\"https://key.org\" = 1\na.url = \"blog.substack.com/p\"", {"2:10:31 blog.substack.com/p [data] "}},
       {"a = \"https://x.org\nb = \"https://y.org\"", {"1:6:5 https://x.org [data] ", "2:6:24 https://y.org [data] "}},
       {R"~(a = "https://x.org/\u0041\U00000042")~", {R"~(1:6:5 https://x.org/\u0041\U00000042 [data] )~"}}});
  check_hrefs(DocumentFormat::toml, {{R"~(a = "https://x.org/\u0041\U00000042")~", {"https://x.org/AB"}},
                                     {R"~(a = 'https://x.org/\u0041')~", {"https://x.org//u0041"}}});
}

TEST_CASE("CSV cells have links with the title of their row") {
  check_data_links(
      DocumentFormat::csv,
      {{"title,url\nOne,https://x.org/a\n\"Two, 2\",\"https://y.org/?a=1,2\"\n",
        {"2:5:14 https://x.org/a [data] One", "3:11:40 https://y.org/?a=1,2 [data] Two, 2"}},
       {"https://x.org,One\nhttps://y.org,Two", {"1:1:0 https://x.org [data] One", "2:1:18 https://y.org [data] Two"}},
       {"名称\t链接\n甲\tblog.substack.com/p\n", {"2:3:18 blog.substack.com/p [data] 甲"}},
       {"id;name;web\n1;N;https://x.org\n", {"2:5:16 https://x.org [data] N"}},
       {"a,\"say \"\"https://x.org\"\"\"", {"1:10:9 https://x.org [bare] say"}},
       {"a,\"https://x.org\nhttps://y.org", {"1:4:3 https://x.org [bare] a", "2:1:17 https://y.org [bare] a"}},
       {"url\r\nhttps://x.org\r\n\r\nhttps://y.org", {"2:1:5 https://x.org [data] ", "4:1:22 https://y.org [data] "}},
       {",,,\n,,https://x.org", {"2:3:6 https://x.org [data] "}}});
}

TEST_CASE("BibTeX fields and identifiers are links") {
  check_data_links(
      DocumentFormat::bibtex,
      {{"@article{k,\n title = {A {T}itle},\n url = {https://x.org/a\\_b?c=1\\&d},\n}",
        {"3:9:42 https://x.org/a\\_b?c=1\\&d [data] A Title"}},
       {"@misc{k, doi = {10.1000/a\\_b<c>}, title=\"T\"}", {"1:17:16 10.1000/a\\_b<c> [data] T"}},
       {"@misc{k, doi = \"https://doi.org/10.1/x\"}", {"1:17:16 https://doi.org/10.1/x [data] "}},
       {"@misc{k, howpublished = {\\url{https://x.org/~me}}}", {"1:31:30 https://x.org/~me [data] "}},
       {"@misc{k, note = {See \\href{https://x.org}{here}, ok}}", {"1:28:27 https://x.org [bare] See"}},
       {"@misc{k, url = {https://x.org/a/\n     b}}", {"1:17:16 https://x.org/a/\n     b [data] "}},
       {"https://no.org @misc{k, year = 2020, url = {https://x.org}}\n", {"1:45:44 https://x.org [data] "}},
       {"@misc{k, url = {https://x.org\n@misc{l, url = {https://y.org}}",
        {"1:17:16 https://x.org [data] ", "2:17:46 https://y.org [data] "}},
       {"@", {}},
       {"@misc{", {}},
       {"@misc{a,\"=", {}}});
  check_hrefs(DocumentFormat::bibtex,
              {{"@a{k, url={https://x.org/a\\_b?c=1\\&d\\%20{\\_}\\~{}$\\sim$}}", {"https://x.org/a_b?c=1&d%20_~~"}},
               {"@a{k, doi={10.1000/a\\#b}}", {"https://doi.org/10.1000/a%23b"}},
               {"@a{k, doi={doi:10.1/x}}", {"https://doi.org/10.1/x"}},
               {"@a{k, url = {https://x.org/a/\n   b}}", {"https://x.org/a/b"}},
               {"@a{k, url = \"https://x.org/\" # {b}}", {"https://x.org/b"}}});
}

TEST_CASE("RIS fields and identifiers are links") {
  check_data_links(
      DocumentFormat::ris,
      {{"TY  - JOUR\nTI  - A Title\nUR  - https://x.org/a\nDO  - 10.1000/182\nER  - \n",
        {"3:7:31 https://x.org/a [data] A Title", "4:7:53 10.1000/182 [data] A Title"}},
       {"TY  - JOUR\r\nDO  - https://doi.org/10.1/x\r\nT1  - T\r\nER  - \r\n",
        {"2:7:18 https://doi.org/10.1/x [data] T"}},
       {"TY  - BOOK\nL1  - x.org/a.pdf\nAB  - See https://y.org.\nTY  - GEN\nUR  - https://z.org",
        {"2:7:17 x.org/a.pdf [data] ", "3:11:39 https://y.org [bare] See", "5:7:70 https://z.org [data] "}},
       {"DO  - 10.1/x y\nDO  -\nDO  - none\nER  - \n", {}}});
  check_hrefs(DocumentFormat::ris, {{"TY  - JOUR\nDO  - doi:10.1000/a#b\n", {"https://doi.org/10.1000/a%23b"}}});
}

TEST_CASE("feeds and outlines and sitemaps have links") {
  check_data_links(
      DocumentFormat::xml,
      {{"<rss><channel><item><title>A &amp; B</title><link>https://x.org/?a=1&amp;b=2</link></item></channel></rss>",
        {"1:51:50 https://x.org/?a=1&amp;b=2 [data] A & B"}},
       {"<item><link><![CDATA[https://x.org]]></link><guid isPermaLink=\"false\">https://no.org</guid></item>",
        {"1:22:21 https://x.org [data] "}},
       {"<item><description>&lt;a href=\"https://x.org?a&amp;amp;b\"&gt;T&lt;/a&gt;</description></item>",
        {"1:32:31 https://x.org?a&amp;amp;b [link] T"}},
       {"<item><content:encoded><![CDATA[<p><img src='https://x.org/i.png' alt=I>]]></content:encoded></item>",
        {"1:46:45 https://x.org/i.png [image] I"}},
       {"<feed xmlns='http://www.w3.org/2005/Atom'><id>https://no.org</id><entry><title>T</title><link "
        "rel='alternate' "
        "href='https://x.org'/></entry></feed>",
        {"1:117:116 https://x.org [data] T"}},
       {"<opml><body><outline text='F'><outline text='Blog' xmlUrl='https://x.org/f' "
        "htmlUrl=\"https://x.org\"/></outline>"
        "</body></opml>",
        {"1:60:59 https://x.org/f [data] Blog", "1:86:85 https://x.org [data] Blog"}},
       {"<urlset><url><loc> https://x.org/a </loc></url><sitemap><loc>https://y.org</loc></sitemap></urlset>",
        {"1:20:19 https://x.org/a [data] ", "1:62:61 https://y.org [data] "}},
       {"<?xml-stylesheet href='https://no.org'?><!DOCTYPE a SYSTEM 'https://no.org' [<!ENTITY b "
        "'https://no.org'>]><a>https://x.org/&b;</a>",
        {"1:111:110 https://x.org/&b; [data] "}},
       {"<a><!-- https://no.org --><b>https://x.org", {"1:30:29 https://x.org [data] "}},
       {"<a href='https://x.org><b>https://y.org</b>",
        {"1:10:9 https://x.org [bare] ", "1:27:26 https://y.org [data] "}},
       {"<", {}},
       {"<a b=", {}},
       {"<![CDATA[", {}},
       {"<!--", {}}});
  const std::vector<LinkOccurrence> links =
      links_of("<opml><outline text='F &amp; G'><outline text='B' xmlUrl='https://x.org'/></outline></opml>",
               DocumentFormat::xml);
  REQUIRE(links.size() == 1);
  CHECK(links[0].heading() == "F & G");
  CHECK(links_of("<link rel='self' href='https://x.org'/>", DocumentFormat::xml)[0].rel == "self");
}

TEST_CASE("an xml:base applies to its element and relative links of feeds and XHTML and SVG are found") {
  const auto hrefs = [](std::string_view text) {
    std::vector<std::string> lines;
    ExtractOptions options;
    options.base_url = Url::parse("file:///r/list.xml").value();
    for (const LinkOccurrence& link : links_of(text, DocumentFormat::xml, options)) lines.push_back(link.href);
    return lines;
  };
  const std::string xhtml = "<div xmlns='http://www.w3.org/1999/xhtml'><a href='c.html'>c</a><img src='/d.png'/></div>";
  CHECK(hrefs("<feed xml:base='https://a.org/x/'><link href='/'/><entry xml:base='y/'><link href='b.html'/>"
              "<content xml:base='z/'>" +
              xhtml +
              "</content><summary>&lt;a href='e'>e&lt;/a></summary></entry>"
              "<entry><link href='f'/></entry></feed>") ==
        std::vector<std::string>{"https://a.org/", "https://a.org/x/y/b.html", "https://a.org/x/y/z/c.html",
                                 "https://a.org/d.png", "https://a.org/x/y/e", "https://a.org/x/f"});
  CHECK(hrefs("<feed><entry xml:base='https://a.org/x/'><link href='b'/></entry><entry xml:base='y/'><link "
              "href='c'/></entry></feed>") == std::vector<std::string>{"https://a.org/x/b", "file:///r/y/c"});
  CHECK(
      hrefs("<rss xml:base='https://a.org/x/'><channel><link>./</link><image><url>i.png</url></image><item>"
            "<link> b.html </link><enclosure url='c.mp3'/><media:thumbnail url='/d.png'/><source url='e.xml'>F</source>"
            "<comments>g.html#h</comments><guid isPermaLink='false'>1</guid><author>no one</author></item></channel>"
            "</rss>") == std::vector<std::string>{"https://a.org/x/", "https://a.org/x/i.png", "https://a.org/x/b.html",
                                                  "https://a.org/x/c.mp3", "https://a.org/d.png",
                                                  "https://a.org/x/e.xml", "https://a.org/x/g.html#h"});
  CHECK(hrefs("<feed><icon>no.png</icon><entry><content src='a.html'/></entry></feed>") ==
        std::vector<std::string>{"file:///r/a.html"});
  CHECK(hrefs("<rss><channel><link>no.html</link><item><enclosure url='no.mp3'/></item></channel></rss>").empty());
  CHECK(hrefs("<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' "
              "requiredFeatures='http://www.w3.org/TR/SVG11/feature#Shape'><metadata><cc:Work rdf:about=''>"
              "<dc:type rdf:resource='http://purl.org/dc/dcmitype/StillImage'/></cc:Work>"
              "<cc:permits rdf:resource='http://creativecommons.org/ns#Reproduction'/></metadata>"
              "<a href='b.html'/><a xlink:href='https://a.org/x'><image href='i.png'/>"
              "<image xlink:href='data:image/png;base64,AA'/></a><use href='#id'/></svg>") ==
        std::vector<std::string>{"file:///r/b.html", "https://a.org/x", "file:///r/i.png"});
  CHECK(hrefs("<xs:schema targetNamespace='http://a.org/ns'><xs:import namespace='http://b.org/ns' "
              "schemaLocation='b.xsd'/></xs:schema>")
            .empty());
}

TEST_CASE("bookmark files have folders and titles") {
  const std::string text =
      "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3 ADD_DATE=\"1\">Folder 中</H3>\n<DL><p>\n"
      "<DT><A HREF=\"https://x.org/?a&amp;b\" ADD_DATE=\"1\" ICON=\"data:image/png;base64,xx\">Title &lt;1&gt;</A>\n"
      "<DD>see https://y.org\n</DL><p>\n</DL>";
  CHECK(detect_document_format("bookmarks.html", text) == DocumentFormat::bookmarks);
  const std::vector<LinkOccurrence> links = links_of(text, DocumentFormat::bookmarks);
  REQUIRE(links.size() == 2);
  CHECK(format_link(links[0]) == "5:14:102 https://x.org/?a&amp;b [link] Title <1>");
  CHECK(links[0].heading() == "Folder 中");
  CHECK(links[1].url == "https://y.org");
}

TEST_CASE("scheme and type names in a feed are no links") {
  CHECK(format_links("<rss><channel><item><link>https://x.org</link><category scheme='http://s.org'>c</category>"
                     "<dcterms:type>http://purl.org/dc/dcmitype/Text</dcterms:type></item></channel></rss>",
                     DocumentFormat::xml) == std::vector<std::string>{"1:27:26 https://x.org [data] "});
}

TEST_CASE("bookmarks and reading lists keep tags and folder and date") {
  // "folder / folder: tag,tag; time" of each link
  const auto facts_of = [](std::string_view text, DocumentFormat format) {
    std::vector<std::string> lines;
    for (const LinkOccurrence& link : links_of(text, format)) {
      lines.push_back(fmt::format("{}: {}; {}", fmt::join(link.headings, " > "), fmt::join(link.tags, ","),
                                  link.added ? linkherd::format_timestamp(*link.added) : ""));
    }
    return lines;
  };
  CHECK(facts_of("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>Work</H3><DL><p>\n"
                 "<DT><A HREF='https://x.org/1' ADD_DATE='1600000000' TAGS='fish, chips,fish'>One</A>\n"
                 "<DT><A HREF='https://x.org/2' ADD_DATE='never'>Two</A>\n</DL></DL>",
                 DocumentFormat::bookmarks) == Lines{"Work: fish,chips; 2020-09-13T12:26:40Z", "Work: ; "});
  CHECK(facts_of("<a href='https://x.org' tags='a' add_date='1600000000'>x</a>", DocumentFormat::html) ==
        Lines{": ; "});
  // Pocket
  CHECK(facts_of("title,url,time_added,tags,status\nFish,https://x.org/1,1600000000,fish|chips,unread\n"
                 "Soup,https://x.org/2,,,archive\n",
                 DocumentFormat::csv) == Lines{": fish,chips; 2020-09-13T12:26:40Z", ": ; "});
  // Raindrop
  CHECK(facts_of("id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
                 "1,Fish,,,https://x.org/1,Work,\"fish, chips\",2023-05-01T10:00:00.000Z,,,false\n"
                 "2,Soup,,,https://x.org/2,,,2023-05-02T10:00:00.000Z,,,false\n",
                 DocumentFormat::csv) == Lines{"Work: fish,chips; 2023-05-01T10:00:00Z", ": ; 2023-05-02T10:00:00Z"});
  // Karakeep
  CHECK(facts_of(R"({"bookmarks":[{"createdAt":1700000000,"title":"Fish","tags":["fish","chips"],
                 "content":{"type":"link","url":"https://x.org/1"},"note":null},
                 {"createdAt":1700000000123,"title":"Soup","tags":[],"content":{"url":"https://x.org/2"}}]})",
                 DocumentFormat::json) == Lines{": fish,chips; 2023-11-14T22:13:20Z", ": ; 2023-11-14T22:13:20.123Z"});
  // JSON Feed
  CHECK(facts_of(R"({"items":[{"url":"https://x.org/1","tags":["fish"]},{"url":"https://x.org/2"}],"tags":["all"]})",
                 DocumentFormat::json) == Lines{": fish; ", ": ; "});
  // XBEL
  CHECK(
      facts_of("<xbel><title>Mine</title><folder><title>Work</title><folder><title>Food</title>"
               "<bookmark href='https://x.org/1' added='2020-01-01T00:00:00'><title>Fish</title></bookmark></folder>"
               "<bookmark href='https://x.org/2' added='yesterday'/></folder><bookmark href='https://x.org/3'/></xbel>",
               DocumentFormat::xml) == Lines{"Work > Food: ; 2020-01-01T00:00:00Z", "Work: ; ", ": ; "});
}

TEST_CASE("tags are limited in number and length and impossible dates are ignored") {
  std::string tags;
  for (int i = 0; i < 100'000; ++i) tags += "tag" + std::to_string(i) + ",";
  const std::vector<LinkOccurrence> links = links_of(
      "url,tags,time_added\nhttps://x.org,\"" + tags + std::string(10'000, 'x') + "\",\n", DocumentFormat::csv);
  REQUIRE(links.size() == 1);
  CHECK(links[0].tags.size() == 50);
  CHECK(links_of("url,tags\nhttps://x.org," + std::string(10'000, 'x') + "\n", DocumentFormat::csv)[0].tags[0].size() <=
        100);
  for (const char* time : {"0", "-5", "1e9", "99999999999999999999", "9999999999999999999", "1600000000.5", "x",
                           "2020-13-01", "999999999999999999"}) {
    CAPTURE(time);
    CHECK_FALSE(links_of("url,time_added\nhttps://x.org," + std::string(time) + "\n", DocumentFormat::csv)[0].added);
  }
}
