#include "crawler/run/crawler_traps.h"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

const Timestamp in_november = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23);

parser::Url address(const std::string& target) { return parser::Url::parse("https://a.herd" + target).value(); }
bool is_endless(const std::string& target) { return endless_address(address(target), in_november).has_value(); }

}  // namespace

TEST_CASE("URLs that a site derives from the previous one are endless") {
  const std::string long_query(3000, 'x');
  const std::vector<std::string> endless{"/a/a/a",
                                         "/docs/en/docs/en/docs/en/x",
                                         "/x/1/x/1/x/1/",
                                         "/?q=1&q=1&q=1",
                                         "/?a=1&a=2&a=3&a=4&a=5",
                                         "/login?to=%252525",
                                         "/events/2031/05/",
                                         "/cal/2031/5",
                                         "/2031/05",
                                         "/kalender/2028-01-31",
                                         "/?month=2040-12",
                                         "/?year=2039&month=2",
                                         "/?" + long_query};
  for (const std::string& target : endless) {
    CAPTURE(target);
    CHECK(is_endless(target));
  }
}

TEST_CASE("ordinary URLs are not endless") {
  const std::vector<std::string> usual{"/",
                                       "/a/a",
                                       "/1/1/1/1",
                                       "/a/b/a/b",
                                       "/a/b/c/a/b/d/a/b",
                                       "/?a[]=1&a[]=2&a[]=3&a[]=4&a[]=5&a[]=6",
                                       "/?q=1&p=1&r=1",
                                       "/2027/05/",
                                       "/events/2014/05/a-concert",
                                       "/2031/05/a-concert",
                                       "/item/2045/3",
                                       "/?id=2045",
                                       "/2031-99"};
  for (const std::string& target : usual) {
    CAPTURE(target);
    CHECK_FALSE(is_endless(target));
  }
}

TEST_CASE("pages of one calendar share its name") {
  CHECK(calendar_of(address("/events/2014/05/")) == calendar_of(address("/events/1999/12/")));
  CHECK(calendar_of(address("/?month=2014-05")) == calendar_of(address("/?month=2014-06")));
  CHECK(calendar_of(address("/events/2014/05/")) != calendar_of(address("/termine/2014/05/")));
  CHECK_FALSE(calendar_of(address("/events/2014/05/a-concert")).has_value());
  CHECK_FALSE(calendar_of(address("/page/3")).has_value());
}

TEST_CASE("a session id is removed from a URL") {
  const std::map<std::string, std::string> plain{{"/p?sid=1", "/p"},
                                                 {"/p?PHPSESSID=abc&x=2#top", "/p?x=2"},
                                                 {"/p?x=2&sid=9&y=3", "/p?x=2&y=3"},
                                                 {"/p;jsessionid=F00?x=1", "/p?x=1"}};
  for (const auto& [target, expected] : plain) {
    CAPTURE(target);
    CHECK(without_session(address(target)) == "https://a.herd" + expected);
  }
  for (const char* target : {"/p", "/p?x=1", "/p?sid=", "/p;v=1", "/a;sid=1/b"}) {
    CAPTURE(target);
    CHECK_FALSE(without_session(address(target)).has_value());
  }
}
