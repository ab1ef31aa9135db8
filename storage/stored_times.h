// Clamps stored times when they are read, because the clock of an earlier run may have been ahead. Without this,
// linkherd would not contact a host, or not count a strike, until the clock reaches the stored time.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/link_state.h"

namespace linkherd::storage {

// The maximum time for which Retry-After can block a host. Without it, one wrong response could exclude the host
// forever.
inline constexpr std::chrono::seconds max_retry_after_wait = std::chrono::hours(7 * 24);

// Clamps the time of a past event to `now`.
inline void clamp_to_past(Timestamp& event, Timestamp now) { event = std::min(event, now); }
inline void clamp_to_past(std::optional<Timestamp>& event, Timestamp now) {
  if (event) clamp_to_past(*event, now);
}

inline void clamp_times(HostState& host, Timestamp now) {
  if (host.not_before) host.not_before = std::min(*host.not_before, now + max_retry_after_wait);
  if (!host.unresponsive) return;
  clamp_to_past(host.unresponsive->since, now);
  clamp_to_past(host.unresponsive->last, now);
  clamp_to_past(host.unresponsive->last_strike, now);
}

// Clamps all times except those of the snapshot.
inline void clamp_times(LinkState& state, Timestamp now) {
  clamp_to_past(state.first_seen, now);
  clamp_to_past(state.last_alive, now);
  clamp_to_past(state.first_failed, now);
  clamp_to_past(state.last_strike, now);
  clamp_to_past(state.moved_at, now);
  for (VantageCheck& check : state.vantages) clamp_to_past(check.at, now);
}

}  // namespace linkherd::storage
