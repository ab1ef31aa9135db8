#include "crawler/run/pace_bound.h"

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;
using storage::PaceBound;
using namespace std::chrono_literals;

namespace {

void add(PaceBounds& bounds, const std::string& host, int links) {
  for (int i = 0; i < links; ++i) bounds.add(host + "/" + std::to_string(i));
}

}  // namespace

TEST_CASE("the hosts with the most links at their pace bound the run time") {
  Politeness politeness;
  politeness.host_request_interval = 200ms;
  politeness.overrides["quick.cn"] = {.request_interval = 1ms};
  PaceBounds bounds(politeness);
  CHECK(bounds.slowest_hosts().empty());
  add(bounds, "https://zhuanlan.zhihu.com", 139);
  add(bounds, "https://quick.cn", 400);
  add(bounds, "http://half.cn:8080", 70);
  add(bounds, "https://few.cn", 69);
  const std::vector<PaceBound> expected{{"zhuanlan.zhihu.com", 139, 200ms}, {"half.cn:8080", 70, 200ms}};
  CHECK(bounds.slowest_hosts() == expected);
  CHECK(bounds.slowest_hosts().front().min_duration() == 27'800ms);

  bounds.set_crawl_delay("https://few.cn", std::chrono::duration<double>(2));
  bounds.set_crawl_delay("https://not-listed.cn", std::chrono::duration<double>(2));
  CHECK(bounds.slowest_hosts() ==
        std::vector<PaceBound>{{.host = "few.cn", .links = 69, .interval = 2s, .is_crawl_delay = true}});

  const storage::HostPauses pauses{.waited = 200s, .status = 429};
  bounds.pause("https://zhuanlan.zhihu.com", pauses);
  REQUIRE(bounds.slowest_hosts().size() == 2);
  CHECK(bounds.slowest_hosts().front().host == "zhuanlan.zhihu.com");
  CHECK(bounds.slowest_hosts().front().pauses == pauses);
  CHECK(bounds.slowest_hosts().front().min_duration() == 227'800ms);
}

TEST_CASE("a run without slow hosts has no bound and at most three hosts are named") {
  Politeness politeness;
  politeness.host_request_interval = 0ms;
  PaceBounds none(politeness);
  add(none, "https://a.cn", 1000);
  CHECK(none.slowest_hosts().empty());
  const Politeness usual;
  PaceBounds many(usual);
  for (int i = 0; i < 9; ++i) add(many, "https://h" + std::to_string(i) + ".cn", 20);
  add(many, "https://short.cn", 9);
  CHECK(many.slowest_hosts().size() == 3);
}
