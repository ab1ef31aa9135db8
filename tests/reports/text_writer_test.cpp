#include "reports/text_writer.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "reports/escape.h"

using linkherd::reports::display_width;
using linkherd::reports::padded;
using linkherd::reports::shortened;
using linkherd::reports::wrapped;

TEST_CASE("display width counts two for CJK and none for marks") {
  struct Row {
    std::string text;
    std::size_t width;
  };
  const std::vector<Row> rows = {
      {"", 0},     {"abc", 3}, {"图解", 4},     {"ｆｕｌｌ", 8},           {"ﾊﾝｶｸ", 4}, {"한국어", 6}, {"e\u0301", 1},
      {"，。", 4}, {"→…—", 3}, {"a\u200db", 2}, {"\u1112\u1161\u11ab", 2}, {"\xFF", 1}};
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(display_width(row.text) == row.width);
  }
}

TEST_CASE("padding fills to the width and never cuts") {
  CHECK(padded("图", 4) == "图  ");
  CHECK(padded("abcd", 4) == "abcd");
  CHECK(padded("abcde", 4) == "abcde");
}

TEST_CASE("shortening fits the width and never cuts a character") {
  CHECK(shortened("abcd", 4) == "abcd");
  CHECK(shortened("abcde", 4) == "abc…");
  CHECK(shortened("图解大", 6) == "图解大");
  CHECK(shortened("图解大模", 6) == "图解…");
  CHECK(shortened("图解大模", 7) == "图解大…");
  CHECK(shortened("图", 1) == "…");
  CHECK(shortened("a", 0).empty());
  CHECK(shortened("e\u0301", 1) == "e\u0301");
  for (std::size_t width = 0; width < 12; ++width) CHECK(display_width(shortened("a图b解c大d模", width)) <= width);
}

TEST_CASE("lines are cut at blanks if possible and never within a character") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped("", 10, 10) == Lines{""});
  CHECK(wrapped("one two three", 20, 20) == Lines{"one two three"});
  CHECK(wrapped("one two three", 8, 8) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 3, 5) == Lines{"one", "two", "three"});
  CHECK(wrapped("abcdefghij", 4, 3) == Lines{"abcd", "efg", "hij"});
  CHECK(wrapped("图解大模型", 5, 4) == Lines{"图解", "大模", "型"});
  for (std::size_t width = 2; width < 12; ++width) {
    for (const std::string& line : wrapped("a 图 b解 c大d 模 e\u0301xyz", width, width))
      CHECK(display_width(line) <= width);
  }
}

TEST_CASE("cutting text never starts a line with a command") {
  for (std::size_t width = 4; width < 30; ++width) {
    CAPTURE(width);
    for (const char* text : {"a ::x b c::d  ::error::y z::w::v", "abcdefg::error::hijklmnop", "图解 ::error::大模型"}) {
      for (const std::string& line : wrapped(text, width, width)) CHECK_FALSE(linkherd::reports::begins_command(line));
    }
  }
}
