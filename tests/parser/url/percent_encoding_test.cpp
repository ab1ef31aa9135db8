#include "parser/url/percent_encoding.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

using namespace std::literals;
using namespace linkherd::parser;

namespace {

// The printable ASCII characters of a set.
std::string printable(const ByteSet& set) {
  std::string text;
  for (char c = ' '; c <= '~'; ++c) {
    if (set.contains(c)) text += c;
  }
  return text;
}

}  // namespace

TEST_CASE("the percent-encode sets are those of the standard") {
  CHECK(printable(c0_control_encode_set).empty());
  CHECK(printable(fragment_encode_set) == " \"<>`");
  CHECK(printable(query_encode_set) == " \"#<>");
  CHECK(printable(special_query_encode_set) == " \"#'<>");
  CHECK(printable(path_encode_set) == " \"#<>?^`{}");
  CHECK(printable(userinfo_encode_set) == " \"#/:;<=>?@[\\]^`{|}");
  for (const ByteSet* set : {&c0_control_encode_set, &fragment_encode_set, &query_encode_set, &special_query_encode_set,
                             &path_encode_set, &userinfo_encode_set}) {
    for (const char c : "\0\x01\x1F\x7F\x80\xFF"sv) CHECK(set->contains(c));
  }
}

TEST_CASE("bytes are escaped in upper case and existing escapes are kept") {
  std::string out = "x";
  append_percent_encoded(out, "a b\xC3\xA9%20%zz\0"sv, path_encode_set);
  CHECK(out == "xa%20b%C3%A9%20%zz%00");
}

TEST_CASE("a text is encoded as one component") {
  CHECK(printable(component_encode_set) == " !\"#$%&'()*+,/:;<=>?@[\\]^`{|}");
  CHECK(percent_encode_component("https://a.cn/x?y=1&z=%20+#é\n") ==
        "https%3A%2F%2Fa.cn%2Fx%3Fy%3D1%26z%3D%2520%2B%23%C3%A9%0A");
  CHECK(percent_encode_component("\xFF\x00-._~aZ9"sv) == "%FF%00-._~aZ9");
}

TEST_CASE("only whole escapes are decoded") {
  struct Row {
    std::string_view text;
    std::string_view decoded;
    std::string_view normalized;
  };
  const Row rows[] = {
      {"", "", ""},
      {"a", "a", "a"},
      {"%41%62", "Ab", "Ab"},
      {"%7e%2d%2E%5F", "~-._", "~-._"},
      {"%2f%3a", "/:", "%2F%3A"},
      {"%e4%bd%a0", "你", "%E4%BD%A0"},
      {"%", "%", "%"},
      {"%4", "%4", "%4"},
      {"%zz%4", "%zz%4", "%zz%4"},
      {"%%41", "%A", "%%41"},
      {"%2541", "%41", "%2541"},  // decoded once, and never into a new escape
      {"%4%31", "%41", "%4%31"},
      {"+", "+", "+"},
      {"%00", "\0"sv, "%00"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(percent_decode(row.text) == row.decoded);
    CHECK(normalize_escapes(row.text) == row.normalized);
  }
}

TEST_CASE("invalid URL units are found") {
  for (const std::string_view valid :
       {"", "azAZ09!$&'()*+,-./:;=?@_~", "%41%ff", "知乎", "\u00A0", "\U0010FFFD", "😀"}) {
    CAPTURE(valid);
    CHECK_FALSE(has_invalid_url_unit(valid));
  }
  for (const std::string_view invalid :
       {" "sv,      "\""sv,     "#"sv,          "<"sv,    "["sv,         "\\"sv,          "^"sv,    "`"sv,
        "{"sv,      "|"sv,      "%"sv,          "%4"sv,   "%zz"sv,       "\0"sv,          "\x7F"sv, "\xC2\x80"sv,
        "\uFDD0"sv, "\uFFFF"sv, "\U0001FFFE"sv, "\xFF"sv, "a\xE4\xBD"sv, "\xED\xA0\x80"sv}) {
    CAPTURE(invalid);
    CHECK(has_invalid_url_unit(invalid));
  }
}
