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

// A local failure: the store is locked by another run, unreadable or corrupt, or the disk is full. The message is one
// line that says what to do.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The disk is full, or a file has reached its size limit.
class StoreFull : public StoreError {
 public:
  using StoreError::StoreError;
};

class StoreDatabase;

class Store {
 public:
  // Opens `directory` for writing, and creates it where it is missing. Damaged parts are left out, so that the rest can
  // be used; a database that cannot be used at all is replaced by the latest checkpoint: see losses(). Throws
  // StoreError, also for a folder that is neither empty nor a store.
  static std::unique_ptr<Store> open(const std::filesystem::path& directory);

  // For reports: the latest checkpoint in `directory`; makes one where there is none, or the run that it shows went on
  // and was killed, and nobody writes. Throws StoreError, also where there is no store. Writing calls on it throw.
  static std::unique_ptr<Store> open_for_reading(const std::filesystem::path& directory);

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // What was found lost or damaged when it was opened: one line each, which names the store.
  const std::vector<std::string>& losses() const;
  // The same, and what was found when it was opened before, since the last call: for whoever tells the user.
  std::vector<std::string> take_losses() const;
  // Whether this is all that was written, also by a run that was killed; false for a checkpoint that is older.
  bool is_current() const;
  // The latest run where it has begun and not ended, from the state file: a checkpoint has at most its beginning.
  std::optional<Run> unfinished_run() const;
  bool is_being_written() const;  // by another process

  // --- runs
  // The open or interrupted run with this identity, to be resumed, or else a new one. Only the latest run is ever
  // resumed.
  Run begin_run(std::string_view identity, const std::vector<std::string>& inputs, Timestamp now);
  void put_run(const Run& run);
  std::optional<Run> latest_run() const;  // of those that can be read
  std::optional<RunEntry> run_entry(const Run& run, const LinkId& id) const;
  // The plan of the run. Idempotent; written in atomic batches of 16 MiB. An entry without occurrences leaves those
  // that are stored.
  void put_run_entries(const Run& run, const std::vector<RunEntry>& entries);
  // Erases the run's entries that are not `wanted`: the lists may change before a run is resumed. The records of the
  // links stay.
  void keep_run_entries(const Run& run, const std::function<bool(const LinkId&)>& wanted);
  // Where the link is written; nothing where the run has no such entry.
  std::vector<parser::LinkOccurrence> occurrences(const Run& run, const LinkId& id) const;
  // The same for every entry of a run, in the order of ids, as they are at the time of the call; stops when `visit`
  // returns false.
  void for_each_occurrences(
      const Run& run,
      const std::function<bool(const LinkId& id, const std::vector<parser::LinkOccurrence>& occurrences)>& visit) const;
  // Likewise every entry with its record. A link that no run has finished gets one with its id and first URL.
  void for_each_link(const Run& run, const std::function<bool(CheckedLink)>& visit) const;
  // What came out of every link of a run: the same without occurrences, and without a URL where no run has finished it.
  void for_each_outcome(const Run& run, const std::function<bool(CheckedLink)>& visit) const;
  // Nothing where the run has no such entry.
  std::optional<CheckedLink> outcome(const Run& run, const LinkId& id) const;
  // With its occurrences. Throws StoreError where the run has no such entry.
  CheckedLink checked_link(const Run& run, const LinkId& id) const;

  // --- links
  std::optional<LinkRecord> link(const LinkId& id) const;
  // Newest first: what differs from one look to the next, and the times of the last 32 looks. A look that found nothing
  // new, and is not the last one, is told with what was found before and without its attempts.
  std::vector<Snapshot> history(const LinkId& id, std::size_t limit) const;
  std::optional<std::string> body(std::string_view digest) const;
  // One atomic write: the record, its snapshot in the history (where it differs from the latest one there; none where
  // it was never fetched), the body (one per digest; none where empty) and the run's entry, as put_run_entries() does.
  // Throws std::logic_error where the snapshot's digest is not that of the body.
  void put_link(const Run& run, const CheckedLink& link, std::string_view body);

  // --- hosts
  std::vector<HostState> hosts() const;
  void put_hosts(const std::vector<HostState>& hosts);

  // Makes all that was acknowledged safe from a power cut.
  void sync();
  // Syncs, and publishes the present state for readers: a checkpoint that atomically replaces the previous one.
  void publish();

 private:
  explicit Store(std::unique_ptr<StoreDatabase> database);
  std::unique_ptr<StoreDatabase> database_;
  std::mutex beginning_;  // two runs must not get one number
};

}  // namespace linkherd::storage
