#include "storage/pruning.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "storage/key_layout.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"

namespace linkherd::storage {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t max_sweep_batch_bytes = std::size_t{256} << 10;
constexpr std::size_t max_bodies_per_batch = 100'000;
constexpr std::size_t max_links_per_batch = 10'000;

// Sets a flag at a given time, from its own thread.
class Alarm {
 public:
  explicit Alarm(steady_clock::time_point at)
      : thread_([this, at](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          changed_.wait_until(lock, stop, at, [] { return false; });
          flag_.store(true);
        }) {}
  std::atomic<bool>& flag() { return flag_; }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<bool> flag_{false};
  std::jthread thread_;  // must be the last member, because it uses the others
};

// Returns false, without doing anything, if `until` has passed.
bool compact_until(KeyValueStore& store, Family family, steady_clock::time_point until) {
  if (steady_clock::now() >= until) return false;
  Alarm alarm(until);
  store.compact(family, &alarm.flag());
  return true;
}

// Returns the first 8 bytes of a digest. That is enough to show that nothing refers to a body; a collision only keeps
// one body too many.
std::uint64_t short_digest(std::string_view body_key) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, body_key.data(), sizeof bytes);
  return bytes;
}

// A body that no link needs, and a history row that refers to it.
struct Unneeded {
  std::string body;
  std::string row;
};

// Collects the bodies that history rows refer to, and decides which of them are needed.
class BodyMarks {
 public:
  BodyMarks(const KeyValueStore& store, bool all) : all_(all), links_(store, Family::link) {}

  // Adds a history row. The rows of a link must come newest first. Throws StoreError if the row cannot be read, because
  // its reference is then unknown.
  void add(const KeyValueStore& store, std::string_view key, std::string_view value) {
    const std::optional<LinkId> id = parse_link_key(key);
    if (!id) return;
    if (id != link_) {
      link_ = id;
      newest_seen_ = false;
      has_seen_page_ = false;
      find_latest(store, *id);
    }
    const BodyReference reference = expect(store, "snapshot", id, body_reference(value));
    const std::optional<std::string> body = body_key(reference.digest);
    if (!body || !reference.is_stored) return;
    const bool is_newest = !newest_seen_;
    const bool is_newest_of_page = reference.page_existed && !has_seen_page_;
    newest_seen_ = true;
    has_seen_page_ = has_seen_page_ || is_newest_of_page;
    // If a clock went backwards, the row of the latest check does not have the newest time.
    if (all_ || is_newest || is_newest_of_page || key == latest_key_) {
      referred_.push_back(short_digest(*body));
    } else if (candidates_.size() < max_bodies_per_batch) {
      candidates_.push_back({*body, std::string(key)});
    }
  }

  // Returns the collected rows whose bodies no link needs, sorted by body. Call it once, at the end.
  std::vector<Unneeded> unneeded() {
    std::ranges::sort(referred_);
    std::ranges::sort(candidates_, {}, &Unneeded::body);
    std::erase_if(candidates_, [this](const Unneeded& row) {
      return std::ranges::binary_search(referred_, short_digest(row.body));
    });
    return std::move(candidates_);
  }
  bool are_all() const { return candidates_.size() < max_bodies_per_batch; }

 private:
  // Reads from the link's own row which snapshot was stored last.
  void find_latest(const KeyValueStore& store, const LinkId& id) {
    latest_key_.clear();
    const std::optional<std::string_view> row = links_.get(link_key(id));
    if (!row) return;
    const StoredLink link = expect(store, "link", id, decode_link(*row, id));
    if (link.snapshot_at) latest_key_ = history_key(id, *link.snapshot_at);
  }

  const bool all_;
  KeyValueStore::Cursor links_;
  std::string latest_key_;
  std::optional<LinkId> link_;
  bool newest_seen_ = false;
  bool has_seen_page_ = false;
  std::vector<std::uint64_t> referred_;
  std::vector<Unneeded> candidates_;
};

// Returns the keys of the bodies that only these links have had. Each key is listed under the last of the links that
// had the body. If links are erased in ascending order, no remaining link lacks its body at any time. Returns nullopt
// if `until` comes before the end.
std::optional<std::multimap<LinkId, std::string>> bodies_only_of(const KeyValueStore& store,
                                                                 const std::set<LinkId>& links,
                                                                 std::optional<steady_clock::time_point> until = {}) {
  std::map<std::string, LinkId> own;  // keys are digests
  for (const LinkId& link : links) {
    store.scan(Family::history, link_key(link), [&](std::string_view /*key*/, std::string_view value) {
      const Result<BodyReference> reference = body_reference(value);
      if (reference.has_value() && !reference->digest.empty()) own.insert_or_assign(reference->digest, link);
      return true;
    });
  }
  if (own.empty()) return std::multimap<LinkId, std::string>();
  bool is_over = false;
  store.scan(Family::history, {}, [&](std::string_view key, std::string_view value) {
    is_over = until && steady_clock::now() >= *until;
    const std::optional<LinkId> link = parse_link_key(key);
    if (!link || links.contains(*link)) return !is_over;
    own.erase(expect(store, "snapshot", link, body_reference(value)).digest);
    return !own.empty() && !is_over;
  });
  if (is_over) return std::nullopt;
  std::multimap<LinkId, std::string> bodies;
  for (const auto& [digest, link] : own) {
    if (const std::optional<std::string> key = body_key(digest)) bodies.emplace(link, *key);
  }
  return bodies;
}

// Adds to `batch` the removal of a link's state, of its history, and of its entries in `bodies`.
void erase_link(KeyValueStore::Batch& batch, const KeyValueStore& store, const LinkId& id,
                const std::multimap<LinkId, std::string>& bodies) {
  store.scan(Family::history, link_key(id), [&](std::string_view key, std::string_view) {
    batch.erase(Family::history, key);
    return true;
  });
  batch.erase(Family::link, link_key(id));
  const auto [begin, end] = bodies.equal_range(id);
  for (auto body = begin; body != end; ++body) batch.erase(Family::body, body->second);
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
    batch.put(Family::run, run_key(run.number), encode_run(run));
  }
}

class Pruner {
 public:
  Pruner(KeyValueStore& store, const Retention& retention, std::optional<steady_clock::time_point> until)
      : store_(store), retention_(retention), until_(until) {}

  PruneResult run(Timestamp now) {
    mark_pruned(expired_runs(runs(), retention_, now));
    erase_runs();
    sweep_bodies();
    erase_unlisted_links(now);
    reclaim();
    shrink();
    done_.is_complete = done_.is_complete && !is_over();
    return done_;
  }

 private:
  bool is_over() const { return until_ && steady_clock::now() >= *until_; }

  std::vector<Run> runs() const {
    std::vector<Run> runs;
    visit_runs(store_, [&runs](Run run) {
      runs.push_back(std::move(run));
      return true;
    });
    return runs;
  }

  // Hides the runs in one atomic write. Their results still exist.
  void mark_pruned(const std::vector<std::uint64_t>& numbers) {
    if (numbers.empty()) return;
    KeyValueStore::Batch batch;
    for (const Run& run : runs()) {
      if (!std::ranges::binary_search(numbers, run.number)) continue;
      batch.put(Family::run, run_key(run.number), encode_pruned_run(run));
      ++done_.runs;
    }
    store_.write(batch);
  }

  void erase_runs() {
    std::vector<Run> pruned;
    visit_pruned_runs(store_, [&pruned](Run run) {
      pruned.push_back(std::move(run));
      return true;
    });
    if (pruned.empty()) return;
    runs_changed_ = true;
    const std::vector<Run> kept = runs();
    for (auto run = pruned.rbegin(); run != pruned.rend() && !is_over(); ++run) erase_run(*run, kept);
  }

  // Erases the results of a run, the occurrences that no other run of the same inputs needs, and finally the row of the
  // run.
  void erase_run(const Run& run, const std::vector<Run>& kept) {
    std::vector<std::uint64_t> others;  // oldest first, because most links of an old run are also in the next one
    for (const Run& other : kept) {
      if (other.identity == run.identity) others.insert(others.begin(), other.number);
    }
    KeyValueStore::Batch batch;
    const OccurrencesKeys occurrences(run.identity);
    bool is_whole = true;
    store_.scan(Family::run, run_key(run.number), [&](std::string_view key, std::string_view /*value*/) {
      const std::optional<LinkId> id = parse_result_key(key);
      if (!id) return true;
      batch.erase(Family::run, key);
      const bool is_needed = std::ranges::any_of(
          others, [&](std::uint64_t other) { return store_.contains(Family::run, result_key(other, *id)); });
      if (!is_needed) batch.erase(Family::occurrences, occurrences.of(*id));
      if (batch.bytes() < max_sweep_batch_bytes) return true;
      store_.write(batch);
      batch.clear();
      is_whole = !is_over();
      return is_whole;
    });
    if (is_whole) batch.erase(Family::run, run_key(run.number));
    store_.write(batch);
  }

  // Returns true if any link has several history rows. Otherwise, each body is the newest of its link.
  bool has_older_rows() const {
    std::optional<LinkId> link;
    bool has_two = false;
    store_.scan(Family::history, {}, [&](std::string_view key, std::string_view /*value*/) {
      const std::optional<LinkId> id = parse_link_key(key);
      has_two = id && id == link;
      link = id;
      return !has_two;
    });
    return has_two;
  }

  void sweep_bodies() {
    if (retention_.bodies == KeptBodies::none || !has_older_rows()) return;
    bool are_all = false;
    while (!are_all && !is_over()) {
      BodyMarks marks(store_, retention_.bodies == KeptBodies::all);
      bool is_whole = true;
      store_.scan(Family::history, {}, [&](std::string_view key, std::string_view value) {
        marks.add(store_, key, value);
        is_whole = !is_over();
        return is_whole;
      });
      if (!is_whole) return;
      are_all = marks.are_all();
      const std::vector<Unneeded> rows = marks.unneeded();
      if (!erase_bodies(rows)) return;
    }
  }

  // Erases each body together with the mark in its history rows that it is stored. Otherwise, verification would report
  // the body as lost. Returns false if there was nothing to do.
  bool erase_bodies(const std::vector<Unneeded>& rows) {
    KeyValueStore::Batch batch;
    const std::string* body = nullptr;
    bool is_changed = false;
    for (const Unneeded& row : rows) {
      if (body == nullptr || *body != row.body) {
        if (is_over()) break;
        if (batch.bytes() >= max_sweep_batch_bytes) {
          store_.write(batch);
          batch.clear();
        }
        body = &row.body;
        if (store_.contains(Family::body, row.body)) {
          ++done_.bodies;
          bodies_changed_ = true;
          is_changed = true;
        }
        batch.erase(Family::body, row.body);  // erases unreadable bodies as well
      }
      const std::optional<std::string> snapshot = store_.get(Family::history, row.row);
      if (!snapshot) continue;
      batch.put(Family::history, row.row, *snapshot, encode_body_mark(false));
      is_changed = true;
    }
    store_.write(batch);
    return is_changed;
  }

  // Erases links that no run lists and that were not checked for keep_days. At the end of a run, it searches only if a
  // run was erased, because that run may have been the last one to list them.
  void erase_unlisted_links(Timestamp now) {
    if (retention_.keep_days == 0 || (until_ && !runs_changed_)) return;
    const std::vector<Run> kept = runs();
    std::set<LinkId> unlisted;
    do {
      unlisted.clear();
      store_.scan(Family::link, {}, [&](std::string_view key, std::string_view value) {
        const std::optional<LinkId> id = parse_link_key(key);
        const bool is_old = id && now - last_seen(*id, value) > std::chrono::days(retention_.keep_days);
        const bool is_listed = is_old && std::ranges::any_of(kept, [&](const Run& run) {
                                 return store_.contains(Family::run, result_key(run.number, *id));
                               });
        if (is_old && !is_listed) unlisted.insert(*id);
        return unlisted.size() < max_links_per_batch && !is_over();
      });
    } while (!unlisted.empty() && erase_links(unlisted) && !is_over());
  }

  Timestamp last_seen(const LinkId& id, std::string_view row) const {
    const StoredLink link = expect(store_, "link", id, decode_link(row, id));
    Timestamp last = link.state.first_seen;
    if (link.snapshot_at) last = std::max(last, *link.snapshot_at);
    if (!link.checks.empty()) last = std::max(last, link.checks.back().at);
    return last;
  }

  // Returns false if the time ran out.
  bool erase_links(const std::set<LinkId>& links) {
    const std::optional<std::multimap<LinkId, std::string>> bodies = bodies_only_of(store_, links, until_);
    if (!bodies) return false;
    KeyValueStore::Batch batch;
    for (const LinkId& id : links) {
      erase_link(batch, store_, id, *bodies);
      if (batch.bytes() < max_sweep_batch_bytes) continue;
      store_.write(batch);
      batch.clear();
    }
    store_.write(batch);
    done_.links += links.size();
    bodies_changed_ = bodies_changed_ || !bodies->empty();
    return true;
  }

  void reclaim() {
    if (!until_) {
      for (const auto& [family, name] : family_names) store_.compact(family);
      return;
    }
    if (runs_changed_) {
      for (const Family family : {Family::run, Family::occurrences}) compact(family);
    }
    if (bodies_changed_) compact(Family::body);
  }

  void compact(Family family) { compact_until(store_, family, *until_); }

  // Removes more runs, oldest first, until the store is small enough.
  void shrink() {
    constexpr std::size_t parts = 4;
    if (!retention_.max_bytes) return;
    while (bytes() > *retention_.max_bytes && !is_over()) {
      std::vector<std::uint64_t> removable = removable_runs(runs());
      if (removable.empty()) {
        done_.is_small_enough = false;
        return;
      }
      removable.resize(std::max<std::size_t>(1, removable.size() / parts));
      mark_pruned(removable);
      erase_runs();
      reclaim();
    }
  }

  std::uint64_t bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& [family, name] : family_names) bytes += store_.bytes(family);
    return bytes;
  }

  KeyValueStore& store_;
  const Retention& retention_;
  const std::optional<steady_clock::time_point> until_;
  bool runs_changed_ = false;
  bool bodies_changed_ = false;
  PruneResult done_;
};

}  // namespace

PruneResult prune(KeyValueStore& store, const Retention& retention, Timestamp now,
                  std::optional<std::chrono::steady_clock::time_point> until) {
  return Pruner(store, retention, until).run(now);
}

bool compact_new_tables(KeyValueStore& store, steady_clock::time_point until, std::uint64_t min_bytes) {
  // Skips families in which at most a tenth is new, because a compaction writes their whole last level again.
  constexpr std::uint64_t min_new_fraction = 10;
  std::uint64_t bytes = 0;
  for (const auto& [family, name] : family_names) bytes += store.uncompacted_bytes(family);
  if (bytes < min_bytes) return false;
  bool is_changed = false;
  for (const auto& [family, name] : family_names) {
    if (store.uncompacted_bytes(family) * min_new_fraction <= store.bytes(family)) continue;
    // New tables are written before old ones are removed. On a full disk, no further writes would be possible.
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(store.directory(), error);
    if (error || space.available / 2 <= store.bytes(family)) continue;
    is_changed = compact_until(store, family, until) || is_changed;
  }
  return is_changed;
}

std::size_t forget(KeyValueStore& store, const std::vector<LinkId>& ids) {
  std::vector<Run> runs;
  visit_runs(store, [&runs](Run run) {
    runs.push_back(std::move(run));
    return true;
  });
  std::set<LinkId> known;
  for (const LinkId& id : ids) {
    const bool is_in_run = std::ranges::any_of(
        runs, [&](const Run& run) { return store.contains(Family::run, result_key(run.number, id)); });
    if (is_in_run || store.contains(Family::link, link_key(id))) known.insert(id);
  }
  if (known.empty()) return 0;
  const auto bodies = bodies_only_of(store, known);
  for (const LinkId& id : known) {
    KeyValueStore::Batch batch;
    erase_from_runs(batch, store, runs, id);
    if (bodies) erase_link(batch, store, id, *bodies);
    store.write(batch);
  }
  for (const auto& [family, name] : family_names) store.compact(family);
  return known.size();
}

}  // namespace linkherd::storage
