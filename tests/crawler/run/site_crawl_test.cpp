#include "crawler/run/site_crawl.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

parser::Url parsed(const std::string& text) { return parser::Url::parse(text).value(); }

// Returns a long text that begins with `words`.
std::string long_text(const std::string& words) {
  std::string text = words;
  for (std::size_t i = 0; i < 200; ++i)
    text += fmt::format(" {}{}", static_cast<char>('a' + i % 26), std::string(1 + i % 9, 'o'));
  return text;
}

storage::Snapshot snapshot_of(const std::string& final_url, const std::string& words,
                              const std::string& canonical = {}) {
  storage::Snapshot snapshot;
  snapshot.final_url = final_url;
  snapshot.is_body_complete = true;
  snapshot.main_text = parser::compute_signature(long_text(words));
  snapshot.metadata.title = {"A page", {}, 1};
  if (!canonical.empty()) snapshot.metadata.canonical = {canonical, {}, 1};
  return snapshot;
}

struct CrawledSite {
  explicit CrawledSite(SiteCrawl::Limits limits = {}, const LinkFilter* follow = nullptr)
      : scope({parsed("http://a.herd/")}, follow, {}), site(scope, limits, Timestamp(std::chrono::hours(500'000))) {}

  bool follow(const std::string& link, const std::string& words) {
    return site.follow(parsed(link), snapshot_of(link, words), {});
  }

  SiteScope scope;
  SiteCrawl site;
};

}  // namespace

TEST_CASE("a site is the origin of its start page or the URLs that match a pattern") {
  const CrawledSite plain;
  CHECK(plain.scope.contains(parsed("http://a.herd/x")));
  CHECK_FALSE(plain.scope.contains(parsed("https://a.herd/x")));
  CHECK_FALSE(plain.scope.contains(parsed("http://b.herd/x")));
  CHECK_FALSE(plain.scope.contains(parsed("mailto:x@a.herd")));
  LinkFilterOptions options;
  options.include.push_back({"--follow", "^https?://[ab]\\.herd/docs/"});
  const LinkFilter filter = LinkFilter::make(options).value();
  const CrawledSite by_pattern({}, &filter);
  CHECK(by_pattern.scope.contains(parsed("https://b.herd/docs/x")));
  CHECK_FALSE(by_pattern.scope.contains(parsed("http://a.herd/x")));
  CHECK(by_pattern.scope.may_be_read(parsed("http://a.herd/"), parsed("http://a.herd/")));
}

TEST_CASE("links of a crawled page are prose and not entries") {
  CrawledSite crawl;
  const auto plan = crawl.scope.read(parsed("http://a.herd/x"), parsed("http://me:secret@a.herd/y/"),
                                     "<ul>\n<li><a rel=nofollow href='z'>z</a><form action=/send></form></ul>");
  REQUIRE(plan);
  REQUIRE(plan->size() == 1);
  CHECK(plan->href(0) == "http://a.herd/y/z");
  const parser::LinkOccurrence occurrence = plan->occurrences(0).front();
  CHECK(occurrence.file == "http://a.herd/y/");
  CHECK(occurrence.line == 2);
  CHECK(occurrence.column == 27);
  CHECK(occurrence.rel == "nofollow");
  CHECK(occurrence.entry == 0);
  CHECK(occurrence.role == parser::LinkRole::prose);
  CHECK_FALSE(crawl.scope.read(parsed("http://b.herd/"), parsed("http://a.herd/"), "<a href=x>x</a>"));
  CHECK_FALSE(crawl.scope.read(parsed("http://a.herd/x"), parsed("http://b.herd/"), "<a href=x>x</a>"));
}

TEST_CASE("a page that repeats a link keeps its first occurrences") {
  CrawledSite crawl;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("<a href=x>x</a><a href=./x?{}>y</a>", i % 2);
  const auto plan = crawl.scope.read(parsed("http://a.herd/"), parsed("http://a.herd/"), text);
  REQUIRE(plan);
  CHECK(plan->size() == 3);
  CHECK(plan->occurrence_count() == 30);
}

TEST_CASE("the origin that the start page redirects to belongs to the site") {
  CrawledSite crawl;
  CHECK_FALSE(crawl.scope.contains(parsed("https://www.a.herd/x")));
  CHECK(crawl.scope.read(parsed("http://a.herd/"), parsed("https://www.a.herd/"), "").has_value());
  CHECK(crawl.scope.contains(parsed("https://www.a.herd/x")));
}

TEST_CASE("each page is followed once up to the page limit") {
  CrawledSite crawl({.max_pages = 2});
  CHECK_FALSE(crawl.site.has_read(parsed("http://a.herd/")));
  CHECK(crawl.follow("http://a.herd/", "start"));
  CHECK(crawl.site.has_read(parsed("http://a.herd/")));
  CHECK_FALSE(crawl.site.follow(parsed("http://a.herd/index"), snapshot_of("http://a.herd/", "start"), {}));
  CHECK(crawl.follow("http://a.herd/1", "one"));
  CHECK_FALSE(crawl.follow("http://a.herd/2", "two"));
  CHECK(crawl.site.counts().pages == 2);
  CHECK(crawl.site.counts().beyond_pages == 1);
}

TEST_CASE("start pages are followed before sitemap pages") {
  SiteCrawl::Limits limits;
  limits.max_pages = 1;
  CrawledSite crawl(limits);
  CHECK_FALSE(crawl.follow("http://a.herd/1", "one"));
  CHECK(crawl.follow("http://a.herd/", "start"));
}

TEST_CASE("query variants of a page are not followed and later not fetched") {
  CrawledSite crawl;
  CHECK(crawl.follow("http://a.herd/p?x=0", "same"));
  CHECK(crawl.follow("http://a.herd/other?x=0", "same"));
  CHECK(crawl.follow("http://a.herd/p?x=other", "a quite different beginning"));
  for (int i = 1; i <= 10; ++i) {
    CHECK_FALSE(crawl.site.verdict_if_excluded(parsed(fmt::format("http://a.herd/p?x={}", i))).has_value());
    CHECK_FALSE(crawl.follow(fmt::format("http://a.herd/p?x={}", i), "same"));
  }
  CHECK(crawl.site.counts().repeated == 10);
  const auto left_out = crawl.site.verdict_if_excluded(parsed("http://a.herd/p?x=11"));
  REQUIRE(left_out);
  CHECK(left_out->health == storage::Health::skipped);
  CHECK(left_out->reason == storage::reason::crawler_trap);
  CHECK_FALSE(crawl.site.verdict_if_excluded(parsed("http://a.herd/p")).has_value());
  CHECK_FALSE(crawl.site.verdict_if_excluded(parsed("http://b.herd/p?x=11")).has_value());
}

TEST_CASE("pages with one canonical URL and nearly the same text are one page") {
  CrawledSite crawl;
  const std::string canonical = "http://a.herd/p";
  CHECK(crawl.site.follow(parsed("http://a.herd/p?u=1"), snapshot_of("http://a.herd/p?u=1", "noon", canonical), {}));
  CHECK_FALSE(
      crawl.site.follow(parsed("http://a.herd/p?u=2"), snapshot_of("http://a.herd/p?u=2", "night", canonical), {}));
  CHECK(crawl.site.follow(parsed("http://a.herd/p?u=3"), snapshot_of("http://a.herd/p?u=3", "night"), {}));
}

TEST_CASE("URLs with sessions and calendars are skipped beyond a limit") {
  CrawledSite crawl;
  CHECK_FALSE(crawl.site.verdict_if_excluded(parsed("http://a.herd/p?sid=1")).has_value());
  CHECK(crawl.site.verdict_if_excluded(parsed("http://a.herd/p?sid=2")).has_value());
  CHECK_FALSE(crawl.site.verdict_if_excluded(parsed("http://a.herd/q?sid=2")).has_value());
  int fetched = 0;
  for (int year = 1900; year < 2000; ++year) {
    for (int month = 1; month <= 12; ++month)
      fetched +=
          crawl.site.verdict_if_excluded(parsed(fmt::format("http://a.herd/calendar/{}/{}", year, month))) ? 0 : 1;
  }
  CHECK(fetched == 400);
  CHECK(crawl.site.counts().endless == 801);
}

TEST_CASE("with a depth limit the links of a level are taken after its pages end") {
  CrawledSite crawl({.depth = 1});
  CHECK(crawl.site.end_of_step(0, 3) == 1);  // the start page; two others come from a sitemap
  crawl.site.took(0);
  CHECK(crawl.site.end_of_step(1, 3) == 1);
  CHECK(crawl.follow("http://a.herd/", "start"));
  crawl.site.ended(0);
  CHECK(crawl.site.end_of_step(1, 5) == 5);
  CHECK(crawl.follow("http://a.herd/1", "one"));
  CHECK(crawl.site.end_of_step(5, 7) == 7);
  CHECK_FALSE(crawl.follow("http://a.herd/1/1", "two"));
  CHECK(crawl.site.counts().beyond_depth == 1);
}

TEST_CASE("a crawl above the link limit follows no more pages") {
  CrawledSite crawl({.max_links = 0});
  CHECK_FALSE(crawl.follow("http://a.herd/", "start"));
  CHECK(crawl.site.counts().beyond_links == 1);
}
