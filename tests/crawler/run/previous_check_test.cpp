#include "crawler/run/previous_check.h"

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;
using storage::Snapshot;

namespace {

Snapshot alive_page() {
  Snapshot page;
  page.status = 200;
  page.verdict.health = Health::alive;
  page.verdict.reason = storage::reason::ok;
  page.final_url = "https://a.cn/page#part";
  page.etag = "\"v1\"";
  page.content_type = "text/plain";
  page.metadata.title = {"A title", "title", 0.9};
  page.body_digest = "digest";
  page.body_bytes = 10;
  return page;
}

}  // namespace

TEST_CASE("a conditional request has the validators of the page that was alive") {
  const std::optional<Validators> validators = validators_of(alive_page());
  REQUIRE(validators.has_value());
  CHECK(validators->url == "https://a.cn/page");
  CHECK(validators->etag == "\"v1\"");

  Snapshot page = alive_page();
  page.etag.clear();
  CHECK_FALSE(validators_of(page).has_value());
  page = alive_page();
  page.verdict.health = Health::dead;
  CHECK_FALSE(validators_of(page).has_value());
  page = alive_page();
  page.content_type = "text/html";  // its text was never read
  CHECK_FALSE(validators_of(page).has_value());
  page = alive_page();
  page.last_modified = "Mon\r\nCookie: a";
  CHECK_FALSE(validators_of(page).has_value());
}

TEST_CASE("an unchanged page inherits its body and metadata") {
  const Snapshot before = alive_page();
  Snapshot now = alive_page();
  now.status = 304;
  now.metadata = {};
  now.body_digest.clear();
  carry_over_previous(before, now, parser::Harvest::full);
  CHECK(now.body_digest == before.body_digest);
  CHECK(now.body_bytes == before.body_bytes);
  CHECK(now.metadata == before.metadata);
}

TEST_CASE("a page that is gone keeps its metadata but not its body") {
  const Snapshot before = alive_page();
  Snapshot now;
  now.status = 404;
  now.verdict.health = Health::dead;
  carry_over_previous(before, now, parser::Harvest::full);
  CHECK(now.metadata == before.metadata);
  CHECK(now.body_digest.empty());
}

TEST_CASE("a page that changed keeps old metadata only if it was not harvested") {
  const Snapshot before = alive_page();
  Snapshot harvested = alive_page();
  harvested.metadata = {};
  Snapshot not_harvested = harvested;
  carry_over_previous(before, harvested, parser::Harvest::full);
  CHECK_FALSE(harvested.metadata.title.has_value());
  carry_over_previous(before, not_harvested, parser::Harvest::title);
  CHECK(not_harvested.metadata.title == before.metadata.title);
}
