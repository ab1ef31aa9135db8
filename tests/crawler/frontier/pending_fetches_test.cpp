#include "crawler/frontier/pending_fetches.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/frontier/fetch_states.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

TEST_CASE("fetches are kept by how far they are, and deferred ones by their start time") {
  const Timestamp time = *parse_timestamp("2026-03-05T10:00:00Z");
  PendingFetches fetches;
  fetches.push(fetch("https://a.example/fresh"));
  fetches.push(hop("https://a.example/hop"));
  fetches.push(fetch("https://a.example/third", time + 2s));
  fetches.push(fetch("https://a.example/first", time + 1s));
  fetches.push(fetch("https://a.example/second", time + 1s));
  CHECK(fetches.size() == 5);
  CHECK(fetches.fresh_count() == 1);
  REQUIRE(fetches.first_deferred() != nullptr);
  CHECK(fetches.first_deferred()->not_before == time + 1s);
  CHECK(href(fetches.pop_started()) == "https://a.example/hop");
  CHECK_FALSE(fetches.has_started());
  for (const std::string name : {"first", "second", "third"}) {
    const std::unique_ptr<FetchState> deferred = fetches.pop_deferred();
    CHECK(href(deferred) == "https://a.example/" + name);
    CHECK_FALSE(deferred->not_before);
  }
  CHECK(fetches.first_deferred() == nullptr);
  CHECK(href(fetches.pop_fresh()) == "https://a.example/fresh");
  CHECK(fetches.size() == 0);
}

TEST_CASE("unstarted fetches leave from both ends and from any position") {
  PendingFetches fetches;
  for (const std::string name : {"0", "1", "2", "3", "4"}) fetches.push(fetch("https://a.example/" + name));
  CHECK(href(fetches.pop_last_fresh()) == "https://a.example/4");
  CHECK(href(fetches.pop_fresh_at(2)) == "https://a.example/2");
  CHECK(href(fetches.pop_fresh()) == "https://a.example/1");
  std::vector<std::unique_ptr<FetchState>> rest;
  fetches.drain(rest, 1);
  CHECK(rest.size() == 1);
  fetches.drain(rest, 10);
  CHECK(rest.size() == 2);
  CHECK(fetches.size() == 0);
}
