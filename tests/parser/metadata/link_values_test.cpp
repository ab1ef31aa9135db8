#include "parser/metadata/link_values.h"

#include <string>

#include <doctest/doctest.h>

using namespace linkherd::parser;

TEST_CASE("Link headers are parsed with parameters and quoted commas") {
  const auto links = parse_link_values(
      "<https://a.cn/>; rel=\"first memento\"; datetime=\"Sun, 20 Jan 2002 14:25:10 GMT\",\n"
      "< https://b.cn/x,y > ;REL=Original , <https://c.cn/>,<d>");
  REQUIRE(links.size() == 4);
  CHECK(links[0].target == "https://a.cn/");
  CHECK(links[0].parameter("datetime") == "Sun, 20 Jan 2002 14:25:10 GMT");
  CHECK(links[0].has_relation("memento"));
  CHECK(links[0].has_relation("first"));
  CHECK_FALSE(links[0].has_relation("mement"));
  CHECK(links[1].target == "https://b.cn/x,y");
  CHECK(links[1].has_relation("original"));
  CHECK(links[2].parameters.empty());
  CHECK(links[3].target == "d");
}

TEST_CASE("a malformed Link header gives the part that can be parsed") {
  for (const char* text : {"", "x", "<", ">", "<a", "a>", "\"", ";,"}) CHECK(parse_link_values(text).empty());
  CHECK(parse_link_values("<a>; rel=\"b, <c>; rel=d").size() == 1);
  CHECK(parse_link_values("<a>,<b>,<c>", 2).size() == 2);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "<a>\"";
  CHECK(parse_link_values(many).size() == 1);
}
