// The store: what linkherd remembers between runs, in RocksDB. One writer at a time; readers work on a checkpoint.
// Thread-safe. "Acknowledged" means that the call returned: a killed process loses nothing acknowledged; after sync() a
// power cut does not either.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "storage/host_state.h"
#include "storage/link_record.h"
#include "storage/run.h"

namespace linkherd::storage {

// The machine's fault, not the web's: locked by another run, unreadable, corrupt, disk full. One line that says what to
// do.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The disk takes no more.
class StoreFull : public StoreError {
 public:
  using StoreError::StoreError;
};

class StoreDatabase;

class Store {
 public:
  // Opens `directory` for writing, and creates it where it is missing. What of it is damaged is left out, so that the
  // rest can be used, and a database that cannot be used at all is replaced by the latest checkpoint: see losses().
  // Throws StoreError, also for a folder that holds something else than a store.
  static std::unique_ptr<Store> open(const std::filesystem::path& directory);

  // For reports: the latest checkpoint in `directory`; makes one where there is none and nobody writes. Throws
  // StoreError, also where there is no store. Writing calls on it throw.
  static std::unique_ptr<Store> open_for_reading(const std::filesystem::path& directory);

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // What was lost of this store, found when it was opened: a line each that names the store.
  const std::vector<std::string>& losses() const;
  // The latest run where it was begun and has not ended, as the store's folder says: a checkpoint does not have it, or
  // only its beginning.
  std::optional<Run> unfinished_run() const;
  bool is_being_written() const;  // by another process

  // --- runs
  // The open or interrupted run with this identity, to be resumed, or else a new one. Only the latest run is ever
  // resumed.
  Run begin_run(std::string_view identity, const std::vector<std::string>& inputs, Timestamp now);
  void put_run(const Run& run);
  std::optional<Run> latest_run() const;  // of those that are whole
  std::optional<RunEntry> run_entry(const Run& run, const LinkId& id) const;
  // The plan: one atomic write up to 16 MiB of entries, one for each 16 MiB beyond; putting it again does no harm.
  void put_run_entries(const Run& run, const std::vector<RunEntry>& entries);
  // Takes those of the run's entries out of it that are not `wanted`: the lists may change before a run is resumed.
  // What is known about the links stays.
  void keep_run_entries(const Run& run, const std::function<bool(const LinkId&)>& wanted);
  // Every entry of a run, in the order of ids, as they are at the time of the call; stops when `visit` returns false.
  void for_each_entry(const Run& run, const std::function<bool(RunEntry)>& visit) const;
  // The same with its record. A link without a record yet has one with its id and the URL of its first occurrence.
  void for_each_link(const Run& run, const std::function<bool(CheckedLink)>& visit) const;
  // One of them. Throws StoreError where the run has no such entry.
  CheckedLink checked_link(const Run& run, const LinkId& id) const;

  // --- links
  std::optional<LinkRecord> link(const LinkId& id) const;
  std::vector<Snapshot> history(const LinkId& id, std::size_t limit) const;  // newest first
  std::optional<std::string> body(std::string_view digest) const;
  // One atomic write: the record, its snapshot in the history (unless it was never fetched; once for a time of
  // fetching), the body (once for a digest; none where empty) and the run's entry. The snapshot's digest must be the
  // body's own, or std::logic_error is thrown.
  void put_link(const Run& run, const CheckedLink& link, std::string_view body);

  // --- hosts
  std::vector<HostState> hosts() const;
  void put_hosts(const std::vector<HostState>& hosts);

  // Makes all that was acknowledged safe from a power cut.
  void sync();
  // Publishes the present state for readers: a checkpoint, swapped in atomically. Syncs first.
  void publish();

 private:
  explicit Store(std::unique_ptr<StoreDatabase> database);
  std::unique_ptr<StoreDatabase> database_;
  std::mutex beginning_;  // two runs must not get one number
};

}  // namespace linkherd::storage
