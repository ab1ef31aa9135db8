// Links whose result needs more than one response, or the end of the run. Their snapshots are kept in a temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "crawler/classify/strikes.h"
#include "parser/timestamp.h"
#include "storage/host_state.h"
#include "storage/snapshot.h"
#include "storage/spill_file.h"

namespace linkherd::crawler {

class UndecidedLinks {
 public:
  // Keeps the first snapshot of a link until its confirmation.
  void add_unconfirmed(std::size_t index, const storage::Snapshot& first);
  storage::Snapshot take_unconfirmed(std::size_t index);

  // Keeps a link without an answer. Only the end of the run shows whether the local network was down.
  void add_unreachable(std::size_t index, const storage::Snapshot& snapshot);
  void take_unreachable(const std::function<void(std::size_t index, storage::Snapshot snapshot)>& take);

  // Keeps a link that was not tried because its host had failed.
  void add_of_failed_host(std::size_t index, const std::string& url);
  // Gives each host that was contacted after `began` and never answered a strike. In an outage no host is at fault, and
  // the stored states stay as they were.
  void count_strikes(std::vector<storage::HostState>& hosts, Timestamp began, const StrikePolicy& policy,
                     bool is_outage);
  // Returns the unresponsive period of the host of `url` if count_strikes() gave it its last strike. Otherwise null.
  const storage::UnresponsivePeriod* struck_out(const std::string& url) const;
  // Passes the links of the hosts that are struck out, and drops the others.
  void take_links_of_failed_hosts(
      const std::function<void(std::size_t index, const storage::UnresponsivePeriod& unresponsive)>& take);

 private:
  storage::SpillFile::Extent keep(const storage::Snapshot& snapshot);
  storage::Snapshot kept(storage::SpillFile::Extent extent) const;

  storage::SpillFile snapshots_;                                             // encoded
  std::unordered_map<std::size_t, storage::SpillFile::Extent> unconfirmed_;  // by index
  std::vector<std::pair<std::size_t, storage::SpillFile::Extent>> unreachable_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> links_of_failed_hosts_;  // by origin
  std::unordered_map<std::string, storage::UnresponsivePeriod> struck_out_;            // by origin
};

}  // namespace linkherd::crawler
