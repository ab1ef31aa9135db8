// A link's record after one more verdict: when it was last alive, since when it fails, and how many strikes it has.
// And the strikes of hosts. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/link_record.h"

namespace linkherd::crawler {

struct StrikePolicy {
  int strikes = 3;                             // unreachable for so many counted runs: dead; 0: never
  Duration interval = std::chrono::hours(20);  // two strikes are at least so far apart
};

// `snapshot` becomes the record's latest. An `unreachable` verdict that makes the last strike becomes `dead`, rule
// "strikes", and so does each later one until the link is seen otherwise. What each health does to the record:
//   alive, redirected  last_alive set; first_failed, strikes and last_strike cleared
//   insecure           first_failed set if it was not; strikes and last_strike cleared, since a server answered
//   unreachable        first_failed set if it was not; a strike, unless the last one is too near; dead
//                      without that where its host is struck out (see below)
//   dead, suspect      first_failed set if it was not; strikes left alone; dead by dns_not_found is suspect where
//                      the link has been alive, until a look at least the interval after the first one finds the same
//   blocked, skipped   nothing: unknown
// Deferred verdicts, and skipped ones of links that were not asked for, are no evidence and must not be passed here.
// `struck_out`: its host's silence, where that is struck out; may be null.
storage::LinkRecord update_record(const std::optional<storage::LinkRecord>& before, const storage::LinkId& id,
                                  std::string_view url, storage::Snapshot snapshot, const StrikePolicy& policy,
                                  const storage::HostSilence* struck_out = nullptr);

// A host that gave no answer in a run has a strike of its own, unless its last one is too near.
void count_strike(storage::HostSilence& silence, const StrikePolicy& policy);
// Then all its links are dead with it, also those that were never tried.
bool is_struck_out(const storage::HostSilence& silence, const StrikePolicy& policy);
storage::Verdict dead_with_host(const storage::HostSilence& silence);

}  // namespace linkherd::crawler
