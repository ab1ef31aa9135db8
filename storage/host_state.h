// The state of a host that the store keeps between runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::storage {

// A series of consecutive runs in which a host answered no request.
struct UnresponsivePeriod {
  Timestamp since;  // time of the first unanswered request
  Timestamp last;   // time of the latest unanswered request
  int strikes = 0;  // counted runs, at least one strike interval apart
  std::optional<Timestamp> last_strike = std::nullopt;

  bool operator==(const UnresponsivePeriod&) const = default;
};

// Features of a page, for comparing it with another page of the same host.
struct PageFeatures {
  std::string title;
  std::uint64_t text_hash = 0;    // SimHash of the main text
  std::uint64_t text_length = 0;  // in code points

  bool operator==(const PageFeatures&) const = default;
};

// The response of a host to a soft-404 probe, a request for a path that cannot exist.
struct ProbeResult {
  Timestamp at;
  int status = 0;              // 0: the response gives no information about missing pages
  std::string final_url = {};  // after redirects
  PageFeatures page = {};

  bool operator==(const ProbeResult&) const = default;
};

// The waits that a host caused in a run by refusing further requests for a time.
struct HostPauses {
  Duration waited{};         // sum of the pauses that requests waited for
  int status = 0;            // HTTP status of the latest refusal; 0: unknown
  bool is_host_time = true;  // true if the host named the time (Retry-After); false if linkherd chose it

  bool operator==(const HostPauses&) const = default;
};

struct HostState {
  std::string origin;                   // "https://example.com"
  std::optional<Timestamp> not_before;  // earliest time of the next request, from Retry-After
  double concurrency = 1.0;             // current value of the AIMD control
  std::string robots = {};              // rules of its robots.txt that apply to linkherd, in robots.txt syntax
  std::optional<Timestamp> robots_at = std::nullopt;  // when the rules were fetched; nullopt: unknown
  // Empty if the last request was answered, or if there was none.
  std::optional<UnresponsivePeriod> unresponsive = std::nullopt;
  std::optional<std::chrono::duration<double>> crawl_delay = std::nullopt;  // from `robots`; not stored
  std::optional<HostPauses> pauses = std::nullopt;                          // nullopt: no pauses; not stored

  std::optional<ProbeResult> probe = std::nullopt;  // nullopt: not requested

  bool operator==(const HostState&) const = default;
};

}  // namespace linkherd::storage
