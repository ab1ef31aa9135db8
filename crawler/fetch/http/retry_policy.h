// Decides whether a hop is retried, and when. Pure rules.
#pragma once

#include <chrono>
#include <optional>

#include "crawler/fetch/http/failure.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

struct RetryPolicy {
  int max_retries = 3;                                  // per hop
  Duration first_wait = std::chrono::seconds(1);        // doubles with each retry …
  Duration max_wait = std::chrono::seconds(30);         // … up to this
  Duration max_retry_after = std::chrono::seconds(60);  // if a server requests more, the hop is not retried
};

struct HopOutcome {
  int status = 0;
  FailureKind failure = FailureKind::none;
  std::optional<Duration> retry_after = std::nullopt;
  // The hop failed on a connection that had served before. That is no evidence, so a new connection is tried at once.
  bool is_connection_reused = false;
  bool needs_fresh_connection = false;  // the hop was requested on a new connection
};

struct RetryDecision {
  bool retry = false;
  Duration wait{};  // before the retry
  bool needs_fresh_connection = false;
  bool counts = true;  // counts towards max_retries

  bool operator==(const RetryDecision&) const = default;
};

// Returns true if a retry may get another answer. Of the server errors, only temporary ones qualify.
bool is_transient_status(int status);

// Returns how long a host is left alone after that many consecutive refusals without a named time.
Duration wait_after_refusal(int refusals_in_a_row, const RetryPolicy& policy);

// `jitter` is in [0, 1): the wait is between half and all of its nominal length.
RetryDecision decide_retry(const HopOutcome& outcome, int retries_so_far, const RetryPolicy& policy, double jitter);

}  // namespace linkherd::crawler
