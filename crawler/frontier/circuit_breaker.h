// When a host that serves nothing is left alone: pure rules, without a clock of their own. Failures in a row open the
// breaker, the sooner the less was heard of the host; then single probes go out, further and further apart; when those
// fail, too, no more is tried in this run. What is served closes it. A host that accepts requests and stays silent
// costs a whole timeout each time, so it is given up without probes.
#pragma once

#include <chrono>
#include <optional>

#include "crawler/fetch/http/fetch_result.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

struct BreakerPolicy {
  int failures_to_open = 3;                       // in a row, without connection; milder ones count for less
  Duration first_wait = std::chrono::seconds(1);  // before the first probe; doubles with each that fails
  int max_probes = 3;                             // that fail until nothing more is tried
  // Silent requests without an answer between them until nothing more is tried, each begun after the one before had
  // ended: requests at the same time are one silence. 0: no limit.
  int max_unanswered = 3;
};

// What a contact got.
enum class Reply {
  served,        // an answer that is no failure of the server
  server_error,  // 5xx
  closed,        // the connection ended without an answer
  unresponsive,  // a connection, but no answer in time
  unconnected,   // no connection
  address_down,  // not asked: its address does not answer for other hosts
  undecided,     // it was not tried after all
};

struct Breaker {
  int failures = 0;  // consecutive failures, weighted
  int failed_probes = 0;
  int unanswered = 0;                   // since the last answer
  Timestamp unanswered_at;              // when the last of them ended
  std::optional<Timestamp> next_probe;  // open: when the next may go
  bool is_probing = false;              // half-open: it is under way
  Timestamp served_at;                  // the last time that anything was served

  bool is_open() const { return next_probe.has_value(); }
  bool has_given_up(const BreakerPolicy& policy) const { return is_open() && failed_probes >= policy.max_probes; }
  // Whether a contact may start, as far as the breaker is concerned, at some time: see `next_probe` for when.
  bool lets_in(const BreakerPolicy& policy) const { return !is_probing && !has_given_up(policy); }

  bool operator==(const Breaker&) const = default;
};

Breaker before_contact(Breaker breaker);
// A contact from `started` to `now`. One that fails says nothing where something was served meanwhile: then it is the
// page that is slow or broken.
Breaker after_contact(Breaker breaker, Reply reply, Timestamp started, Timestamp now, const BreakerPolicy& policy);

// What an answer says of its host. Nothing, where our machine was to blame.
Reply host_reply(const HopAnswer& answer);
// What it says of the server at the address, whichever host it was asked about: an error is the host's own matter.
Reply server_reply(const HopAnswer& answer);

}  // namespace linkherd::crawler
