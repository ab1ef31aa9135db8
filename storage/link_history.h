// Reads links over time: their states, the snapshots of their checks, and the bodies of their pages. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/timestamp.h"
#include "storage/link_id.h"
#include "storage/link_state.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

class Store;

class LinkHistory {
 public:
  explicit LinkHistory(const Store& store) : store_(store) {}  // `store` must outlive this object

  std::optional<LinkState> state(const LinkId& id) const;
  // Visits the states of all links, without their snapshots, until `visit` returns false.
  void for_each_state(const std::function<bool(const LinkState& state)>& visit) const;
  // Visits, for each run, the links without a stored state: unfinished ones, and those that are not URLs. `visit` gets
  // a state with only the id and the URL. Stops if it returns false.
  void for_each_unfetched(const std::function<bool(const LinkState& state)>& visit) const;

  // Returns snapshots, newest first: those that differ from the one before, and the last 32 checks. A check without
  // changes is returned with the data of the snapshot before it and without its attempts, unless it is the latest
  // check.
  std::vector<Snapshot> snapshots(const LinkId& id, std::size_t limit) const;
  // Returns the snapshot whose history row has that time.
  std::optional<Snapshot> snapshot_at(const LinkId& id, Timestamp at) const;
  // Returns the times and outcomes of the last checks, oldest first, at most 32.
  std::vector<CheckOutcome> last_checks(const LinkId& id) const;
  std::optional<std::string> body(std::string_view digest) const;

 private:
  const Store& store_;
};

}  // namespace linkherd::storage
