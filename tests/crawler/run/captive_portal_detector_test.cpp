#include <doctest/doctest.h>

#include "crawler/run/outage.h"
#include "storage/link_id.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

AnalyzedPage page_of(const std::string& url, int status, std::vector<storage::Redirect> redirects = {}) {
  const parser::Url parsed = parser::Url::parse(url).value();
  AnalyzedPage page{{}, FetchRequest(storage::LinkId::of(parsed), parsed.href()), parsed};
  page.snapshot.status = status;
  page.snapshot.redirects = std::move(redirects);
  return page;
}

AnalyzedPage sent(const std::string& url, int status, const std::string& to) {
  return page_of(url, 200, {{url, status, to}});
}

std::string site(int number) { return "http://site" + std::to_string(number) + ".com/"; }

}  // namespace

TEST_CASE("the portal rule compares redirected sites with answering ones") {
  struct Row {
    std::size_t sent;
    std::size_t answered;
    bool slow_contacts_done;
    bool portal;
  };
  for (const Row& row : {Row{4, 4, true, false}, Row{5, 5, false, true}, Row{5, 6, false, false},
                         Row{5, 10, true, true}, Row{5, 11, true, false}, Row{100, 1000, true, false}}) {
    CAPTURE(row.sent);
    CAPTURE(row.answered);
    CHECK(is_captive_portal(row.sent, row.answered, 0.5, row.slow_contacts_done) == row.portal);
  }
}

TEST_CASE("only temporary redirects to one address of another domain look like a portal") {
  struct Row {
    const char* name;
    int status;
    std::string to;  // {} is the number of the site
    bool held;
    bool portal;
  };
  const std::vector<Row> rows{{"a login page", 302, "http://portal.com/login?from={}", true, true},
                              {"the same by 307", 307, "http://portal.com/login?from={}", true, true},
                              {"for good", 301, "http://portal.com/login", false, false},
                              {"pages of their own at one place", 302, "http://shop.com/{}", true, false},
                              {"themselves by TLS", 302, "https://site{}.com/", false, false}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CaptivePortalDetector watch(0.5);
    for (int i = 0; i < 6; ++i) {
      std::string to = row.to;
      if (const auto at = to.find("{}"); at != std::string::npos) to.replace(at, 2, std::to_string(i));
      AnalyzedPage page = sent(site(i), row.status, to);
      CHECK(watch.hold(page) == row.held);
    }
    CHECK(watch.has_portal(true) == row.portal);
    CHECK(watch.has_portal(false) == row.portal);
    CHECK(watch.release().size() == (row.held ? 6U : 0U));
    CHECK(watch.held() == 0);
  }
}

TEST_CASE("a sign-on page that sends every visitor back is no portal") {
  CaptivePortalDetector watch(0.5);
  for (int i = 0; i < 9; ++i) {
    AnalyzedPage page = sent(site(i), 302, "http://id.com/global?from=" + site(i));
    page.snapshot.redirects.push_back({"http://id.com/global?from=" + site(i), 302, site(i) + "?back"});
    page.snapshot.final_url = site(i) + "?back";
    CHECK_FALSE(watch.hold(page));
  }
  CHECK_FALSE(watch.has_portal(true));
}

TEST_CASE("a page that a link names is no portal") {
  CaptivePortalDetector watch(0.5);
  for (int i = 0; i < 9; ++i) {
    AnalyzedPage page = sent(site(i), 302, "http://sso.com/login");
    watch.hold(page);
  }
  CHECK(watch.has_portal(true));
  AnalyzedPage listed = page_of("http://sso.com/about", 200);
  CHECK_FALSE(watch.hold(listed));
  CHECK_FALSE(watch.has_portal(true));
}

TEST_CASE("a login page for many sites is a portal and for one site is none") {
  CaptivePortalDetector watch(0.5);
  for (int i = 0; i < 5; ++i) {
    CHECK_FALSE(watch.has_portal(true));
    AnalyzedPage page = page_of(site(i), 511);
    CHECK(watch.hold(page));
  }
  CHECK(watch.has_portal(true));
}

TEST_CASE("a domain counts once by its latest answer") {
  CaptivePortalDetector watch(0.5);
  for (int i = 0; i < 20; ++i) {
    AnalyzedPage page = sent("http://a" + std::to_string(i) + ".site.com/", 302, "http://portal.com/");
    watch.hold(page);
  }
  CHECK_FALSE(watch.has_portal(true));
}
