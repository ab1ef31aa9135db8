#include "parser/metadata/plain_document.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/metadata/page_headers.h"
#include "parser/metadata/pdf.h"
#include "parser/utf8.h"
#include "tests/parser/metadata/extract_fixture.h"
#include "tests/support/pdf_file.h"

using namespace linkherd;
using namespace linkherd::parser;
using linkherd::tests::make_pdf;
using Names = std::vector<std::string>;

namespace {

const Timestamp now = std::chrono::sys_days(std::chrono::year(2026) / 8 / 1);

}  // namespace

TEST_CASE("a text is titled by its first heading") {
  struct Row {
    std::string_view text;
    std::string_view title;
    std::string_view source;
  };
  for (const auto& [text, title, source] : std::vector<Row>{
           {"# Fish and Chips\n\ntext", "Fish and Chips", "heading"},
           {"intro\n\n## Fish *and* `Chips` ##\n", "Fish and Chips", "heading"},
           {"Fish and Chips\n==============\n", "Fish and Chips", "heading"},
           {"```\n# a comment\n```\n# Fish\n", "Fish", "heading"},
           {"# [Fish](https://example.org) soup", "Fish soup", "heading"},
           {"\n\nJust a line\nand another\n", "Just a line", "first_line"},
           {"#hashtag\n", "#hashtag", "first_line"},
           {"", "none", ""},
           {"\n \n", "none", ""},
       }) {
    CAPTURE(text);
    const Metadata metadata = extract_text_metadata(text, now);
    CHECK(text_of(metadata.title) == title);
    if (metadata.title) CHECK(metadata.title->source == source);
  }
}

TEST_CASE("front matter gives author and date") {
  const Metadata metadata = extract_text_metadata(
      "---\ntitle: \"Fish\"\nauthor: [Jane Doe, John Roe]\ndate: 2024-03-05\nlastmod: 2024-03-06\n---\n# Other\n", now);
  CHECK(text_of(metadata.title) == "Fish");
  CHECK(names_of(metadata.authors) == Names{"Jane Doe", "John Roe"});
  CHECK(text_of(metadata.published) == "2024-03-05");
  CHECK(text_of(metadata.modified) == "2024-03-06");
  CHECK(text_of(extract_text_metadata("---\ntitle: never closed\n# Fish\n", now).title) == "Fish");
}

TEST_CASE("a notebook is titled by its first heading") {
  constexpr std::string_view notebook =
      R"({"cells":[{"cell_type":"code","source":["# not this"]},{"cell_type":"markdown","source":["intro\n","# Attention from scratch\n"]}],
      "metadata":{"authors":[{"name":"Jane Doe"}]},"nbformat":4})";
  CHECK(is_notebook(notebook));
  const Metadata metadata = extract_notebook_metadata(notebook, now);
  CHECK(text_of(metadata.title) == "Attention from scratch");
  CHECK(names_of(metadata.authors) == Names{"Jane Doe"});
  CHECK_FALSE(is_notebook("<html>\"nbformat\" \"cells\""));
  CHECK(extract_notebook_metadata("{\"cells\":[[[[", now) == Metadata());
}

TEST_CASE("the metadata of a PDF comes from its information and its XMP packet") {
  const Metadata old =
      read_pdf(
          make_pdf(
              "/Title (Fish and Chips) /Author (Jane Doe, John Roe) /CreationDate (D:20240305102030+08'00') /ModDate "
              "(D:20240306)"),
          now)
          .metadata;
  CHECK(text_of(old.title) == "Fish and Chips");
  CHECK(names_of(old.authors) == Names{"Jane Doe", "John Roe"});
  CHECK(text_of(old.published) == "2024-03-05T10:20:30+08:00");
  CHECK(text_of(old.modified) == "2024-03-06");
  const Metadata packet =
      read_pdf(
          make_pdf(
              "/Title (Microsoft Word - x.doc)",
              R"(<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description xmp:CreateDate="2024-03-05T10:20:30Z">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">鱼和薯条</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>张三</rdf:li><rdf:li>Jane Doe</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>)"),
          now)
          .metadata;
  CHECK(text_of(packet.title) == "鱼和薯条");
  CHECK(names_of(packet.authors) == Names{"张三", "Jane Doe"});
  CHECK(text_of(packet.published) == "2024-03-05T10:20:30Z");
  CHECK_FALSE(read_pdf(make_pdf("/Title (Microsoft Word - x.doc)"), now).metadata.title.has_value());
  CHECK(text_of(read_pdf(make_pdf("/Title <FEFF9C7C>"), now).metadata.title) == "鱼");
}

TEST_CASE("the number of pages of a PDF is read") {
  CHECK(read_pdf(make_pdf("", "", "", "/Count 12"), now).pages == 12);
  for (const char* count : {"", "/Count -1", "/Count (12)", "/Count 99999999999999999999"}) {
    CAPTURE(count);
    CHECK(read_pdf(make_pdf("", "", "", count), now).pages == 0);
  }
}

TEST_CASE("broken PDFs have no metadata and do not crash") {
  const std::string whole = make_pdf("/Title (Fish)");
  CHECK(is_pdf(whole));
  CHECK_FALSE(is_pdf("<html>"));
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) read_pdf(whole.substr(0, cut), now);
  for (const std::string& bytes : {std::string("%PDF-1.7"), "%PDF-1.7\n" + std::string(100'000, '['),
                                   "%PDF-1.7\n" + std::string(100'000, '<'), std::string(1000, '\0')}) {
    CHECK(read_pdf(bytes, now).metadata == Metadata());
  }
}

TEST_CASE("an XMP packet in UTF-16 or with bad bytes is read") {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string_view("<rdf:Description><dc:title>Fish and Chips</dc:title></rdf:Description>")) {
    wide += c;
    wide += '\0';
  }
  CHECK(text_of(read_pdf(make_pdf("", wide), now).metadata.title) == "Fish and Chips");
  const std::string bad = "<rdf:Description><dc:title>Fish \xFF\xFE Chips</dc:title></rdf:Description>";
  CHECK(is_valid_utf8(text_of(read_pdf(make_pdf("", bad), now).metadata.title)));
}

TEST_CASE("a line of a million brackets is read in time") {
  const std::string brackets(1'000'000, '[');
  CHECK(extract_text_metadata("# " + brackets, now).title.has_value());
  CHECK(extract_text_metadata(brackets + "](" + brackets, now).title.has_value());
}

TEST_CASE("the headers of the last answer are read") {
  const PageHeaders headers = parse_page_headers(
      "HTTP/1.1 301 Moved\r\nContent-Type: text/plain; charset=gbk\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: Text/HTML; "
      "Charset=\"UTF-8\"\r\nLast-Modified: Tue, 05 Mar 2024 10:20:00 GMT\r\nLink: </feed>; rel=alternate, "
      "<https://example.org/a>; rel=\"canonical\"\r\nnonsense\r\nDate: Wed, 06 Mar 2024 00:00:00 GMT\r\n\r\n");
  CHECK(headers.content_type == "text/html");
  CHECK(headers.charset == "utf-8");
  CHECK(headers.canonical == "https://example.org/a");
  CHECK(headers.date == Timestamp(std::chrono::sys_days(std::chrono::year(2024) / 3 / 6)));
  const Metadata metadata = extract_metadata(HtmlDocument::parse("<h1>T</h1>"), nullptr, now, headers);
  CHECK(text_of(metadata.canonical) == "https://example.org/a");
  CHECK(text_of(metadata.modified) == "2024-03-05T10:20:00Z");
  CHECK(metadata.modified->confidence < 0.3);
  CHECK(parse_page_headers("").charset.empty());
}

TEST_CASE("every candidate has the reason why it won or lost") {
  std::vector<ExplainedCandidate> explanation;
  extract_metadata(HtmlDocument::parse("<title>Fish - The Site</title><meta property=og:site_name content='The Site'>"
                                       "<h1>Fish</h1><h2>Chips</h2><meta name=author content='The Site'>"
                                       "<a rel=author>Jane Doe</a><p>编辑：李四</p>"),
                   nullptr, now, {}, &explanation);
  const auto verdict_of = [&](std::string_view field, std::string_view value) -> std::string {
    for (const ExplainedCandidate& one : explanation) {
      if (one.field == field && one.value == value) return one.verdict;
    }
    return "missing";
  };
  CHECK(verdict_of("title", "Fish") == "chosen");
  CHECK(verdict_of("title", "Fish - The Site") == "same as the chosen value");
  CHECK(verdict_of("title", "Chips") == "a heading that nothing in the page's <head> confirms");
  CHECK(verdict_of("authors", "The Site") == "names the site, not a person");
  CHECK(verdict_of("authors", "Jane Doe") == "chosen");
  CHECK(verdict_of("editor", "李四") == "excluded: not an author");
}
