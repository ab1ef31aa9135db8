#include "crawler/run/target_cache.h"

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace linkherd;
using namespace linkherd::crawler;

TEST_CASE("a target is known again in the same folder and forgotten in another one") {
  TargetCache cache;
  cache.begin_part();
  cache.begin_list("docs");
  const auto [first, is_new] = cache.find_or_add("other.md", "other.md");
  CHECK(is_new);
  first.number = 7;
  cache.begin_list("docs");
  const auto [again, is_new_again] = cache.find_or_add("other.md", "other.md");
  CHECK_FALSE(is_new_again);
  CHECK(again.number == 7);
  CHECK(cache.find_or_add("other.md", "other.md ").is_new);  // written in another way
  cache.begin_list("src");
  CHECK(cache.find_or_add("other.md", "other.md").is_new);
}

TEST_CASE("a target within its document is known only there") {
  TargetCache cache;
  cache.begin_part();
  cache.begin_list("docs");
  CHECK(cache.find_or_add("#top", "#top").is_new);
  CHECK_FALSE(cache.find_or_add("#top", "#top").is_new);
  cache.begin_list("docs");
  CHECK(cache.find_or_add("#top", "#top").is_new);
}

TEST_CASE("a full cache forgets all links and goes on") {
  TargetCache cache;
  cache.begin_part();
  cache.begin_list("docs");
  for (int number = 0; number < 5000; ++number) {
    const std::string target = fmt::format("page-{}.md", number);
    REQUIRE(cache.find_or_add(target, target).is_new);
  }
  CHECK_FALSE(cache.find_or_add("page-4999.md", "page-4999.md").is_new);
  CHECK(cache.find_or_add("page-0.md", "page-0.md").is_new);
}
