#include <algorithm>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/url/canonical.h"
#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

TEST_CASE("a SURT key begins with the top-level domain") {
  struct Row {
    std::string_view text;
    std::string_view key;
  };
  const Row rows[] = {
      {"https://www.example.com/a/b?c#d", "com,example,www)/a/b?c"},
      {"http://example.com", "com,example)/"},
      {"http://example.com./", "com,example)/"},
      {"https://u:p@example.com:8443/", "com,example:8443)/"},
      {"https://example.com/?", "com,example)/?"},
      {"https://localhost/", "localhost)/"},
      {"https://1.2.3.4/x", "1.2.3.4)/x"},
      {"https://[::1]:8/x", "[::1]:8)/x"},
      {"https://知乎.中国/", "xn--fiqs8s,xn--djqu72h)/"},
      {"https://a..b/", "b,,a)/"},
      {"foo://Bar.Baz/x", "Bar.Baz)/x"},
      {"mailto:a@b.c#x", "mailto:a@b.c"},
      {"file:///a/b", "file:///a/b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(surt_key(url_of(row.text)) == row.key);
  }
}

TEST_CASE("the pages of a site are adjacent in SURT order") {
  std::vector<std::string_view> texts = {"https://b.example/", "https://www.a.example/x", "https://b.test/",
                                         "https://a.example/y", "https://zz.a.example/"};
  std::ranges::sort(texts, {}, [](std::string_view text) { return surt_key(url_of(text)); });
  CHECK(texts == std::vector<std::string_view>{"https://a.example/y", "https://www.a.example/x",
                                               "https://zz.a.example/", "https://b.example/", "https://b.test/"});
}
