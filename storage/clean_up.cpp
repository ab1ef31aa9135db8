#include "storage/clean_up.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "storage/key_layout.h"
#include "storage/stored_rows.h"
#include "storage/stored_values.h"

namespace linkherd::storage {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t max_batch_bytes = std::size_t{256} << 10;
constexpr std::size_t most_bodies_at_once = 100'000;

// Sets a flag at a time, from a thread of its own.
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
  std::jthread thread_;  // last: it uses the others
};

// The first bytes of a digest: enough to say that a body is not referred to; a collision only keeps one.
std::uint64_t short_digest(std::string_view body_key) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, body_key.data(), sizeof bytes);
  return bytes;
}

// Which bodies the history refers to.
class BodyMarks {
 public:
  explicit BodyMarks(bool all) : all_(all) {}

  // Takes a row of the history; they come newest first for each link. Throws StoreError if it cannot be read: what it
  // refers to is unknown.
  void add(const KeyValueStore& store, std::string_view key, std::string_view value) {
    const std::optional<LinkId> id = link_of_key(key);
    if (!id) return;
    if (id != link_) {
      link_ = id;
      newest_seen_ = false;
      there_seen_ = false;
    }
    const BodyReference reference = expect(store, "snapshot", id, body_reference(value));
    const std::optional<std::string> body = body_key(reference.digest);
    if (!body || !reference.may_be_stored) return;
    const bool is_newest = !newest_seen_;
    const bool is_newest_there = reference.is_there && !there_seen_;
    newest_seen_ = true;
    there_seen_ = there_seen_ || is_newest_there;
    if (all_ || is_newest || is_newest_there) {
      referred_.push_back(short_digest(*body));
    } else if (candidates_.size() < most_bodies_at_once && store.may_contain(Family::body, *body)) {
      candidates_.push_back(*body);
    }
  }

  // The bodies that no row refers to, of those that were looked at. To be called once, at the end.
  std::vector<std::string> unreferred() {
    std::ranges::sort(referred_);
    std::ranges::sort(candidates_);
    // clang 14 cannot compile what std::ranges::unique returns.
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    std::erase_if(candidates_, [this](const std::string& body) {
      return std::ranges::binary_search(referred_, short_digest(body));
    });
    return std::move(candidates_);
  }
  bool are_all() const { return candidates_.size() < most_bodies_at_once; }

 private:
  const bool all_;
  std::optional<LinkId> link_;
  bool newest_seen_ = false;
  bool there_seen_ = false;
  std::vector<std::uint64_t> referred_;
  std::vector<std::string> candidates_;
};

class CleanUp {
 public:
  CleanUp(KeyValueStore& store, const Retention& retention, std::optional<steady_clock::time_point> until)
      : store_(store), retention_(retention), until_(until) {}

  CleanedUp run(Timestamp now) {
    give_up(expired_runs(runs(), retention_, now));
    erase_runs();
    sweep_bodies();
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

  // From here on the runs are no longer shown.
  void give_up(const std::vector<std::uint64_t>& numbers) {
    if (numbers.empty()) return;
    KeyValueStore::Batch batch;
    for (const Run& run : runs()) {
      if (!std::ranges::binary_search(numbers, run.number)) continue;
      batch.put(store_, Family::run, run_key(run.number), encode_given_up_run(run));
      ++done_.runs;
    }
    store_.write(batch);
  }

  void erase_runs() {
    std::vector<Run> given_up;
    visit_given_up_runs(store_, [&given_up](Run run) {
      given_up.push_back(std::move(run));
      return true;
    });
    if (given_up.empty()) return;
    runs_changed_ = true;
    const std::vector<Run> kept = runs();
    for (auto run = given_up.rbegin(); run != given_up.rend() && !is_over(); ++run) erase_run(*run, kept);
  }

  // Erases the entries of a run, the occurrences that no other run of the same inputs needs, and at last its row.
  void erase_run(const Run& run, const std::vector<Run>& kept) {
    std::vector<std::uint64_t> others;  // oldest first: a link of an old run is mostly in the next
    for (const Run& other : kept) {
      if (other.identity == run.identity) others.insert(others.begin(), other.number);
    }
    KeyValueStore::Batch batch;
    bool is_whole = true;
    KeyValueStore::View(store_).scan(
        Family::run, run_key(run.number), [&](std::string_view key, std::string_view /*value*/) {
          const std::optional<LinkId> id = link_of_run_entry_key(key);
          if (!id) return true;
          batch.erase(store_, Family::run, key);
          const bool is_needed = std::ranges::any_of(
              others, [&](std::uint64_t other) { return store_.contains(Family::run, run_entry_key(other, *id)); });
          if (!is_needed) batch.erase(store_, Family::occurrences, occurrences_key(run.identity, *id));
          if (batch.bytes() < max_batch_bytes) return true;
          store_.write(batch);
          batch.clear();
          is_whole = !is_over();
          return is_whole;
        });
    if (is_whole) batch.erase(store_, Family::run, run_key(run.number));
    store_.write(batch);
  }

  void sweep_bodies() {
    if (retention_.bodies == KeptBodies::none) return;
    bool are_all = false;
    while (!are_all && !is_over()) {
      BodyMarks marks(retention_.bodies == KeptBodies::all);
      bool is_whole = true;
      KeyValueStore::View(store_).scan(Family::history, {}, [&](std::string_view key, std::string_view value) {
        marks.add(store_, key, value);
        is_whole = !is_over();
        return is_whole;
      });
      if (!is_whole) return;
      are_all = marks.are_all();
      const std::uint64_t erased = erase_bodies(marks.unreferred());
      if (erased == 0) return;
      done_.bodies += erased;
      bodies_changed_ = bodies_changed_ || erased > 0;
    }
  }

  std::uint64_t erase_bodies(const std::vector<std::string>& keys) {
    KeyValueStore::Batch batch;
    std::uint64_t erased = 0;
    for (const std::string& key : keys) {
      if (is_over()) break;
      if (!store_.contains(Family::body, key)) continue;
      batch.erase(store_, Family::body, key);
      ++erased;
    }
    store_.write(batch);
    return erased;
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

  void compact(Family family) {
    if (is_over()) return;
    Alarm alarm(*until_);
    store_.compact(family, &alarm.flag());
  }

  // Gives up more runs, the oldest first, until the store is small enough.
  void shrink() {
    constexpr std::size_t parts = 4;
    if (!retention_.most_bytes) return;
    while (bytes() > *retention_.most_bytes && !is_over()) {
      std::vector<std::uint64_t> removable = removable_runs(runs());
      if (removable.empty()) {
        done_.is_small_enough = false;
        return;
      }
      removable.resize(std::max<std::size_t>(1, removable.size() / parts));
      give_up(removable);
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
  CleanedUp done_;
};

}  // namespace

CleanedUp clean_up(KeyValueStore& store, const Retention& retention, Timestamp now,
                   std::optional<std::chrono::steady_clock::time_point> until) {
  return CleanUp(store, retention, until).run(now);
}

void erase_bodies_of(KeyValueStore& store, const std::set<LinkId>& links) {
  const KeyValueStore::View view(store);
  std::set<std::string> own;
  for (const LinkId& link : links) {
    view.scan(Family::history, link_key(link), [&own](std::string_view /*key*/, std::string_view value) {
      const Result<BodyReference> reference = body_reference(value);
      if (reference.has_value() && !reference->digest.empty()) own.insert(reference->digest);
      return true;
    });
  }
  view.scan(Family::history, {}, [&](std::string_view key, std::string_view value) {
    const std::optional<LinkId> link = link_of_key(key);
    if (!link || links.contains(*link)) return true;
    own.erase(expect(store, "snapshot", link, body_reference(value)).digest);
    return !own.empty();
  });
  KeyValueStore::Batch batch;
  for (const std::string& digest : own) {
    if (const std::optional<std::string> key = body_key(digest)) batch.erase(store, Family::body, *key);
  }
  store.write(batch);
}

}  // namespace linkherd::storage
