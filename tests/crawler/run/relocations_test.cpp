// Tests the search for new addresses as a part of a run, against a small internet.
#include "crawler/run/relocations.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/run/crawl.h"
#include "crawler/run/link_table_builder.h"
#include "storage/link_history.h"
#include "tests/crawler/run/crawl_options.h"
#include "tests/support/gzip_compress.h"
#include "tests/support/made_pages.h"
#include "tests/support/small_internet.h"
#include "tests/support/temp_dir.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;
using storage::CheckedLink;
using storage::Health;
using storage::Relocation;
using storage::RelocationLevel;
using storage::RelocationSource;

namespace {

const std::string old_page = "https://bindery.herd/2014/05/kerning.html";
const std::string new_page = "https://bindery.herd/library/kerning";

// A site whose page is read once, and then moves.
struct Bindery {
  tests::SmallInternet internet;
  tests::TempDir folder;
  std::unique_ptr<storage::Store> store = storage::Store::open(folder / "store");
  std::string list = "- [Kerning for binders](" + old_page + ")\n";
  Timestamp now = parse_timestamp("2026-03-05T10:00:00Z").value();
  CrawlOptions options;

  Bindery() {
    options = options_for(internet);
    options.max_cache_age = 0s;
    site().page("/2014/05/kerning.html", tests::made_article("Kerning for binders", 1));
    site().page("/", tests::html_page("<title>Bindery</title><a href=/about>About</a>"));
  }
  tests::HostScript& site() { return internet.host("bindery.herd"); }

  CrawlResult check() {
    std::vector<InputDocument> documents{{"list.md", list, parser::DocumentFormat::markdown}};
    now += std::chrono::hours(24);
    return crawl(build_link_table(documents, {}), options, Clock(now), store.get(), {});
  }
  CheckedLink check(std::string_view url) {
    const CrawlResult result = check();
    for (std::size_t i = 0; i < result.links->size(); ++i) {
      CheckedLink link = result.links->at(i);
      if (link.state.url == url) return link;
    }
    FAIL("no such link");
    return {};
  }
  // The pages have new addresses, and a sitemap lists them.
  void move_pages() {
    site().page("/2014/05/kerning.html", tests::status_page(404));
    site().page("/library/kerning",
                tests::made_article("Kerning for binders", 1, "<a href=/library/ligatures>Ligatures</a>"));
    site().page("/library/ligatures", tests::made_article("Ligatures for binders", 2));
    site().page("/sitemap.xml", tests::sitemap_page({"https://bindery.herd/about",
                                                     "https://bindery.herd/library/ligatures", new_page}));
  }
};

}  // namespace

TEST_CASE("relocations: the new address of a dead page is found in the sitemap and stored") {
  Bindery bindery;
  CHECK(bindery.check(old_page).result.verdict.health == Health::alive);
  bindery.move_pages();
  CHECK_FALSE(bindery.check(old_page).state.relocation);  // without the option
  CHECK(bindery.internet.count("bindery.herd", "/sitemap.xml") == 0);

  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  CHECK(link.result.verdict.health == Health::dead);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url == new_page);
  CHECK(link.state.relocation->level == RelocationLevel::sure);
  CHECK(link.state.relocation->source == RelocationSource::sitemap);
  CHECK(link.state.relocation->similarity.value_or(0.0) > 0.9);
  CHECK(link.state.relocation->searched_at >= bindery.now);
  CHECK(bindery.internet.count("bindery.herd", "/sitemap.xml") == 1);
  CHECK(storage::LinkHistory(*bindery.store).state(link.result.id)->relocation == link.state.relocation);
}

TEST_CASE("relocations: a page is searched again after 30 days") {
  Bindery bindery;
  bindery.check();
  bindery.site().page("/2014/05/kerning.html", tests::status_page(410));
  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url.empty());
  bindery.move_pages();
  bindery.internet.clear_requests();
  CHECK(bindery.check(old_page).state.relocation->url.empty());
  CHECK(bindery.internet.count("bindery.herd", "/sitemap.xml") == 0);
  bindery.now += std::chrono::days(30);
  CHECK(bindery.check(old_page).state.relocation->url == new_page);
}

TEST_CASE("relocations: a page is searched again if its new address is dead too") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  bindery.options.relocation.emplace();
  CHECK(bindery.check(old_page).state.relocation->url == new_page);
  bindery.internet.clear_requests();
  CHECK(bindery.check(old_page).state.relocation->url == new_page);
  CHECK(bindery.internet.count("bindery.herd", "/library/kerning") == 1);
  CHECK(bindery.internet.count("bindery.herd", "/sitemap.xml") == 0);
  const std::string newer_page = "https://bindery.herd/guide/kerning";
  bindery.site().page("/library/kerning", tests::status_page(404));
  bindery.site().page("/guide/kerning",
                      tests::made_article("Kerning for binders", 1, "<a href=/guide/ligatures>Ligatures</a>"));
  bindery.site().page("/guide/ligatures", tests::made_article("Ligatures for binders", 2));
  bindery.site().page("/sitemap.xml", tests::sitemap_page({"https://bindery.herd/guide/ligatures", newer_page}));
  CHECK(bindery.check(old_page).state.relocation->url == newer_page);
}

TEST_CASE("relocations: the page that answers 404 names the new address") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  bindery.site().page("/sitemap.xml", tests::status_page(404));
  tests::Page notice =
      tests::html_page("<title>Gone</title><p>This page has moved to <a href=/library/kerning>the library</a>.");
  notice.status = 404;
  bindery.site().page("/2014/05/kerning.html", notice);
  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url == new_page);
  CHECK(link.state.relocation->source == RelocationSource::not_found_page);
  CHECK(link.state.relocation->level == RelocationLevel::sure);
  CHECK(bindery.internet.count("bindery.herd", "/sitemap.xml") == 0);
}

TEST_CASE("relocations: a compressed sitemap is read whatever its type") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  tests::Page sitemap = tests::sitemap_page({"https://bindery.herd/library/ligatures", new_page});
  sitemap.body = tests::gzip_compress(sitemap.body);
  sitemap.headers = {{"Content-Type", "application/gzip"}};
  bindery.site().page("/all.xml.gz", sitemap);
  bindery.site().page("/sitemap.xml", tests::status_page(404));
  bindery.site().page("/robots.txt", tests::html_page("Sitemap: https://bindery.herd/all.xml.gz\n", "text/plain"));
  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url == new_page);
}

TEST_CASE("relocations: an address with a login is not requested") {
  Bindery bindery;
  bindery.check();
  tests::Page notice = tests::html_page("<p>Moved to <a href=https://ada:quill@bindery.herd/library/kerning>here</a>");
  notice.status = 404;
  bindery.site().page("/2014/05/kerning.html", notice);
  bindery.site().page("/library/kerning", tests::made_article("Kerning for binders", 1));
  bindery.options.relocation.emplace();
  bindery.check();
  CHECK(bindery.internet.count("bindery.herd", "/library/kerning") == 0);
}

TEST_CASE("relocations: the login of a canonical address is not sent") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  bindery.site().page(
      "/library/kerning",
      tests::made_article("Kerning for binders", 1, "<link rel=canonical href=https://ada:quill@copies.herd/>"));
  bindery.internet.host("copies.herd").page("/", tests::made_article("Kerning for binders", 1));
  bindery.options.relocation.emplace();
  bindery.check();
  CHECK(bindery.internet.count("bindery.herd", "/library/kerning") == 1);
  for (const tests::ReceivedRequest& request : bindery.internet.requests("copies.herd"))
    CHECK(request.header("Authorization").empty());
}

TEST_CASE("relocations: other pages of the host that redirect show how addresses changed") {
  Bindery bindery;
  for (const char* const name : {"gluing", "sewing"}) {
    bindery.list += fmt::format("- <https://bindery.herd/2014/05/{}.html>\n", name);
    bindery.site().page(fmt::format("/2014/05/{}.html", name),
                        tests::redirect_page(301, fmt::format("/library/{}", name)));
    bindery.site().page(fmt::format("/library/{}", name),
                        tests::made_article(name, 7 + static_cast<std::uint64_t>(name[0])));
  }
  bindery.check();
  bindery.move_pages();
  bindery.site().page("/sitemap.xml", tests::status_page(404));
  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url == new_page);
  CHECK(link.state.relocation->source == RelocationSource::other_pages);
  CHECK(link.state.relocation->level == RelocationLevel::sure);
}

TEST_CASE("relocations: another link of the same entry may be the new address") {
  Bindery bindery;
  bindery.list = "- [Kerning for binders](" + old_page + ") ([mirror](https://copies.herd/kerning))\n";
  bindery.internet.host("copies.herd").page("/kerning", tests::made_article("Kerning for binders", 1));
  bindery.check();
  bindery.site().page("/2014/05/kerning.html", tests::status_page(404));
  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url == "https://copies.herd/kerning");
  CHECK(link.state.relocation->source == RelocationSource::entry);
}

TEST_CASE("relocations: nothing is requested that robots.txt forbids") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  bindery.site().page("/robots.txt", tests::html_page("User-agent: *\nDisallow: /library/\n", "text/plain"));
  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url.empty());
  CHECK(bindery.internet.count("bindery.herd", "/library/kerning") == 0);
}

TEST_CASE("relocations: a host without an address gets no request") {
  Bindery bindery;
  bindery.check();
  bindery.internet.dns("bindery.herd", tests::dns_failure(tests::DnsKind::not_found));
  bindery.options.relocation.emplace();
  bindery.check();
  bindery.internet.clear_requests();
  const CheckedLink link = bindery.check(old_page);
  CHECK(link.result.verdict.health == Health::dead);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url.empty());
  CHECK(bindery.internet.requests("bindery.herd").empty());
}

TEST_CASE("relocations: the number of searched pages is limited") {
  Bindery bindery;
  for (int i = 0; i < 5; ++i) bindery.list += fmt::format("- <https://bindery.herd/gone/{}>\n", i);
  bindery.check();
  bindery.options.relocation.emplace().max_pages = 2;
  const CrawlResult result = bindery.check();
  std::size_t searched = 0;
  result.links->for_each([&](std::size_t, const CheckedLink& link) {
    if (link.state.relocation) ++searched;
  });
  CHECK(searched == 2);
}

TEST_CASE("relocations: the search ends at its time limit, and its result is not recorded") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  tests::Page silent = tests::html_page("x");
  silent.delivery = tests::Delivery::silence;
  bindery.site().page("/sitemap.xml", silent);
  bindery.options.relocation.emplace();
  bindery.options.fetch.timeout = 60s;
  bindery.options.lookup_wait = 5s;
  const CrawlResult result = bindery.check();
  CHECK(result.run.state == storage::RunState::complete);
  CHECK(result.links->at(0).result.verdict.health == Health::dead);
  CHECK(bindery.internet.count("bindery.herd", "/sitemap.xml") == 1);
  CHECK_FALSE(result.links->at(0).state.relocation);
}

TEST_CASE("relocations: a search is repeated in the next run if a host did not answer") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  bindery.site().page("/sitemap.xml", tests::status_page(503));
  bindery.options.relocation.emplace();
  CHECK_FALSE(bindery.check(old_page).state.relocation);
  bindery.move_pages();
  CHECK(bindery.check(old_page).state.relocation->url == new_page);
}

TEST_CASE("relocations: a page is not sure if its neighbour does not answer") {
  Bindery bindery;
  bindery.check();
  bindery.move_pages();
  bindery.site().page("/library/ligatures", tests::status_page(503));
  bindery.options.relocation.emplace();
  const CheckedLink link = bindery.check(old_page);
  REQUIRE(link.state.relocation);
  CHECK(link.state.relocation->url == new_page);
  CHECK(link.state.relocation->level == RelocationLevel::probably);
}

TEST_CASE("relocations: two origins share the sitemap that both name") {
  Bindery bindery;
  const std::string other_page = "http://bindery.herd/2014/05/gluing.html";
  bindery.list += "- <" + other_page + ">\n";
  bindery.site().page("/2014/05/gluing.html", tests::made_article("Gluing for binders", 5));
  bindery.check();
  bindery.move_pages();
  bindery.site().page("/2014/05/gluing.html", tests::status_page(404));
  bindery.site().page("/library/gluing",
                      tests::made_article("Gluing for binders", 5, "<a href=/library/ligatures>x</a>"));
  bindery.site().page("/robots.txt", tests::html_page("Sitemap: https://bindery.herd/all.xml\n", "text/plain"));
  tests::Page sitemap = tests::sitemap_page({new_page, "https://bindery.herd/library/gluing"});
  sitemap.delay = 1s;  // so that both origins wait for it, unless the machine is very busy
  bindery.site().page("/all.xml", sitemap);
  bindery.site().page("/sitemap.xml", tests::status_page(404));
  bindery.options.relocation.emplace();
  const CrawlResult result = bindery.check();
  std::size_t found = 0;
  result.links->for_each([&](std::size_t, const CheckedLink& link) {
    CAPTURE(link.state.url);
    REQUIRE(link.state.relocation);
    if (link.state.relocation->source == RelocationSource::sitemap) ++found;
  });
  CHECK(found == 2);
  CHECK(bindery.internet.count("bindery.herd", "/all.xml") <= 2);
}
