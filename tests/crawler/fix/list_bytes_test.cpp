#include "crawler/fix/list_bytes.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/charset.h"

using namespace linkherd::crawler;
using namespace std::string_literals;

namespace {

// Returns the bytes after `from` was replaced by `to` in their text, or "unsure" if that is impossible.
std::string changed(const std::string& bytes, const std::string& from, const std::string& to) {
  const std::string text = linkherd::parser::decode_text(bytes).text;
  const ListBytes file(bytes, text);
  CHECK(file.is_same_text());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  const std::vector<TextEdit> of_text{{at, from.size(), to}};
  const auto edits = file.edits_of_bytes(of_text, with_edits(text, of_text));
  return edits ? with_edits(bytes, *edits) : "unsure";
}

std::string utf16(const std::string& ascii, bool big_endian) {
  std::string units = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : ascii) units += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return units;
}

}  // namespace

TEST_CASE("unchanged bytes stay in every encoding") {
  CHECK(changed("a http://x b\r\n", "http://x", "https://y") == "a https://y b\r\n");
  CHECK(changed("\xEF\xBB\xBF中 http://x", "http://x", "https://y") == "\xEF\xBB\xBF中 https://y");
  for (const bool big_endian : {false, true})
    CHECK(changed(utf16("list http://x of\n", big_endian), "http://x", "http://yy") ==
          utf16("list http://yy of\n", big_endian));
  std::string gbk;
  for (int i = 0; i < 2000; ++i)
    gbk += "\xD6\xD0\xCE\xC4\xC1\xB4\xBD\xD3 ";  // too long for one piece of the conversion
  CHECK(changed(gbk + "http://x " + gbk, "http://x", "https://y") == gbk + "https://y " + gbk);
  CHECK(changed("caf\xE9 et th\xE9: http://x l'\xE9t\xE9\n", "http://x", "https://y") ==
        "caf\xE9 et th\xE9: https://y l'\xE9t\xE9\n");
}

TEST_CASE("a list that changed since it was read is detected") {
  CHECK_FALSE(ListBytes("a http://x b\n", "a http://x c\n").is_same_text());
}

TEST_CASE("a list with invalid UTF-8 is changed only on valid lines") {
  const std::string list = "中文链接列表 中文链接列表 \xFF\n[链接](http://x)\n";
  CHECK(changed(list, "http://x", "https://y") == "中文链接列表 中文链接列表 \xFF\n[链接](https://y)\n");
}

TEST_CASE("characters outside the encoding are not written") {
  CHECK(changed("caf\xE9 et th\xE9: http://x l'\xE9t\xE9\n", "http://x", "http://页") == "unsure");
}

TEST_CASE("a UTF-32 list is not changed") {
  std::string bytes("\xFF\xFE\0\0", 4);
  for (const char c : std::string("see http://x\n")) bytes += c + std::string(3, '\0');
  CHECK(changed(bytes, "http://x", "http://y") == "unsure");
}
