#include "crawler/classify/strikes.h"

#include <utility>

#include <fmt/format.h>

namespace linkherd::crawler {

namespace {

using storage::Health;
using storage::LinkRecord;

void count_strike(LinkRecord& record, Timestamp at, const StrikePolicy& policy) {
  if (record.last_strike && at - *record.last_strike < policy.interval) return;
  ++record.strikes;
  record.last_strike = at;
}

void end_strikes(LinkRecord& record) {
  record.strikes = 0;
  record.last_strike.reset();
}

// A record that has had all its strikes stays dead while it stays unreachable, also between two counted runs.
void strike_out(LinkRecord& record, const StrikePolicy& policy) {
  if (policy.strikes <= 0 || record.strikes < policy.strikes) return;
  storage::Verdict& verdict = record.snapshot.verdict;
  verdict.health = Health::dead;
  verdict.rule = "strikes";
  verdict.evidence = fmt::format("Unreachable in {} runs since {}: {}", record.strikes,
                                 format_timestamp(*record.first_failed), verdict.evidence);
}

}  // namespace

LinkRecord update_record(const std::optional<LinkRecord>& before, const storage::LinkId& id, std::string_view url,
                         storage::Snapshot snapshot, const StrikePolicy& policy) {
  const Timestamp at = snapshot.fetched_at;
  LinkRecord record = before.value_or(LinkRecord{});
  record.id = id;
  record.url = url;
  if (!before) record.first_seen = at;
  record.snapshot = std::move(snapshot);

  switch (record.snapshot.verdict.health) {
    case Health::alive:
    case Health::redirected:
      record.last_alive = at;
      record.first_failed.reset();
      end_strikes(record);
      break;
    case Health::insecure:  // fails, but a server answered
      record.first_failed = record.first_failed.value_or(at);
      end_strikes(record);
      break;
    case Health::dead: record.first_failed = record.first_failed.value_or(at); break;
    case Health::unreachable:
      record.first_failed = record.first_failed.value_or(at);
      count_strike(record, at, policy);
      strike_out(record, policy);
      break;
    case Health::blocked:  // unknown: neither for nor against the link
    case Health::deferred:
    case Health::skipped: break;
  }
  return record;
}

}  // namespace linkherd::crawler
