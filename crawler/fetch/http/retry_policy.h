// Decides whether a hop is retried, and when. Pure rules.
#pragma once

#include <chrono>
#include <cstdint>

#include "parser/timestamp.h"

namespace linkherd::crawler {

struct AttemptResult;

struct RetryPolicy {
  int max_retries = 3;                                  // per hop
  Duration first_wait = std::chrono::seconds(1);        // doubles with each retry …
  Duration max_wait = std::chrono::seconds(30);         // … up to this
  Duration max_retry_after = std::chrono::seconds(60);  // if a server requests more, the hop is not retried
};

enum class Retry : std::uint8_t {
  none,
  at_once,  // on a new connection, because the reason may be the old one; does not count towards max_retries
  later,    // after a wait
};

struct RetryDecision {
  Retry retry = Retry::none;
  Duration wait{};

  bool operator==(const RetryDecision&) const = default;
};

// Returns true if a retry may get another response. Of the server errors, only temporary ones qualify.
bool is_transient_status(int status);

// Returns how long a host is left alone after that many consecutive refusals without a named time.
Duration wait_after_refusal(int refusals_in_a_row, const RetryPolicy& policy);

// `needed_fresh_connection`: the attempt was requested on a new connection. `jitter` is in [0, 1): the wait is between
// half and all of its nominal length.
RetryDecision decide_retry(const AttemptResult& response, bool needed_fresh_connection, int retries_so_far,
                           const RetryPolicy& policy, Timestamp now, double jitter);

}  // namespace linkherd::crawler
