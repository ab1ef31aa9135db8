#include "parser/metadata/embedded_json.h"

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>
#include <doctest/doctest.h>

using namespace linkherd::parser;

TEST_CASE("embedded JSON is read despite common mistakes") {
  struct Row {
    std::string_view text;
    std::string_view title;  // at "a.title"
  };
  for (const auto& [text, title] : std::vector<Row>{
           {R"({"a":{"title":"x"}})", "x"},
           {R"(  {"a":{"title":"x"}};(function(){var s;})())", "x"},
           {"{\"a\":{\"title\":\"x\ny\"}}", "x y"},
           {R"({"a":{"title":"x",},})", "x"},
           {R"(/* c */{"a":{"title":"x"}})", "x"},
           {R"(<!-- {"a":{"title":"x"}} -->)", "x"},
           {R"(//<![CDATA[ {"a":{"title":"x"}} //]]>)", "x"},
           {R"(// <![CDATA[ {"a":{"title":"x"}} // ]]>)", "x"},
           {R"(/* <![CDATA[ */ {"a":{"title":"x"}} /* ]]> */)", "x"},
           {"<!--//--><![CDATA[//><!--\n{\"a\":{\"title\":\"x\"}}\n//--><!]]>", "x"},
           {R"({"a":{"title":42}})", "42"},
       }) {
    CAPTURE(text);
    boost::json::value root;
    REQUIRE(parse_embedded_json(text, root));
    CHECK(text_of(at_path(root, "a.title")) == title);
  }
}

TEST_CASE("text that is no JSON is refused") {
  boost::json::value root;
  for (const std::string& text : {std::string(), std::string("var a"), std::string("{\"a\":"),
                                  std::string(100'000, '['), std::string("{\"a\":undefined}")}) {
    CHECK_FALSE(parse_embedded_json(text, root));
  }
}

TEST_CASE("paths lead through objects and arrays") {
  boost::json::value root;
  REQUIRE(parse_embedded_json(R"({"a":[{"b":"x"},{"b":"y"}]})", root));
  CHECK(text_of(at_path(root, "a.1.b")) == "y");
  CHECK(at_path(root, "a.2.b") == nullptr);
  CHECK(at_path(root, "a.b") == nullptr);
  CHECK(at_path(root, "c") == nullptr);
  CHECK(text_of(nullptr).empty());
}

TEST_CASE("assignments are found by the name of the variable") {
  CHECK(find_assigned_value("var ct = \"16\";", "ct") == "\"16\";");
  CHECK(find_assigned_value("var act = 1; var ct='2'", "ct") == "'2'");
  CHECK(find_assigned_value("if (ct == 1) {} ct=3", "ct") == "3");
  CHECK(find_assigned_value("window.__STATE__={}", "__STATE__") == "{}");
  CHECK(find_assigned_value("window[\"__STATE__\"] = {}", "__STATE__") == "{}");
  CHECK(find_assigned_value("ctx = 1", "ct").empty());
}

TEST_CASE("string literals are decoded") {
  CHECK(parse_string_literal(R"("a\"b\\c\u4e2d\x41\n" + 1)") == "a\"b\\c中A\n");
  CHECK(parse_string_literal(R"('it\'s')") == "it's");
  CHECK(parse_string_literal(R"("\ud83d\ude00")") == "😀");
  CHECK(parse_string_literal("\"\\u鱼鱼鱼\\x4鱼\"") == "u鱼鱼鱼x4鱼");
  CHECK(parse_string_literal("\"open").empty());
  CHECK(parse_string_literal("plain").empty());
}
