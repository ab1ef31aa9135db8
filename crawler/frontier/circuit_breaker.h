// Decides when linkherd stops contacting a host that serves nothing. Pure rules: the caller passes the time.
//
// Consecutive failures open the breaker. Each failure has a weight that depends on its kind: three failed connections
// suffice, but it takes twenty server errors. Any served response closes the breaker.
//
// While the breaker is open, single probes test the host. With the default policy, they start 1, 2 and 4 seconds after
// the failure before them. If all three probes fail, nothing more is tried at the host in this run.
//
// A host that accepts requests and never answers costs a whole timeout each time. Therefore it is given up without
// probes, after three silent requests that did not overlap (`max_unanswered`).
#pragma once

#include <chrono>
#include <optional>

#include "crawler/fetch/http/fetch_result.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

struct BreakerPolicy {
  int failures_to_open = 3;                       // consecutive failed connections; other failures weigh less
  Duration first_wait = std::chrono::seconds(1);  // before the first probe; doubles with each failed probe
  int max_probes = 3;                             // failed probes until the host is given up
  // Silent requests, without a response between them, until the host is given up. A request counts only if it began
  // after the previous silent one had ended: concurrent silent requests count as one. 0: no limit.
  int max_unanswered = 3;
};

// The outcome of a contact with a host.
enum class ContactResult {
  served,        // any response that is not a server error
  server_error,  // 5xx
  closed,        // the connection was closed without a response
  unresponsive,  // a connection was made, but no response arrived in time
  unconnected,   // no connection could be made
  address_down,  // not contacted, because its address fails for other hosts
  no_evidence,   // no evidence, for example because nothing was sent
};

struct Breaker {
  int failures = 0;  // consecutive failures, by weight
  int failed_probes = 0;
  int unanswered = 0;                   // silent requests since the last response
  Timestamp unanswered_at;              // when the latest silent request ended
  std::optional<Timestamp> next_probe;  // the earliest time of the next probe; empty if the breaker is closed
  bool is_probing = false;              // half-open: the probe is in flight
  Timestamp served_at;                  // the time of the last served response

  bool is_open() const { return next_probe.has_value(); }
  bool is_abandoned(const BreakerPolicy& policy) const { return is_open() && failed_probes >= policy.max_probes; }
  // Returns true if the breaker admits a contact now or later. `next_probe` says when.
  bool lets_in(const BreakerPolicy& policy) const { return !is_probing && !is_abandoned(policy); }

  bool operator==(const Breaker&) const = default;
};

Breaker before_contact(Breaker breaker);
// Returns the state after a contact that lasted from `started` to `now`. A failure does not count if the host served
// something else in the meantime: the page is then slow or broken, not the host.
Breaker after_contact(Breaker breaker, ContactResult result, Timestamp started, Timestamp now,
                      const BreakerPolicy& policy);

// Returns what a response shows about its host; `no_evidence` if this machine caused the failure.
ContactResult host_result(const AttemptResult& response);
// Returns what a response shows about the server at the address, whichever host was requested. An HTTP error counts as
// served, because it concerns one host only.
ContactResult server_result(const AttemptResult& response);

}  // namespace linkherd::crawler
