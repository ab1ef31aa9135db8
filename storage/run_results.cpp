#include "storage/run_results.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "storage/read_ahead.h"
#include "storage/store.h"
#include "storage/store_errors.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"

namespace linkherd::storage {
namespace {

constexpr std::size_t max_batch_bytes = std::size_t{16} << 20;

// Reads rows of links in ascending order of ids.
class RowsInOrder {
 public:
  explicit RowsInOrder(const KeyValueStore& store) : store_(store) {}

  std::optional<std::string_view> get(Family family, std::string_view key) {
    std::optional<KeyValueStore::Cursor>& cursor = cursors_[static_cast<std::size_t>(family)];
    if (!cursor) cursor.emplace(store_, family);
    return cursor->get(key);
  }

 private:
  const KeyValueStore& store_;
  std::array<std::optional<KeyValueStore::Cursor>, family_names.size()> cursors_;
};

// Returns the snapshot of an earlier check of a link. A check without changes has no row of its own: it repeats the
// latest row before it from the same vantage point. Returns an empty snapshot if the row is lost.
Snapshot read_check(const KeyValueStore& store, const LinkResult& result) {
  const CheckKey& check = *result.check;
  const std::string end = history_key(result.id, Timestamp{}) + '\0';  // the key of the oldest possible row, exclusive
  for (KeyValueStore::Rows row(store, Family::history, history_key(result.id, check.at), end); !row.is_at_end();
       row.next()) {
    Snapshot found = expect(store, "snapshot", result.id, decode_snapshot(row.value()));
    if (found.vantage != check.vantage || found.final_url != result.page.final_url) continue;
    if (found.fetched_at == check.at) return found;
    found.fetched_at = check.at;
    found.attempts.clear();  // not stored for that check
    found.remote_address.clear();
    return found;
  }
  return {};
}

// Reads the state of the link of a result. Its snapshot is the one of the result: a later run, or one from another
// vantage point, may have found something else.
template <class From>
CheckedLink with_state(const KeyValueStore& store, From& from, LinkResult result) {
  CheckedLink link;
  std::optional<LinkState> state = read_link_state(store, from, result.id);
  link.state = state ? std::move(*state) : unfetched_state(result);
  Snapshot& snapshot = link.state.snapshot;
  if (!result.check) {
    snapshot = {};
  } else if (snapshot.fetched_at != result.check->at || snapshot.vantage != result.check->vantage) {
    snapshot = read_check(store, result);
  }
  link.result = std::move(result);
  return link;
}

StoreError lost_result(const KeyValueStore& rocks, std::uint64_t run, const LinkId& id) {
  return store_error(rocks.directory(),
                     fmt::format("has lost the result {} of run {}; run `linkherd check` again", id.to_hex(), run));
}

// Visits the result row of every link of the run in an id range.
void visit_results(const KeyValueStore& rocks, std::uint64_t run, const IdRange& range,
                   const std::function<bool(const LinkId& id, std::string_view row)>& visit) {
  const std::string begin = result_key(run, range.first);
  const std::string end = range.end ? result_key(run, *range.end) : run_key(run + 1);
  for (KeyValueStore::Rows row(rocks, Family::run, begin, end); !row.is_at_end(); row.next()) {
    const std::optional<LinkId> id = parse_result_key(row.key());
    if (id && !visit(*id, row.value())) return;
  }
}

// Visits these links without occurrences. Passes nullopt for a link that is not in the run.
void visit_links_of(
    const KeyValueStore& rocks, std::uint64_t run, std::span<const LinkId> ids,
    const std::function<bool(const LinkId& id, std::optional<CheckedLink> link, RowsInOrder& rows)>& visit) {
  RowsInOrder rows(rocks);
  for (const LinkId& id : ids) {
    const auto row = rows.get(Family::run, result_key(run, id));
    std::optional<CheckedLink> link;
    if (row) link = with_state(rocks, rows, read_result(rocks, id, *row));
    if (!visit(id, std::move(link), rows)) return;
  }
}

// Weighs a link by its occurrences, because a link may have very many.
bool hand_over(ReadAhead<CheckedLink>& to, CheckedLink link) {
  const std::size_t occurrence_count = link.result.occurrences.size();
  return to.put(std::move(link), 1 + occurrence_count);
}

}  // namespace

RunResults::RunResults(const Store& store, const Run& run)
    : rows_(store.rows()), run_(run.number), occurrences_(run.identity) {}

std::optional<LinkResult> RunResults::find(const LinkId& id) const {
  const std::optional<std::string> row = rows_.get(Family::run, result_key(run_, id));
  if (!row) return std::nullopt;
  LinkResult result = read_result(rows_, id, *row);
  result.occurrences = read_occurrences(rows_, rows_, occurrences_, id);
  return result;
}

void RunResults::put(std::span<const LinkResult> results) {
  KeyValueStore::Batch batch;
  for (const LinkResult& result : results) {
    put_result(batch, rows_, run_, occurrences_, result);
    if (batch.bytes() < max_batch_bytes) continue;
    rows_.write(batch);
    batch.clear();
  }
  rows_.write(batch);
}

void RunResults::keep(const std::function<bool(const LinkId&)>& wanted) {
  KeyValueStore::Batch batch;
  rows_.scan(Family::run, run_key(run_), [&](std::string_view key, std::string_view /*value*/) {
    const std::optional<LinkId> id = parse_result_key(key);
    if (!id || wanted(*id)) return true;
    batch.erase(Family::run, key);
    batch.erase(Family::occurrences, occurrences_.of(*id));
    if (batch.bytes() < max_batch_bytes) return true;
    rows_.write(batch);
    batch.clear();
    return true;
  });
  rows_.write(batch);
}

void RunResults::for_each(const IdRange& range, const std::function<void(LinkResult&& result)>& visit) const {
  visit_results(rows_, run_, range, [&](const LinkId& id, std::string_view row) {
    visit(read_result(rows_, id, row));
    return true;
  });
}

std::vector<parser::LinkOccurrence> RunResults::occurrences(const LinkId& id) const {
  if (!rows_.contains(Family::run, result_key(run_, id))) return {};
  return read_occurrences(rows_, rows_, occurrences_, id);
}

void RunResults::add_occurrences(std::span<LinkResult* const> results) const {
  RowsInOrder rows(rows_);
  for (LinkResult* const result : results)
    result->occurrences = read_occurrences(rows_, rows, occurrences_, result->id);
}

void RunResults::for_each_health(const IdRange& range,
                                 const std::function<void(const LinkId& id, Health health)>& visit) const {
  visit_results(rows_, run_, range, [&](const LinkId& id, std::string_view row) {
    visit(id, expect(rows_, "link result", id, decode_health(row)));
    return true;
  });
}

std::map<Health, std::uint64_t> RunResults::count_by_health() const {
  std::map<Health, std::uint64_t> counts;
  for_each_health(IdRange(), [&counts](const LinkId& /*id*/, Health health) { ++counts[health]; });
  return counts;
}

void RunResults::put_notification_states(const std::vector<std::pair<LinkId, NotificationState>>& states) {
  KeyValueStore::Batch batch;
  for (const auto& [id, known] : states) {
    const std::string key = result_key(run_, id);
    const std::optional<std::string> row = rows_.get(Family::run, key);
    if (row) batch.put(Family::run, key, expect(rows_, "link result", id, with_notification_state(*row, known)));
  }
  rows_.write(batch);
}

void RunResults::for_each_notification_state(
    const std::function<void(const LinkId& id, const NotificationState& state)>& visit) const {
  visit_results(rows_, run_, IdRange(), [&](const LinkId& id, std::string_view row) {
    const std::optional<NotificationState> state = expect(rows_, "link result", id, read_notification_state(row));
    if (state) visit(id, *state);
    return true;
  });
}

CheckedLink RunResults::link(const LinkId& id) const {
  std::optional<CheckedLink> link = link_without_occurrences(id);
  if (!link) throw lost_result(rows_, run_, id);
  link->result.occurrences = read_occurrences(rows_, rows_, occurrences_, id);
  return std::move(*link);
}

std::optional<CheckedLink> RunResults::link_without_occurrences(const LinkId& id) const {
  const std::optional<std::string> row = rows_.get(Family::run, result_key(run_, id));
  if (!row) return std::nullopt;
  return with_state(rows_, rows_, read_result(rows_, id, *row));
}

void RunResults::for_each_link(const std::function<bool(CheckedLink&&)>& visit) const {
  const auto read = [&](ReadAhead<CheckedLink>& to) {
    RowsInOrder rows(rows_);
    visit_results(rows_, run_, IdRange(), [&](const LinkId& id, std::string_view row) {
      CheckedLink link = with_state(rows_, rows, read_result(rows_, id, row));
      link.result.occurrences = read_occurrences(rows_, rows, occurrences_, id);
      return hand_over(to, std::move(link));
    });
  };
  read_ahead<CheckedLink>(read, visit);
}

void RunResults::for_each_link_of(std::span<const LinkId> ids, const std::function<bool(CheckedLink&&)>& visit) const {
  const auto read = [&](ReadAhead<CheckedLink>& to) {
    visit_links_of(rows_, run_, ids, [&](const LinkId& id, std::optional<CheckedLink> link, RowsInOrder& rows) {
      if (!link) throw lost_result(rows_, run_, id);
      link->result.occurrences = read_occurrences(rows_, rows, occurrences_, id);
      return hand_over(to, std::move(*link));
    });
  };
  read_ahead<CheckedLink>(read, visit);
}

void RunResults::for_each_link_without_occurrences(
    std::span<const LinkId> ids, const std::function<bool(std::optional<CheckedLink>&&)>& visit) const {
  visit_links_of(rows_, run_, ids, [&](const LinkId& /*id*/, std::optional<CheckedLink> link, RowsInOrder& /*rows*/) {
    return visit(std::move(link));
  });
}

}  // namespace linkherd::storage
