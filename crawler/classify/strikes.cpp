#include "crawler/classify/strikes.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "crawler/classify/content_drift.h"
#include "storage/stored_times.h"
#include "storage/vantages.h"

namespace linkherd::crawler {

namespace {

using storage::Health;
using storage::LinkState;

constexpr double missing_host_confidence = 0.8;

// Adds a strike to the state of a link or to the unresponsive period of a host.
template <class T>
void count(T& row, Timestamp at, const StrikePolicy& policy) {
  if (row.last_strike && at - *row.last_strike < policy.interval) return;
  ++row.strikes;
  row.last_strike = at;
}

template <class T>
bool has_all(const T& row, const StrikePolicy& policy) {
  return policy.strikes > 0 && row.strikes >= policy.strikes;
}

void end_strikes(LinkState& state) {
  state.strikes = 0;
  state.last_strike.reset();
}

// A state with all its strikes stays dead while the link is unreachable, even between two counted runs.
void strike_out(LinkState& state) {
  storage::Verdict& verdict = state.snapshot.verdict;
  verdict.health = Health::dead;
  verdict.rule = "strikes";
  verdict.evidence = fmt::format("Unreachable in {} runs since {}: {}", state.strikes,
                                 format_timestamp(*state.first_failed), verdict.evidence);
}

// A missing host name may come back. So a link whose host has answered before, with any answer, is only suspect until a
// later run confirms the failure. `before` is the previous verdict.
void doubt_missing_host(LinkState& state, const storage::Verdict& before, Timestamp at, const StrikePolicy& policy,
                        bool has_host_answered) {
  storage::Verdict& verdict = state.snapshot.verdict;
  if (verdict.reason != storage::reason::dns_not_found || (!state.last_alive && !has_host_answered)) return;
  if (before.reason != storage::reason::dns_not_found) state.last_strike = at;
  if (!state.last_strike || at - *state.last_strike >= policy.interval) return;
  verdict.health = Health::suspect;
  const std::string known = state.last_alive ? "It was alive on " + format_timestamp(*state.last_alive)
                                             : std::string("Its host has answered before");
  verdict.evidence +=
      fmt::format(" {}. It counts as dead if a check at least {} after the first failure finds the same.", known,
                  format_duration(policy.interval));
  verdict.confidence = missing_host_confidence;
}

// If everything on a host is missing, the host is broken or refuses linkherd. After the usual number of strikes it is
// gone. A 404 that browsers may show as a page never gets strikes, because it can stay like that for ever.
void count_lost_host(LinkState& state, const StrikePolicy& policy) {
  storage::Verdict& verdict = state.snapshot.verdict;
  if (verdict.rule != rule_lost_host) return;
  count(state, state.snapshot.fetched_at, policy);
  if (!has_all(state, policy)) return;
  verdict.health = Health::dead;
  verdict.reason = storage::http_reason(state.snapshot.status);
  verdict.evidence +=
      fmt::format(" The same in {} runs since {}.", state.strikes, format_timestamp(*state.first_failed));
}

// Records that a known link leads somewhere else than before. `state` is the state before this check.
void note_move(LinkState& state, const storage::Snapshot& snapshot) {
  const storage::Snapshot& before = state.snapshot;
  if (snapshot.verdict.health != Health::redirected) {
    state.moved_at.reset();
  } else if (before.fetched_at != Timestamp{} && before.final_url != snapshot.final_url) {
    state.moved_at = snapshot.fetched_at;
  }
}

void evaluate_with_other_vantages(LinkState& state, const LinkState& before) {
  const storage::Snapshot& snapshot = state.snapshot;
  std::vector<storage::VantageCheck> checks = storage::vantage_checks(before);
  storage::put_vantage_check(checks, {snapshot.vantage, snapshot.fetched_at, snapshot.verdict});
  if (checks.size() < 2) return;
  state.vantages = std::move(checks);
  if (std::optional<storage::Verdict> doubt = storage::verdict_on_disagreement(state.vantages))
    state.snapshot.verdict = std::move(*doubt);
}

}  // namespace

LinkState update_state(const std::optional<LinkState>& before, const storage::LinkId& id, std::string_view url,
                       storage::Snapshot snapshot, const StrikePolicy& policy, const HostHistory& host) {
  const Timestamp at = snapshot.fetched_at;
  LinkState state = before.value_or(LinkState{});
  clamp_times(state, at);
  state.id = id;
  state.url = url;
  if (!before) state.first_seen = at;
  note_move(state, snapshot);
  state.snapshot = std::move(snapshot);

  switch (state.snapshot.verdict.health) {
    case Health::alive:
    case Health::redirected:
      state.last_alive = at;
      if (!state.first_version_at && is_comparable(state.snapshot)) state.first_version_at = at;
      state.first_failed.reset();
      end_strikes(state);
      break;
    case Health::insecure:  // a failure, but a server answered
      state.first_failed = state.first_failed.value_or(at);
      end_strikes(state);
      break;
    case Health::dead:
      state.first_failed = state.first_failed.value_or(at);
      doubt_missing_host(state, before ? before->snapshot.verdict : storage::Verdict(), at, policy, host.has_answered);
      break;
    case Health::suspect:
      state.first_failed = state.first_failed.value_or(at);
      count_lost_host(state, policy);
      break;
    case Health::unreachable:
      state.first_failed = state.first_failed.value_or(at);
      count(state, at, policy);
      if (has_all(state, policy)) {
        strike_out(state);
      } else if (host.struck_out != nullptr) {
        state.snapshot.verdict = dead_with_host(*host.struck_out);
      }
      break;
    case Health::blocked:  // the state of the page is unknown
    case Health::deferred:
    case Health::skipped: break;
  }
  if (before) evaluate_with_other_vantages(state, *before);
  return state;
}

void count_strike(storage::UnresponsivePeriod& unresponsive, const StrikePolicy& policy) {
  count(unresponsive, unresponsive.last, policy);
}

bool is_struck_out(const storage::UnresponsivePeriod& unresponsive, const StrikePolicy& policy) {
  return has_all(unresponsive, policy);
}

storage::Verdict dead_with_host(const storage::UnresponsivePeriod& unresponsive) {
  return storage::without_request(
      Health::dead, storage::reason::host_unresponsive, "strikes",
      fmt::format("No answer from the host in {} run{} since {}.", unresponsive.strikes,
                  unresponsive.strikes == 1 ? "" : "s", format_timestamp(unresponsive.since)));
}

}  // namespace linkherd::crawler
