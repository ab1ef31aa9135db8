#include "parser/metadata/authors.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd::parser;

TEST_CASE("bylines are split into names") {
  using Names = std::vector<std::string>;
  struct Row {
    std::string_view text;
    Names names;
  };
  for (const auto& [text, names] : std::vector<Row>{
           {"Jane Doe", {"Jane Doe"}},
           {"By Jane Doe", {"Jane Doe"}},
           {"by: Jane Doe and John Roe", {"Jane Doe", "John Roe"}},
           {"Written by Jane Doe, John Roe & Max Mustermann", {"Jane Doe", "John Roe", "Max Mustermann"}},
           {"Von Max Mustermann und Erika Musterfrau", {"Max Mustermann", "Erika Musterfrau"}},
           {"Par Jean Dupont", {"Jean Dupont"}},
           {"View all posts by Daniel Lemire", {"Daniel Lemire"}},
           {"作者：张三", {"张三"}},
           {"文/李四、王五", {"李四", "王五"}},
           {"夕小瑶", {"夕小瑶"}},
           {"本报记者 王乐文 方 敏", {"王乐文", "方敏"}},
           {"新华社记者张三、李四", {"张三", "李四"}},
           {"某某发布 关注", {"某某发布"}},
           {"发布于 2019-09-26", {}},
           {"维基媒体项目贡献者", {}},
           {"Jane Doe. Medically reviewed by John Roe", {"Jane Doe"}},
           {"Edited by John Roe", {}},
           {"Opinion by Jane Doe", {"Jane Doe"}},
           {"lilianweng", {"lilianweng"}},
           {"@handle", {"handle"}},
           {"Martin Luther King, Jr.", {"Martin Luther King", "Jr."}},
           {"Byron Smith", {"Byron Smith"}},
           {"jane@example.org", {}},
           {"https://example.org/jane", {}},
           {"104363", {}},
           {"admin", {}},
           {"{{author}}", {}},
           {"", {}},
           {"Jane Doe, Jane Doe", {"Jane Doe"}},
       }) {
    CAPTURE(text);
    CHECK(names_in_byline(text, {}) == names);
  }
  CHECK(names_in_byline("The Daily Site", {"thedailysite"}).empty());
}

TEST_CASE("bibliographic names are put in reading order") {
  CHECK(swap_last_first("Vaswani, Ashish") == "Ashish Vaswani");
  CHECK(swap_last_first("Ashish Vaswani") == "Ashish Vaswani");
  CHECK(swap_last_first("Polosukhin, Illia ") == "Illia Polosukhin");
}

TEST_CASE("the number of authors is bounded") {
  std::string byline;
  for (int i = 0; i < 500; ++i)
    byline +=
        "N" + std::string(1, static_cast<char>('a' + i % 26)) + std::string(1, static_cast<char>('a' + i / 26)) + ", ";
  CHECK(names_in_byline(byline, {}).size() <= max_authors);
}
