// Times that an earlier run stored, by a clock that may have been ahead: they are brought back within reach of the
// present one when they are read. Otherwise a host would be left alone, or a strike not be counted, for as long as that
// clock was wrong.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/link_record.h"

namespace linkherd::storage {

// No host is left alone for longer. What asks for more does not mean a time, and a host that was wrong once, or has
// long been replaced, would never be looked at again.
inline constexpr std::chrono::seconds longest_silence = std::chrono::hours(7 * 24);

// Something that has happened, hence not after now.
inline void bring_to_past(Timestamp& event, Timestamp now) { event = std::min(event, now); }
inline void bring_to_past(std::optional<Timestamp>& event, Timestamp now) {
  if (event) bring_to_past(*event, now);
}

inline void bring_within_reach(HostState& host, Timestamp now) {
  if (host.not_before) host.not_before = std::min(*host.not_before, now + longest_silence);
  if (!host.silence) return;
  bring_to_past(host.silence->since, now);
  bring_to_past(host.silence->last, now);
  bring_to_past(host.silence->last_strike, now);
}

// But for its snapshot, which is what it is.
inline void bring_within_reach(LinkRecord& record, Timestamp now) {
  bring_to_past(record.first_seen, now);
  bring_to_past(record.last_alive, now);
  bring_to_past(record.first_failed, now);
  bring_to_past(record.last_strike, now);
}

}  // namespace linkherd::storage
