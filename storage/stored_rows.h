// Reads and writes single rows of the store. Shared by the classes that read and write it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "parser/result.h"
#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/link_id.h"
#include "storage/link_result.h"
#include "storage/link_state.h"
#include "storage/run.h"
#include "storage/store_errors.h"
#include "storage/stored_values.h"

namespace linkherd::storage {

// Returns a decoded value, or throws StoreError if it could not be decoded. `of` is the link that the value belongs to,
// if any.
template <class T>
T& expect(const KeyValueStore& store, std::string_view kind, const std::optional<LinkId>& of, Result<T>& read) {
  if (read.has_value()) return *read;
  throw store_error(store.directory(), fmt::format("has a {} that cannot be read{}: {}", kind,
                                                   of ? " (link " + of->to_hex() + ")" : "", read.error().message));
}

template <class T>
T expect(const KeyValueStore& store, std::string_view kind, const std::optional<LinkId>& of, Result<T>&& read) {
  return std::move(expect(store, kind, of, read));
}

// Returns the largest number of a run, or 0 if there is none.
std::uint64_t last_run_number(const KeyValueStore& store);

// Visits the visible runs, newest first, until `visit` returns false.
void visit_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit);
// Visits the pruned runs, whose results are being erased, in the same way.
void visit_pruned_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit);

// read_link_state() and read_occurrences() read rows with `from`: the store, or an object that is faster for ascending
// ids. The state of a link is nullopt if the store has none.
template <class From>
std::optional<LinkState> read_link_state(const KeyValueStore& store, From& from, const LinkId& id) {
  const auto row = from.get(Family::link, link_key(id));
  if (!row) return std::nullopt;
  StoredLink link = expect(store, "link", id, decode_link(*row, id));
  if (!link.snapshot_at) return std::move(link.state);
  // If the row is lost, the link is treated as never fetched, but keeps its times and strikes.
  if (const auto snapshot = from.get(Family::history, history_key(id, *link.snapshot_at))) {
    link.state.snapshot = expect(store, "snapshot", id, latest_snapshot(link, *snapshot));
  }
  return std::move(link.state);
}

template <class From>
std::vector<parser::LinkOccurrence> read_occurrences(const KeyValueStore& store, From& from,
                                                     const OccurrencesKeys& keys, const LinkId& id) {
  const auto row = from.get(Family::occurrences, keys.of(id));
  if (!row) return {};
  std::vector<parser::LinkOccurrence> all = expect(store, "list of occurrences", id, decode_occurrences(*row));
  if (store.file_names.are_same()) return all;
  for (parser::LinkOccurrence& one : all) one.file = store.file_names.to_shown(one.file);
  return all;
}

// Decodes a result row. The result has no occurrences.
LinkResult read_result(const KeyValueStore& store, const LinkId& id, std::string_view row);
// Adds a result to `batch`, and its occurrences if they were read and have changed, or the link is new.
void put_result(KeyValueStore::Batch& batch, const KeyValueStore& store, std::uint64_t run, const OccurrencesKeys& keys,
                LinkResult result, bool is_new = false);

// Returns the state of a link that no run has fetched.
LinkState unfetched_state(const LinkResult& result);

}  // namespace linkherd::storage
