#include "parser/utf8.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

using namespace std::literals;
using namespace linkherd;

TEST_CASE("well-formed code points are decoded at both ends of every length") {
  struct Row {
    std::string_view text;
    char32_t value;
  };
  const Row rows[] = {
      {"\0"sv, 0},
      {"\x7F", 0x7F},
      {"\xC2\x80", 0x80},
      {"\xDF\xBF", 0x7FF},
      {"\xE0\xA0\x80", 0x800},
      {"\xED\x9F\xBF", 0xD7FF},
      {"\xEE\x80\x80", 0xE000},
      {"\xEF\xBF\xBF", 0xFFFF},
      {"\xF0\x90\x80\x80", 0x10000},
      {"\xF4\x8F\xBF\xBF", 0x10FFFF},
      {"知", U'知'},
  };
  for (const Row& row : rows) {
    const CodePoint point = decode_utf8(row.text, 0);
    CHECK(point.valid);
    CHECK(point.value == row.value);
    CHECK(point.length == row.text.size());
    std::string written;
    append_utf8(written, row.value);
    CHECK(written == row.text);
    CHECK(is_valid_utf8(row.text));
  }
}

TEST_CASE("ill-formed text becomes one replacement character for each maximal subpart") {
  struct Row {
    std::string_view text;
    std::string_view expected;
    std::size_t errors;
  };
  const Row rows[] = {
      {"", "", 0},
      {"abc", "abc", 0},
      {"a\x80z", "a\uFFFDz", 1},
      {"\xC0\x80", "\uFFFD\uFFFD", 2},                      // overlong: neither byte starts a sequence
      {"\xE0\x80\x80", "\uFFFD\uFFFD\uFFFD", 3},            // overlong in three bytes
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD", 3},            // a surrogate
      {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD", 4},  // past U+10FFFF
      {"\xF5z", "\uFFFDz", 1},
      {"\xFE\xFF", "\uFFFD\uFFFD", 2},
      {"\xE4\xBD", "\uFFFD", 1},    // cut at the end
      {"\xE4\xBDz", "\uFFFDz", 1},  // cut by another character
      {"\xF0\x9F\x98", "\uFFFD", 1},
      {"\xF0\x9F\x98\xE4\xBD\xA0", "\uFFFD你", 1},
      {"\xF0\x9F\xF0\x9F\x98\x80", "\uFFFD😀", 1},
      // Table 3-8 of the Unicode Standard.
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA", 8},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "\uFFFD\uFFFD\uFFFD\uFFFDA", 4},
      {"a\0b"sv, "a\0b"sv, 0},
      {"\xD6\xD0\xCE\xC4", "\uFFFD\uFFFD\uFFFD\uFFFD", 4},  // 中文 in GBK
  };
  for (const Row& row : rows) {
    CAPTURE(row.expected);
    std::size_t errors = 0;
    CHECK(to_valid_utf8(row.text, &errors) == row.expected);
    CHECK(errors == row.errors);
    CHECK(is_valid_utf8(row.text) == (row.errors == 0));
    CHECK(is_valid_utf8(to_valid_utf8(row.text)));
    CHECK(count_code_points(row.text) == count_code_points(row.expected));
  }
}

TEST_CASE("decoding past the end returns nothing") {
  CHECK(decode_utf8("", 0).length == 0);
  CHECK(decode_utf8("ab", 2).length == 0);
  CHECK(decode_utf8("ab", 99).length == 0);
}

TEST_CASE("an invalid code point is written as the replacement character") {
  for (const char32_t value : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}, char32_t{0xFFFFFFFF}}) {
    std::string out;
    append_utf8(out, value);
    CHECK(out == "\uFFFD");
  }
}

TEST_CASE("code points are counted and each error counts as one") {
  CHECK(count_code_points("") == 0);
  CHECK(count_code_points("a知😀") == 3);
  CHECK(count_code_points("a\xE4\xBDz") == 3);
}

TEST_CASE("text is never cut inside a code point") {
  struct Row {
    std::string_view text;
    std::size_t max_bytes;
    std::string_view expected;
  };
  const Row rows[] = {
      {"abc", 5, "abc"},
      {"abc", 3, "abc"},
      {"abc", 2, "ab"},
      {"abc", 0, ""},
      {"", 0, ""},
      {"知乎", 6, "知乎"},
      {"知乎", 5, "知"},
      {"知乎", 4, "知"},
      {"知乎", 3, "知"},
      {"知乎", 2, ""},
      {"知乎", 1, ""},
      {"a😀", 4, "a"},
      {"a😀", 5, "a😀"},
      {"é", 1, ""},
      {"a\x80\x80\x80", 3, "a\x80\x80"},
      {"\x80\x80", 1, "\x80"},
      {"a\xE4\xBDz", 2, "a\xE4"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.max_bytes);
    CHECK(truncate_utf8(row.text, row.max_bytes) == row.expected);
  }
}

TEST_CASE("a megabyte of broken bytes is repaired in one pass") {
  const std::string broken(1 << 20, '\xF0');
  std::size_t errors = 0;
  CHECK(to_valid_utf8(broken, &errors).size() == 3 * broken.size());
  CHECK(errors == broken.size());
  CHECK(count_code_points(broken) == broken.size());
  CHECK_FALSE(is_valid_utf8(broken));
}
