#include "crawler/run/site_follower.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/text_signature.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

const Timestamp follow_time(std::chrono::hours(500'000));

// A crawl of http://a.herd/ whose start page is the first link.
struct FollowedSite {
  SiteScope scope{{parser::Url::parse("http://a.herd/").value()}, nullptr, {}};
  SiteCrawl site;
  RunLinks links{start_table(), nullptr};
  std::vector<std::size_t> changed;
  SiteFollower follower{site, links, nullptr, [this](std::size_t index) { changed.push_back(index); }};

  explicit FollowedSite(SiteCrawl::Limits limits = {}) : site(scope, limits, follow_time) {}

  static LinkTable start_table() {
    LinkTable table;
    const parser::Url url = parser::Url::parse("http://a.herd/").value();
    table.find_or_add(storage::LinkId::of(url), url.href(), std::nullopt);
    return table;
  }

  AnalyzedPage page(std::size_t index, const std::string& html, storage::Health health = storage::Health::alive) const {
    const parser::Url url = parser::Url::parse(links.href_to_fetch(index)).value();
    AnalyzedPage page{{.body = html}, FetchRequest(links.id(index), url.href()), url};
    page.snapshot.fetched_at = follow_time;
    page.snapshot.status = 200;
    page.snapshot.final_url = url.href();
    page.snapshot.content_type = "text/html";
    page.snapshot.charset = "utf-8";
    page.snapshot.is_body_complete = true;
    page.snapshot.body_digest = storage::content_digest(html);
    page.snapshot.verdict.health = health;
    return page;
  }
};

constexpr const char* start_html = "<a href='/one'>One</a> <a href='http://b.herd/two'>Two</a>";

}  // namespace

TEST_CASE("the links of a page that was fetched become links of the run") {
  FollowedSite run;
  CHECK(run.follower.start(0) == Purpose::link);
  AnalyzedPage page = run.page(0, start_html);
  run.follower.add_links(0, page);
  REQUIRE(run.links.size() == 3);
  CHECK(run.changed == std::vector<std::size_t>{1, 2});
  CHECK(run.links.href_to_fetch(1) == "http://a.herd/one");
  CHECK(run.follower.start(1) == Purpose::found);  // of the site
  CHECK(run.follower.start(2) == Purpose::link);   // of another one
}

TEST_CASE("the links of a page that is not alive are not followed") {
  FollowedSite run;
  run.follower.start(0);
  AnalyzedPage page = run.page(0, start_html, storage::Health::dead);
  run.follower.add_links(0, page);
  CHECK(run.links.size() == 1);
}

TEST_CASE("with a depth the links of a page wait until all pages of its step have ended") {
  FollowedSite run({.depth = 1});
  CHECK(run.follower.end_of_step(0) == 1);
  run.follower.start(0);
  CHECK(run.follower.end_of_step(1) == 1);
  AnalyzedPage page = run.page(0, start_html);
  run.follower.add_links(0, page);
  CHECK(run.follower.end_of_step(1) == 3);
}

TEST_CASE("a link of which there may be endlessly many is not fetched") {
  FollowedSite run;
  run.follower.start(0);
  AnalyzedPage page = run.page(0, "<a href='/a/b/a/b/a/b/a/b/a/b/a/b'>Trap</a> <a href='/one'>One</a>");
  run.follower.add_links(0, page);
  REQUIRE(run.links.size() == 3);
  for (std::size_t index = 0; index < 3; ++index) run.follower.exclude(index);
  CHECK_FALSE(run.links.has_verdict(0));
  CHECK(run.links.has_verdict(1));
  CHECK_FALSE(run.links.has_verdict(2));
}
