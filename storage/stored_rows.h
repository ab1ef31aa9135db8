// Reads single rows of the store. Shared by the code that reads runs and the code that prunes them.
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

}  // namespace linkherd::storage
