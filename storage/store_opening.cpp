// Store's other half: making, opening, publishing. What is kept in it: store.cpp.
#include <set>

#include <fmt/format.h>

#include "storage/key_layout.h"
#include "storage/record_json.h"
#include "storage/store_database.h"
#include "storage/store_errors.h"
#include "storage/value_format.h"

namespace linkherd::storage {
namespace {

constexpr std::string_view latest_changes_gone =
    "its latest changes are gone, a file of it was cut or replaced: it goes on from an older state";

// Runs what touches the file system, and says in the store's words what it says no to.
template <class Work>
auto on_disk(const std::filesystem::path& directory, std::string_view doing, Work work) {
  try {
    return work();
  } catch (const std::filesystem::filesystem_error& error) {
    throw_system(directory, doing, error.code());
  }
}

std::uint64_t stored_schema(const KeyValueStore& store, std::string_view stored) {
  const Result<boost::json::value> json = decode_value(stored);
  if (json.has_value()) {
    const boost::json::object* object = json->if_object();
    const boost::json::value* version = object == nullptr ? nullptr : object->if_contains("version");
    if (version != nullptr && version->is_int64() && version->get_int64() > 0) {
      return static_cast<std::uint64_t>(version->get_int64());
    }
  }
  throw store_error(store.directory(), "has a schema version that cannot be read; move it away and run again",
                    json.has_error() ? json.error().message : "no number");
}

// True where there is a schema and this version can read it; false in a new store.
bool check_schema(const KeyValueStore& store) {
  const std::optional<std::string> stored = store.get(Family::meta, schema_key);
  if (!stored) return false;
  const std::uint64_t version = stored_schema(store, *stored);
  if (version > schema_version) {
    throw store_error(
        store.directory(),
        fmt::format("was made by a newer linkherd (schema {}, this one knows {}); use that one, or --store", version,
                    schema_version));
  }
  return true;
}

// Bodies that the snapshots name and that cannot be read: erased, so that they are stored anew when they are fetched
// again, and so that RocksDB does not stumble over them.
std::size_t erase_unreadable_bodies(KeyValueStore& rocks) {
  std::set<std::string> unreadable;
  std::set<std::string> readable;
  const KeyValueStore::View view(rocks);
  view.scan(Family::history, {}, [&](std::string_view /*key*/, std::string_view value) {
    const Result<Snapshot> snapshot = decode_noun(value, snapshot_from_json);
    const std::optional<std::string> key = snapshot.has_value() ? body_key(snapshot->body_digest) : std::nullopt;
    if (!key || readable.contains(*key) || unreadable.contains(*key)) return true;
    (rocks.is_unreadable(Family::body, *key) ? unreadable : readable).insert(*key);
    return true;
  });
  KeyValueStore::Batch batch;
  for (const std::string& key : unreadable) batch.erase(rocks, Family::body, key);
  rocks.write(batch);
  rocks.compact(Family::body);
  return unreadable.size();
}

std::string loss_line(const StoreDirectory& directory, std::string_view loss) {
  return fmt::format("store {}: {}", directory.path().string(), loss);
}

void mend_bodies(const StoreDirectory& directory, KeyValueStore& rocks, std::vector<std::string>& losses) {
  const bool damage_was_met = directory.read_note(damage_note).has_value();
  if (rocks.has_whole_blob_files() && !damage_was_met) return;
  if (const std::size_t count = erase_unreadable_bodies(rocks); count > 0) {
    losses.push_back(loss_line(
        directory,
        fmt::format(
            "{} of its bodies cannot be read and were left out: they are stored again when their pages are fetched",
            count)));
  }
  directory.remove_note(damage_note);
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
    if (!check_schema(*rocks)) return std::nullopt;
    return ReadableCheckpoint{std::move(*lease), rocks->sequence()};
  } catch (const StoreError&) {
    return std::nullopt;
  }
}

// The database, or where it cannot be opened or is older than the latest checkpoint, that in its place. To be called
// while no other process opens the store.
std::unique_ptr<KeyValueStore> open_database(const StoreDirectory& directory, std::uint64_t published,
                                             std::vector<std::string>& losses) {
  std::unique_ptr<KeyValueStore> rocks;
  std::optional<StoreDamaged> damage;
  if (!std::filesystem::exists(directory.database() / "CURRENT") && directory.latest_checkpoint()) {
    damage = store_damaged(directory.path(), "db/CURRENT is missing");
  } else {
    try {
      rocks = KeyValueStore::open_for_writing(directory.path(), directory.database());
    } catch (const StoreDamaged& error) {
      damage = error;
    }
  }
  if (rocks && rocks->sequence() >= published) return rocks;
  const std::optional<ReadableCheckpoint> checkpoint = readable_checkpoint(directory);
  if (rocks && (!checkpoint || checkpoint->sequence <= rocks->sequence())) return rocks;
  rocks.reset();
  // It may have been opened before it was damaged.
  if (directory.is_being_written()) throw store_locked(directory.path(), "db/LOCK");
  if (!checkpoint) throw StoreDamaged(*damage);
  const std::string aside = directory.replace_database(checkpoint->lease);
  losses.push_back(
      loss_line(directory,
                fmt::format("its database {}: its latest checkpoint took its place{}",
                            damage ? "cannot be read" : "has lost its latest changes, a file of it was cut or replaced",
                            aside.empty() ? "" : fmt::format(", and what is left of it is kept as {}", aside))));
  return KeyValueStore::open_for_writing(directory.path(), directory.database());
}

void write_schema(KeyValueStore& rocks) {
  KeyValueStore::Batch batch;
  batch.put(rocks, Family::meta, schema_key, encode_value({{"version", schema_version}}));
  rocks.write(batch);
}

}  // namespace

void Store::Database::sync_and_note(const std::function<void(StoreState& state)>& change) {
  const std::lock_guard lock(noting);
  StoreState next = state;
  next.sequence = rocks->sequence();  // before the sync, so that the note never says too much
  if (change) change(next);
  rocks->sync();
  if (next == state) return;
  try {
    directory.write_note(state_note, encode_state(next));
  } catch (const std::filesystem::filesystem_error& error) {
    // A run may have used up all descriptors. A note that lags behind is no harm: the next one catches up.
    if (error.code() == std::errc::too_many_files_open || error.code() == std::errc::too_many_files_open_in_system)
      return;
    throw_system(directory.path(), "write", error.code());
  }
  state = std::move(next);
}

std::unique_ptr<Store> Store::open(const std::filesystem::path& path) {
  return on_disk(path, "open", [&] {
    StoreDirectory directory(path);
    directory.prepare();
    const Folder opening = directory.lock_opening();
    StoreState state = decode_state(directory.read_note(state_note).value_or(""));
    std::vector<std::string> losses;
    std::unique_ptr<KeyValueStore> rocks = open_database(directory, state.published, losses);
    // A cut MANIFEST or log looks like an earlier state that is whole.
    const bool older = rocks->sequence() < state.sequence;
    if (!check_schema(*rocks)) write_schema(*rocks);
    std::unique_ptr<Store> store(
        new Store(std::make_unique<Database>(std::move(directory), std::nullopt, std::move(rocks))));
    Database& database = *store->database_;
    database.state = std::move(state);
    database.losses = std::move(losses);
    for (const std::string& loss : database.rocks->losses())
      database.losses.push_back(loss_line(database.directory, loss));
    if (older) database.losses.push_back(loss_line(database.directory, latest_changes_gone));
    mend_bodies(database.directory, *database.rocks, database.losses);
    database.directory.remove_old_checkpoints();
    // A disk without room for a note is full: a run that knows it before it begins can do without a store.
    database.directory.write_note(state_note, encode_state(database.state));
    return store;
  });
}

namespace {

// The latest checkpoint, made now where there is none and nobody writes; and what was lost on the way.
CheckpointLease lease_checkpoint(const StoreDirectory& directory, std::vector<std::string>& losses) {
  if (std::optional<CheckpointLease> lease = directory.latest_checkpoint()) return std::move(*lease);
  if (!directory.has_database()) throw store_error(directory.path(), "does not exist yet; `linkherd check` makes it");
  try {
    const std::unique_ptr<Store> writer = Store::open(directory.path());
    losses = writer->losses();
    writer->publish();
  } catch (const StoreLocked&) {
    // The other one may have published since we looked.
    if (std::optional<CheckpointLease> lease = directory.latest_checkpoint()) return std::move(*lease);
    throw store_error(
        directory.path(),
        "is in use by another linkherd (LOCK held), which has published nothing to report yet; wait for it");
  }
  if (std::optional<CheckpointLease> lease = directory.latest_checkpoint()) return std::move(*lease);
  throw store_error(directory.path(), "lost its checkpoint while it was opened; try again");
}

}  // namespace

std::unique_ptr<Store> Store::open_for_reading(const std::filesystem::path& path) {
  return on_disk(path, "open", [&] {
    StoreDirectory directory(path);
    // Before the checkpoint: one that is published between is newer than the note, never older.
    StoreState state = decode_state(directory.read_note(state_note).value_or(""));
    std::vector<std::string> losses;
    CheckpointLease lease = lease_checkpoint(directory, losses);
    std::unique_ptr<KeyValueStore> rocks = KeyValueStore::open_for_reading(directory.path(), lease.path());
    check_schema(*rocks);
    std::unique_ptr<Store> store(
        new Store(std::make_unique<Database>(std::move(directory), std::move(lease), std::move(rocks))));
    Database& database = *store->database_;
    database.losses = std::move(losses);
    if (database.rocks->sequence() < state.published) {
      database.losses.push_back(
          loss_line(database.directory,
                    "the latest part of its checkpoint is gone, this is an older state: run `linkherd check` again"));
    }
    database.state = std::move(state);
    return store;
  });
}

const std::vector<std::string>& Store::losses() const { return database_->losses; }

std::optional<Run> Store::unfinished_run() const {
  const std::optional<Run>& noted = database_->state.run;
  if (!noted || noted->state != RunState::open) return std::nullopt;
  const std::optional<Run> latest = latest_run();
  const bool ended = latest && (latest->number > noted->number ||
                                (latest->number == noted->number && latest->state == RunState::complete));
  return ended ? std::nullopt : noted;
}

bool Store::is_being_written() const { return database_->directory.is_being_written(); }

void Store::publish() {
  const std::lock_guard lock(database_->publishing);
  on_disk(database_->directory.path(), "publish", [&] {
    const std::filesystem::path checkpoint = database_->directory.new_checkpoint();
    const std::uint64_t sequence = database_->rocks->sequence();
    database_->rocks->checkpoint(checkpoint);
    database_->directory.publish(checkpoint);
    database_->directory.remove_old_checkpoints();
    database_->sync_and_note([sequence](StoreState& state) { state.published = sequence; });
  });
}

}  // namespace linkherd::storage
