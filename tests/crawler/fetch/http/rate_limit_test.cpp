#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/fetch/http/response_headers.h"

namespace linkherd::crawler {

TEST_CASE("all forms of RateLimit headers give the time of the next request") {
  const Timestamp now = *parse_timestamp("2026-03-05T10:00:00Z");  // 1772704800
  struct Row {
    std::vector<storage::ResponseHeader> headers;
    std::string expected;  // empty: no wait
  };
  const std::vector<Row> rows{
      {{}, ""},
      {{{"ratelimit-remaining", "0"}, {"ratelimit-reset", "30"}}, "2026-03-05T10:00:30Z"},
      {{{"ratelimit-remaining", "1"}, {"ratelimit-reset", "30"}}, ""},
      {{{"ratelimit-remaining", "0"}}, ""},
      {{{"ratelimit-reset", "30"}}, ""},
      {{{"ratelimit-remaining", "0, 0;w=60"}, {"ratelimit-reset", "45, 45"}}, "2026-03-05T10:00:45Z"},
      {{{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1772704860"}}, "2026-03-05T10:01:00Z"},
      {{{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1772704860000"}}, "2026-03-05T10:01:00Z"},
      {{{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1772704700"}}, "2026-03-05T10:00:00Z"},
      {{{"x-rate-limit-remaining", "0"}, {"x-rate-limit-reset", "7"}}, "2026-03-05T10:00:07Z"},
      {{{"ratelimit", "limit=100, remaining=0, reset=50"}}, "2026-03-05T10:00:50Z"},
      {{{"ratelimit", "limit=100, remaining=3, reset=50"}}, ""},
      {{{"ratelimit", "\"default\";r=0;t=12"}}, "2026-03-05T10:00:12Z"},
      {{{"ratelimit", "\"default\";r=0"}}, ""},
      {{{"ratelimit", "r"}}, ""},
      {{{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "soon"}}, ""},
      {{{"x-ratelimit-remaining", "-1"}, {"x-ratelimit-reset", "5"}}, ""},
      {{{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "99999999999999999999999"}}, ""},
      {{{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "900000000"}}, "2026-03-12T10:00:00Z"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.headers.size());
    CAPTURE(row.expected);
    const std::optional<Timestamp> at = rate_limit_reset(row.headers, now);
    CHECK((at ? format_timestamp(*at) : std::string()) == row.expected);
  }
}

}  // namespace linkherd::crawler
