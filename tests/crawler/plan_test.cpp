#include "crawler/plan.h"

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

Plan plan_of(std::string text) {
  std::vector<Seed> seeds{{"list.md", std::move(text), parser::ListFormat::markdown}};
  return make_plan(seeds, {});
}

}  // namespace

TEST_CASE("a URL that is written three times is one planned link with three places") {
  const Plan plan = plan_of("[a](https://a.cn/p/1)\n\n[b](https://A.cn/p/1)\n\n[c](https://a.cn/p/1#part)\n");
  REQUIRE(plan.links.size() == 1);
  CHECK(plan.occurrences == 3);
  CHECK(plan.links[0].occurrences.size() == 3);
  REQUIRE(plan.links[0].url.has_value());
  CHECK(plan.links[0].url->href() == "https://a.cn/p/1");
}

TEST_CASE("a link id is that of the href without fragment and not of a later layer") {
  const Plan plan = plan_of("[a](https://a.cn/p#x) [b](https://a.cn/p?utm_source=y) [c](http://a.cn/p)\n");
  REQUIRE(plan.links.size() == 3);
  const auto id = storage::LinkId::of(parser::Url::parse("https://a.cn/p").value());
  CHECK(plan.links[0].id == id);
  CHECK(plan.links[1].id != id);
  CHECK(plan.links[2].id != id);
}

TEST_CASE("what cannot be fetched is judged in the plan and says why") {
  struct Row {
    const char* markdown;
    storage::Health health;
    std::string_view reason;
  };
  const Row rows[] = {
      {"[m](mailto:a@b.cn)", storage::Health::skipped, storage::reason::unsupported_scheme},
      {"[f](ftp://ftp.gnu.org/x)", storage::Health::skipped, storage::reason::unsupported_scheme},
      {"[r](notes/other.md)", storage::Health::skipped, storage::reason::relative_link},
      {"[e](https://example.com/x)", storage::Health::skipped, storage::reason::placeholder},
      {"[b](https://[broken/x)", storage::Health::dead, storage::reason::invalid_url},
  };
  for (const Row& row : rows) {
    CAPTURE(row.markdown);
    const Plan plan = plan_of(row.markdown);
    REQUIRE(plan.links.size() == 1);
    REQUIRE(plan.links[0].verdict.has_value());
    CHECK(plan.links[0].verdict->health == row.health);
    CHECK(plan.links[0].verdict->reason == row.reason);
    CHECK_FALSE(plan.links[0].verdict->evidence.empty());
  }
}

TEST_CASE("a host without scheme is planned as https") {
  const Plan plan = plan_of("[x](newsletter.maartengrootendorst.com/p/a-visual-guide)\n");
  REQUIRE(plan.links.size() == 1);
  REQUIRE(plan.links[0].url.has_value());
  CHECK(plan.links[0].url->href() == "https://newsletter.maartengrootendorst.com/p/a-visual-guide");
}
