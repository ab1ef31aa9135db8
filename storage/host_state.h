// The state of a host that is kept between runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::storage {

// Consecutive runs in which a host answered no request.
struct UnresponsivePeriod {
  Timestamp since;  // the first request without answer
  Timestamp last;   // the latest one
  int strikes = 0;  // counted runs, at least a strike interval apart
  std::optional<Timestamp> last_strike = std::nullopt;

  bool operator==(const UnresponsivePeriod&) const = default;
};

// Features of a page, to compare it with another page of the same host.
struct PageFeatures {
  std::string title;
  std::uint64_t text_hash = 0;    // SimHash of the main text
  std::uint64_t text_length = 0;  // in code points

  bool operator==(const PageFeatures&) const = default;
};

// The answer of a host to a request for a path that cannot exist (control request).
struct ProbeResult {
  Timestamp at;
  int status = 0;              // 0: the answer says nothing about missing pages
  std::string final_url = {};  // after redirects
  PageFeatures page = {};

  bool operator==(const ProbeResult&) const = default;
};

// The pauses that a host was given in a run after it answered that it could take no more.
struct HostPauses {
  Duration waited{};         // the sum of those that a request has waited for
  int status = 0;            // HTTP status of the latest such answer; 0: unknown
  bool is_host_time = true;  // the host named the time (Retry-After); false: linkherd chose it

  bool operator==(const HostPauses&) const = default;
};

struct HostState {
  std::string origin;                   // "https://example.com"
  std::optional<Timestamp> not_before;  // from Retry-After
  double concurrency = 1.0;             // current value of the AIMD control
  std::string robots = {};              // the rules of its robots.txt that apply to linkherd, in robots.txt syntax
  std::optional<Timestamp> robots_at = std::nullopt;  // when they were fetched; nullopt: unknown
  std::optional<UnresponsivePeriod> unresponsive =
      std::nullopt;  // nullopt: the last request was answered, or there was none
  std::optional<std::chrono::duration<double>> crawl_delay = std::nullopt;  // from these rules; not stored
  std::optional<HostPauses> pauses = std::nullopt;                          // nullopt: none; not stored

  std::optional<ProbeResult> probe = std::nullopt;  // nullopt: not requested

  bool operator==(const HostState&) const = default;
};

}  // namespace linkherd::storage
