// Reads and writes the results of one run. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "storage/key_layout.h"
#include "storage/key_value_store.h"
#include "storage/link_id.h"
#include "storage/link_result.h"
#include "storage/run.h"

namespace linkherd::storage {

class Store;

class RunResults {
 public:
  // `store` must outlive this object. Functions that write throw StoreError if it was opened for reading.
  RunResults(const Store& store, const Run& run);

  // Returns the result with its occurrences, or nullopt if the run does not have the link.
  std::optional<LinkResult> find(const LinkId& id) const;
  // Writes results in atomic batches of 16 MiB. Idempotent. A result without occurrences keeps the stored ones.
  void put(std::span<const LinkResult> results);
  // Erases the results that are not `wanted`, because the lists may change before a run is resumed. Keeps the states of
  // the links.
  void keep(const std::function<bool(const LinkId&)>& wanted);
  // Visits the results in an id range without their occurrences, in ascending order of ids.
  void for_each(const IdRange& range, const std::function<void(LinkResult&& result)>& visit) const;

  // Returns the occurrences of a link; empty if the run does not have the link.
  std::vector<parser::LinkOccurrence> occurrences(const LinkId& id) const;
  // Adds their occurrences to results of the run. Fast for ascending ids.
  void add_occurrences(std::span<LinkResult* const> results) const;

  // Visits the health of every link in an id range, in ascending order of ids. Cheaper than for_each().
  void for_each_health(const IdRange& range, const std::function<void(const LinkId& id, Health health)>& visit) const;
  std::map<Health, std::uint64_t> count_by_health() const;

  // Writes notification states in one atomic write, and replaces existing ones. Skips links that are not in the run.
  // for_each_notification_state() visits the links that have such a state.
  void put_notification_states(const std::vector<std::pair<LinkId, NotificationState>>& states);
  void for_each_notification_state(
      const std::function<void(const LinkId& id, const NotificationState& state)>& visit) const;

  // The remaining functions read results with the states of their links. A link that no run has fetched gets a state
  // with only its id and its URL.

  // Returns the link with its occurrences. Throws StoreError if the run does not have the link.
  CheckedLink link(const LinkId& id) const;
  // Returns the link without its occurrences, or nullopt if the run does not have the link.
  std::optional<CheckedLink> link_without_occurrences(const LinkId& id) const;
  // Visits every link, until `visit` returns false. Reading happens in a separate thread while the calling thread
  // visits.
  void for_each_link(const std::function<bool(CheckedLink&&)>& visit) const;
  // Like for_each_link(), for the links with these ids, in ascending order of ids. Throws as link() does.
  void for_each_link_of(std::span<const LinkId> ids, const std::function<bool(CheckedLink&&)>& visit) const;
  // Visits the links with these ids in the calling thread, as link_without_occurrences() returns them, until `visit`
  // returns false. Fast for ascending ids.
  void for_each_link_without_occurrences(std::span<const LinkId> ids,
                                         const std::function<bool(std::optional<CheckedLink>&&)>& visit) const;

 private:
  KeyValueStore& rows_;
  const std::uint64_t run_;
  const OccurrencesKeys occurrences_;
};

}  // namespace linkherd::storage
