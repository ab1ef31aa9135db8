// The control requests of a run: asks a host at most once a day for a path that cannot exist, where the page of a link
// may be a soft 404, and holds such pages until the answer is there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/run/page_analysis.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

// Used by one thread.
class ControlRequests {
 public:
  void restore(const std::vector<storage::HostState>& hosts, Timestamp now);  // what earlier runs were answered

  // Settles the verdict of a page that needs no control answer, or whose host has given one, and gives false. Takes in
  // any other: then take_request() may have one to be submitted. `may_ask`: else it is settled without.
  bool hold(AnalyzedPage& page, bool may_ask, Timestamp now);
  std::optional<FetchRequest> take_request() { return std::exchange(request_, std::nullopt); }

  // The pages that waited for this answer, settled.
  std::vector<AnalyzedPage> release(const AnalyzedPage& control);

  void add_to(std::vector<storage::HostState>& hosts) const;

 private:
  struct Host {
    std::string origin;  // that is asked
    std::optional<storage::ControlAnswer> answer;
    std::optional<storage::PageLooks> home;
    bool asked = false;
    std::vector<AnalyzedPage> waiting;
  };
  static void settle(const Host& host, AnalyzedPage& page);

  std::unordered_map<std::string, Host> hosts_;  // by host and port, whatever the scheme
  std::optional<FetchRequest> request_;
  std::size_t held_ = 0;
  std::size_t held_bytes_ = 0;
};

}  // namespace linkherd::crawler
