#include "parser/metadata/pdf_headline.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/metadata/pdf.h"
#include "tests/parser/metadata/extract_fixture.h"

using namespace linkherd;
using namespace linkherd::parser;

namespace {

std::string pdf_stream(std::string_view content) {
  return "<< /Length " + std::to_string(content.size()) + " >>\nstream\n" + std::string(content) + "\nendstream";
}

// Returns a PDF with one page. Its font is /F. The file has no table of its objects: qpdf finds them.
std::string make_page(std::string_view content, std::string_view font = "/Subtype /Type1",
                      std::string_view unicode_map = {}, std::string_view information = {}) {
  std::string pdf = "%PDF-1.4\n";
  int number = 0;
  for (const std::string& object :
       {std::string("<< /Type /Catalog /Pages 2 0 R >>"),
        std::string("<< /Type /Pages /Kids [3 0 R] /Count 1 /Resources << /Font << /F 5 0 R >> >> >>"),
        std::string("<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>"), pdf_stream(content),
        "<< /Type /Font " + std::string(font) + (unicode_map.empty() ? "" : " /ToUnicode 6 0 R") + " >>",
        pdf_stream(unicode_map), "<< " + std::string(information) + " >>"})
    pdf += std::to_string(++number) + " 0 obj\n" + object + "\nendobj\n";
  return pdf + "trailer\n<< /Root 1 0 R /Info 7 0 R >>\nstartxref\n0\n%%EOF\n";
}

std::string headline_of(const std::string& pdf) {
  const Timestamp now = std::chrono::sys_days(std::chrono::year(2026) / 8 / 1);
  return text_of(read_pdf(pdf, now).metadata.title);
}

const std::string body_text = " BT /F 10 Tf 72 600 Td (The text of the page, in several words.) Tj ET";

}  // namespace

TEST_CASE("the title of a PDF without one is its first text in the largest type") {
  struct Row {
    std::string_view content;
    std::string_view title;
  };
  for (const auto& [content, title] : std::vector<Row>{
           {"BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET", "Fish and Chips"},
           {"BT /F 20 Tf 72 700 Td (Fish and) Tj 0 -24 Td (Chips) Tj ET", "Fish and Chips"},
           {"BT /F 20 Tf 24 TL 72 700 Td (Fish) Tj T* (and) Tj (Chips) ' ET", "Fish and Chips"},
           {"BT /F 20 Tf 72 700 Td (Fish) Tj 0 -24 TD (and) Tj 1 2 (Chips) \" ET", "Fish and Chips"},
           // Spaces may be distances. Small distances are kerning.
           {"BT /F 20 Tf 72 700 Td [(Fish)-333(and)-333(Ch)20(i)-50(ps)] TJ ET", "Fish and Chips"},
           {"BT /F 20 Tf 72 700 Td (Fi) Tj 14 0 Td (sh) Tj ET", "Fish"},
           // The size is that of the font, the line and the page together.
           {"BT /F 1 Tf 20 0 0 20 72 700 Tm (Fish and Chips) Tj ET", "Fish and Chips"},
           {"q 2 0 0 2 0 0 cm BT /F 10 Tf 36 350 Td (Fish and Chips) Tj ET Q", "Fish and Chips"},
           {"q 0.1 0 0 0.1 0 0 cm BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET Q", "none"},
           {"BT /F 20 Tf 72 700 Td <46697368> Tj ET", "Fish"},
           {"BT /F 20 Tf 72 700 Td (Fish \\(and\\) \\103hips) Tj ET", "Fish (and) Chips"},
           {"BT /F 20 Tf 72 700 Td (\\316ufs \\223und\\224 Brot) Tj ET", "Îufs “und” Brot"},
           // Ligatures of TeX's fonts.
           {"BT /F 20 Tf 72 700 Td (E\\016cient A\\016ne \\014sh) Tj ET", "Efficient Affine fish"},
           // The first of several texts in that size.
           {"BT /F 20 Tf 72 700 Td (Fish and Chips) Tj 0 -90 Td (A chapter) Tj ET", "Fish and Chips"},
           // Not a headline: the stamp in the margin, an initial, text in the size of all others.
           {"BT /F 30 Tf 0 1 -1 0 20 300 Tm (Stamp in the margin) Tj ET BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET",
            "Fish and Chips"},
           {"BT /F 40 Tf 72 640 Td (T) Tj ET BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET", "Fish and Chips"},
           {"BT /F 11 Tf 72 700 Td (Fish and Chips) Tj ET", "none"},
           {"", "none"},
           // What q and Q enclose does not change the font outside.
           {"BT /F 20 Tf q /F 40 Tf 9 TL Q 72 700 Td (Fish) Tj 0 -24 Td (and Chips) Tj ET", "Fish and Chips"},
           // A line with text in two sizes would be cut.
           {"BT /F 20 Tf 72 700 Td (Electrolysis of H) Tj /F 12 Tf 100 -4 Td (2) Tj /F 20 Tf 8 4 Td (O) Tj ET", "none"},
           {"BT /F 20 Tf 72 700 Td (A) Tj /F 15 Tf (TTENTION) Tj ET", "none"},
           // An image inside of the content.
           {"BI /W 1 /H 1 ID BT /F 50 Tf (no text at all) Tj\nEI BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET",
            "Fish and Chips"},
       }) {
    CAPTURE(content);
    CHECK(headline_of(make_page(std::string(content) + body_text)) == title);
  }
}

TEST_CASE("a headline of a PDF is read by the encoding of its font") {
  const std::string words =
      "BT /F 20 Tf 72 700 Td <0001000200030004> Tj ET BT /F 10 Tf 72 600 Td "
      "<000100010001000100010001000100010001000100010001> Tj ET";
  const std::string composite = "/Subtype /Type0 /Encoding /Identity-H";
  CHECK(headline_of(make_page(words, composite)) == "none");
  CHECK(headline_of(make_page(words, composite,
                              "2 beginbfchar <0001> <9C7C> <0002> <548C> endbfchar "
                              "1 beginbfrange <0003> <0004> <0041> endbfrange")) == "鱼和AB");
  CHECK(headline_of(make_page(words, composite,
                              "1 beginbfrange <0001> <0004> [<0046> <00660069> <D83DDE00> <00730068>] endbfrange")) ==
        "Ffi😀sh");
  // One of the letters is unknown.
  CHECK(headline_of(make_page(words, composite, "1 beginbfrange <0001> <0003> <0041> endbfrange")) == "none");
  const std::string differences = "/Subtype /Type1 /Encoding << /Differences [1 /ff /quoteright 65 /F] >>";
  CHECK(headline_of(make_page("BT /F 20 Tf 72 700 Td (Aish o\\001 the sea\\002s) Tj ET" + body_text, differences)) ==
        "Fish off the sea’s");
  for (const std::string unknown : {"/eacute", "/#E9", "/afii10017"}) {
    CAPTURE(unknown);
    CHECK(headline_of(make_page("BT /F 20 Tf 72 700 Td (Caf\\351 Fish) Tj ET" + body_text,
                                "/Subtype /Type1 /Encoding << /Differences [233 " + unknown + "] >>")) == "none");
  }
  CHECK(headline_of(make_page("BT /F 20 Tf 72 700 Td (Caf\\216 Fish) Tj ET" + body_text,
                              "/Subtype /Type1 /Encoding /MacRomanEncoding")) == "Café Fish");
  CHECK(headline_of(make_page("BT /F 20 Tf 72 700 Td (abcdef) Tj ET" + body_text,
                              "/Subtype /Type1 /BaseFont /ZapfDingbats")) == "none");
}

TEST_CASE("the title that a PDF states wins over its headline, if a person wrote it") {
  const std::string content = "BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET" + body_text;
  CHECK(headline_of(make_page(content, "/Subtype /Type1", {}, "/Title (Soup)")) == "Soup");
  for (const std::string_view title :
       {"(untitled)", "(\\(anonymous\\))", "(fish.html)", "(Microsoft Word - fish.doc)"}) {
    CAPTURE(title);
    CHECK(headline_of(make_page(content, "/Subtype /Type1", {}, "/Title " + std::string(title))) == "Fish and Chips");
  }
}

TEST_CASE("only the first page of a PDF is read") {
  // The page tree is endless, deep or wide.
  const auto with_tree = [](const std::string& pages, const std::string& more) {
    return "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n" + pages + "\nendobj\n" + more +
           "3 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>\nendobj\n"
           "4 0 obj\n" +
           pdf_stream("BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET" + body_text) +
           "\nendobj\n5 0 obj\n<< /Type /Font /Subtype /Type1 >>\nendobj\n"
           "trailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n";
  };
  std::string kids;
  for (int i = 0; i < 10'000; ++i) kids += "3 0 R ";
  CHECK(headline_of(with_tree("<< /Type /Pages /Kids [" + kids + "] /Count 10000 >>", {})) == "Fish and Chips");
  CHECK(headline_of(with_tree("<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>", {})) == "none");
  std::string chain;
  for (int i = 10; i < 5'010; ++i)
    chain += std::to_string(i) + " 0 obj\n<< /Type /Pages /Kids [" + std::to_string(i + 1) + " 0 R] >>\nendobj\n";
  CHECK(headline_of(with_tree("<< /Type /Pages /Kids [10 0 R] /Count 1 >>", chain)) == "none");
}

TEST_CASE("the facts of a PDF are known before its headline is searched") {
  const Timestamp now = std::chrono::sys_days(std::chrono::year(2026) / 8 / 1);
  const std::string headline = "BT /F 20 Tf 72 700 Td (Fish and Chips) Tj ET" + body_text;
  std::vector<std::string> titles;
  const auto note = [&titles](const PdfInfo& facts) {
    CHECK(facts.pages == 1);
    CHECK(facts.metadata.authors.has_value());
    titles.push_back(text_of(facts.metadata.title));
  };
  const PdfInfo facts = read_pdf(make_page(headline, "/Subtype /Type1", {}, "/Author (Jane Roe)"), now, note);
  CHECK(text_of(facts.metadata.title) == "Fish and Chips");
  CHECK(titles == std::vector<std::string>{"none"});
}

TEST_CASE("hostile content of a PDF gives no headline and takes bounded time and memory") {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "q 9 0 0 9 0 0 cm ";
  for (const std::string& content :
       {deep + "BT /F 20 Tf (Fish and Chips) Tj ET", std::string("BT /F 1e308 Tf 1e308 0 0 1e308 0 0 Tm (Fish) Tj"),
        std::string("BT /F 20 Tf (Fish"), std::string("BT /F 20 Tf <46"), std::string(100'000, '('),
        std::string(100'000, '['), std::string("Tj TJ ' \" Tm Td TD TL T* Tf cm Q ET"), std::string("BI ID"),
        std::string("/F -20 Tf [[[(")}) {
    CAPTURE(content.substr(0, 60));
    CHECK(headline_of(make_page(content)) == "none");
  }
  // Maps of letters: the largest code, a range that ends before it begins, the same range again and again.
  std::string repeated = "1 beginbfrange ";
  for (int i = 0; i < 100'000; ++i) repeated += "<0000> <00FF> <0041> ";
  for (const std::string& map : {std::string("1 beginbfrange <FFFFFF00> <FFFFFFFF> <0041> endbfrange"),
                                 std::string("1 beginbfrange <0004> <0001> <0041> endbfrange"), repeated}) {
    CAPTURE(map.substr(0, 60));
    const std::string content = "BT /F 20 Tf 72 700 Td <0101> Tj ET";
    CHECK(headline_of(make_page(content, "/Subtype /Type0 /Encoding /Identity-H", map)) == "none");
  }
}
