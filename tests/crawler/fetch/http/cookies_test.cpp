// Tests which cookies are accepted and which hosts get them back.
#include "crawler/fetch/http/cookies.h"

#include <doctest/doctest.h>

namespace linkherd::crawler {

namespace {

const Timestamp now = parse_timestamp("2026-03-05T10:00:00Z").value();

parser::Url url_of(std::string_view text) { return parser::Url::parse(text).value(); }

// Returns the cookies that are sent to `to` after `from` has sent `header`.
std::string carried(std::string_view from, std::string_view header, std::string_view to) {
  std::vector<Cookie> cookies;
  if (auto cookie = parse_set_cookie(url_of(from), header, now)) keep_cookie(cookies, std::move(*cookie), now);
  return cookies_for(cookies, url_of(to), now);
}

}  // namespace

TEST_CASE("a cookie is sent only to the URLs that it is for") {
  struct Row {
    std::string from, header, to, sent;
  };
  const std::vector<Row> rows{
      {"https://a.test/", "k=v", "https://a.test/x", "k=v"},
      {"https://a.test/", "k=v", "https://b.a.test/x", ""},
      {"https://www.a.test/", "k=v; Domain=a.test", "https://b.a.test/x", "k=v"},
      {"https://www.a.test/", "k=v; Domain=.a.test", "https://a.test/", "k=v"},
      {"https://a.test/", "k=v; Domain=b.test", "https://b.test/", ""},
      {"https://a.test/", "k=v; Domain=www.a.test", "https://www.a.test/", ""},
      {"https://x.co.uk/", "k=v; Domain=co.uk", "https://y.co.uk/", ""},
      {"https://alice.github.io/", "k=v; Domain=github.io", "https://bob.github.io/", ""},
      {"https://a.test/", "k=v; Domain=test", "https://b.test/", ""},
      {"https://127.0.0.1/", "k=v; Domain=0.0.1", "https://127.0.0.1/", ""},
      {"https://127.0.0.1/", "k=v", "https://127.0.0.1/", "k=v"},
      {"https://a.test/p/q", "k=v", "https://a.test/p/r", "k=v"},
      {"https://a.test/p/q", "k=v", "https://a.test/o", ""},
      {"https://a.test/", "k=v; Path=/p", "https://a.test/pq", ""},
      {"https://a.test/", "k=v; Path=/p", "https://a.test/p/q", "k=v"},
      {"https://a.test/", "k=v; Secure", "http://a.test/", ""},
      {"http://a.test/", "k=v; Secure", "https://a.test/", ""},
      {"https://a.test/", "k=v; Max-Age=0", "https://a.test/", ""},
      {"https://a.test/", "k=v; Max-Age=-99999999999999999999", "https://a.test/", ""},
      {"https://a.test/", "k=v; Max-Age=99999999999999999999", "https://a.test/", "k=v"},
      {"https://a.test/", "k=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://a.test/", ""},
      {"https://a.test/", "k=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9", "https://a.test/", "k=v"},
      {"https://a.test/", "k=v; Expires=nonsense; Path=nonsense", "https://a.test/", "k=v"},
      {"https://a.test/", "k=", "https://a.test/", "k="},
      {"https://a.test/", "=v", "https://a.test/", ""},
      {"https://a.test/", "no sign", "https://a.test/", ""},
      {"https://a.test/", "", "https://a.test/", ""},
      {"https://a.test/", "k=a\x01b", "https://a.test/", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.from);
    CAPTURE(row.header);
    CAPTURE(row.to);
    CHECK(carried(row.from, row.header, row.to) == row.sent);
  }
}

TEST_CASE("cookies are bounded in size and number and replace cookies of the same name") {
  const parser::Url url = url_of("https://a.test/");
  CHECK_FALSE(parse_set_cookie(url, "k=" + std::string(5000, 'v'), now));
  std::vector<Cookie> cookies;
  for (int i = 0; i < 10'000; ++i)
    keep_cookie(cookies, parse_set_cookie(url, "k" + std::to_string(i) + "=v", now).value(), now);
  CHECK(cookies.size() == 50);
  cookies.clear();
  for (int i = 0; i < 20; ++i)
    keep_cookie(cookies, parse_set_cookie(url, "k" + std::to_string(i) + "=" + std::string(4000, 'v'), now).value(),
                now);
  CHECK(cookies.size() == 4);
  cookies.clear();
  keep_cookie(cookies, parse_set_cookie(url, "k=1", now).value(), now);
  keep_cookie(cookies, parse_set_cookie(url, "k=2", now).value(), now);
  CHECK(cookies_for(cookies, url, now) == "k=2");
}

TEST_CASE("cookie files are read as browsers export them") {
  const Result<std::vector<Cookie>> cookies = parse_cookie_file(
      "# Netscape HTTP Cookie File\r\n\n.a.test\tTRUE\t/\tFALSE\t0\tsession\tone\n"
      "#HttpOnly_b.test\tFALSE\t/p\tTRUE\t4102444800\ttoken\t\nc.test\tFALSE\t/\tFALSE\t1\told\tx");
  REQUIRE(cookies.has_value());
  CHECK(cookies_for(*cookies, url_of("http://www.a.test/"), now) == "session=one");
  CHECK(cookies_for(*cookies, url_of("https://b.test/p"), now) == "token=");
  CHECK(cookies_for(*cookies, url_of("https://c.test/"), now) == "");
  const Result<std::vector<Cookie>> bad = parse_cookie_file("# x\n{\"secret\": 1}\n");
  REQUIRE(bad.has_error());
  CHECK(bad.error().message.find("line 2") != std::string::npos);
  CHECK(bad.error().message.find("secret") == std::string::npos);
  CHECK(parse_cookie_file("")->empty());
}

}  // namespace linkherd::crawler
