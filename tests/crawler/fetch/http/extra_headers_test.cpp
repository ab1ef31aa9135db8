// Tests which headers of the user are sent and which hosts never get them.
#include "crawler/fetch/http/extra_headers.h"

#include <doctest/doctest.h>

#include "crawler/fetch/net/connection_options.h"

namespace linkherd::crawler {

namespace {

parser::Url parsed(std::string_view text) { return parser::Url::parse(text).value(); }

std::vector<std::string> lines_for(const std::vector<HeaderRule>& rules, std::string_view hop, bool is_to_own_origin) {
  const ExtraHeaders headers(rules);
  std::vector<std::string> lines{"Accept: text/html"};
  add_headers(lines, headers.for_hop(parsed(hop), is_to_own_origin));
  return lines;
}

}  // namespace

TEST_CASE("header options are parsed or refused without quoting a value") {
  CHECK(parse_header("X-Key: a b")->name == "X-Key");
  CHECK(parse_header("X-Key:a:b")->value == "a:b");
  CHECK(parse_header("X-Empty:")->value == "");
  for (const std::string bad :
       {"", "secret", ": secret", "X Y: secret", "X: secret\r\nEvil: 1", "Host: secret", "Content-Length: 3"}) {
    CAPTURE(bad);
    const Result<HeaderRule> rule = parse_header(bad);
    REQUIRE(rule.has_error());
    CHECK(rule.error().message.find("secret") == std::string::npos);
  }
  CHECK(parse_header_for("https://a\\.test X-Key: v")->pattern == "https://a\\.test");
  CHECK(parse_header_for("X-Key:").has_error());
  CHECK(parse_header_for("( X-Key: v").has_error());
}

TEST_CASE("a login option has a pattern and a user and a password") {
  const Result<HeaderRule> rule = parse_basic_auth("example.com Aladdin:open sesame");
  REQUIRE(rule.has_value());
  CHECK(rule->name == "Authorization");
  CHECK(rule->value == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");  // RFC 7617's example
  CHECK(parse_basic_auth("example.com nobody").has_error());
  CHECK(parse_basic_auth("user:password").has_error());
}

TEST_CASE("a header pattern matches whole hosts at the start of a URL") {
  struct Row {
    std::string pattern, url;
    bool matches;
    bool is_to_own_origin = false;
  };
  const std::vector<Row> rows{
      {"example.com", "https://example.com/x", true},
      {"example.com", "http://example.com/x", false},
      {"example.com", "http://example.com/x", true, true},
      {"example.com", "https://example.com:8443/x", false, true},
      {"example.com:8443", "https://example.com:8443/x", true},
      {"example.com:844", "https://example.com:8443/x", false},
      {"example.com:443", "https://example.com/x", true},
      {"example.com(:\\d+)?/", "https://example.com:8443/x", true},
      {"https://example.com", "https://example.com:8443/x", false},
      {"https://example.com:8443", "https://example.com:8443/x", true},
      {"https?://example.com", "http://example.com/x", true},
      {"http://example.com", "https://example.com/x", false, true},
      {"https://example.com", "https://example.com/x", true},
      {"https://example.com", "http://example.com/x", false},
      {"https://example.com/private/", "https://example.com/private/x", true},
      {"https://example.com/private/", "https://example.com/public/", false},
      {"(.*\\.)?example\\.com", "https://docs.example.com/", true},
      {"(.*\\.)?example\\.com", "https://badexample.com/", false},
      {"example.com", "https://example.com.evil.test/", false},
      {"example.com", "https://evil.test/example.com", false},
      {"example.com", "https://evil.test/?example.com", false},
      {"example.com", "https://example.com@evil.test/", false},
      {"https://", "https://example.com/", false},
      {".*", "https://example.com/", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.url);
    CHECK(UrlPattern::parse(row.pattern)->matches(parsed(row.url), row.is_to_own_origin) == row.matches);
  }
}

TEST_CASE("headers without a pattern stay at the link's origin unless harmless") {
  const std::vector<HeaderRule> everywhere{{"", "accept-Language", "zh"},
                                           {"", "Authorization", "Bearer s"},
                                           {"", "cookie", "a=b"},
                                           {"", "PRIVATE-TOKEN", "s"},
                                           {"", "X-Team", "docs"}};
  CHECK(lines_for(everywhere, "https://a.test/", true).size() == 6);
  CHECK(lines_for(everywhere, "https://b.test/", false) ==
        std::vector<std::string>{"Accept: text/html", "accept-Language: zh"});
  const std::vector<HeaderRule> named{{"a.test", "Authorization", "Bearer s"}};
  CHECK(lines_for(named, "https://a.test/", false).size() == 2);
  CHECK(lines_for(named, "https://b.test/", true).size() == 1);
}

TEST_CASE("a user's header replaces the built-in one") {
  CHECK(lines_for({{"", "accept", "*/*"}}, "https://a.test/", true) == std::vector<std::string>{"accept: */*"});
  CHECK(lines_for({{"", "X-Empty", ""}}, "https://a.test/", true).back() == "X-Empty;");
}

TEST_CASE("the own origin of a link includes its upgrade to https") {
  struct Row {
    std::string link, hop;
    bool home;
  };
  const std::vector<Row> rows{
      {"https://a.test/x", "https://a.test/y", true},    {"http://a.test/", "https://a.test/", true},
      {"https://a.test/", "http://a.test/", false},      {"https://a.test/", "https://a.test:8443/", false},
      {"http://a.test:8080/", "https://a.test/", false}, {"https://a.test/", "https://www.a.test/", false}};
  for (const Row& row : rows) {
    CAPTURE(row.hop);
    CHECK(is_own_origin(parsed(row.link), parsed(row.hop)) == row.home);
  }
}

TEST_CASE("proxy addresses are parsed or refused without quoting a password") {
  CHECK(parse_proxy("http://127.0.0.1:8080")->port == 8080);
  CHECK(parse_proxy("http://proxy")->port == 3128);
  CHECK(parse_proxy("http://proxy:80/")->port == 80);
  CHECK(parse_proxy("socks5://proxy:443")->port == 443);
  CHECK(parse_proxy("socks5h://[::1]")->host == "[::1]");
  const Result<Proxy> proxy = parse_proxy("http://me:p%40ss@proxy:3128");
  REQUIRE(proxy.has_value());
  CHECK(proxy->user == "me");
  CHECK(proxy->password == "p@ss");
  CHECK(proxy->address() == "http://proxy:3128");
  CHECK(parse_proxy("https://proxy")->port == 443);
  CHECK(parse_proxy("socks4a://proxy")->port == 1080);
  for (const char* url : {"http://proxy", "https://proxy", "socks4a://proxy", "socks5h://proxy"})
    CHECK(parse_proxy(url)->resolves_names());
  for (const char* given_addresses : {"socks4://proxy", "socks5://proxy"})
    CHECK_FALSE(parse_proxy(given_addresses)->resolves_names());
  for (const std::string bad : {"", "proxy:3128", "ftp://u:secret@proxy", "http://", "http://u:secret@proxy/path",
                                "http://u:secret@proxy:99999"}) {
    CAPTURE(bad);
    const Result<Proxy> refused = parse_proxy(bad);
    REQUIRE(refused.has_error());
    CHECK(refused.error().message.find("secret") == std::string::npos);
  }
}

}  // namespace linkherd::crawler
