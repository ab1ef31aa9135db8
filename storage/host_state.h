// What is kept about a host from one run to the next.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "parser/timestamp.h"

namespace linkherd::storage {

// Consecutive runs in which a host answered no request.
struct HostSilence {
  Timestamp since;  // the first request without answer
  Timestamp last;   // the latest one
  int strikes = 0;  // the runs that count: each at least a strike interval after the last
  std::optional<Timestamp> last_strike = std::nullopt;

  bool operator==(const HostSilence&) const = default;
};

// What is compared of two pages of a host.
struct PageLooks {
  std::string title;
  std::uint64_t text_hash = 0;    // SimHash of the main text
  std::uint64_t text_length = 0;  // code points of it

  bool operator==(const PageLooks&) const = default;
};

// What a host answered for a path that cannot exist.
struct ControlAnswer {
  Timestamp at;
  int status = 0;              // 0: nothing that says anything of missing pages
  std::string final_url = {};  // where redirects led
  PageLooks page = {};

  bool operator==(const ControlAnswer&) const = default;
};

struct HostState {
  std::string origin;                                 // "https://example.com"
  std::optional<Timestamp> not_before;                // from Retry-After
  double concurrency = 1.0;                           // the value that AIMD had reached
  std::string robots = {};                            // the rules of its robots.txt that apply to us, as a robots.txt
  std::optional<Timestamp> robots_at = std::nullopt;  // when they were fetched; nothing: not known
  std::optional<HostSilence> silence = std::nullopt;  // nothing: it answered the last request, or there was none
  std::optional<std::chrono::duration<double>> crawl_delay = std::nullopt;  // of these rules; not stored

  std::optional<ControlAnswer> control = std::nullopt;  // nothing: not asked

  bool operator==(const HostState&) const = default;
};

}  // namespace linkherd::storage
