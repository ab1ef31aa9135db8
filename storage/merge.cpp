#include "storage/merge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "parser/join.h"
#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/store.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"
#include "storage/vantages.h"

namespace linkherd::storage {
namespace {

using Row = std::pair<std::string, std::string>;  // key and value

constexpr std::size_t merge_batch_bytes = std::size_t{16} << 20;

// A key in `meta` for each link that vantage points disagree about since a merge, until the results of runs are
// replaced. A merge that was killed is then completed by the next one.
constexpr std::string_view disputed_prefix = "disputed ";
std::string disputed_key(const LinkId& id) { return std::string(disputed_prefix) + id.to_hex(); }

// The state of a link in one of the two stores.
struct Side {
  std::string_view row;
  LinkState state;           // includes the snapshot
  std::string latest;        // the last check as a history row; empty if there is none
  bool has_own_row = false;  // the last check already has a history row
};

Side side_of(const KeyValueStore& store, const LinkId& id, std::string_view row) {
  Side side;
  side.row = row;
  const StoredLink link = expect(store, "link", id, decode_link(row, id));
  side.state = link.state;
  if (!link.snapshot_at) return side;
  const std::optional<std::string> snapshot = store.get(Family::history, history_key(id, *link.snapshot_at));
  if (!snapshot) return side;  // lost: the link is treated as never fetched
  side.has_own_row = link.last_check.empty();
  side.latest = expect(store, "snapshot", id, latest_row(link, *snapshot));
  side.state.snapshot = expect(store, "snapshot", id, decode_snapshot(side.latest));
  return side;
}

// Returns what both stores know about a link. The snapshot is the newer one.
LinkState joined_state(const LinkState& newer, const LinkState& older) {
  LinkState state = newer;
  state.first_seen = std::min(newer.first_seen, older.first_seen);
  state.last_alive = std::max(newer.last_alive, older.last_alive);
  const bool was_read_earlier =
      older.first_version_at && (!newer.first_version_at || *older.first_version_at < *newer.first_version_at);
  if (was_read_earlier) state.first_version_at = older.first_version_at;
  const bool failed_before = newer.first_failed && older.first_failed && state.last_alive <= older.first_failed;
  if (failed_before) state.first_failed = std::min(newer.first_failed, older.first_failed);
  const bool has_later_copy =
      older.archived_copy && (!newer.archived_copy || newer.archived_copy->asked_at < older.archived_copy->asked_at);
  if (has_later_copy) state.archived_copy = older.archived_copy;
  const bool has_later_search =
      older.relocation && (!newer.relocation || newer.relocation->searched_at < older.relocation->searched_at);
  if (has_later_search) state.relocation = older.relocation;
  state.vantages = merge_vantages(vantage_checks(newer), vantage_checks(older));
  if (state.vantages.size() < 2) state.vantages.clear();
  return state;
}

// Returns the newer state of a host, with the more polite one of each limit.
HostState joined_host(const HostState& ours, const HostState& theirs) {
  HostState host = ours;
  host.not_before = std::max(ours.not_before, theirs.not_before);
  host.concurrency = std::min(ours.concurrency, theirs.concurrency);
  if (ours.robots_at < theirs.robots_at) {
    host.robots = theirs.robots;
    host.robots_at = theirs.robots_at;
  }
  // A host that answered either store is not unresponsive.
  if (!theirs.unresponsive || (host.unresponsive && host.unresponsive->last < theirs.unresponsive->last)) {
    if (host.unresponsive) host.unresponsive = theirs.unresponsive;
  }
  if (theirs.probe && (!host.probe || host.probe->at < theirs.probe->at)) host.probe = theirs.probe;
  return host;
}

// Merges the links of one source with their histories and bodies, and its hosts.
class LinkMerge {
 public:
  LinkMerge(KeyValueStore& store, const KeyValueStore& source, Merged& merged)
      : store_(store),
        source_(source),
        merged_(merged),
        target_links_(store, Family::link),
        source_history_(source, Family::history),
        has_bodies_(!KeyValueStore::Rows(source, Family::body).is_at_end()) {}

  void run() {
    for (KeyValueStore::Rows row(source_, Family::link); !row.is_at_end(); row.next()) {
      const std::optional<LinkId> id = parse_link_key(row.key());
      if (!id) continue;
      read_source_checks(*id);
      if (const std::optional<std::string_view> ours = target_links_.get(row.key())) {
        if (*ours != row.value()) join(*id, *ours, row.value());
      } else {
        ++merged_.new_links;
        for (Row& history_row : source_checks_) put_history_row(history_row.first, std::move(history_row.second));
        batch_.put(Family::link, row.key(), row.value());
      }
      if (batch_.bytes() >= merge_batch_bytes) flush();
    }
    take_hosts();
    flush();
  }

 private:
  void read_source_checks(const LinkId& id) {
    source_checks_.clear();
    const std::string prefix = link_key(id);
    while (!source_history_.is_at_end() && source_history_.key().substr(0, prefix.size()) < prefix)
      source_history_.next();
    for (; !source_history_.is_at_end() && source_history_.key().starts_with(prefix); source_history_.next())
      source_checks_.emplace_back(source_history_.key(), source_history_.value());
  }

  void join(const LinkId& id, std::string_view target_row, std::string_view source_row) {
    const Side ours = side_of(store_, id, target_row);
    const Side theirs = side_of(source_, id, source_row);
    const bool is_theirs_newer = ours.state.snapshot.fetched_at < theirs.state.snapshot.fetched_at;
    const Side& newer = is_theirs_newer ? theirs : ours;
    const Side& older = is_theirs_newer ? ours : theirs;
    LinkState state = joined_state(newer.state, older.state);
    std::string row = expect(store_, "link", id, join_links(newer.row, older.row, state));

    std::map<std::string, std::string> rows_to_write;  // history rows to write
    for (Row& history_row : source_checks_) {
      if (!store_.get(Family::history, history_row.first)) rows_to_write.insert(std::move(history_row));
    }
    // If the last check of a link found the same as the check before, it exists only in the row of the link. The merged
    // row is that of the newer store, so the other store's check needs a history row.
    const bool is_other_vantage = older.state.snapshot.vantage != newer.state.snapshot.vantage;
    if (!older.latest.empty() && !older.has_own_row && is_other_vantage)
      rows_to_write.try_emplace(history_key(id, older.state.snapshot.fetched_at), older.latest);
    if (const std::optional<Verdict> doubt = verdict_on_disagreement(state.vantages)) {
      replace_disputed_verdicts(state, *doubt, newer, row, rows_to_write);
      const bool was_known = find_disagreeing(state.vantages) == find_disagreeing(vantage_checks(ours.state));
      if (!was_known) batch_.put(Family::meta, disputed_key(id), {});
    }

    if (rows_to_write.empty() && row == target_row) return;
    ++merged_.changed_links;
    for (auto& [key, history_row] : rows_to_write) put_history_row(key, std::move(history_row));
    batch_.put(Family::link, link_key(id), row);
  }

  // Replaces the verdicts of the last checks of disagreeing vantage points by `doubt`. They are no longer evidence of
  // the link's state. For the results of runs, see DisputedResults.
  void replace_disputed_verdicts(LinkState& state, const Verdict& doubt, const Side& newer, std::string& row,
                                 std::map<std::string, std::string>& rows_to_write) const {
    const std::string newest_key = history_key(state.id, state.snapshot.fetched_at);
    for (const VantageCheck& check : find_disagreeing(state.vantages)) {
      const std::string key = history_key(state.id, check.at);
      if (key == newest_key) continue;
      const auto added = rows_to_write.find(key);
      const std::optional<std::string> known =
          added != rows_to_write.end() ? std::optional(added->second) : store_.get(Family::history, key);
      if (!known) continue;
      std::string doubted = expect(store_, "snapshot", state.id, with_verdict(*known, doubt));
      if (doubted != *known) rows_to_write.insert_or_assign(key, std::move(doubted));
    }
    if (state.snapshot.verdict == doubt) return;
    state.snapshot.verdict = doubt;
    LinkRows rows = encode_link(row, state);
    row = std::move(rows.link);
    if (!rows.history) return;
    const BodyReference body = expect(store_, "snapshot", state.id, body_reference(newer.latest));
    rows_to_write.insert_or_assign(newest_key, *rows.history + encode_body_mark(body.is_stored));
  }

  void put_history_row(std::string_view key, std::string history_row) {
    ++merged_.history_rows;
    if (has_bodies_) put_body(key, history_row);
    batch_.put(Family::history, key, history_row);
  }

  // Copies the body that the history row refers to, and records in the row whether the body exists.
  void put_body(std::string_view row_key, std::string& history_row) {
    const BodyReference reference = expect(source_, "snapshot", parse_link_key(row_key), body_reference(history_row));
    const std::optional<std::string> key = body_key(reference.digest);
    if (!key || !reference.is_stored || bodies_in_batch_.contains(*key) || store_.contains(Family::body, *key)) return;
    if (const std::optional<std::string> body = source_.get(Family::body, *key)) {
      batch_.put(Family::body, *key, *body);
      bodies_in_batch_.insert(*key);
      ++merged_.bodies;
    } else {
      history_row += encode_body_mark(false);
    }
  }

  void take_hosts() {
    for (KeyValueStore::Rows row(source_, Family::host); !row.is_at_end(); row.next()) {
      const std::optional<std::string> ours = store_.get(Family::host, row.key());
      if (!ours) {
        batch_.put(Family::host, row.key(), row.value());
        continue;
      }
      const HostState known = expect(store_, "host", {}, decode_host(*ours, row.key()));
      const HostState host = joined_host(known, expect(source_, "host", {}, decode_host(row.value(), row.key())));
      if (host != known) batch_.put(Family::host, row.key(), encode_host(host));
    }
  }

  void flush() {
    store_.write(batch_);
    batch_.clear();
    bodies_in_batch_.clear();
  }

  KeyValueStore& store_;
  const KeyValueStore& source_;
  Merged& merged_;
  KeyValueStore::Cursor target_links_;
  KeyValueStore::Rows source_history_;
  const bool has_bodies_;
  std::vector<Row> source_checks_;  // history rows of the present link in the source
  KeyValueStore::Batch batch_;
  std::set<std::string> bodies_in_batch_;
};

struct KnownRun {
  Run run;
  const KeyValueStore* store = nullptr;
};

// A run to be written, and the runs that its entries come from.
struct NewRun {
  Run run;
  std::vector<KnownRun> parts;
};

std::uint64_t link_count(const Run& run) {
  std::uint64_t count = 0;
  for (const auto& [health, links] : run.by_health) count += links;
  return count;
}

std::string describe_run(const Run& run, const FileNames& names) {
  std::vector<std::string> inputs;
  for (const std::string& input : run.inputs) inputs.push_back(names.to_shown(input));
  return fmt::format("the run of {} started {}",
                     inputs.empty() ? "inputs listed in a file" : linkherd::join(inputs, " "),
                     format_timestamp(run.started_at));
}

NewRun joined_run(std::vector<KnownRun> parts) {
  Run run = parts.front().run;
  run.identity = run.shard->whole;
  run.shard.reset();
  run.by_health.clear();
  for (const KnownRun& part : parts) {
    run.started_at = std::min(run.started_at, part.run.started_at);
    run.finished_at = std::max(run.finished_at, part.run.finished_at);
    run.parts.push_back(part.run.key());
    for (const auto& [health, links] : part.run.by_health) run.by_health[health] += links;
  }
  return {std::move(run), std::move(parts)};
}

// Copies the runs of the sources. Their links must have been merged before.
class RunMerge {
 public:
  RunMerge(KeyValueStore& store, const std::vector<const KeyValueStore*>& sources, Merged& merged)
      : store_(store), merged_(merged) {
    collect(store);
    for (const KeyValueStore* const source : sources) collect(*source);
  }

  void run() {
    remove_joined_parts();
    join_parts();
    for (KnownRun& known : runs_) {
      if (known.store != &store_) new_runs_.push_back({known.run, {known}});
    }
    std::ranges::sort(new_runs_, {}, [](const NewRun& one) { return one.run.key(); });
    std::ranges::stable_sort(new_runs_, {}, [](const NewRun& one) { return one.run.started_at; });
    std::uint64_t number = last_run_number(store_);
    for (NewRun& one : new_runs_) {
      one.run.number = ++number;
      one.run.is_merged = true;
      write(one);
    }
    prune_runs();
    store_.write(batch_);
    merged_.runs = new_runs_.size();
  }

 private:
  void collect(const KeyValueStore& from) {
    visit_runs(from, [&](Run run) {
      const bool has_ended = run.state == RunState::complete || run.state == RunState::outage;
      if (&from != &store_ && !has_ended) {
        merged_.notes.push_back(fmt::format("{} has not ended and was skipped", describe_run(run, store_.file_names)));
      } else if (keys_.insert(run.key()).second) {
        runs_.push_back({std::move(run), &from});
      }
      return true;
    });
  }

  // Removes the parts of runs that were joined already, in this store or in a source.
  void remove_joined_parts() {
    std::set<RunKey> joined;
    for (const KnownRun& known : runs_) joined.insert(known.run.parts.begin(), known.run.parts.end());
    remove(joined);
  }

  void remove(const std::set<RunKey>& keys) {
    std::erase_if(runs_, [&](const KnownRun& known) {
      if (!keys.contains(known.run.key())) return false;
      if (known.store == &store_) pruned_.push_back(known.run);
      return true;
    });
  }

  // Joins complete sets of parts into runs, in order of time. A second run of the same part begins the next set.
  void join_parts() {
    std::map<std::pair<std::string, std::uint32_t>, std::vector<KnownRun>> sets;
    for (const KnownRun& known : runs_) {
      if (known.run.shard && known.run.state == RunState::complete)
        sets[{known.run.shard->whole, known.run.shard->count}].push_back(known);
    }
    std::set<RunKey> used;
    for (auto& [whole, parts] : sets) {
      std::ranges::sort(parts, {},
                        [](const KnownRun& part) { return std::tuple(part.run.started_at, part.run.shard->number); });
      std::map<std::uint32_t, KnownRun> present;
      for (KnownRun& part : parts) {
        if (present.contains(part.run.shard->number)) present.clear();
        present.emplace(part.run.shard->number, part);
        if (present.size() < whole.second) continue;
        join(present, used);
        present.clear();
      }
      if (!present.empty()) note_missing_parts(present, whole.second);
    }
    remove(used);
  }

  void join(const std::map<std::uint32_t, KnownRun>& present, std::set<RunKey>& used) {
    std::vector<KnownRun> parts;
    parts.reserve(present.size());
    for (const auto& [number, part] : present) parts.push_back(part);
    NewRun whole = joined_run(parts);
    const std::uint64_t links = parts.front().run.shard->links;
    const bool is_one_list =
        std::ranges::all_of(parts, [links](const KnownRun& part) { return part.run.shard->links == links; });
    if (!is_one_list || (links > 0 && links != link_count(whole.run))) {
      merged_.notes.push_back(
          fmt::format("{} was not merged from its {} parts: the parts have different inputs, or come from systems with "
                      "different public suffix lists",
                      describe_run(whole.run, store_.file_names), parts.size()));
      return;
    }
    used.insert(whole.run.parts.begin(), whole.run.parts.end());
    new_runs_.push_back(std::move(whole));
  }

  void note_missing_parts(const std::map<std::uint32_t, KnownRun>& present, std::uint32_t count) {
    constexpr std::size_t max_named = 20;
    std::vector<std::string> missing;
    for (std::uint32_t number = 1; number <= count && missing.size() < max_named; ++number) {
      if (!present.contains(number)) missing.push_back(std::to_string(number));
    }
    const std::size_t more = count - present.size() - missing.size();
    merged_.notes.push_back(fmt::format("{} is not complete yet: of its {} parts, {}{} missing",
                                        describe_run(present.begin()->second.run, store_.file_names), count,
                                        linkherd::join(missing, ", "),
                                        more > 0              ? fmt::format(" and {} more are", more)
                                        : missing.size() == 1 ? " is"
                                                              : " are"));
  }

  // Writes a run, which remains hidden until it is complete. Pruning erases what a killed merge leaves behind.
  void write(const NewRun& one) {
    batch_.put(Family::run, run_key(one.run.number), encode_pruned_run(one.run));
    const bool is_latest = std::ranges::none_of(runs_, [&one, this](const KnownRun& known) {
      return known.store == &store_ && known.run.identity == one.run.identity &&
             known.run.started_at > one.run.started_at;
    });
    for (const KnownRun& part : one.parts) copy_entries(part, one.run, is_latest);
    batch_.put(Family::run, run_key(one.run.number), encode_run(one.run));
  }

  // If `is_latest` is set, its occurrences replace existing ones.
  void copy_entries(const KnownRun& from, const Run& to, bool is_latest) {
    KeyValueStore::Cursor occurrences(*from.store, Family::occurrences);
    KeyValueStore::Cursor known(store_, Family::occurrences);
    const OccurrencesKeys from_keys(from.run.identity);
    const OccurrencesKeys to_keys(to.identity);
    for (KeyValueStore::Rows row(*from.store, Family::run, run_key(from.run.number)); !row.is_at_end(); row.next()) {
      const std::optional<LinkId> id = parse_result_key(row.key());
      if (!id) continue;
      batch_.put(Family::run, result_key(to.number, *id), row.value());
      const std::string key = to_keys.of(*id);
      const std::optional<std::string_view> stored = occurrences.get(from_keys.of(*id));
      if (stored && (is_latest || !known.get(key))) batch_.put(Family::occurrences, key, *stored);
      if (batch_.bytes() < merge_batch_bytes) continue;
      store_.write(batch_);
      batch_.clear();
    }
  }

  void prune_runs() {
    for (const Run& run : pruned_) batch_.put(Family::run, run_key(run.number), encode_pruned_run(run));
  }

  KeyValueStore& store_;
  Merged& merged_;
  std::set<RunKey> keys_;
  std::vector<KnownRun> runs_;  // runs of this store and of the sources, each once
  std::vector<NewRun> new_runs_;
  std::vector<Run> pruned_;  // runs of this store that are parts of a joined run
  KeyValueStore::Batch batch_;
};

// Replaces verdicts in the results of runs: those of the last checks of vantage points that disagree since a merge.
class DisputedResults {
 public:
  explicit DisputedResults(KeyValueStore& store) : store_(store) {}

  void replace() {
    visit_runs(store_, [this](Run run) {
      runs_.push_back(std::move(run));
      return true;
    });
    for (KeyValueStore::Rows row(store_, Family::meta, disputed_prefix); !row.is_at_end(); row.next()) {
      const std::optional<LinkId> id = LinkId::from_hex(row.key().substr(disputed_prefix.size()));
      if (id) replace(*id);
      batch_.erase(Family::meta, row.key());
      if (batch_.bytes() >= merge_batch_bytes) write();
    }
    write();
  }

 private:
  void replace(const LinkId& id) {
    const std::optional<std::string> row = store_.get(Family::link, link_key(id));
    if (!row) return;
    const LinkState state = expect(store_, "link", id, decode_link(*row, id)).state;
    const std::optional<Verdict> doubt = verdict_on_disagreement(state.vantages);
    if (!doubt) return;
    for (const VantageCheck& check : find_disagreeing(state.vantages)) replace(id, check, *doubt);
  }

  void replace(const LinkId& id, const VantageCheck& check, const Verdict& doubt) {
    for (Run& run : runs_) {
      const std::string key = result_key(run.number, id);
      const std::optional<std::string> row = run.vantage == check.vantage ? store_.get(Family::run, key) : std::nullopt;
      if (!row) continue;
      const LinkResult result = expect(store_, "link result", id, decode_result(*row, id));
      const Health health = result.verdict.health;
      if (!result.check || result.check->at != check.at || health != check.verdict.health) continue;
      batch_.put(Family::run, key, expect(store_, "link result", id, with_result_verdict(*row, doubt)));
      if (run.by_health.empty()) continue;
      if (--run.by_health[health] == 0) run.by_health.erase(health);
      ++run.by_health[doubt.health];
      batch_.put(Family::run, run_key(run.number), encode_run(run));
    }
  }

  void write() {
    store_.write(batch_);
    batch_.clear();
  }

  KeyValueStore& store_;
  std::vector<Run> runs_;
  KeyValueStore::Batch batch_;
};

}  // namespace

Merged merge(Store& store, const std::vector<std::filesystem::path>& paths) {
  std::vector<std::unique_ptr<Store>> stores;
  std::vector<const KeyValueStore*> sources;
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    std::error_code error;
    const auto is_path = [&](const std::filesystem::path& other) {
      return std::filesystem::equivalent(*path, other, error);
    };
    if (is_path(store.path())) throw store_error(*path, "is the store to merge into, so it cannot also be merged from");
    if (std::any_of(paths.begin(), path, is_path)) throw store_error(*path, "is given twice");
    stores.push_back(Store::open_published(*path));
    sources.push_back(&stores.back()->rows());
    const std::vector<std::string> damaged = sources.back()->list_damaged_files();
    if (!damaged.empty()) throw store_damaged(*path, "file " + damaged.front());
  }
  Merged merged;
  for (const KeyValueStore* const source : sources) LinkMerge(store.rows(), *source, merged).run();
  RunMerge(store.rows(), sources, merged).run();
  DisputedResults(store.rows()).replace();
  store.sync();
  return merged;
}

}  // namespace linkherd::storage
