#include "storage/store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <sstream>
#include <utility>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "storage/file_names.h"
#include "storage/json_fields.h"
#include "storage/key_layout.h"
#include "storage/pruning.h"
#include "storage/record_json.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"

namespace linkherd::storage {
namespace {

constexpr std::string_view latest_changes_lost =
    "its latest changes are lost because one of its files was truncated or replaced: it continues from an older state";
constexpr std::string_view database_lost =
    "its database is missing and has no checkpoint: the store starts from scratch";
constexpr std::string_view checkpoint_is_older =
    "the latest part of its checkpoint is missing, so this is an older state: run `linkherd check` again";

std::string encode_state(const StoreState& state) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("sequence", state.sequence);
  json.member("published", state.published);
  json.member("published_run", state.published_run);
  if (state.run) json.member("run", *state.run);
  json.end_object();
  return text + '\n';
}

// Returns the default state if the text is invalid.
StoreState decode_state(std::string_view text) {
  boost::system::error_code problem;
  const boost::json::value json = boost::json::parse(text, problem);
  if (problem) return {};
  JsonFields fields(json, "state");
  StoreState state;
  state.run = fields.nested<Run>("run", run_from_json);
  state.sequence = fields.whole<std::uint64_t>("sequence");
  state.published = fields.whole<std::uint64_t>("published");
  state.published_run = fields.whole<std::uint64_t>("published_run");
  const Result<StoreState> read = fields.finish(std::move(state));
  return read.has_value() ? *read : StoreState();
}

StoreState read_state(const StoreDirectory& directory) {
  return decode_state(directory.read_file(state_file).value_or(""));
}

// Runs `work` and converts file system errors to StoreError.
template <class Work>
auto on_disk(const std::filesystem::path& directory, std::string_view doing, Work work) {
  try {
    return work();
  } catch (const std::filesystem::filesystem_error& error) {
    throw_system(directory, doing, error.code());
  }
}

// Returns false for a new store, which has no schema yet. Throws StoreError if the store has another schema.
bool has_schema(const KeyValueStore& store) {
  const std::optional<std::string> stored = store.get(Family::meta, schema_key);
  if (stored && *stored != schema_version) throw other_version(store.directory());
  return stored.has_value();
}

std::set<std::string> unreadable_bodies(const KeyValueStore& rocks) {
  std::set<std::string> unreadable;
  std::set<std::string> readable;
  rocks.scan(Family::history, {}, [&](std::string_view /*key*/, std::string_view value) {
    const Result<Snapshot> snapshot = decode_snapshot(value);
    const std::optional<std::string> key = snapshot.has_value() ? body_key(snapshot->body_digest) : std::nullopt;
    if (!key || readable.contains(*key) || unreadable.contains(*key)) return true;
    (rocks.is_unreadable(Family::body, *key) ? unreadable : readable).insert(*key);
    return true;
  });
  return unreadable;
}

// Erases unreadable bodies and returns their number. They are then stored again by the next fetch, and RocksDB does not
// fail on them.
std::size_t erase_unreadable_bodies(KeyValueStore& rocks) {
  const std::set<std::string> unreadable = unreadable_bodies(rocks);
  KeyValueStore::Batch batch;
  for (const std::string& key : unreadable) batch.erase(Family::body, key);
  rocks.write(batch);
  std::atomic<bool> never_canceled{false};
  rocks.compact(Family::body, &never_canceled);  // no scan may be open, because it would keep the erased data
  return unreadable.size();
}

std::string loss_line(const StoreDirectory& directory, std::string_view loss) {
  return fmt::format("store {}: {}", directory.path().string(), loss);
}

// Returns true if there may have been damaged bodies.
bool erase_damaged_bodies(const StoreDirectory& directory, KeyValueStore& rocks, std::vector<std::string>& losses) {
  const bool damage_was_met = directory.read_file(damage_file).has_value();
  if (rocks.has_whole_blob_files() && !damage_was_met) return false;
  if (const std::size_t count = erase_unreadable_bodies(rocks); count > 0) {
    losses.push_back(loss_line(directory, fmt::format("{} of its stored pages cannot be read and were left out: they "
                                                      "are stored again the next time they are fetched",
                                                      count)));
  }
  directory.remove_file(damage_file);
  return true;
}

struct ReadableCheckpoint {
  CheckpointLease lease;
  std::uint64_t sequence = 0;
};

std::optional<ReadableCheckpoint> readable_checkpoint(const StoreDirectory& directory) {
  std::optional<CheckpointLease> lease = directory.latest_checkpoint();
  if (!lease) return std::nullopt;
  try {
    const auto rocks = KeyValueStore::open_for_reading(directory.path(), lease->path());
    if (!has_schema(*rocks)) return std::nullopt;
    return ReadableCheckpoint{std::move(*lease), rocks->sequence()};
  } catch (const StoreError&) {
    return std::nullopt;
  }
}

// Opens the database. Replaces it by a copy of the latest checkpoint if it cannot be opened or is older than the
// checkpoint. No other process may be opening the store.
std::unique_ptr<KeyValueStore> open_database(const StoreDirectory& directory, std::uint64_t published,
                                             std::vector<std::string>& losses) {
  std::unique_ptr<KeyValueStore> rocks;
  std::optional<StoreDamaged> damage;
  const std::optional<CheckpointLease> latest = directory.latest_checkpoint();
  if (!std::filesystem::exists(directory.database() / "CURRENT") && latest) {
    damage = store_damaged(directory.path(), "db/CURRENT is missing");
  } else {
    try {
      rocks = KeyValueStore::open_for_writing(directory.path(), directory.database(),
                                              latest ? std::optional(latest->path()) : std::nullopt);
    } catch (const StoreDamaged& error) {
      damage = error;
    }
  }
  if (rocks && rocks->sequence() >= published) return rocks;
  const std::optional<ReadableCheckpoint> checkpoint = readable_checkpoint(directory);
  if (rocks && (!checkpoint || checkpoint->sequence <= rocks->sequence())) return rocks;
  rocks.reset();
  // A writer may have opened the store before the damage.
  if (directory.is_being_written()) throw store_locked(directory.path());
  if (!checkpoint) throw StoreDamaged(*damage);
  const std::string replaced_database = directory.replace_database(checkpoint->lease);
  losses.push_back(loss_line(
      directory,
      fmt::format(
          "its database {}: it was replaced with its latest checkpoint{}",
          damage ? "cannot be read" : "has lost its latest changes because one of its files was truncated or replaced",
          replaced_database.empty() ? ""
                                    : fmt::format(", and the damaged database is kept as {}", replaced_database))));
  return KeyValueStore::open_for_writing(directory.path(), directory.database());
}

// Copies the readable rows that only `older` has, and returns their number.
std::size_t copy_missing_rows(Family family, const KeyValueStore& older, KeyValueStore& rocks) {
  constexpr std::size_t max_batch_bytes = std::size_t{16} << 20;
  std::size_t count = 0;
  KeyValueStore::Batch batch;
  try {
    older.scan(family, {}, [&](std::string_view key, std::string_view value) {
      if (rocks.contains(family, key)) return true;
      batch.put(family, key, value);
      ++count;
      if (batch.bytes() < max_batch_bytes) return true;
      rocks.write(batch);
      batch.clear();
      return true;
    });
  } catch (const StoreFull&) {
    throw;
  } catch (const StoreError&) {  // NOLINT(bugprone-empty-catch): rows read until then are kept
  }
  rocks.write(batch);
  return count;
}

// A lost table may be the result of a compaction of tables that the latest checkpoint still has.
void restore_rows(const StoreDirectory& directory, KeyValueStore& rocks, std::vector<std::string>& losses) {
  const std::optional<ReadableCheckpoint> checkpoint = readable_checkpoint(directory);
  if (!checkpoint) return;
  const auto older = KeyValueStore::open_for_reading(directory.path(), checkpoint->lease.path());
  std::size_t count = 0;
  for (const EnumName<Family>& family : family_names) count += copy_missing_rows(family.value, *older, rocks);
  if (count == 0) return;
  losses.push_back(loss_line(directory, fmt::format("{} of its rows were restored from its latest checkpoint", count)));
}

void write_schema(KeyValueStore& rocks) {
  KeyValueStore::Batch batch;
  batch.put(Family::meta, schema_key, schema_version);
  rocks.write(batch);
}

// Returns true if the latest checkpoint is an older state of its run, or of a run that has ended since. While a later
// run is unfinished, the checkpoint of a finished run is kept.
bool is_outdated(const StoreState& state) {
  if (!state.run || state.sequence <= state.published) return false;
  return state.run->state != RunState::open || state.run->number == state.published_run;
}

// Leases the latest checkpoint. Creates a new one if there is none or it is outdated, unless another process is
// writing. Adds what was lost in the process to `losses`.
CheckpointLease lease_checkpoint(const StoreDirectory& directory, const StoreState& state,
                                 std::vector<std::string>& losses) {
  if (!is_outdated(state) || !directory.has_database()) {
    if (std::optional<CheckpointLease> lease = directory.latest_checkpoint()) return std::move(*lease);
  }
  if (!directory.exists()) throw store_error(directory.path(), "does not exist yet; run `linkherd check` to create it");
  if (!directory.has_database())
    throw store_error(directory.path(), "contains no runs yet; run `linkherd check` first");
  try {
    const std::unique_ptr<Store> writer = Store::open(directory.path());
    losses = writer->losses();
    writer->publish();
  } catch (const StoreError& error) {
    // An older checkpoint is readable as well, and another process may have published a new one meanwhile.
    if (std::optional<CheckpointLease> lease = directory.latest_checkpoint()) return std::move(*lease);
    if (dynamic_cast<const StoreLocked*>(&error) == nullptr) throw;
    throw store_error(directory.path(),
                      "is in use by another linkherd, which has not published any results yet; wait until it ends");
  }
  if (std::optional<CheckpointLease> lease = directory.latest_checkpoint()) return std::move(*lease);
  throw store_error(directory.path(), "lost its checkpoint while it was being opened; try again");
}

// Appends to the losses that were not reported yet. Drops the oldest ones if there are too many.
void keep_unreported(const StoreDirectory& directory, const std::vector<std::string>& losses) {
  constexpr std::size_t max_bytes = std::size_t{64} << 10;
  if (losses.empty()) return;
  std::string text = directory.read_file(losses_file).value_or("");
  for (const std::string& loss : losses) text.append(loss).append(1, '\n');
  if (text.size() > max_bytes) text.erase(0, text.find('\n', text.size() - max_bytes) + 1);
  directory.write_file(losses_file, text);
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

std::optional<Run> read_latest_run(const KeyValueStore& rows, bool also_partial) {
  std::optional<Run> latest;
  visit_runs(rows, [&](Run run) {
    if (also_partial || !run.is_partial) latest = shown(std::move(run), rows.file_names);
    return !latest;
  });
  return latest;
}

}  // namespace

std::unique_ptr<Store> Store::open(const std::filesystem::path& path) {
  return on_disk(path, "open", [&] {
    StoreDirectory directory(path);
    directory.prepare();
    const Folder opening = directory.lock_opening();
    StoreState state = read_state(directory);
    std::vector<std::string> losses;
    std::unique_ptr<KeyValueStore> rocks = open_database(directory, state.published, losses);
    // A truncated MANIFEST or log looks like an intact older state.
    const bool older = rocks->sequence() < state.sequence;
    const bool empty = rocks->sequence() == 0;
    if (!has_schema(*rocks)) write_schema(*rocks);
    for (const std::string& loss : rocks->losses()) losses.push_back(loss_line(directory, loss));
    if (older) {
      losses.push_back(loss_line(directory, empty ? database_lost : latest_changes_lost));
      state.sequence = rocks->sequence();
      state.published = std::min(state.published, state.sequence);
    }
    const bool lost_bodies = erase_damaged_bodies(directory, *rocks, losses);
    if (lost_bodies || rocks->has_left_out_tables()) restore_rows(directory, *rocks, losses);
    directory.remove_old_checkpoints();
    keep_unreported(directory, losses);
    // This fails if the disk is full, so the run knows before it starts that it has no store.
    directory.write_file(state_file, encode_state(state));
    std::unique_ptr<Store> store(new Store(std::move(directory), std::nullopt, std::move(rocks), std::move(state)));
    store->losses_ = std::move(losses);
    store->rows_->file_names = FileNames::of_store(path);
    return store;
  });
}

std::unique_ptr<Store> Store::open_for_reading(const std::filesystem::path& path) {
  return on_disk(path, "open", [&] {
    StoreDirectory directory(path);
    directory.refuse_other_mark();
    // Reads the state before the checkpoint. A checkpoint that is published meanwhile is then newer than this state,
    // never older.
    StoreState state = read_state(directory);
    std::vector<std::string> losses;
    CheckpointLease lease = lease_checkpoint(directory, state, losses);
    std::unique_ptr<KeyValueStore> rocks = KeyValueStore::open_for_reading(directory.path(), lease.path());
    has_schema(*rocks);  // throws for another schema
    if (rocks->sequence() < state.published) losses.push_back(loss_line(directory, checkpoint_is_older));
    for (const std::string& loss : rocks->losses()) losses.push_back(loss_line(directory, loss));
    std::unique_ptr<Store> store(new Store(std::move(directory), std::move(lease), std::move(rocks), std::move(state)));
    store->losses_ = std::move(losses);
    store->rows_->file_names = FileNames::of_store(path);
    return store;
  });
}

std::unique_ptr<Store> Store::open_published(const std::filesystem::path& path) {
  return on_disk(path, "open", [&] {
    StoreDirectory directory(path);
    directory.refuse_other_mark();
    if (!directory.exists()) throw store_error(directory.path(), "does not exist");
    if (const std::optional<int> writer = directory.writer()) throw store_locked(directory.path(), writer);
    StoreState state = read_state(directory);
    std::optional<CheckpointLease> lease = directory.latest_checkpoint();
    if (!lease || state.sequence > state.published)
      throw store_error(directory.path(),
                        "contains results that no report shows yet: run `linkherd store compact` on it");
    std::unique_ptr<KeyValueStore> rocks = KeyValueStore::open_for_reading(directory.path(), lease->path());
    has_schema(*rocks);  // throws for another schema
    if (rocks->sequence() < state.published) throw store_damaged(directory.path(), "its checkpoint is truncated");
    return std::unique_ptr<Store>(
        new Store(std::move(directory), std::move(lease), std::move(rocks), std::move(state)));
  });
}

std::unique_ptr<Store> Store::open_unwritten(const std::filesystem::path& path) {
  return on_disk(path, "open", [&]() -> std::unique_ptr<Store> {
    StoreDirectory directory(path);
    std::optional<Folder> opening;
    try {
      opening = directory.lock_opening();
    } catch (const StoreLocked&) {
      return nullptr;
    }
    if (directory.is_being_written()) return nullptr;
    StoreState state = read_state(directory);
    std::unique_ptr<KeyValueStore> rocks = KeyValueStore::open_for_reading(directory.path(), directory.database());
    has_schema(*rocks);  // throws for another schema
    std::unique_ptr<Store> store(new Store(std::move(directory), std::nullopt, std::move(rocks), std::move(state)));
    store->opening_ = std::move(opening);
    store->losses_ = store->rows_->losses();
    return store;
  });
}

Restored Store::restore(const std::filesystem::path& folder, const std::filesystem::path& path,
                        std::optional<std::uint32_t> backup) {
  return on_disk(path, "restore", [&] {
    const StoreDirectory directory(path);
    Restored restored = intact_backup(directory.path(), folder, backup);  // throws before anything is changed
    const bool existed = directory.exists();
    directory.prepare();
    const Folder opening = directory.lock_opening();
    if (const std::optional<int> writer = directory.writer()) throw store_locked(directory.path(), writer);
    try {
      restored.replaced_database = directory.replace_database([&](const std::filesystem::path& database) {
        restore_backup(directory.path(), folder, restored.backup, database);
      });
    } catch (...) {
      std::error_code ignored;
      if (!existed) std::filesystem::remove_all(directory.path(), ignored);
      throw;
    }
    // The state file and the checkpoint belong to the replaced database.
    directory.write_file(state_file, encode_state({}));
    directory.remove_checkpoints();
    return restored;
  });
}

std::vector<std::string> Store::take_losses() const {
  std::vector<std::string> lines;
  try {
    std::istringstream unreported(directory_.read_file(losses_file).value_or(""));
    for (std::string line; std::getline(unreported, line);) lines.push_back(std::move(line));
    directory_.remove_file(losses_file);
  } catch (const std::filesystem::filesystem_error&) {  // NOLINT(bugprone-empty-catch): a reader may lack permission
  }
  for (const std::string& loss : losses_) {
    if (std::ranges::find(lines, loss) == lines.end()) lines.push_back(loss);
  }
  return lines;
}

bool Store::is_current() const {
  const std::lock_guard lock(state_mutex_);
  return rows_->sequence() >= state_.sequence;
}

std::optional<Run> Store::recorded_run() const {
  const std::lock_guard lock(state_mutex_);
  return state_.run;
}

// --- runs

std::optional<std::uint64_t> Store::lost_run() const {
  const std::optional<Run> recorded = recorded_run();
  if (!recorded || recorded->state == RunState::open) return std::nullopt;
  const std::optional<Run> latest = latest_run();
  const bool is_recorded = latest && latest->number >= recorded->number;
  return is_recorded ? std::nullopt : std::optional(recorded->number);
}

std::vector<Run> Store::runs() const {
  std::vector<Run> runs;
  visit_runs(*rows_, [&](Run run) {
    runs.push_back(shown(std::move(run), rows_->file_names));
    return true;
  });
  return runs;
}

std::optional<Run> Store::latest_run() const { return read_latest_run(*rows_, true); }

std::optional<Run> Store::latest_whole_run() const { return read_latest_run(*rows_, false); }

std::optional<Run> Store::unfinished_run() const {
  std::optional<Run> recorded = recorded_run();
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
    const std::optional<Run> recorded = recorded_run();
    run.number = std::max(last_run_number(*rows_), recorded ? recorded->number : 0) + 1;
    run.identity = identity;
    const FileNames& names = rows_->file_names;
    for (const std::string& input : inputs) run.inputs.push_back(names.to_shown(names.to_stored(input)));
    run.started_at = now;
    run.is_partial = is_partial;
  }
  run.is_partial = run.is_partial && is_partial;  // a complete run may continue a partial one
  put_run(run);
  return run;
}

void Store::put_run(const Run& run) {
  const std::string key = run_key(run.number);
  KeyValueStore::Batch batch;
  batch.put(Family::run, key, row_of(run, rows_->file_names));
  rows_->write(batch);
  sync_and_record([&run](StoreState& state) { state.run = run; });
}

PruneResult Store::end_run(const Run& run, const Retention& retention, Timestamp now, Duration run_duration) {
  constexpr Duration prune_time = std::chrono::milliseconds(750);
  constexpr int compaction_part = 50;
  put_run(run);
  const bool is_complete = run.state == RunState::complete;
  const PruneResult pruned =
      is_complete ? prune(*rows_, retention, now, std::chrono::steady_clock::now() + prune_time) : PruneResult();
  publish();
  // If the process is killed meanwhile, the run is already published. After the second publish(), readers no longer
  // need the old tables.
  const auto until = std::chrono::steady_clock::now() + run_duration / compaction_part;
  if (is_complete && compact_new_tables(*rows_, until)) publish();
  return pruned;
}

// --- hosts

std::vector<HostState> Store::hosts() const {
  std::vector<HostState> hosts;
  rows_->scan(Family::host, {}, [&](std::string_view key, std::string_view value) {
    hosts.push_back(expect(*rows_, "host", {}, decode_host(value, key)));
    return true;
  });
  return hosts;
}

void Store::put_hosts(const std::vector<HostState>& hosts) {
  KeyValueStore::Batch batch;
  for (const HostState& host : hosts) {
    batch.put(Family::host, host.origin, encode_host(host));
  }
  rows_->write(batch);
}

// --- durability

void Store::sync() {
  sync_and_record([](StoreState& /*state*/) {});
}

void Store::sync_and_record(const std::function<void(StoreState& state)>& change) {
  const std::lock_guard lock(state_mutex_);
  StoreState next = state_;
  next.sequence = rows_->sequence();  // read before the sync, so that the file never claims too much
  change(next);
  rows_->sync();
  if (next == state_) return;
  try {
    directory_.write_file(state_file, encode_state(next));
  } catch (const std::filesystem::filesystem_error& error) {
    // The run may have used all descriptors. An outdated state file is harmless, because the next call writes it.
    if (error.code() == std::errc::too_many_files_open || error.code() == std::errc::too_many_files_open_in_system)
      return;
    throw_system(directory_.path(), "write", error.code());
  }
  state_ = std::move(next);
}

void Store::publish() {
  const std::lock_guard lock(publishing_);
  on_disk(directory_.path(), "publish", [&] {
    const std::filesystem::path checkpoint = directory_.new_checkpoint();
    const std::uint64_t sequence = rows_->sequence();
    rows_->checkpoint(checkpoint);
    directory_.publish(checkpoint);
    directory_.remove_old_checkpoints();
    sync_and_record([sequence](StoreState& state) {
      state.published = sequence;
      state.published_run = state.run ? state.run->number : 0;
    });
  });
}

}  // namespace linkherd::storage
