// Tests relative resolution of the URL Standard by tables: one base, text in, href out.
#include <string_view>

#include <doctest/doctest.h>

#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

namespace {

struct RelativeRow {
  std::string_view text;
  std::string_view base;
  std::string_view href;
};

template <std::size_t N>
void check_url_relative(const RelativeRow (&rows)[N]) {
  for (const RelativeRow& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.base);
    CHECK(href_of(row.text, row.base) == row.href);
  }
}

}  // namespace

TEST_CASE("a relative URL is resolved against an http base") {
  const RelativeRow rows[] = {
      {"", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?q"},
      {".", "http://example.com/a/b/c?q#f", "http://example.com/a/b/"},
      {"./", "http://example.com/a/b/c?q#f", "http://example.com/a/b/"},
      {"..", "http://example.com/a/b/c?q#f", "http://example.com/a/"},
      {"../", "http://example.com/a/b/c?q#f", "http://example.com/a/"},
      {"../..", "http://example.com/a/b/c?q#f", "http://example.com/"},
      {"../../../..", "http://example.com/a/b/c?q#f", "http://example.com/"},
      {"d", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d"},
      {"d/", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d/"},
      {"./d", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d"},
      {"../d", "http://example.com/a/b/c?q#f", "http://example.com/a/d"},
      {"/d", "http://example.com/a/b/c?q#f", "http://example.com/d"},
      {"//h", "http://example.com/a/b/c?q#f", "http://h/"},
      {"//h/d", "http://example.com/a/b/c?q#f", "http://h/d"},
      {"///h", "http://example.com/a/b/c?q#f", "http://h/"},
      {"////h", "http://example.com/a/b/c?q#f", "http://h/"},
      {"\\d", "http://example.com/a/b/c?q#f", "http://example.com/d"},
      {"\\\\h", "http://example.com/a/b/c?q#f", "http://h/"},
      {"/\\h", "http://example.com/a/b/c?q#f", "http://h/"},
      {"?", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?"},
      {"?x", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?x"},
      {"#", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?q#"},
      {"#x", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?q#x"},
      {"d?x#y", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d?x#y"},
      {"..?x", "http://example.com/a/b/c?q#f", "http://example.com/a/?x"},
      {"..#x", "http://example.com/a/b/c?q#f", "http://example.com/a/#x"},
      {";x", "http://example.com/a/b/c?q#f", "http://example.com/a/b/;x"},
      {"d;x", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d;x"},
      {"http:", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?q"},
      {"http:d", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d"},
      {"http:/d", "http://example.com/a/b/c?q#f", "http://example.com/d"},
      {"http://h", "http://example.com/a/b/c?q#f", "http://h/"},
      {"https:d", "http://example.com/a/b/c?q#f", "https://d/"},
      {"HTTP:d", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d"},
      {"foo:d", "http://example.com/a/b/c?q#f", "foo:d"},
      {"d:e", "http://example.com/a/b/c?q#f", "d:e"},
      {"1:2", "http://example.com/a/b/c?q#f", "http://example.com/a/b/1:2"},
      {"//", "http://example.com/a/b/c?q#f", refused},
      {"//?x", "http://example.com/a/b/c?q#f", refused},
      {"/..//x", "http://example.com/a/b/c?q#f", "http://example.com//x"},
      {"./d:e", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d:e"},
      {"%2e%2e/d", "http://example.com/a/b/c?q#f", "http://example.com/a/d"},
      {"%2E", "http://example.com/a/b/c?q#f", "http://example.com/a/b/"},
      {"a b", "http://example.com/a/b/c?q#f", "http://example.com/a/b/a%20b"},
      {"a\\b", "http://example.com/a/b/c?q#f", "http://example.com/a/b/a/b"},
      {"..\\d", "http://example.com/a/b/c?q#f", "http://example.com/a/d"},
      {"//u:p@h:80/x", "http://example.com/a/b/c?q#f", "http://u:p@h/x"},
      {"//h:80", "http://example.com/a/b/c?q#f", "http://h/"},
      {"//h:443", "http://example.com/a/b/c?q#f", "http://h:443/"},
      {"/a/../b", "http://example.com/a/b/c?q#f", "http://example.com/b"},
      {" d ", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d"},
      {"\td", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d"},
      {"d\n", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d"},
      {"#x y", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?q#x%20y"},
      {"?x y", "http://example.com/a/b/c?q#f", "http://example.com/a/b/c?x%20y"},
      {".?", "http://example.com/a/b/c?q#f", "http://example.com/a/b/?"},
      {"..d", "http://example.com/a/b/c?q#f", "http://example.com/a/b/..d"},
      {"d..", "http://example.com/a/b/c?q#f", "http://example.com/a/b/d.."},
      {"...", "http://example.com/a/b/c?q#f", "http://example.com/a/b/..."},
      {"z", "http://u:p@h:81/x/y", "http://u:p@h:81/x/z"},
      {"/z", "http://u:p@h:81/x/y", "http://u:p@h:81/z"},
      {"//k", "http://u:p@h:81/x/y", "http://k/"},
      {"?q", "http://u:p@h:81/x/y", "http://u:p@h:81/x/y?q"},
      {"#f", "http://u:p@h:81/x/y", "http://u:p@h:81/x/y#f"},
      {"http:z", "http://u:p@h:81/x/y", "http://u:p@h:81/x/z"},
      {"..", "http://u:p@h:81/x/y", "http://u:p@h:81/"},
      {"x", "http://h", "http://h/x"},
      {"../x", "http://h", "http://h/x"},
      {"?x", "http://h", "http://h/?x"},
      {"", "http://h", "http://h/"},
      {"c", "http://h//a//b", "http://h//a//c"},
      {"../c", "http://h//a//b", "http://h//a/c"},
      {"..", "http://h//a//b", "http://h//a/"},
      {"/", "http://h//a//b", "http://h/"},
      {"http:y", "https://h/x", "http://y/"},
      {"https:y", "https://h/x", "https://h/y"},
      {"https:/y", "https://h/x", "https://h/y"},
      {"https://k", "https://h/x", "https://k/"},
  };
  check_url_relative(rows);
}

TEST_CASE("a relative URL is resolved against a file base and its drive letter") {
  const RelativeRow rows[] = {
      {"", "file:///C:/a/b", "file:///C:/a/b"},
      {"x", "file:///C:/a/b", "file:///C:/a/x"},
      {"/x", "file:///C:/a/b", "file:///C:/x"},
      {"//h/x", "file:///C:/a/b", "file://h/x"},
      {"..", "file:///C:/a/b", "file:///C:/"},
      {"../..", "file:///C:/a/b", "file:///C:/"},
      {"../../..", "file:///C:/a/b", "file:///C:/"},
      {"D:", "file:///C:/a/b", "d:"},
      {"D:/x", "file:///C:/a/b", "d:/x"},
      {"d|/x", "file:///C:/a/b", "file:///d:/x"},
      {"/D:/x", "file:///C:/a/b", "file:///D:/x"},
      {"/", "file:///C:/a/b", "file:///C:/"},
      {"\\", "file:///C:/a/b", "file:///C:/"},
      {"//", "file:///C:/a/b", "file:///"},
      {"///x", "file:///C:/a/b", "file:///x"},
      {"?q", "file:///C:/a/b", "file:///C:/a/b?q"},
      {"#f", "file:///C:/a/b", "file:///C:/a/b#f"},
      {"c:x", "file:///C:/a/b", "c:x"},
      {"/d|", "file:///C:/a/b", "file:///d:"},
      {"./D:/", "file:///C:/a/b", "file:///C:/a/D:/"},
      {"http:x", "file:///C:/a/b", "http://x/"},
      {"//localhost/x", "file:///C:/a/b", "file:///x"},
      {"file:", "file:///C:/a/b", "file:///C:/a/b"},
      {"file:x", "file:///C:/a/b", "file:///C:/a/x"},
      {"file:/x", "file:///C:/a/b", "file:///C:/x"},
      {"file://x", "file:///C:/a/b", "file://x/"},
      {"file:?q", "file:///C:/a/b", "file:///C:/a/b?q"},
      {"", "file:///C:/a/b?q", "file:///C:/a/b?q"},
      {"#f", "file:///C:/a/b?q", "file:///C:/a/b?q#f"},
      {"?", "file:///C:/a/b?q", "file:///C:/a/b?"},
      {"x", "file:///C:/a/b?q", "file:///C:/a/x"},
      {"x", "file://h/a/b", "file://h/a/x"},
      {"/x", "file://h/a/b", "file://h/x"},
      {"..", "file://h/a/b", "file://h/"},
      {"//k", "file://h/a/b", "file://k/"},
      {"D:/x", "file://h/a/b", "d:/x"},
      {"", "file://h/a/b", "file://h/a/b"},
      {"/c:/x", "file://h/a/b", "file://h/c:/x"},
      {"///x", "file://h/a/b", "file:///x"},
      {"file:/x", "file://h/a/b", "file://h/x"},
      {"/x", "file://h/C:/a", "file://h/C:/x"},
      {"..", "file://h/C:/a", "file://h/C:/"},
      {"../..", "file://h/C:/a", "file://h/C:/"},
      {"/", "file://h/C:/a", "file://h/C:/"},
      {"D:/", "file://h/C:/a", "d:/"},
      {"c:", "file:///a", "c:"},
      {"c|/x", "file:///a", "file:///c:/x"},
      {"/c|", "file:///a", "file:///c:"},
      {"..", "file:///a", "file:///"},
      {"//C:/x", "file:///a", "file:///C:/x"},
      {"//c|", "file:///a", "file:///c:"},
  };
  check_url_relative(rows);
}

TEST_CASE("a relative URL is resolved against a base of an unknown scheme") {
  const RelativeRow rows[] = {
      {"x", "foo://h/a/b", "foo://h/a/x"},
      {"/x", "foo://h/a/b", "foo://h/x"},
      {"//k", "foo://h/a/b", "foo://k"},
      {"///k", "foo://h/a/b", "foo:///k"},
      {"?q", "foo://h/a/b", "foo://h/a/b?q"},
      {"#f", "foo://h/a/b", "foo://h/a/b#f"},
      {"..", "foo://h/a/b", "foo://h/"},
      {"../..", "foo://h/a/b", "foo://h/"},
      {"../../..", "foo://h/a/b", "foo://h/"},
      {"\\x", "foo://h/a/b", "foo://h/a/\\x"},
      {"", "foo://h/a/b", "foo://h/a/b"},
      {".", "foo://h/a/b", "foo://h/a/"},
      {"//", "foo://h/a/b", "foo://"},
      {"foo:x", "foo://h/a/b", "foo:x"},
      {"foo:/x", "foo://h/a/b", "foo:/x"},
      {"foo://k", "foo://h/a/b", "foo://k"},
      {"http:x", "foo://h/a/b", "http://x/"},
      {"//k:80", "foo://h/a/b", "foo://k:80"},
      {"a\\b", "foo://h/a/b", "foo://h/a/a\\b"},
      {"x", "foo:/a/b", "foo:/a/x"},
      {"/x", "foo:/a/b", "foo:/x"},
      {"//k", "foo:/a/b", "foo://k"},
      {"..", "foo:/a/b", "foo:/"},
      {"../..", "foo:/a/b", "foo:/"},
      {"../../x", "foo:/a/b", "foo:/x"},
      {"..//x", "foo:/a/b", "foo:/.//x"},
      {"/.//x", "foo:/a/b", "foo:/.//x"},
      {"?q", "foo:/a/b", "foo:/a/b?q"},
      {"#f", "foo:/a/b", "foo:/a/b#f"},
      {"", "foo:/a/b", "foo:/a/b"},
      {".//", "foo:/a/b", "foo:/a//"},
      {"..//..//x", "foo:/a/b", "foo:/.//x"},
      {"x", "foo://h", "foo://h/x"},
      {"/x", "foo://h", "foo://h/x"},
      {"?q", "foo://h", "foo://h?q"},
      {"..", "foo://h", "foo://h/"},
      {"", "foo://h", "foo://h"},
      {"x", "foo:///a", "foo:///x"},
      {"//k", "foo:///a", "foo://k"},
      {"..", "foo:///a", "foo:///"},
      {"", "web+x:/.//p/q", "web+x:/.//p/q"},
      {"x", "web+x:/.//p/q", "web+x:/.//p/x"},
      {"..", "web+x:/.//p/q", "web+x:/.//"},
      {"../x", "web+x:/.//p/q", "web+x:/.//x"},
      {"/x", "web+x:/.//p/q", "web+x:/x"},
      {"?q", "web+x:/.//p/q", "web+x:/.//p/q?q"},
      {"//k", "web+x:/.//p/q", "web+x://k"},
      {"..//x", "web+x:/.//p/q", "web+x:/.///x"},
  };
  check_url_relative(rows);
}

TEST_CASE("only a fragment resolves against a base with an opaque path") {
  const RelativeRow rows[] = {
      {"", "mailto:a@b", refused},
      {"x", "mailto:a@b", refused},
      {"/x", "mailto:a@b", refused},
      {"?q", "mailto:a@b", refused},
      {"#f", "mailto:a@b", "mailto:a@b#f"},
      {"http://h", "mailto:a@b", "http://h/"},
      {"#", "mailto:a@b", "mailto:a@b#"},
      {"//h", "mailto:a@b", refused},
      {"foo:x", "mailto:a@b", "foo:x"},
      {"#f", "data:text,x y ?q", "data:text,x y%20?q#f"},
      {"", "data:text,x y ?q", refused},
      {"?x", "data:text,x y ?q", refused},
      {"#x", "about:blank", "about:blank#x"},
      {"x", "about:blank", refused},
      {"http://h", "about:blank", "http://h/"},
      {"#f", "blob:https://a/b", "blob:https://a/b#f"},
      {"x", "blob:https://a/b", refused},
  };
  check_url_relative(rows);
}
