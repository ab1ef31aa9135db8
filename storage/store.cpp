#include "storage/store.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "storage/key_layout.h"
#include "storage/pruning.h"
#include "storage/read_ahead.h"
#include "storage/store_database.h"
#include "storage/store_errors.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"
#include "storage/value_format.h"

namespace linkherd::storage {
namespace {

constexpr std::size_t max_batch_bytes = std::size_t{16} << 20;
constexpr Duration one_second = std::chrono::seconds(1);

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

// `from` is the store or a RowsInOrder.
template <class From>
std::optional<LinkRecord> read_link(const KeyValueStore& store, From& from, const LinkId& id) {
  const auto row = from.get(Family::link, link_key(id));
  if (!row) return std::nullopt;
  StoredLink link = expect(store, "link", id, decode_link(*row, id));
  if (!link.snapshot_at) return std::move(link.record);
  // If the row is lost, the link is treated as never fetched, but keeps its times and strikes.
  if (const auto snapshot = from.get(Family::history, history_key(id, *link.snapshot_at))) {
    link.record.snapshot = expect(store, "snapshot", id, latest_snapshot(link, *snapshot));
  }
  return std::move(link.record);
}

template <class From>
std::vector<parser::LinkOccurrence> read_occurrences(const KeyValueStore& store, From& from,
                                                     const OccurrencesKeys& keys, const LinkId& id) {
  const auto row = from.get(Family::occurrences, keys.of(id));
  if (!row) return {};
  std::vector<parser::LinkOccurrence> all = expect(store, "list of occurrences", id, decode_occurrences(*row));
  if (store.file_names.are_same()) return all;
  for (parser::LinkOccurrence& one : all) one.file = store.file_names.to_shown(one.file);
  return all;
}

// Stores a result, and its occurrences if they were read and have changed, or the link is new.
void put_result(KeyValueStore::Batch& batch, const KeyValueStore& store, std::uint64_t run, const OccurrencesKeys& keys,
                LinkResult result, bool is_new = false) {
  const FileNames& names = store.file_names;
  if (!result.occurrences.empty()) set_occurrences(result, std::move(result.occurrences));
  if (!names.are_same()) {
    result.first.file = names.to_stored(result.first.file);
    for (parser::LinkOccurrence& one : result.occurrences) one.file = names.to_stored(one.file);
  }
  if (!result.occurrences.empty()) {
    const std::string key = keys.of(result.id);
    const std::string row = encode_occurrences(result.occurrences);
    if (is_new || store.get(Family::occurrences, key) != row) batch.put(Family::occurrences, key, row);
  }
  batch.put(Family::run, result_key(run, result.id), encode_result(result));
}

// Decodes a result row.
LinkResult read_result(const KeyValueStore& store, const LinkId& id, std::string_view row) {
  LinkResult result = expect(store, "link result", id, decode_result(row, id));
  if (!store.file_names.are_same()) result.first.file = store.file_names.to_shown(result.first.file);
  return result;
}

// Returns the run with its inputs named relative to the current folder.
Run shown(Run run, const FileNames& names) {
  for (std::string& input : run.inputs) input = names.to_shown(input);
  return run;
}

// Returns the stored form of a run.
std::string row_of(Run run, const FileNames& names) {
  for (std::string& input : run.inputs) input = names.to_stored(input);
  return encode_run(run);
}

std::optional<Run> read_latest_run(const KeyValueStore& store, bool also_partial) {
  std::optional<Run> latest;
  visit_runs(store, [&](Run run) {
    if (also_partial || !run.is_partial) latest = shown(std::move(run), store.file_names);
    return !latest;
  });
  return latest;
}

// Returns the record of a link that no run has fetched.
LinkRecord unfetched(const LinkResult& result) {
  LinkRecord record;
  record.id = result.id;
  record.url = result.url;
  return record;
}

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
  const std::optional<LinkRecord> record = read_link(rocks, rocks, id);
  const auto latest = std::ranges::find(rows, link.snapshot_at, &Snapshot::fetched_at);
  if (latest != rows.end()) latest->main_text = record->snapshot.main_text;  // the row of the link may hold it
  return with_unchanged_checks(rows, link.checks, record->snapshot);
}

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
  std::optional<LinkRecord> record = read_link(store, from, result.id);
  link.record = record ? std::move(*record) : unfetched(result);
  Snapshot& snapshot = link.record.snapshot;
  if (!result.check) {
    snapshot = {};
  } else if (snapshot.fetched_at != result.check->at || snapshot.vantage != result.check->vantage) {
    snapshot = read_check(store, result);
  }
  link.entry = std::move(result);
  return link;
}

// Adds the occurrences of the link.
template <class From>
void add_occurrences(const KeyValueStore& store, From& from, const OccurrencesKeys& keys, LinkResult& result) {
  result.occurrences = read_occurrences(store, from, keys, result.id);
}

StoreError lost_result(const KeyValueStore& rocks, const Run& run, const LinkId& id) {
  return store_error(rocks.directory(), fmt::format("has lost the result {} of run {}; run `linkherd check` again",
                                                    id.to_hex(), run.number));
}

// Visits the result row of every link of the run in an id range.
void visit_results(const KeyValueStore& rocks, const Run& run, const IdRange& range,
                   const std::function<bool(const LinkId& id, std::string_view row)>& visit) {
  const std::string begin = result_key(run.number, range.first);
  const std::string end = range.end ? result_key(run.number, *range.end) : run_key(run.number + 1);
  for (KeyValueStore::Rows row(rocks, Family::run, begin, end); !row.is_at_end(); row.next()) {
    const std::optional<LinkId> id = parse_result_key(row.key());
    if (id && !visit(*id, row.value())) return;
  }
}

// Visits these links without occurrences. Passes nullopt for a link that is not in the run.
void visit_outcomes_of(
    const KeyValueStore& rocks, const Run& run, std::span<const LinkId> ids,
    const std::function<bool(const LinkId& id, std::optional<CheckedLink> link, RowsInOrder& rows)>& visit) {
  RowsInOrder rows(rocks);
  for (const LinkId& id : ids) {
    const auto row = rows.get(Family::run, result_key(run.number, id));
    std::optional<CheckedLink> link;
    if (row) link = with_state(rocks, rows, read_result(rocks, id, *row));
    if (!visit(id, std::move(link), rows)) return;
  }
}

// Weighs a link by its occurrences, because a link may have very many.
bool put(ReadAhead<CheckedLink>& to, CheckedLink link) {
  const std::size_t occurrence_count = link.entry.occurrences.size();
  return to.put(std::move(link), 1 + occurrence_count);
}

// Erases the results and occurrences of a link in all runs, and adjusts their counts.
void erase_from_runs(KeyValueStore::Batch& batch, const KeyValueStore& rocks, std::vector<Run>& runs,
                     const LinkId& id) {
  for (Run& run : runs) {
    const std::string key = result_key(run.number, id);
    const std::optional<std::string> row = rocks.get(Family::run, key);
    if (!row) continue;
    batch.erase(Family::run, key);
    batch.erase(Family::occurrences, OccurrencesKeys(run.identity).of(id));
    const auto count = run.by_health.find(expect(rocks, "link result", id, decode_health(*row)));
    if (count == run.by_health.end()) continue;
    if (--count->second == 0) run.by_health.erase(count);
    batch.put(Family::run, run_key(run.number), row_of(run, rocks.file_names));
  }
}

}  // namespace

// --- writing links

class LinkWriter::Rows {
 public:
  Rows(KeyValueStore& store, const Run& run) : store_(store), run_(run.number), occurrences_(run.identity) {}

  void add(const CheckedLink& link, std::string_view body, bool is_new) {
    const LinkRecord& record = link.record;
    const std::string key = link_key(record.id);
    const std::optional<std::string> before = is_new ? std::nullopt : store_.get(Family::link, key);
    LinkRows rows = encode_link(before, record);
    const bool is_row_lost = rows.same_as && !store_.contains(Family::history, history_key(record.id, *rows.same_as));
    if (is_row_lost) rows = encode_link(std::nullopt, record);
    batch_.put(Family::link, key, rows.link);
    const std::optional<std::string> body_digest = body_key(record.snapshot.body_digest);
    if (!body.empty()) add_body(body_digest, body);
    if (rows.history) {
      const std::string mark = encode_body_mark(!body.empty() || (body_digest && has_body(*body_digest)));
      batch_.put(Family::history, history_key(record.id, record.snapshot.fetched_at), *rows.history, mark);
    }
    if (rows.replaces) replace(record.id, *rows.replaces);
    LinkResult result = link.entry;
    set_state(result, record);
    put_result(batch_, store_, run_, occurrences_, std::move(result), is_new);
  }

  std::size_t bytes() const { return batch_.bytes(); }

  void write() {
    store_.write(batch_);
    batch_.clear();
    bodies_.clear();
  }

 private:
  void add_body(const std::optional<std::string>& key, std::string_view body) {
    if (key && has_body(*key)) return;
    // Not a StoreError: this is a programming error, and the body would be stored under a wrong key.
    if (!key || body_key(content_digest(body)) != key)
      throw std::logic_error("the body does not match the digest in its snapshot");
    batch_.put(Family::body, *key, std::string_view(&value_version, 1), body);
    bodies_.insert(*key);
  }

  void replace(const LinkId& id, Timestamp at) {
    const std::string key = history_key(id, at);
    if (const std::optional<std::string> row = store_.get(Family::history, key)) {
      batch_.put(Family::history, key, expect(store_, "snapshot", id, replaced_row(*row)));
    }
  }

  bool has_body(const std::string& key) const { return bodies_.contains(key) || store_.contains(Family::body, key); }

  KeyValueStore& store_;
  const std::uint64_t run_;
  const OccurrencesKeys occurrences_;
  KeyValueStore::Batch batch_;
  std::set<std::string> bodies_;  // keys of the bodies in the batch
};

LinkWriter::LinkWriter(Store& store, const Run& run) : rows_(std::make_unique<Rows>(store.database_->rocks(), run)) {}
LinkWriter::~LinkWriter() = default;

void LinkWriter::add(const CheckedLink& link, std::string_view body, bool is_new) { rows_->add(link, body, is_new); }
std::size_t LinkWriter::bytes() const { return rows_->bytes(); }
void LinkWriter::write() { rows_->write(); }

// --- opening

Store::Store(std::unique_ptr<StoreDatabase> database) : database_(std::move(database)) {}
Store::~Store() = default;

std::unique_ptr<Store> Store::open(const std::filesystem::path& directory) {
  std::unique_ptr<Store> store(new Store(StoreDatabase::open_for_writing(directory)));
  store->database_->rocks().file_names = FileNames::of_store(directory);
  return store;
}

std::unique_ptr<Store> Store::open_for_reading(const std::filesystem::path& directory) {
  std::unique_ptr<Store> store(new Store(StoreDatabase::open_for_reading(directory)));
  store->database_->rocks().file_names = FileNames::of_store(directory);
  return store;
}

const std::vector<std::string>& Store::losses() const { return database_->losses(); }

std::vector<std::string> Store::take_losses() const { return database_->take_losses(); }

bool Store::is_current() const { return database_->is_current(); }

bool Store::is_being_written() const { return database_->is_being_written(); }

// --- runs

std::optional<std::uint64_t> Store::lost_run() const {
  const std::optional<Run> recorded = database_->recorded_run();
  if (!recorded || recorded->state == RunState::open) return std::nullopt;
  const std::optional<Run> latest = latest_run();
  const bool is_recorded = latest && latest->number >= recorded->number;
  return is_recorded ? std::nullopt : std::optional(recorded->number);
}

std::vector<Run> Store::runs() const {
  std::vector<Run> runs;
  const KeyValueStore& rocks = database_->rocks();
  visit_runs(rocks, [&](Run run) {
    runs.push_back(shown(std::move(run), rocks.file_names));
    return true;
  });
  return runs;
}

std::optional<Run> Store::latest_run() const { return read_latest_run(database_->rocks(), true); }

std::optional<Run> Store::latest_whole_run() const { return read_latest_run(database_->rocks(), false); }

std::optional<Run> Store::unfinished_run() const {
  std::optional<Run> recorded = database_->recorded_run();
  if (!recorded || recorded->state != RunState::open) return std::nullopt;
  const std::optional<Run> latest = latest_run();
  const bool ended = latest && (latest->number > recorded->number ||
                                (latest->number == recorded->number && latest->state == RunState::complete));
  return ended ? std::nullopt : recorded;
}

Run Store::begin_run(std::string_view identity, const std::vector<std::string>& inputs, Timestamp now,
                     bool is_partial) {
  const std::lock_guard lock(beginning_);
  std::optional<Run> latest = latest_run();
  Run run;
  if (latest && latest->state != RunState::complete && latest->identity == identity) {
    run = std::move(*latest);
    run.state = RunState::open;
    run.finished_at.reset();
    run.by_health.clear();
  } else {
    // Run numbers are never reused, even if the run is lost.
    const std::optional<Run> recorded = database_->recorded_run();
    run.number = std::max(last_run_number(database_->rocks()), recorded ? recorded->number : 0) + 1;
    run.identity = identity;
    const FileNames& names = database_->rocks().file_names;
    for (const std::string& input : inputs) run.inputs.push_back(names.to_shown(names.to_stored(input)));
    run.started_at = now;
    run.is_partial = is_partial;
  }
  run.is_partial = run.is_partial && is_partial;  // a complete run may continue a partial one
  put_run(run);
  return run;
}

void Store::put_run(const Run& run) {
  KeyValueStore& rocks = database_->rocks();
  const std::string key = run_key(run.number);
  KeyValueStore::Batch batch;
  batch.put(Family::run, key, row_of(run, rocks.file_names));
  rocks.write(batch);
  database_->sync_with(run);
}

PruneResult Store::end_run(const Run& run, const Retention& retention, Timestamp now, Duration run_duration) {
  constexpr Duration prune_time = std::chrono::milliseconds(750);
  constexpr int compaction_part = 50;
  put_run(run);
  const bool is_complete = run.state == RunState::complete;
  const PruneResult pruned = is_complete ? prune(retention, now, prune_time) : PruneResult();
  publish();
  // If the process is killed meanwhile, the run is already published. After the second publish(), readers no longer
  // need the old tables.
  const auto until = std::chrono::steady_clock::now() + run_duration / compaction_part;
  if (is_complete && compact_new_tables(database_->rocks(), until)) publish();
  return pruned;
}

std::optional<LinkResult> Store::result(const Run& run, const LinkId& id) const {
  const KeyValueStore& rocks = database_->rocks();
  const std::optional<std::string> row = rocks.get(Family::run, result_key(run.number, id));
  if (!row) return std::nullopt;
  LinkResult result = read_result(rocks, id, *row);
  storage::add_occurrences(rocks, rocks, OccurrencesKeys(run.identity), result);
  return result;
}

std::vector<parser::LinkOccurrence> Store::occurrences(const Run& run, const LinkId& id) const {
  const KeyValueStore& rocks = database_->rocks();
  if (!rocks.contains(Family::run, result_key(run.number, id))) return {};
  return read_occurrences(rocks, rocks, OccurrencesKeys(run.identity), id);
}

void Store::put_results(const Run& run, const std::vector<LinkResult>& results) {
  KeyValueStore& rocks = database_->rocks();
  const OccurrencesKeys keys(run.identity);
  KeyValueStore::Batch batch;
  for (const LinkResult& result : results) {
    put_result(batch, rocks, run.number, keys, result);
    if (batch.bytes() < max_batch_bytes) continue;
    rocks.write(batch);
    batch.clear();
  }
  rocks.write(batch);
}

void Store::keep_results(const Run& run, const std::function<bool(const LinkId&)>& wanted) {
  const OccurrencesKeys keys(run.identity);
  KeyValueStore::Batch batch;
  database_->rocks().scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view /*value*/) {
    const std::optional<LinkId> id = parse_result_key(key);
    if (!id || wanted(*id)) return true;
    batch.erase(Family::run, key);
    batch.erase(Family::occurrences, keys.of(*id));
    if (batch.bytes() < max_batch_bytes) return true;
    database_->rocks().write(batch);
    batch.clear();
    return true;
  });
  database_->rocks().write(batch);
}

void Store::for_each_result(const Run& run, const IdRange& range,
                            const std::function<void(LinkResult&& result)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  visit_results(rocks, run, range, [&](const LinkId& id, std::string_view row) {
    visit(read_result(rocks, id, row));
    return true;
  });
}

void Store::add_occurrences(const Run& run, std::span<LinkResult* const> results) const {
  const KeyValueStore& rocks = database_->rocks();
  const OccurrencesKeys keys(run.identity);
  RowsInOrder rows(rocks);
  for (LinkResult* const result : results) storage::add_occurrences(rocks, rows, keys, *result);
}

void Store::for_each_link(const Run& run, const std::function<bool(CheckedLink&&)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  const OccurrencesKeys keys(run.identity);
  const auto read = [&](ReadAhead<CheckedLink>& to) {
    RowsInOrder rows(rocks);
    visit_results(rocks, run, IdRange(), [&](const LinkId& id, std::string_view row) {
      CheckedLink link = with_state(rocks, rows, read_result(rocks, id, row));
      storage::add_occurrences(rocks, rows, keys, link.entry);
      return put(to, std::move(link));
    });
  };
  read_ahead<CheckedLink>(read, visit);
}

void Store::for_each_link_of(const Run& run, std::span<const LinkId> ids,
                             const std::function<bool(CheckedLink&&)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  const OccurrencesKeys keys(run.identity);
  const auto read = [&](ReadAhead<CheckedLink>& to) {
    visit_outcomes_of(rocks, run, ids, [&](const LinkId& id, std::optional<CheckedLink> link, RowsInOrder& rows) {
      if (!link) throw lost_result(rocks, run, id);
      storage::add_occurrences(rocks, rows, keys, link->entry);
      return put(to, std::move(*link));
    });
  };
  read_ahead<CheckedLink>(read, visit);
}

void Store::for_each_outcome_of(const Run& run, std::span<const LinkId> ids,
                                const std::function<bool(std::optional<CheckedLink>&&)>& visit) const {
  visit_outcomes_of(database_->rocks(), run, ids,
                    [&](const LinkId& /*id*/, std::optional<CheckedLink> link, RowsInOrder& /*rows*/) {
                      return visit(std::move(link));
                    });
}

void Store::for_each_health(const Run& run, const IdRange& range,
                            const std::function<void(const LinkId& id, Health health)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  visit_results(rocks, run, range, [&](const LinkId& id, std::string_view row) {
    visit(id, expect(rocks, "link result", id, decode_health(row)));
    return true;
  });
}

void Store::put_notification_states(const Run& run, const std::vector<std::pair<LinkId, NotificationState>>& states) {
  KeyValueStore& rocks = database_->rocks();
  KeyValueStore::Batch batch;
  for (const auto& [id, known] : states) {
    const std::string key = result_key(run.number, id);
    const std::optional<std::string> row = rocks.get(Family::run, key);
    if (row)
      batch.put(Family::run, key, expect(rocks, "link result", id, storage::with_notification_state(*row, known)));
  }
  rocks.write(batch);
}

void Store::for_each_notification_state(
    const Run& run, const std::function<void(const LinkId& id, const NotificationState& state)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  visit_results(rocks, run, IdRange(), [&](const LinkId& id, std::string_view row) {
    const std::optional<NotificationState> state = expect(rocks, "link result", id, read_notification_state(row));
    if (state) visit(id, *state);
    return true;
  });
}

std::map<Health, std::uint64_t> Store::count_by_health(const Run& run) const {
  std::map<Health, std::uint64_t> counts;
  for_each_health(run, IdRange(), [&counts](const LinkId& /*id*/, Health health) { ++counts[health]; });
  return counts;
}

std::optional<CheckedLink> Store::outcome(const Run& run, const LinkId& id) const {
  const KeyValueStore& rocks = database_->rocks();
  const std::optional<std::string> row = rocks.get(Family::run, result_key(run.number, id));
  if (!row) return std::nullopt;
  return with_state(rocks, rocks, read_result(rocks, id, *row));
}

CheckedLink Store::checked_link(const Run& run, const LinkId& id) const {
  const KeyValueStore& rocks = database_->rocks();
  std::optional<CheckedLink> link = outcome(run, id);
  if (!link) throw lost_result(rocks, run, id);
  storage::add_occurrences(rocks, rocks, OccurrencesKeys(run.identity), link->entry);
  return std::move(*link);
}

// --- links

std::optional<LinkRecord> Store::link(const LinkId& id) const {
  return read_link(database_->rocks(), database_->rocks(), id);
}

std::vector<Snapshot> Store::history(const LinkId& id, std::size_t limit) const {
  std::vector<Snapshot> all = read_history(database_->rocks(), id, limit);
  if (all.size() > limit) all.resize(limit);
  return all;
}

std::vector<CheckOutcome> Store::last_checks(const LinkId& id) const {
  const KeyValueStore& rocks = database_->rocks();
  const std::optional<std::string> row = rocks.get(Family::link, link_key(id));
  return row ? expect(rocks, "link", id, decode_link(*row, id)).checks : std::vector<CheckOutcome>();
}

std::optional<Snapshot> Store::snapshot_at(const LinkId& id, Timestamp at) const {
  const KeyValueStore& rocks = database_->rocks();
  const std::optional<std::string> row = rocks.get(Family::history, history_key(id, at));
  if (!row) return std::nullopt;
  return expect(rocks, "snapshot", id, decode_snapshot(*row));
}

std::optional<std::string> Store::body(std::string_view digest) const {
  const std::optional<std::string> key = body_key(digest);
  std::optional<std::string> stored = key ? database_->rocks().get(Family::body, *key) : std::nullopt;
  if (!stored) return std::nullopt;
  const Result<std::string_view> payload = after_version(*stored);
  if (payload.has_error()) {
    throw store_error(database_->rocks().directory(),
                      fmt::format("has a body that cannot be read: {}", payload.error().message));
  }
  return std::string(*payload);
}

void Store::put_link(const Run& run, const CheckedLink& link, std::string_view body) {
  LinkWriter writer(*this, run);
  writer.add(link, body);
  writer.write();
}

void Store::for_each_record(const std::function<bool(const LinkRecord& record)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  rocks.scan(Family::link, {}, [&](std::string_view key, std::string_view value) {
    const std::optional<LinkId> id = parse_link_key(key);
    return !id || visit(expect(rocks, "link", id, decode_link(value, *id)).record);
  });
}

void Store::for_each_unfetched(const std::function<bool(const LinkRecord& record)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  for (const Run& run : runs()) {
    bool goes_on = true;
    RowsInOrder rows(rocks);
    rocks.scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view value) {
      const std::optional<LinkId> id = parse_result_key(key);
      if (!id || rows.get(Family::link, link_key(*id))) return true;
      goes_on = visit(unfetched(read_result(rocks, *id, value)));
      return goes_on;
    });
    if (!goes_on) return;
  }
}

std::size_t Store::forget(const std::vector<LinkId>& ids) {
  KeyValueStore& rocks = database_->rocks();
  std::vector<Run> all_runs = runs();
  std::set<LinkId> known;
  for (const LinkId& id : ids) {
    const bool is_in_run = std::ranges::any_of(
        all_runs, [&](const Run& run) { return rocks.contains(Family::run, result_key(run.number, id)); });
    if (is_in_run || rocks.contains(Family::link, link_key(id))) known.insert(id);
  }
  if (known.empty()) return 0;
  const auto bodies = bodies_only_of(rocks, known);
  for (const LinkId& id : known) {
    KeyValueStore::Batch batch;
    erase_from_runs(batch, rocks, all_runs, id);
    if (bodies) erase_link(batch, rocks, id, *bodies);
    rocks.write(batch);
  }
  for (const auto& [family, name] : family_names) rocks.compact(family);
  return known.size();
}

// --- hosts

std::vector<HostState> Store::hosts() const {
  std::vector<HostState> hosts;
  database_->rocks().scan(Family::host, {}, [&](std::string_view key, std::string_view value) {
    hosts.push_back(expect(database_->rocks(), "host", {}, decode_host(value, key)));
    return true;
  });
  return hosts;
}

void Store::put_hosts(const std::vector<HostState>& hosts) {
  KeyValueStore& rocks = database_->rocks();
  KeyValueStore::Batch batch;
  for (const HostState& host : hosts) {
    batch.put(Family::host, host.origin, encode_host(host));
  }
  rocks.write(batch);
}

// --- maintenance

PruneResult Store::prune(const Retention& retention, Timestamp now, std::optional<Duration> budget) {
  std::optional<std::chrono::steady_clock::time_point> until;
  if (budget) until = std::chrono::steady_clock::now() + *budget;
  return storage::prune(database_->rocks(), retention, now, until);
}

StoreUse Store::use() const {
  StoreUse use;
  for (const auto& [family, name] : family_names) {
    use.families.push_back({name, database_->rocks().row_count(family), database_->rocks().bytes(family)});
  }
  use.folder_bytes = database_->folder_bytes();
  return use;
}

Verification Store::verify() const {
  Verification found = storage::verify(*this, database_->rocks());
  const auto add_problem = [&found](const std::string& problem) {
    ++found.problem_count;
    found.problems.push_back(problem);
  };
  for (const std::string& loss : losses()) add_problem(loss);  // found when the store was opened
  if (!database_->is_checkpoint()) return found;
  const auto add_database_problem = [&add_problem](const std::string& problem) {
    add_problem("the database db: " + problem);
  };
  try {
    const Store live(StoreDatabase::open_unwritten(database_->path()));
    if (!live.database_) return found;
    found.has_read_database = true;
    if (live.losses().empty() && live.database_->rocks().has_files_of(database_->rocks())) return found;
    for (const std::string& loss : live.losses()) add_database_problem(loss);
    if (!live.is_current())
      add_database_problem("its latest changes are lost because one of its files was truncated or replaced");
    for (const std::string& problem : storage::verify(live, live.database_->rocks()).problems) {
      if (std::ranges::find(found.problems, problem) == found.problems.end()) add_database_problem(problem);
    }
  } catch (const StoreError& error) {
    found.has_read_database = true;
    add_database_problem(error.what());
  }
  return found;
}

void Store::back_up(const std::filesystem::path& folder, std::uint32_t keep) {
  database_->rocks().back_up(folder, keep);
}

Restored Store::restore(const std::filesystem::path& folder, const std::filesystem::path& directory,
                        std::optional<std::uint32_t> backup) {
  return StoreDatabase::restore(folder, directory, backup);
}

Merged Store::merge(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::unique_ptr<StoreDatabase>> sources;
  std::vector<const KeyValueStore*> rows;
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    std::error_code error;
    const auto is_path = [&](const std::filesystem::path& other) {
      return std::filesystem::equivalent(*path, other, error);
    };
    if (is_path(database_->path()))
      throw store_error(*path, "is the store to merge into, so it cannot also be merged from");
    if (std::any_of(paths.begin(), path, is_path)) throw store_error(*path, "is given twice");
    sources.push_back(StoreDatabase::open_published(*path));
    rows.push_back(&sources.back()->rocks());
    const std::vector<std::string> damaged = rows.back()->list_damaged_files();
    if (!damaged.empty()) throw store_damaged(*path, "file " + damaged.front());
  }
  Merged merged = storage::merge(database_->rocks(), rows);
  database_->sync();
  return merged;
}

// --- durability

void Store::sync() { database_->sync(); }

void Store::publish() { database_->publish(); }

}  // namespace linkherd::storage
