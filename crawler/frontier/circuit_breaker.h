// When a host that cannot be connected to is left alone: pure rules, without a clock of their own. Three failures in a
// row open the breaker; then single probes go out, further and further apart; when those fail, too, no more is tried in
// this run. What answers, in whatever way, closes it.
#pragma once

#include <chrono>
#include <optional>

#include "parser/timestamp.h"

namespace linkherd::crawler {

struct BreakerPolicy {
  int failures_to_open = 3;                       // in a row
  Duration first_wait = std::chrono::seconds(1);  // before the first probe; doubles with each that fails
  int most_probes = 3;                            // that fail until nothing more is tried
};

struct Breaker {
  int failures = 0;  // in a row, while closed
  int failed_probes = 0;
  std::optional<Timestamp> next_probe;  // open: when the next may go
  bool probing = false;                 // half-open: it is under way

  bool is_open() const { return next_probe.has_value(); }
  bool has_given_up(const BreakerPolicy& policy) const { return is_open() && failed_probes >= policy.most_probes; }
  // Whether a contact may start, as far as the breaker is concerned, at some time: see `next_probe` for when.
  bool lets_in(const BreakerPolicy& policy) const { return !probing && !has_given_up(policy); }

  bool operator==(const Breaker&) const = default;
};

enum class ConnectOutcome {
  reached,    // something answered
  failed,     // no connection
  undecided,  // it was not tried after all
};

Breaker before_contact(Breaker breaker);
Breaker after_contact(Breaker breaker, ConnectOutcome outcome, Timestamp now, const BreakerPolicy& policy);

}  // namespace linkherd::crawler
