#include "storage/link_history.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "storage/key_layout.h"
#include "storage/store.h"
#include "storage/store_errors.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"
#include "storage/value_format.h"

namespace linkherd::storage {
namespace {

bool is_in_second_of(const Snapshot& snapshot, Timestamp time) {
  return std::chrono::floor<std::chrono::seconds>(snapshot.fetched_at) ==
         std::chrono::floor<std::chrono::seconds>(time);
}

// Adds the checks that changed nothing to the stored snapshots. Both are sorted newest first.
std::vector<Snapshot> with_unchanged_checks(const std::vector<Snapshot>& rows, const std::vector<CheckOutcome>& checks,
                                            const Snapshot& latest) {
  std::vector<Snapshot> all = rows;
  const bool is_row = std::ranges::find(rows, latest.fetched_at, &Snapshot::fetched_at) != rows.end();
  if (latest.fetched_at != Timestamp{} && !is_row) all.push_back(latest);
  for (const CheckOutcome& check : checks) {
    if (std::ranges::any_of(all, [&check](const Snapshot& one) { return is_in_second_of(one, check.at); })) continue;
    // After a merge, snapshots of other stores may lie between the check and the row that it repeats.
    const auto before = std::ranges::find_if(rows, [&check](const Snapshot& row) {
      return row.fetched_at < check.at && row.verdict.health == check.health;
    });
    if (before == rows.end()) continue;
    all.push_back(*before);
    all.back().fetched_at = check.at;
    all.back().attempts.clear();  // not stored for that check
    all.back().remote_address.clear();
  }
  std::ranges::stable_sort(all, std::greater<>(), &Snapshot::fetched_at);
  return all;
}

// Returns snapshots, newest first: at least `limit`, unless there are fewer.
std::vector<Snapshot> read_history(const KeyValueStore& rocks, const LinkId& id, std::size_t limit) {
  if (limit == 0) return {};
  std::vector<Snapshot> rows;
  rocks.scan(Family::history, link_key(id), [&](std::string_view /*key*/, std::string_view value) {
    rows.push_back(expect(rocks, "snapshot", id, decode_snapshot(value)));
    return rows.size() < limit;
  });
  const std::optional<std::string> row = rocks.get(Family::link, link_key(id));
  if (!row) return rows;
  const StoredLink link = expect(rocks, "link", id, decode_link(*row, id));
  const std::optional<LinkState> state = read_link_state(rocks, rocks, id);
  const auto latest = std::ranges::find(rows, link.snapshot_at, &Snapshot::fetched_at);
  if (latest != rows.end()) latest->main_text = state->snapshot.main_text;  // the row of the link may hold it
  return with_unchanged_checks(rows, link.checks, state->snapshot);
}

}  // namespace

std::optional<LinkState> LinkHistory::state(const LinkId& id) const {
  return read_link_state(store_.rows(), store_.rows(), id);
}

void LinkHistory::for_each_state(const std::function<bool(const LinkState& state)>& visit) const {
  store_.rows().scan(Family::link, {}, [&](std::string_view key, std::string_view value) {
    const std::optional<LinkId> id = parse_link_key(key);
    return !id || visit(expect(store_.rows(), "link", id, decode_link(value, *id)).state);
  });
}

void LinkHistory::for_each_unfetched(const std::function<bool(const LinkState& state)>& visit) const {
  const KeyValueStore& rows = store_.rows();
  for (const Run& run : store_.runs()) {
    bool goes_on = true;
    KeyValueStore::Cursor links(rows, Family::link);
    rows.scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view value) {
      const std::optional<LinkId> id = parse_result_key(key);
      if (!id || links.get(link_key(*id))) return true;
      goes_on = visit(unfetched_state(read_result(rows, *id, value)));
      return goes_on;
    });
    if (!goes_on) return;
  }
}

std::vector<Snapshot> LinkHistory::snapshots(const LinkId& id, std::size_t limit) const {
  std::vector<Snapshot> all = read_history(store_.rows(), id, limit);
  if (all.size() > limit) all.resize(limit);
  return all;
}

std::optional<Snapshot> LinkHistory::snapshot_at(const LinkId& id, Timestamp at) const {
  const std::optional<std::string> row = store_.rows().get(Family::history, history_key(id, at));
  if (!row) return std::nullopt;
  return expect(store_.rows(), "snapshot", id, decode_snapshot(*row));
}

std::vector<CheckOutcome> LinkHistory::last_checks(const LinkId& id) const {
  const std::optional<std::string> row = store_.rows().get(Family::link, link_key(id));
  return row ? expect(store_.rows(), "link", id, decode_link(*row, id)).checks : std::vector<CheckOutcome>();
}

std::optional<std::string> LinkHistory::body(std::string_view digest) const {
  const std::optional<std::string> key = body_key(digest);
  std::optional<std::string> stored = key ? store_.rows().get(Family::body, *key) : std::nullopt;
  if (!stored) return std::nullopt;
  const Result<std::string_view> payload = after_version(*stored);
  if (payload.has_error()) {
    throw store_error(store_.path(), fmt::format("has a body that cannot be read: {}", payload.error().message));
  }
  return std::string(*payload);
}

}  // namespace linkherd::storage
