// Updates the state of a link after a verdict: when it was last alive, since when it fails, and its number of strikes.
// Also counts the strikes of hosts. Pure functions.
//
// A strike is an unreachable verdict in a run; at most one per `interval` counts. For example, take the default policy
// (3 strikes, 20 hours). A link fails on Monday at 8:00 and 12:00, on Tuesday at 8:00 and on Wednesday at 8:00. Its
// strikes are 1, 1, 2 and 3, so it is dead on Wednesday. A successful check resets them.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/link_state.h"

namespace linkherd::crawler {

// The rule for a 404 that is doubtful because everything on its host is missing, not because of its page.
inline constexpr std::string_view rule_lost_host = "lost_host";

struct StrikePolicy {
  int strikes = 3;                             // an unreachable link with this many strikes is dead; 0: never
  Duration interval = std::chrono::hours(20);  // minimum time between two strikes
};

// The known facts about the host of a link.
struct HostHistory {
  // The host's unresponsive period, if the host is struck out; otherwise null.
  const storage::UnresponsivePeriod* struck_out = nullptr;
  bool has_answered = false;  // in an earlier run, for this link or another
};

// Returns the state with `snapshot` as its latest one. An `unreachable` verdict with the last strike becomes `dead`,
// rule "strikes". So does each later one until the health changes. Effects of each health on the state:
//   alive, redirected  last_alive set; first_version_at set at the first check with a title and a text;
//                      first_failed, strikes and last_strike cleared
//   insecure           first_failed set if empty; strikes and last_strike cleared, because a server answered
//   unreachable        first_failed set if empty; a strike, unless the last one is too recent; dead without a
//                      strike if its host is struck out (see below)
//   dead               first_failed set if empty; strikes unchanged; with reason dns_not_found, `suspect` instead
//                      if the link was alive or its host has answered before, until a check at least `interval`
//                      later has the same result
//   suspect            first_failed set if empty; strikes unchanged, except that rule "lost_host" counts a strike
//                      unless the last one is too recent, and becomes dead with the last strike
//   blocked, skipped   no effect: the state of the page is unknown
// If vantage points disagree on whether the link is dead, it becomes `suspect`. A change of the redirect target sets
// moved_at.
// Deferred verdicts, and skipped verdicts of links that were not requested, are no evidence and must not be passed.
storage::LinkState update_state(const std::optional<storage::LinkState>& before, const storage::LinkId& id,
                                std::string_view url, storage::Snapshot snapshot, const StrikePolicy& policy,
                                const HostHistory& host = {});

// Adds a strike to a host that did not answer in a run, unless its last strike is too recent.
void count_strike(storage::UnresponsivePeriod& unresponsive, const StrikePolicy& policy);
// Returns true if the host has all its strikes. All its links are dead then, even those that were not requested.
bool is_struck_out(const storage::UnresponsivePeriod& unresponsive, const StrikePolicy& policy);
storage::Verdict dead_with_host(const storage::UnresponsivePeriod& unresponsive);

}  // namespace linkherd::crawler
