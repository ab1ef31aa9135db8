#include "storage/store.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "storage/key_layout.h"
#include "storage/record_json.h"
#include "storage/store_database.h"
#include "storage/store_errors.h"
#include "storage/value_format.h"

namespace linkherd::storage {
namespace {

constexpr std::size_t max_batch_bytes = std::size_t{16} << 20;

// `of`: the link that the value belongs to, where it is one's.
template <class T>
T read_noun(const KeyValueStore& store, std::string_view what, const std::optional<LinkId>& of, std::string_view stored,
            Result<T> (*read)(const boost::json::value&)) {
  Result<T> noun = decode_noun(stored, read);
  if (noun.has_value()) return std::move(*noun);
  throw store_error(store.directory(), fmt::format("has a {} that cannot be read{}: {}", what,
                                                   of ? " (link " + of->to_hex() + ")" : "", noun.error().message));
}

template <class T>
void put_noun(KeyValueStore::Batch& batch, const KeyValueStore& store, Family family, std::string_view key,
              const T& noun) {
  batch.put(store, family, key, encode_noun(noun));
}

// The number of the last run or run entry; 0 where there is none.
std::uint64_t last_run_number(const KeyValueStore& store) {
  const std::optional<std::string> last = KeyValueStore::View(store).last_key(Family::run);
  return last ? run_number_of_key(*last) : 0;
}

// The record of a link that no run has finished yet.
LinkRecord unfetched(const RunEntry& entry) {
  LinkRecord record;
  record.id = entry.id;
  if (entry.occurrences.empty()) return record;
  const parser::LinkOccurrence& first = entry.occurrences.front();
  record.url = first.href.empty() ? first.url : first.href.substr(0, first.href.find('#'));
  return record;
}

CheckedLink with_record(const KeyValueStore& store, RunEntry entry, const std::optional<std::string>& record) {
  CheckedLink link;
  link.record = record ? read_noun(store, "link", entry.id, *record, link_record_from_json) : unfetched(entry);
  link.entry = std::move(entry);
  return link;
}

void put_body(KeyValueStore::Batch& batch, const KeyValueStore& store, const std::string& digest,
              std::string_view body) {
  if (body.empty()) return;
  // Not a StoreError: this is a programming error, and the body would stay under a wrong key.
  if (content_digest(body) != digest)
    throw std::logic_error("the body does not have the digest that its snapshot names");
  const std::string key = body_key(digest).value_or(std::string());
  if (store.contains(Family::body, key)) return;
  batch.put(store, Family::body, key, std::string_view(&value_version, 1), body);
}

}  // namespace

Store::Store(std::unique_ptr<StoreDatabase> database) : database_(std::move(database)) {}
Store::~Store() = default;

std::unique_ptr<Store> Store::open(const std::filesystem::path& directory) {
  return std::unique_ptr<Store>(new Store(StoreDatabase::open_for_writing(directory)));
}

std::unique_ptr<Store> Store::open_for_reading(const std::filesystem::path& directory) {
  return std::unique_ptr<Store>(new Store(StoreDatabase::open_for_reading(directory)));
}

const std::vector<std::string>& Store::losses() const { return database_->losses(); }

std::vector<std::string> Store::take_losses() const { return database_->take_losses(); }

bool Store::is_current() const { return database_->is_current(); }

bool Store::is_being_written() const { return database_->is_being_written(); }

// --- runs

std::optional<Run> Store::latest_run() const {
  const KeyValueStore::View view(database_->rocks());
  // The record of a run may be lost where its entries are not: then the run before it is the latest.
  for (std::uint64_t number = last_run_number(database_->rocks()); number > 0; --number) {
    const std::optional<std::string> stored = view.get(Family::run, run_key(number));
    if (stored) return read_noun(database_->rocks(), "run", {}, *stored, run_from_json);
  }
  return std::nullopt;
}

std::optional<Run> Store::unfinished_run() const {
  std::optional<Run> recorded = database_->recorded_run();
  if (!recorded || recorded->state != RunState::open) return std::nullopt;
  const std::optional<Run> latest = latest_run();
  const bool ended = latest && (latest->number > recorded->number ||
                                (latest->number == recorded->number && latest->state == RunState::complete));
  return ended ? std::nullopt : recorded;
}

Run Store::begin_run(std::string_view identity, const std::vector<std::string>& inputs, Timestamp now) {
  const std::lock_guard lock(beginning_);
  std::optional<Run> latest = latest_run();
  Run run;
  if (latest && latest->state != RunState::complete && latest->identity == identity) {
    run = std::move(*latest);
    run.state = RunState::open;
    run.finished_at.reset();
  } else {
    // A number is never reused, not even where the run that had it is lost.
    const std::optional<Run> recorded = database_->recorded_run();
    run.number = std::max(last_run_number(database_->rocks()), recorded ? recorded->number : 0) + 1;
    run.identity = identity;
    run.inputs = inputs;
    run.started_at = now;
  }
  put_run(run);
  return run;
}

void Store::put_run(const Run& run) {
  KeyValueStore::Batch batch;
  put_noun(batch, database_->rocks(), Family::run, run_key(run.number), run);
  database_->rocks().write(batch);
  database_->sync_with(run);
}

std::optional<RunEntry> Store::run_entry(const Run& run, const LinkId& id) const {
  const std::optional<std::string> stored = database_->rocks().get(Family::run, run_entry_key(run.number, id));
  if (!stored) return std::nullopt;
  return read_noun(database_->rocks(), "run entry", id, *stored, run_entry_from_json);
}

void Store::put_run_entries(const Run& run, const std::vector<RunEntry>& entries) {
  KeyValueStore::Batch batch;
  for (const RunEntry& entry : entries) {
    put_noun(batch, database_->rocks(), Family::run, run_entry_key(run.number, entry.id), entry);
    if (batch.bytes() < max_batch_bytes) continue;
    database_->rocks().write(batch);
    batch.clear();
  }
  database_->rocks().write(batch);
}

void Store::keep_run_entries(const Run& run, const std::function<bool(const LinkId&)>& wanted) {
  KeyValueStore::Batch batch;
  const KeyValueStore::View view(database_->rocks());
  view.scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view /*value*/) {
    const std::optional<LinkId> id = link_of_run_entry_key(key);
    if (!id || wanted(*id)) return true;
    batch.erase(database_->rocks(), Family::run, key);
    if (batch.bytes() < max_batch_bytes) return true;
    database_->rocks().write(batch);
    batch.clear();
    return true;
  });
  database_->rocks().write(batch);
}

void Store::for_each_entry(const Run& run, const std::function<bool(RunEntry)>& visit) const {
  const KeyValueStore::View view(database_->rocks());
  view.scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view value) {
    const std::optional<LinkId> id = link_of_run_entry_key(key);
    return !id || visit(read_noun(database_->rocks(), "run entry", id, value, run_entry_from_json));
  });
}

void Store::for_each_link(const Run& run, const std::function<bool(CheckedLink)>& visit) const {
  const KeyValueStore& rocks = database_->rocks();
  const KeyValueStore::View view(rocks);
  view.scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view value) {
    const std::optional<LinkId> id = link_of_run_entry_key(key);
    if (!id) return true;
    RunEntry entry = read_noun(rocks, "run entry", id, value, run_entry_from_json);
    const std::optional<std::string> record = view.get(Family::link, link_key(entry.id));
    return visit(with_record(rocks, std::move(entry), record));
  });
}

CheckedLink Store::checked_link(const Run& run, const LinkId& id) const {
  const KeyValueStore& rocks = database_->rocks();
  std::optional<RunEntry> entry = run_entry(run, id);
  if (!entry)
    throw store_error(rocks.directory(), fmt::format("has lost the entry {} of run {}; run `linkherd check` again",
                                                     id.to_hex(), run.number));
  return with_record(rocks, std::move(*entry), rocks.get(Family::link, link_key(id)));
}

// --- links

std::optional<LinkRecord> Store::link(const LinkId& id) const {
  const std::optional<std::string> stored = database_->rocks().get(Family::link, link_key(id));
  if (!stored) return std::nullopt;
  return read_noun(database_->rocks(), "link", id, *stored, link_record_from_json);
}

std::vector<Snapshot> Store::history(const LinkId& id, std::size_t limit) const {
  std::vector<Snapshot> snapshots;
  if (limit == 0) return snapshots;
  const KeyValueStore::View view(database_->rocks());
  view.scan(Family::history, link_key(id), [&](std::string_view /*key*/, std::string_view value) {
    snapshots.push_back(read_noun(database_->rocks(), "snapshot", id, value, snapshot_from_json));
    return snapshots.size() < limit;
  });
  return snapshots;
}

std::optional<std::string> Store::body(std::string_view digest) const {
  const std::optional<std::string> key = body_key(digest);
  std::optional<std::string> stored = key ? database_->rocks().get(Family::body, *key) : std::nullopt;
  if (!stored) return std::nullopt;
  const Result<std::string_view> payload = decode_body(*stored);
  if (payload.has_error()) {
    throw store_error(database_->rocks().directory(),
                      fmt::format("has a body that cannot be read: {}", payload.error().message));
  }
  return std::string(*payload);
}

void Store::put_link(const Run& run, const CheckedLink& link, std::string_view body) {
  const KeyValueStore& rocks = database_->rocks();
  const LinkRecord& record = link.record;
  const Snapshot& snapshot = record.snapshot;
  KeyValueStore::Batch batch;
  put_noun(batch, rocks, Family::link, link_key(record.id), record);
  if (snapshot.fetched_at != Timestamp{}) {
    put_noun(batch, rocks, Family::history, history_key(record.id, snapshot.fetched_at), snapshot);
  }
  put_body(batch, rocks, snapshot.body_digest, body);
  put_noun(batch, rocks, Family::run, run_entry_key(run.number, link.entry.id), link.entry);
  database_->rocks().write(batch);
}

// --- hosts

std::vector<HostState> Store::hosts() const {
  std::vector<HostState> hosts;
  const KeyValueStore::View view(database_->rocks());
  view.scan(Family::host, {}, [&](std::string_view /*key*/, std::string_view value) {
    hosts.push_back(read_noun(database_->rocks(), "host", {}, value, host_state_from_json));
    return true;
  });
  return hosts;
}

void Store::put_hosts(const std::vector<HostState>& hosts) {
  KeyValueStore::Batch batch;
  for (const HostState& host : hosts) put_noun(batch, database_->rocks(), Family::host, host.origin, host);
  database_->rocks().write(batch);
}

// --- durability

void Store::sync() { database_->sync(); }

void Store::publish() { database_->publish(); }

}  // namespace linkherd::storage
