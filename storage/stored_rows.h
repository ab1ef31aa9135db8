// Reading single rows of the store, shared by what reads and what removes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "parser/result.h"
#include "storage/key_value_store.h"
#include "storage/link_id.h"
#include "storage/run.h"
#include "storage/store_errors.h"

namespace linkherd::storage {

// Decodes a stored value. `of`: the link it belongs to, if any.
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

// Returns the number of the last run or run entry, or 0.
std::uint64_t last_run_number(const KeyValueStore& store);

// Visits the runs that are shown, newest first, until `visit` returns false.
void visit_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit);
// Visits those whose entries are being erased.
void visit_pruned_runs(const KeyValueStore& store, const std::function<bool(Run run)>& visit);

}  // namespace linkherd::storage
