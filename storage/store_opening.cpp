// Store's other half: making, opening, publishing. What is kept in it: store.cpp.
#include <fmt/format.h>

#include "storage/key_layout.h"
#include "storage/store_database.h"
#include "storage/store_errors.h"
#include "storage/value_format.h"

namespace linkherd::storage {
namespace {

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

}  // namespace

std::unique_ptr<Store> Store::open(const std::filesystem::path& path) {
  return on_disk(path, "open", [&] {
    StoreDirectory directory(path);
    directory.prepare();
    std::unique_ptr<KeyValueStore> rocks = KeyValueStore::open_for_writing(directory.path(), directory.database());
    if (!check_schema(*rocks)) {
      KeyValueStore::Batch batch;
      batch.put(*rocks, Family::meta, schema_key, encode_value({{"version", schema_version}}));
      rocks->write(batch);
    }
    directory.remove_old_checkpoints();
    return std::unique_ptr<Store>(
        new Store(std::make_unique<Database>(std::move(directory), std::nullopt, std::move(rocks))));
  });
}

namespace {

// The latest checkpoint, made now where there is none and nobody writes.
CheckpointLease lease_checkpoint(const StoreDirectory& directory) {
  if (std::optional<CheckpointLease> lease = directory.latest_checkpoint()) return std::move(*lease);
  directory.refuse_file();
  if (!directory.has_database()) throw store_error(directory.path(), "does not exist yet; `linkherd check` makes it");
  try {
    Store::open(directory.path())->publish();
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
    CheckpointLease lease = lease_checkpoint(directory);
    std::unique_ptr<KeyValueStore> rocks = KeyValueStore::open_for_reading(directory.path(), lease.path());
    check_schema(*rocks);
    return std::unique_ptr<Store>(
        new Store(std::make_unique<Database>(std::move(directory), std::move(lease), std::move(rocks))));
  });
}

void Store::publish() {
  const std::lock_guard lock(database_->publishing);
  on_disk(database_->directory.path(), "publish", [&] {
    const std::filesystem::path checkpoint = database_->directory.new_checkpoint();
    database_->rocks->checkpoint(checkpoint);
    database_->directory.publish(checkpoint);
    database_->directory.remove_old_checkpoints();
  });
}

}  // namespace linkherd::storage
