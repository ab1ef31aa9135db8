// Checks many links on many hosts with several threads while a tenth of the links fail. Meant for ThreadSanitizer.
#include <chrono>
#include <cstddef>
#include <map>

#include <doctest/doctest.h>

#include "crawler/run/crawl.h"
#include "crawler/run/link_table_builder.h"
#include "tests/support/fault_mix.h"
#include "tests/support/temp_dir.h"

namespace linkherd::tests {

TEST_CASE("four threads give each of ten thousand links its own verdict") {
  constexpr std::size_t links = 10'000;
  const FaultServer server;
  const FaultMix mix{server.port(), 500};
  crawler::CrawlOptions options;
  options.fetch.threads = 4;
  options.fetch.addresses.all = true;
  options.fetch.timeout = std::chrono::seconds(5);
  options.fetch.politeness.host_request_interval = std::chrono::milliseconds(1);
  options.fetch.retry.first_wait = std::chrono::milliseconds(50);
  options.confirm_wait = std::chrono::milliseconds(50);
  options.parse_threads = 2;

  const TempDir folder;
  const auto store = storage::Store::open(folder / "store");
  const crawler::Clock clock;
  const std::vector<crawler::InputDocument> documents{
      {"list.md", mix.markdown(0, links), parser::DocumentFormat::markdown}};
  const crawler::CrawlResult result = crawl(crawler::build_link_table(documents, {}), options, clock, store.get(), {});

  CHECK(result.run.state == storage::RunState::complete);
  REQUIRE(result.links->size() == links);
  std::map<Fault, std::size_t> wrong;
  for (std::size_t i = 0; i < links; ++i) {
    const storage::CheckedLink link = result.links->at(i);
    REQUIRE(link.state.url == mix.url(i));
    const bool right = enum_name(storage::health_names, link.result.verdict.health) == mix.health(i);
    if (!right) ++wrong[mix.fault(i)];
  }
  for (const auto& [fault, count] : wrong) {
    CAPTURE(enum_name(fault_names, fault));
    CHECK(count == 0);
  }
}

}  // namespace linkherd::tests
