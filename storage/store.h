// The persistent store of linkherd, in RocksDB. One process writes at a time; readers use a checkpoint. Thread-safe.
//
// A write is acknowledged when the call returns, and then survives the end of the process. After sync(), it also
// survives a power failure.
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
#include "storage/link_result.h"
#include "storage/merge.h"
#include "storage/retention.h"
#include "storage/run.h"
#include "storage/verification.h"

namespace linkherd::storage {

// A failure of the store: it is locked by another process, unreadable or corrupt, or the disk is full. The message is
// one line that says what to do.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The disk is full, or a file has reached its size limit.
class StoreFull : public StoreError {
 public:
  using StoreError::StoreError;
};

// Disk usage of one column family.
struct FamilyUse {
  std::string_view name;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};
struct StoreUse {
  std::vector<FamilyUse> families;  // families of the database that is read
  std::uint64_t folder_bytes = 0;   // size of the whole store folder
};

class StoreDatabase;

class Store {
 public:
  // Opens `directory` for writing, and creates it if it does not exist. Drops damaged parts, and replaces an unusable
  // database by the latest checkpoint; see losses(). Throws StoreError if that fails, or if the folder is neither empty
  // nor a store.
  static std::unique_ptr<Store> open(const std::filesystem::path& directory);

  // Opens the latest checkpoint in `directory` for reading. Unless another process is writing, it creates a checkpoint
  // if there is none, or if a later run was killed. Throws StoreError if that fails or there is no store. Functions
  // that write throw.
  static std::unique_ptr<Store> open_for_reading(const std::filesystem::path& directory);

  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Returns data that was missing or damaged when the store was opened, one line each. Each line names the store.
  const std::vector<std::string>& losses() const;
  // Returns losses(), and those of earlier calls of open() that nobody has taken yet, for reporting them to the user.
  std::vector<std::string> take_losses() const;
  // Returns true if all written data is visible, including that of a killed run. Returns false for an older checkpoint.
  bool is_current() const;
  // Returns the latest run if it was started but not ended. Reads the state file, because a checkpoint may lack the
  // run.
  std::optional<Run> unfinished_run() const;
  bool is_being_written() const;  // by another process
  // Returns the number of a finished run that damage has removed: it is newer than all existing runs.
  std::optional<std::uint64_t> lost_run() const;

  // --- runs
  // Returns the open or interrupted run with this identity, to resume it. Otherwise returns a new run. Only the latest
  // run can be resumed.
  Run begin_run(std::string_view identity, const std::vector<std::string>& inputs, Timestamp now,
                bool is_partial = false);
  void put_run(const Run& run);
  // Stores a run that has ended, and publishes it. After a complete run, it also prunes the store for less than a
  // second, because the report waits for it. Then it compacts the store for at most one fiftieth of `run_duration`, the
  // duration of the run.
  PruneResult end_run(const Run& run, const Retention& retention, Timestamp now, Duration run_duration);
  std::vector<Run> runs() const;                // readable runs, newest first
  std::optional<Run> latest_run() const;        // latest readable run
  std::optional<Run> latest_whole_run() const;  // latest readable run that is not partial
  std::optional<LinkResult> result(const Run& run, const LinkId& id) const;
  // Writes the results of a run in atomic batches of 16 MiB. Idempotent. A result without occurrences keeps the stored
  // ones.
  void put_results(const Run& run, const std::vector<LinkResult>& results);
  // Erases the results of the run that are not `wanted`, because the lists may change before a run is resumed. Keeps
  // the records of the links.
  void keep_results(const Run& run, const std::function<bool(const LinkId&)>& wanted);
  // Returns the occurrences of a link; empty if the run does not have the link.
  std::vector<parser::LinkOccurrence> occurrences(const Run& run, const LinkId& id) const;
  // Visits the results of a run in an id range without their occurrences, in ascending order of ids.
  void for_each_result(const Run& run, const IdRange& range,
                       const std::function<void(LinkResult&& result)>& visit) const;
  // Adds the occurrences of results of a run. Fast for ascending ids.
  void add_occurrences(const Run& run, std::span<LinkResult* const> results) const;
  // Visits every link of a run, until `visit` returns false. A link that no run has fetched gets a record with
  // only its id and first URL. Reading happens in a separate thread while the calling thread visits.
  void for_each_link(const Run& run, const std::function<bool(CheckedLink&&)>& visit) const;
  // Like for_each_link(), for the links with these ids, in ascending order of ids. Throws as checked_link() does.
  void for_each_link_of(const Run& run, std::span<const LinkId> ids,
                        const std::function<bool(CheckedLink&&)>& visit) const;
  // Visits the results of the links with these ids, in ascending order of ids. The links have no
  // occurrences. Passes nullopt for a link that is not in the run.
  void for_each_outcome_of(const Run& run, std::span<const LinkId> ids,
                           const std::function<bool(std::optional<CheckedLink>&&)>& visit) const;
  // Visits the health of every link of a run in an id range, in ascending order of ids. Cheaper than for_each_result().
  void for_each_health(const Run& run, const IdRange& range,
                       const std::function<void(const LinkId& id, Health health)>& visit) const;
  // Writes the notification states of links of a run in one atomic write, and replaces existing ones. Skips links that
  // are not in the run. for_each_notification_state() visits the links that have such a state.
  void put_notification_states(const Run& run, const std::vector<std::pair<LinkId, NotificationState>>& states);
  void for_each_notification_state(
      const Run& run, const std::function<void(const LinkId& id, const NotificationState& state)>& visit) const;
  // Counts the links of a run by their health in the run.
  std::map<Health, std::uint64_t> count_by_health(const Run& run) const;
  // Returns nullopt if the run does not have the link.
  std::optional<CheckedLink> outcome(const Run& run, const LinkId& id) const;
  // Returns the link with its occurrences. Throws StoreError if the run does not have the link.
  CheckedLink checked_link(const Run& run, const LinkId& id) const;

  // --- links
  std::optional<LinkRecord> link(const LinkId& id) const;
  // Returns snapshots, newest first: those that differ from the one before, and the last 32 checks. A check without
  // changes is returned with the data of the snapshot before it and without its attempts, unless it is the latest
  // check.
  std::vector<Snapshot> history(const LinkId& id, std::size_t limit) const;
  // Returns the times and outcomes of the last checks, oldest first, at most 32.
  std::vector<CheckOutcome> last_checks(const LinkId& id) const;
  // Returns the snapshot whose history row has that time.
  std::optional<Snapshot> snapshot_at(const LinkId& id, Timestamp at) const;
  std::optional<std::string> body(std::string_view digest) const;
  // Writes one link; see LinkWriter.
  void put_link(const Run& run, const CheckedLink& link, std::string_view body);

  // Removes links everywhere: their records, history and occurrences, their results in runs, and bodies that no other
  // link has had. Returns how many of the links the store had.
  std::size_t forget(const std::vector<LinkId>& ids);
  // Visits the records of all links until `visit` returns false.
  void for_each_record(const std::function<bool(const LinkRecord& record)>& visit) const;
  // Visits, for each run, the links that were never stored: unfinished ones, and those that are not URLs. `visit` gets
  // a placeholder record with only the id and the first URL. Stops if it returns false.
  void for_each_unfetched(const std::function<bool(const LinkRecord& record)>& visit) const;

  // --- hosts
  std::vector<HostState> hosts() const;
  void put_hosts(const std::vector<HostState>& hosts);

  // --- maintenance
  // Removes what `retention` does not keep, within `budget`, or completely if it is nullopt. See storage/pruning.h.
  PruneResult prune(const Retention& retention, Timestamp now, std::optional<Duration> budget);
  StoreUse use() const;
  // Reads the complete checkpoint. Reads the database as well if no process is writing; no process can start writing
  // meanwhile.
  Verification verify() const;
  // Copies the database to `folder`, which must be new, empty, or contain backups of this store. Files that an earlier
  // backup has are not copied again. Reads the new backup again, and then keeps only the last `keep` backups. See
  // storage/backup.h.
  void back_up(const std::filesystem::path& folder, std::uint32_t keep);
  // Restores the newest backup in `folder`, or the one with the number `backup`, as the store `directory`. Keeps an
  // existing database as `damaged-N`. Throws StoreError if the backup is damaged; nothing has changed then.
  static Restored restore(const std::filesystem::path& folder, const std::filesystem::path& directory,
                          std::optional<std::uint32_t> backup = {});

  // Copies the contents of other stores from their checkpoints; see storage/merge.h. Throws StoreError before any write
  // if a source is this store, is listed twice, is damaged, has another schema, or is being written.
  Merged merge(const std::vector<std::filesystem::path>& sources);

  // Makes all acknowledged writes durable.
  void sync();
  // Syncs, and publishes the current state for readers as a checkpoint that atomically replaces the previous one.
  void publish();

 private:
  friend class LinkWriter;

  explicit Store(std::unique_ptr<StoreDatabase> database);
  std::unique_ptr<StoreDatabase> database_;
  std::mutex beginning_;  // prevents two runs from getting the same number
};

// Writes checked links in batches, which takes less work than writing them one by one.
class LinkWriter {
 public:
  LinkWriter(Store& store, const Run& run);  // `store` must outlive this object
  ~LinkWriter();
  LinkWriter(const LinkWriter&) = delete;
  LinkWriter& operator=(const LinkWriter&) = delete;

  // Adds what one check of a link found:
  //
  // - the record of the link
  // - its snapshot, if it differs from the latest history row; none if the link was never fetched
  // - the body, once per digest; none if it is empty
  // - the result of the link, as Store::put_results() does. Its check and its page are those of the snapshot.
  //
  // A link must not be added twice before write(). `is_new` promises that the store has no record of the link, so none
  // is read. Throws std::logic_error if a new body does not match the digest in the snapshot.
  void add(const CheckedLink& link, std::string_view body, bool is_new = false);
  std::size_t bytes() const;  // bytes added since the last write()
  // Writes everything added so far atomically.
  void write();

 private:
  class Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace linkherd::storage
