#include "parser/url/mail_address.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/parser/url/href_of.h"

using namespace linkherd::parser;

TEST_CASE("plausible mail addresses are accepted") {
  for (const std::string_view text :
       {"mailto:a@b.cn", "mailto:first.last+tag@mail.example.co.uk", "mailto:a@b.cn?subject=hello%20world",
        "mailto:a@b.cn,c@d.cn", "mailto:a@b.cn,%20c@d.cn", "mailto:?to=a@b.cn&cc=c@d.cn", "mailto:?subject=x&body=y",
        "mailto:%22a%20b%22@c.cn", "mailto:a@[1.2.3.4]", "mailto:a@[IPv6:::1]", "mailto:用户@例え.jp",
        "mailto:%E7%94%A8@b.cn", "mailto:o'brien@b.ie", "mailto:a@xn--r8jz45g.jp", "MAILTO:A@B.CN"}) {
    CAPTURE(text);
    CHECK(find_mailto_problem(url_of(text)).value_or("") == "");
  }
}

TEST_CASE("an impossible mail address gets a one-line reason") {
  for (const std::string_view text :
       {"mailto:a",           "mailto:@b.cn",      "mailto:a@",        "mailto:a@b",       "mailto:a@b..cn",
        "mailto:.a@b.cn",     "mailto:a.@b.cn",    "mailto:a..b@c.cn", "mailto:a b@c.cn",  "mailto:a@b_c.cn",
        "mailto:a@-b.cn",     "mailto:a@b-.cn",    "mailto:a@@b.cn",   "mailto:a@b.cn,c",  "mailto:?to=a",
        "mailto:a@b.cn?CC=x", "mailto:a@[1.2.3]x", "mailto:a@[::1]",   "mailto:%22a@b.cn", "mailto:a@b.cn%00",
        "mailto:%FF@b.cn",    "mailto:a(at)b.cn",  "mailto:a@b.123",   "mailto:a%2Cb@c.cn"}) {
    CAPTURE(text);
    const auto problem = find_mailto_problem(url_of(text));
    REQUIRE(problem.has_value());
    CHECK(problem->find('\n') == std::string::npos);
  }
  const auto endless = find_mailto_problem(url_of("mailto:" + std::string(100'000, 'a') + "@b.cn"));
  REQUIRE(endless.has_value());
  CHECK(endless->size() < 300);
}
