// Tests plain text lists: titles, headings, locations.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

Lines plain(std::string_view text) { return format_links(text, DocumentFormat::plain_text); }

}  // namespace

TEST_CASE("the line before a URL is its title unless it is a heading or has a URL") {
  CHECK(
      plain("A title（一） - 知乎\nhttps://a.b/1\nhttps://a.b/2\n\nTopic:\nhttps://a.b/3\n\nlost\n\nhttps://a.b/4\n") ==
      Lines{"2:1:26 https://a.b/1 [bare] A title（一） - 知乎", "3:1:40 https://a.b/2 [bare] ",
            "6:1:62 https://a.b/3 [bare] ", "10:1:83 https://a.b/4 [bare] "});
}

TEST_CASE("a URL that is repeated on the next line is no title") {
  CHECK(plain("https://arxiv.org/pdf/2406.06858\nhttps://arxiv.org/pdf/2406.06858") ==
        Lines{"1:1:0 https://arxiv.org/pdf/2406.06858 [bare] ", "2:1:33 https://arxiv.org/pdf/2406.06858 [bare] "});
}

TEST_CASE("text in front of a URL is its title") {
  struct Row {
    std::string text;
    std::string title;
  };
  const std::vector<Row> rows{{"CUDA guide https://a.b", "CUDA guide"},
                              {"CUDA guide: https://a.b", "CUDA guide"},
                              {"论文：https://a.b", "论文"},
                              {"- CUDA guide - https://a.b", "CUDA guide"},
                              {"1. CUDA guide (https://a.b)", "CUDA guide"},
                              {"2、CUDA（新版） https://a.b", "CUDA（新版）"},
                              {"- [x] CUDA guide | https://a.b", "CUDA guide"},
                              {"* https://a.b", ""},
                              {"-> https://a.b", ""},
                              {"[CUDA guide](https://a.b)", "[CUDA guide]"},
                              {"《书名》：https://a.b", "《书名》"}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::vector<LinkOccurrence> links = links_of(row.text, DocumentFormat::plain_text);
    REQUIRE(links.size() == 1);
    CHECK(links[0].text == row.title);
  }
}

TEST_CASE("text after a URL at the start of a line is its title") {
  CHECK(plain("https://a.b/1 - CUDA guide\n- https://a.b/2 指南\nhttps://a.b/3，\nhttps://a.b/4 https://a.b/5 x") ==
        Lines{"1:1:0 https://a.b/1 [bare] CUDA guide", "2:3:29 https://a.b/2 [bare] 指南",
              "3:1:50 https://a.b/3 [bare] ", "4:1:67 https://a.b/4 [bare] ", "4:15:81 https://a.b/5 [bare] "});
}

TEST_CASE("a URL in angle brackets may continue on the next line") {
  const std::vector<LinkOccurrence> links =
      links_of("see <https://a.b/long/\n   path.\n   html> and\n<URL:https://a.b/x\ny>\n<https://a.b/c\n\nword word>",
               DocumentFormat::plain_text);
  REQUIRE(links.size() == 3);
  CHECK(links[0].href == "https://a.b/long/path.html");
  CHECK(links[0].has(LinkNote::wrapped_line));
  CHECK(links[1].href == "https://a.b/xy");
  CHECK(links[1].text.empty());
  CHECK(links[2].href == "https://a.b/c");
  CHECK(links[2].notes.empty());
}

TEST_CASE("several URLs on a line have titles of their own") {
  const std::vector<LinkOccurrence> links =
      links_of("代码：https://a.b/c，论文：https://a.b/d (mirror https://a.b/e)", DocumentFormat::plain_text);
  REQUIRE(links.size() == 3);
  CHECK(links[0].text == "代码");
  CHECK(links[1].text == "论文");
  CHECK(links[2].text == "mirror");
  CHECK(links[1].column == 21);
}

TEST_CASE("a line that ends in a colon is the heading of the lines below") {
  const std::vector<LinkOccurrence> links = links_of(
      "https://a.b/0\nk8s:\nhttps://a.b/1\n多模态：\nT\nhttps://a.b/2\n# "
      "进阶\nhttps://a.b/3\nhttps://a.b/4:\nhttps://a.b/5\n",
      DocumentFormat::plain_text);
  REQUIRE(links.size() == 6);
  CHECK(links[0].heading().empty());
  CHECK(links[1].heading() == "k8s");
  CHECK(links[2].heading() == "多模态");
  CHECK(links[2].text == "T");
  CHECK(links[3].heading() == "进阶");
  CHECK(links[5].heading() == "进阶");
}

TEST_CASE("lines end in LF or CR LF or CR") {
  CHECK(plain("a\r\nhttps://a.b/1\rhttps://a.b/2\nhttps://a.b/3") ==
        Lines{"2:1:3 https://a.b/1 [bare] a", "3:1:17 https://a.b/2 [bare] ", "4:1:31 https://a.b/3 [bare] "});
}

TEST_CASE("columns count code points and offsets count bytes") {
  CHECK(plain("见🎉é https://a.b") == Lines{"1:5:10 https://a.b [bare] 见🎉é"});
}

TEST_CASE("a text without links has none") {
  CHECK(plain("").empty());
  CHECK(plain("\n\n\n").empty());
  CHECK(plain(std::string(1000, '\0')).empty());
}
