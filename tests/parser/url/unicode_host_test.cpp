#include "parser/url/unicode_host.h"

#include <string_view>

#include <doctest/doctest.h>

#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

TEST_CASE("a host is shown with its punycode decoded") {
  struct Row {
    std::string_view text;
    std::string_view host;
  };
  const Row rows[] = {
      {"https://example.com/", "example.com"},
      {"https://xn--djqu72h.xn--fiqs8s/", "知乎.中国"},
      {"https://知乎.中国/", "知乎.中国"},
      {"https://www.bücher.example/", "www.bücher.example"},
      {"https://faß.de/", "faß.de"},
      {"https://xn--a.example/", "xn--a.example"},  // is not a look-alike
      {"https://xn--/", "xn--"},
      {"https://a.xn--zca./", "a.ß."},
      {"https://1.2.3.4/", "1.2.3.4"},
      {"https://[::1]/", "[::1]"},
      {"mailto:a@b", ""},
      {"foo://xn--zca/", "xn--zca"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(unicode_host(url_of(row.text)).text == row.host);
  }
}

TEST_CASE("a host whose letters come from several scripts is flagged") {
  struct Row {
    std::string_view text;
    bool has_mixed_scripts;
    bool imitates_ascii;
  };
  const Row rows[] = {
      {"https://apple.com/", false, false},
      {"https://аррӏе.com/", false, true},  // all Cyrillic
      {"https://pаypal.com/", true, true},  // a Cyrillic а among Latin letters
      {"https://gοogle.com/", true, true},  // a Greek ο
      {"https://知乎.中国/", false, false},
      {"https://知乎zhihu.cn/", false, false},  // Han and Latin are written together
      {"https://日本の.jp/", false, false},
      {"https://한국語.kr/", false, false},
      {"https://яндекс.рф/", false, false},
      {"https://почта.example/", false, false},
      {"https://яндексcom.рф/", true, false},
      {"https://bücher.example/", false, false},
      {"https://مثال.example/", false, false},
      {"https://例え.テスト/", false, false},
      {"foo://pаypal/", false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const UnicodeHost host = unicode_host(url_of(row.text));
    CHECK(host.has_mixed_scripts == row.has_mixed_scripts);
    CHECK(host.imitates_ascii == row.imitates_ascii);
  }
}

TEST_CASE("punycode without end is not decoded") {
  const std::string label = "xn--" + std::string(100'000, 'a');
  CHECK(unicode_host(url_of("https://" + label + "/")).text == label);
}
