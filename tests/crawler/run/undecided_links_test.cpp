#include "crawler/run/undecided_links.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

const Timestamp began = parse_timestamp("2026-03-05T10:00:00Z").value();
const Timestamp after_begin = began + std::chrono::minutes(5);
constexpr StrikePolicy policy{.strikes = 1, .interval = std::chrono::hours(20)};

storage::Snapshot snapshot_to(const std::string& url) {
  storage::Snapshot snapshot;
  snapshot.final_url = url;
  return snapshot;
}

storage::HostState unresponsive_host(const std::string& origin, Timestamp last) {
  storage::HostState host;
  host.origin = origin;
  host.unresponsive = storage::UnresponsivePeriod{};
  host.unresponsive->last = last;
  return host;
}

std::vector<std::size_t> links_taken(UndecidedLinks& links) {
  std::vector<std::size_t> taken;
  links.take_links_of_failed_hosts(
      [&taken](std::size_t index, const storage::UnresponsivePeriod& /*period*/) { taken.push_back(index); });
  return taken;
}

}  // namespace

TEST_CASE("the first snapshot of a link is kept until its confirmation") {
  UndecidedLinks links;
  links.add_unconfirmed(3, snapshot_to("https://a.cn/3"));
  links.add_unconfirmed(5, snapshot_to("https://a.cn/5"));
  CHECK(links.take_unconfirmed(3) == snapshot_to("https://a.cn/3"));
  CHECK(links.take_unconfirmed(5) == snapshot_to("https://a.cn/5"));
}

TEST_CASE("links without an answer are taken once in the order of their responses") {
  UndecidedLinks links;
  links.add_unreachable(7, snapshot_to("https://a.cn/7"));
  links.add_unreachable(2, snapshot_to("https://a.cn/2"));
  std::vector<std::pair<std::size_t, std::string>> taken;
  const auto take = [&taken](std::size_t index, const storage::Snapshot& snapshot) {
    taken.emplace_back(index, snapshot.final_url);
  };
  links.take_unreachable(take);
  links.take_unreachable(take);
  CHECK(taken == std::vector<std::pair<std::size_t, std::string>>{{7, "https://a.cn/7"}, {2, "https://a.cn/2"}});
}

TEST_CASE("the links of a host are dead after its last strike") {
  UndecidedLinks links;
  links.add_of_failed_host(1, "https://a.cn/1");
  links.add_of_failed_host(2, "https://b.cn/2");
  std::vector hosts{unresponsive_host("https://a.cn", after_begin), unresponsive_host("https://b.cn", began)};
  links.count_strikes(hosts, began, policy, false);
  CHECK(hosts[0].unresponsive->strikes == 1);
  CHECK(hosts[1].unresponsive->strikes == 0);  // not contacted in this run
  CHECK(links.struck_out("https://a.cn/other") != nullptr);
  CHECK(links.struck_out("https://b.cn/2") == nullptr);
  CHECK(links_taken(links) == std::vector<std::size_t>{1});
  CHECK(links_taken(links).empty());
}

TEST_CASE("no host gets a strike in an outage") {
  UndecidedLinks links;
  links.add_of_failed_host(1, "https://a.cn/1");
  std::vector hosts{unresponsive_host("https://a.cn", after_begin), unresponsive_host("https://b.cn", after_begin)};
  hosts[1].unresponsive->strikes = 2;
  links.count_strikes(hosts, began, policy, true);
  CHECK_FALSE(hosts[0].unresponsive.has_value());
  CHECK(hosts[1].unresponsive->strikes == 2);
  CHECK(links_taken(links).empty());
}
