#include "reports/escape.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/utf8.h"

using linkherd::reports::escape_for_terminal;
using linkherd::reports::escape_json;
using linkherd::reports::escape_message;

namespace {

// Returns a character that must not occur in a source file, where it would have an effect.
std::string one(char32_t character) {
  std::string text;
  linkherd::append_utf8(text, character);
  return text;
}

}  // namespace

TEST_CASE("plain text and all well-formed characters stay unchanged") {
  for (const std::string text :
       {"", "a b", "图解大模型", "naïve — “quotes” …", "🎉 👩‍💻", "العربية", "C:\\dir"}) {
    CHECK(escape_for_terminal(text) == text);
  }
}

TEST_CASE("terminal control sequences are shown as escapes") {
  struct Row {
    std::string text, shown;
  };
  const std::vector<Row> rows = {
      {"\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m"},
      {"\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"},
      {std::string("nul\0byte", 8), "nul\\u{0}byte"},
      {"back\bspace", "back\\u{8}space"},
      {"del\x7f", "del\\u{7f}"},
      {"\xC2\x9B"
       "31m",
       "\\u{9b}31m"},                                 // CSI as one C1 character
      {one(0x202E) + "gpj.exe", "\\u{202e}gpj.exe"},  // right-to-left override
      {one(0x2066) + "x" + one(0x2069), "\\u{2066}x\\u{2069}"},
      {"pay" + one(0x200B) + "pal", "pay\\u{200b}pal"},
      {one(0x061C) + one(0x200E) + one(0x200F), "\\u{61c}\\u{200e}\\u{200f}"},
      {one(0xFEFF) + one(0x2060) + one(0xFFF9) + one(0xFFFB), "\\u{feff}\\u{2060}\\u{fff9}\\u{fffb}"},
      {one(0xE0001) + one(0xE0020) + one(0xE007F), "\\u{e0001}\\u{e0020}\\u{e007f}"},
      {one(0x200C) + one(0x200D), one(0x200C) + one(0x200D)},  // needed by scripts and emoji
  };
  for (const Row& row : rows) {
    CAPTURE(row.shown);
    CHECK(escape_for_terminal(row.text) == row.shown);
  }
}

TEST_CASE("CI commands are broken and stay broken when escaped again") {
  struct Row {
    std::string text, shown;
  };
  const std::vector<Row> rows = {
      {"::error::x", "\\u{3a}:error::x"},
      {"  \t::error::x", "   \\u{3a}:error::x"},
      {"\n::error::x", " \\u{3a}:error::x"},
      {one(0x3000) + one(0xA0) + "::error::x", one(0x3000) + one(0xA0) + "\\u{3a}:error::x"},
      {":::", "\\u{3a}::"},
      {"a ##[error]b", "a #\\u{23}[error]b"},
      {"###[error]b", "##\\u{23}[error]b"},
      {"##vso[task.complete]b", "#\\u{23}vso[task.complete]b"},
      {"##teamcity[x", "#\\u{23}teamcity[x"},
      {"##[##vso[", "#\\u{23}[#\\u{23}vso["},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(escape_for_terminal(row.text) == row.shown);
    CHECK(escape_for_terminal(row.shown) == row.shown);
  }
  for (const std::string harmless : {"a::b", "[::1]", "## [x]", "# Title", "##", "#[", "http://[::1]/#x", ": :"}) {
    CHECK(escape_for_terminal(harmless) == harmless);
  }
}

TEST_CASE("JSON for a terminal has the same value") {
  struct Row {
    std::string text, shown;
  };
  const std::string quote = "\"";
  const std::vector<Row> rows = {
      {R"({"a":"图 # ##x \u001b"})", R"({"a":"图 # ##x \u001b"})"},
      {"[1,\n2]", "[1,\n2]"},
      {"\"\x7F\"", R"("\u007f")"},
      {quote + one(0x9B) + one(0x85) + one(0xA0) + quote, R"("\u009b\u0085)" + one(0xA0) + quote},
      {quote + one(0x2028) + one(0x2029) + quote, R"("\u2028\u2029")"},
      {quote + one(0x202A) + one(0x202E) + one(0x2066) + one(0x2069) + quote, R"("\u202a\u202e\u2066\u2069")"},
      {quote + one(0x061C) + one(0x200E) + one(0x200F) + one(0x200D) + quote,
       R"("\u061c\u200e\u200f)" + one(0x200D) + quote},
      {quote + one(0x200B) + one(0xE0001) + one(0xE007F) + quote, R"("\u200b\udb40\udc01\udb40\udc7f")"},
      {R"(["##[a]","##vso[b]"])", R"(["#\u0023[a]","#\u0023vso[b]"])"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(escape_json(row.text) == row.shown);
  }
}

TEST_CASE("no file format contains a CI command") {
  using namespace linkherd::reports;
  CHECK(csv_cell("a ##[error]b") == "a #\\u{23}[error]b");
  CHECK(csv_cell("##vso[x]") == "#\\u{23}vso[x]");
  CHECK(escape_for_xml("a ##[error]b # c") == "a #&#35;[error]b # c");
  CHECK(escape_for_xml("#" + one(0x200B) + "#[error]") == "#&#35;[error]");
  CHECK(escape_for_markdown("##[error]x a ##[error]") == "\\##\\[error\\]x a ##\\[error\\]");
  CHECK(markdown_destination("https://a.example/###[error]") == "https://a.example/###\\[error\\]");
  CHECK(escape_for_markdown("::error::x") == "\\::error::x");
  CHECK(escape_for_markdown(one(0x3000) + "::error::x") == one(0x3000) + "\\::error::x");
}

TEST_CASE("a file name in a CSV cell parses back to the name") {
  CHECK(csv_file_cell("docs/a b.md") == "docs/a b.md");
  CHECK(csv_file_cell("a,b.md") == "\"a,b.md\"");
  CHECK(csv_file_cell("'=x") == "'=x");
  const std::pair<const char*, const char*> quoted[] = {
      {"=x.md", R"("\075x.md")"},       {"a;=b", R"("a\073\075b")"}, {"-rf", R"("\055rf")"},
      {"a\nb", R"("a\012b")"},          {"a\xff", R"("a\377")"},     {"\"a\"", R"("\"a\"")"},
      {"a  b\\", R"("a  b\\")"},        {" a", R"(" a")"},           {"\u202e", R"("\342\200\256")"},
      {"\uff1dx", R"("\357\274\235x")"}};
  for (const auto& [name, text] : quoted) {
    CAPTURE(name);
    CHECK(csv_file_cell(name) == csv_cell(text));
    CHECK(csv_cell(text).find('\'') == std::string::npos);
  }
}

TEST_CASE("text in Markdown starts no block and makes no mention or reference") {
  using linkherd::reports::escape_for_markdown;
  struct Row {
    std::string text, shown;
  };
  const std::string commit(40, 'a');
  const std::vector<Row> rows = {
      {"# a", "\\# a"},
      {"#.md", "\\#.md"},
      {"+ a", "\\+ a"},
      {"- a", "\\- a"},
      {"---", "\\---"},
      {"1. a", "1\\. a"},
      {"12) a", "12\\) a"},
      {"1.5 a", "1.5 a"},
      {"2024", "2024"},
      {"a # - + 1. b", "a # - + 1. b"},
      {"@octocat/m.md:1:7", "@<!-- -->octocat/m.md:1:7"},
      {"x @octocat, a@b.cn @ c", "x @<!-- -->octocat, a@<!-- -->b.cn @ c"},
      {"#12 a/b#12 #x", "\\#<!-- -->12 a/b#<!-- -->12 #x"},
      {"GH-3 gh-x high-3", "GH-<!-- -->3 gh-x high-3"},
      {commit + " " + commit + "a", "aaaaaa<!-- -->" + commit.substr(6) + " " + commit + "a"},
      {"b@" + commit, "b@<!-- -->aaaaaa<!-- -->" + commit.substr(6)},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(escape_for_markdown(row.text) == row.shown);
  }
}

TEST_CASE("messages mask passwords too") {
  CHECK(escape_message("\x1b https://me:secret@a.test/") == "\\u{1b} https://me:***@a.test/");
}

TEST_CASE("escaped text is one line") {
  CHECK(escape_for_terminal("a\nb") == "a b");
  CHECK(escape_for_terminal("a\r\nb") == "a b");
  CHECK(escape_for_terminal("a\rb\tc\vd\fe") == "a b c d e");
  CHECK(escape_for_terminal("a\xE2\x80\xA8"
                            "b\xE2\x80\xA9"
                            "c\xC2\x85"
                            "d") == "a b c d");
}

TEST_CASE("bytes that are not UTF-8 become replacement characters") {
  CHECK(escape_for_terminal("a\xFF"
                            "b") ==
        "a\uFFFD"
        "b");
  CHECK(escape_for_terminal("cut \xE5\x9B") == "cut \uFFFD");
  CHECK(escape_for_terminal("raw C1 \x9B") == "raw C1 \uFFFD");
}

TEST_CASE("no two or three bytes leave a control character or ill-formed text") {
  const std::string interesting = {'\0',   '\n',   '\r',   '\x1b', 'a',    '\x7f',
                                   '\x80', '\x9b', '\xc2', '\xe2', '\xf0', '\xff'};
  for (const char a : interesting) {
    for (const char b : interesting) {
      for (const char c : interesting) {
        const std::string shown = escape_for_terminal(std::string{a, b, c});
        REQUIRE(linkherd::is_valid_utf8(shown));
        for (std::size_t i = 0; i < shown.size();) {
          const linkherd::CodePoint point = linkherd::decode_utf8(shown, i);
          const bool is_control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
          REQUIRE_FALSE(is_control);
          i += point.length;
        }
      }
    }
  }
}
