// Updates the record of a link after a verdict: when it was last alive, since when it fails, and its number of strikes
// (counted failed runs). Also counts the strikes of hosts. Pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/link_record.h"

namespace linkherd::crawler {

// The rule of a 404 that is doubtful because everything on its host is missing, not for what its page shows.
inline constexpr std::string_view rule_lost_host = "lost_host";

struct StrikePolicy {
  int strikes = 3;                             // a link is dead after that many counted unreachable runs; 0: never
  Duration interval = std::chrono::hours(20);  // minimum time between two strikes
};

// What is known of the host of a link.
struct HostHistory {
  const storage::UnresponsivePeriod* struck_out = nullptr;  // its silence if that is struck out
  bool has_answered = false;                                // an earlier run, for this link or another
};

// Returns the record with `snapshot` as its latest one. An `unreachable` verdict with the last strike becomes `dead`,
// rule "strikes", and so does each later one until the health changes. Effects of each health on the record:
//   alive, redirected  last_alive set, and first_version_at at the first look with a title and a text; first_failed,
//                      strikes and last_strike cleared
//   insecure           first_failed set if it was not; strikes and last_strike cleared, because a server answered
//   unreachable        first_failed set if it was not; a strike, unless the last one is too recent; dead without a
//                      strike if its host is struck out (see below)
//   dead, suspect      first_failed set if it was not; strikes unchanged; dead by dns_not_found becomes suspect if the
//                      link was alive or its host answered before, until a check at least the interval later has the
//                      same result
//   blocked, skipped   no effect: unknown
//                      suspect by rule "lost_host": a strike, unless the last one is too recent; dead with the last
// Where another vantage saw the link dead and this one sees it, or the reverse, it becomes `suspect`; a move is noted.
// Deferred verdicts, and skipped verdicts of links that were not requested, are no evidence and must not be passed.
storage::LinkRecord update_record(const std::optional<storage::LinkRecord>& before, const storage::LinkId& id,
                                  std::string_view url, storage::Snapshot snapshot, const StrikePolicy& policy,
                                  const HostHistory& host = {});

// Adds a strike to a host that did not answer in a run, unless its last strike is too recent.
void count_strike(storage::UnresponsivePeriod& unresponsive, const StrikePolicy& policy);
// If a host is struck out, all its links are dead, even those that were not requested.
bool is_struck_out(const storage::UnresponsivePeriod& unresponsive, const StrikePolicy& policy);
storage::Verdict dead_with_host(const storage::UnresponsivePeriod& unresponsive);

}  // namespace linkherd::crawler
