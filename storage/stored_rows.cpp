#include "storage/stored_rows.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "storage/key_layout.h"
#include "storage/stored_values.h"

namespace linkherd::storage {
namespace {

// Orders runs from the newest to the oldest. Runs of this store are ordered by number. Merged runs are inserted by
// time, because their numbers do not reflect it.
class NewestFirst {
 public:
  explicit NewestFirst(const std::function<bool(Run run)>& visit) : visit_(visit) {}

  // Returns false if the visit has ended.
  bool add(Run run) {
    if (run.is_merged) {
      const auto position =
          std::ranges::upper_bound(waiting_, run.started_at, std::ranges::greater(), &Run::started_at);
      waiting_.insert(position, std::move(run));
      return true;
    }
    return release(run.started_at) && visit_(std::move(run));
  }
  // Visits the waiting runs that started at `from` or later.
  bool release(Timestamp from) {
    while (!waiting_.empty() && waiting_.front().started_at >= from) {
      Run next = std::move(waiting_.front());
      waiting_.pop_front();
      if (!visit_(std::move(next))) return false;
    }
    return true;
  }

 private:
  const std::function<bool(Run run)>& visit_;
  std::deque<Run> waiting_;  // merged runs, newest first
};

void visit_rows(const KeyValueStore& store, bool pruned, const std::function<bool(Run run)>& visit) {
  NewestFirst runs(visit);
  // The record of a run may be lost although its entries exist. Then the run before it is the latest.
  for (std::uint64_t number = last_run_number(store); number > 0; --number) {
    const std::optional<std::string> stored = store.get(Family::run, run_key(number));
    if (!stored || is_pruned_run(*stored) != pruned) continue;
    if (!runs.add(expect(store, "run", {}, decode_run(*stored)))) return;
  }
  runs.release(Timestamp::min());
}

}  // namespace

std::uint64_t last_run_number(const KeyValueStore& store) {
  const std::optional<std::string> last = store.last_key(Family::run);
  return last ? parse_run_number(*last) : 0;
}

void visit_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit) {
  visit_rows(store, false, visit);
}

void visit_pruned_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit) {
  visit_rows(store, true, visit);
}

void put_result(KeyValueStore::Batch& batch, const KeyValueStore& store, std::uint64_t run, const OccurrencesKeys& keys,
                LinkResult result, bool is_new) {
  const FileNames& names = store.file_names;
  if (!result.occurrences.empty()) set_occurrences(result, std::move(result.occurrences));
  if (!names.are_same()) {
    result.first.file = names.to_stored(result.first.file);
    for (parser::LinkOccurrence& one : result.occurrences) one.file = names.to_stored(one.file);
  }
  if (!result.occurrences.empty()) {
    const std::string key = keys.of(result.id);
    const std::string row = encode_occurrences(result.occurrences);
    if (is_new || store.get(Family::occurrences, key) != row) batch.put(Family::occurrences, key, row);
  }
  batch.put(Family::run, result_key(run, result.id), encode_result(result));
}

LinkResult read_result(const KeyValueStore& store, const LinkId& id, std::string_view row) {
  LinkResult result = expect(store, "link result", id, decode_result(row, id));
  if (!store.file_names.are_same()) result.first.file = store.file_names.to_shown(result.first.file);
  return result;
}

LinkState unfetched_state(const LinkResult& result) {
  LinkState state;
  state.id = result.id;
  state.url = result.url;
  return state;
}

}  // namespace linkherd::storage
