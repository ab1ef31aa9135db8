#include "crawler/run/health_counts.h"

#include <doctest/doctest.h>

using namespace linkherd::crawler;
using linkherd::storage::Health;

TEST_CASE("the last health of a link counts and links without one are deferred") {
  HealthCounts counts;
  CHECK(counts.by_health(3).empty());
  counts.set(2, Health::unreachable);
  counts.set(0, Health::alive);
  counts.set(2, Health::dead);
  CHECK(counts.by_health(4) ==
        std::map<Health, std::uint64_t>{{Health::alive, 1}, {Health::dead, 1}, {Health::deferred, 2}});
}

TEST_CASE("finished links are counted by the health that their requests showed") {
  HealthCounts counts;
  counts.finish(Health::alive);
  counts.finish(Health::unreachable);
  counts.finish(Health::alive);
  CHECK(counts.finished() == 3);
  CHECK(counts.finished_by_health() == std::map<Health, std::uint64_t>{{Health::alive, 2}, {Health::unreachable, 1}});
}
