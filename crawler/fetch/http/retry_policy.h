// Whether a hop is tried again, and when. A pure rule.
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
  Duration max_retry_after = std::chrono::seconds(60);  // a server that asks for more is not waited for
};

struct HopOutcome {
  int status = 0;
  FailureKind failure = FailureKind::none;
  std::optional<Duration> retry_after = std::nullopt;
  bool is_connection_reused =
      false;  // it failed on a connection that had served before: no evidence, try fresh at once
  bool needs_fresh_connection = false;  // it was asked for on a connection of its own
};

struct RetryDecision {
  bool retry = false;
  Duration wait{};  // before the retry
  bool needs_fresh_connection = false;
  bool counts = true;  // against max_retries

  bool operator==(const RetryDecision&) const = default;
};

// Worth another try; among the server errors those that may pass.
bool is_transient_status(int status);

// How long a host is left alone that has refused so many requests in a row without saying until when.
Duration wait_after_refusal(int refusals_in_a_row, const RetryPolicy& policy);

// `jitter` is from [0, 1): the wait is between half and all of its nominal length.
RetryDecision decide_retry(const HopOutcome& outcome, int retries_so_far, const RetryPolicy& policy, double jitter);

}  // namespace linkherd::crawler
