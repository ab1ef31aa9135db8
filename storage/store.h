// The persistent store of linkherd, in RocksDB. One writer at a time; readers use a checkpoint. Thread-safe. A write
// is acknowledged when the call returns: it survives the end of the process. After sync() it also survives a power
// failure.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/backup.h"
#include "storage/host_state.h"
#include "storage/link_record.h"
#include "storage/merge.h"
#include "storage/retention.h"
#include "storage/run.h"
#include "storage/verification.h"

namespace linkherd::storage {

// A failure of the store: locked by another process, unreadable or corrupt, disk full. The message is one line that
// says what to do.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The disk is full, or a file has reached its size limit.
class StoreFull : public StoreError {
 public:
  using StoreError::StoreError;
};

// What a store takes on disk.
struct FamilyUse {
  std::string_view name;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};
struct StoreUse {
  std::vector<FamilyUse> families;  // of the database that is read
  std::uint64_t folder_bytes = 0;   // of the whole folder
};

class StoreDatabase;

class Store {
 public:
  // Opens `directory` for writing, and creates it if it does not exist. Damaged parts are dropped; an unusable
  // database is replaced by the latest checkpoint: see losses(). Throws StoreError, also for a folder that is neither
  // empty nor a store.
  static std::unique_ptr<Store> open(const std::filesystem::path& directory);

  // Opens the latest checkpoint in `directory` for reading. Creates a checkpoint if there is none, or if the run in it
  // continued and was killed, unless another process is writing. Throws StoreError, also if there is no store.
  // Functions that write throw.
  static std::unique_ptr<Store> open_for_reading(const std::filesystem::path& directory);

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Data that was found missing or damaged when the store was opened: one line each, which names the store.
  const std::vector<std::string>& losses() const;
  // Like losses(), with those of earlier calls of open() that were not taken yet: for reporting them to the user.
  std::vector<std::string> take_losses() const;
  // Returns true if all written data is visible, including that of a killed run; false for an older checkpoint.
  bool is_current() const;
  // Returns the latest run if it was started and not ended, from the state file, because a checkpoint may not have it.
  std::optional<Run> unfinished_run() const;
  bool is_being_written() const;  // by another process
  // The number of a run that has ended and is newer than all runs there are: damage took it.
  std::optional<std::uint64_t> lost_run() const;

  // --- runs
  // Returns the open or interrupted run with this identity to resume it, otherwise a new one. Only the latest run is
  // resumed.
  Run begin_run(std::string_view identity, const std::vector<std::string>& inputs, Timestamp now,
                bool is_partial = false);
  void put_run(const Run& run);
  // Stores a run that has ended, and publishes it. After a complete one the store is cleaned up for less than a
  // second, because the report waits for it, and compacted for a fiftieth of the time that the run has `worked`.
  PruneResult end_run(const Run& run, const Retention& retention, Timestamp now, Duration worked);
  std::vector<Run> runs() const;                // those that are readable, newest first
  std::optional<Run> latest_run() const;        // of those that are readable
  std::optional<Run> latest_whole_run() const;  // that is not partial
  std::optional<RunEntry> run_entry(const Run& run, const LinkId& id) const;
  // Writes the plan of the run in atomic batches of 16 MiB. Idempotent. An entry without occurrences keeps the stored
  // ones.
  void put_run_entries(const Run& run, const std::vector<RunEntry>& entries);
  // Erases the entries of the run that are not `wanted`, because the lists may change before a run is resumed. The
  // records of the links are kept.
  void keep_run_entries(const Run& run, const std::function<bool(const LinkId&)>& wanted);
  // Returns the occurrences of a link; empty if the run has no such entry.
  std::vector<parser::LinkOccurrence> occurrences(const Run& run, const LinkId& id) const;
  // Visits the links of a run with such an id in the order of ids, with their first occurrences. `has_own_verdict`: the
  // entry has one; otherwise it is that of the link's last look.
  using VisitFirst = std::function<void(const LinkId& id, const FirstOccurrence& first, bool has_own_verdict)>;
  void for_each_first(const Run& run, const IdRange& range, const VisitFirst& visit) const;
  // Visits every entry with its record, until `visit` returns false. A link that no run has finished gets a record with
  // its id and first URL. It reads in a thread of its own while the calling thread visits.
  void for_each_link(const Run& run, const std::function<bool(CheckedLink&&)>& visit) const;
  // Likewise of these links, in ascending order of their ids. Throws as checked_link() does.
  void for_each_link_of(const Run& run, std::span<const LinkId> ids,
                        const std::function<bool(CheckedLink&&)>& visit) const;
  // Visits the results of these links, in ascending order of their ids: like for_each_link_of(), but without
  // occurrences, without a URL if no run has finished it, and nullopt for one that the run does not have.
  void for_each_outcome_of(const Run& run, std::span<const LinkId> ids,
                           const std::function<bool(std::optional<CheckedLink>&&)>& visit) const;
  // Visits the health of every link of a run with such an id, in the order of ids: less work than its outcome.
  void for_each_health(const Run& run, const IdRange& range,
                       const std::function<void(const LinkId& id, Health health)>& visit) const;
  // What was told of the links of a run, where that was written: all at once, over what was there. Links that the run
  // does not have are passed over.
  void put_notification_states(const Run& run, const std::vector<std::pair<LinkId, NotificationState>>& states);
  void for_each_notification_state(
      const Run& run, const std::function<void(const LinkId& id, const NotificationState& state)>& visit) const;
  // Counts the links of a run by their healths in it.
  std::map<Health, std::uint64_t> count_by_health(const Run& run) const;
  // Returns nullopt if the run has no such entry.
  std::optional<CheckedLink> outcome(const Run& run, const LinkId& id) const;
  // Includes the occurrences. Throws StoreError if the run has no such entry.
  CheckedLink checked_link(const Run& run, const LinkId& id) const;

  // --- links
  std::optional<LinkRecord> link(const LinkId& id) const;
  // Returns snapshots, newest first: those that differ from the one before, and the times of the last 32 checks. A
  // check without changes, except for the latest, is returned with the data of the one before and without its attempts.
  std::vector<Snapshot> history(const LinkId& id, std::size_t limit) const;
  // Returns the times and outcomes of the last looks, oldest first, at most 32.
  std::vector<Look> last_looks(const LinkId& id) const;
  // Returns the snapshot that was written to the history at that time.
  std::optional<Snapshot> snapshot_at(const LinkId& id, Timestamp at) const;
  std::optional<std::string> body(std::string_view digest) const;
  // Writes one link alone, see LinkWriter.
  void put_link(const Run& run, const CheckedLink& link, std::string_view body);

  // Removes links everywhere: their records, history and occurrences, what runs say of them, and bodies that no other
  // link has had. Returns how many of them the store had.
  std::size_t forget(const std::vector<LinkId>& ids);
  // Visits the records of all links until `visit` returns false.
  void for_each_record(const std::function<bool(const LinkRecord& record)>& visit) const;
  // Likewise the links of all runs that have no record, because no run has finished them or because they are no URLs:
  // with their ids and first URLs, once for each run.
  void for_each_unfetched(const std::function<bool(const LinkRecord& record)>& visit) const;

  // --- hosts
  std::vector<HostState> hosts() const;
  void put_hosts(const std::vector<HostState>& hosts);

  // --- care
  // Removes what `retention` gives up, within `budget` or completely; see storage/pruning.h.
  PruneResult prune(const Retention& retention, Timestamp now, std::optional<Duration> budget);
  StoreUse use() const;
  // Reads all of the checkpoint and, where no process is writing, of the database; none can begin to write meanwhile.
  Verification verify() const;
  // Copies the database to a folder that is new, empty or has earlier backups of this store; files that one of these
  // has are not copied again. The new backup is read again, then the last `keep` stay. See storage/backup.h.
  void back_up(const std::filesystem::path& folder, std::uint32_t keep);
  // Makes the newest backup in `folder`, or that of the number `backup`, the store `directory`; a database that is
  // there is kept as `damaged-N`. Throws StoreError if that backup is damaged; then nothing was changed.
  static Restored restore(const std::filesystem::path& folder, const std::filesystem::path& directory,
                          std::optional<std::uint32_t> backup = {});

  // Takes over what other stores have, through their checkpoints; see storage/merge.h. Throws StoreError before
  // anything is written if one of them is this store, named twice, damaged, newer, or being written.
  Merged merge(const std::vector<std::filesystem::path>& sources);

  // Makes everything acknowledged durable.
  void sync();
  // Syncs, and publishes the current state for readers: a checkpoint that atomically replaces the previous one.
  void publish();

 private:
  friend class ExcerptReader;
  friend class LinkWriter;

  void count_again(Timestamp from);
  explicit Store(std::unique_ptr<StoreDatabase> database);
  std::unique_ptr<StoreDatabase> database_;
  std::mutex beginning_;  // two runs must not get the same number
};

// Writes links that a run has looked at, many at a time: that takes less work than one by one.
class LinkWriter {
 public:
  LinkWriter(Store& store, const Run& run);  // `store` outlives it
  ~LinkWriter();
  LinkWriter(const LinkWriter&) = delete;
  LinkWriter& operator=(const LinkWriter&) = delete;

  // Adds the record of a link; its snapshot to the history (if it differs from the latest one; none if the link was
  // never fetched); the body (once per digest; none if empty); the run's entry, as Store::put_run_entries(). A link
  // must not be added twice before it is written. `is_new`: the store has no record of it; none is looked for. Throws
  // std::logic_error if the digest of the snapshot is not that of a new body.
  void add(const CheckedLink& link, std::string_view body, bool is_new = false);
  std::size_t bytes() const;  // that were added since the last write
  // Writes atomically what was added.
  void write();

 private:
  class Rows;
  std::unique_ptr<Rows> rows_;
};

// Reads the links of a run in ascending order of their ids, with excerpts of their snapshots. `store` and `run` outlive
// it.
class ExcerptReader {
 public:
  ExcerptReader(const Store& store, const Run& run);
  ~ExcerptReader();
  ExcerptReader(const ExcerptReader&) = delete;
  ExcerptReader& operator=(const ExcerptReader&) = delete;

  // A link that is fine has its URL, health and reason alone, and only `with_occurrences` these. `has_own_verdict`: see
  // Store::for_each_first(). Throws StoreError if the entry is lost.
  std::unique_ptr<ExcerptedLink> read(const LinkId& id, bool has_own_verdict, bool with_occurrences);

 private:
  class Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace linkherd::storage
