// Computes a lower bound on the duration of a run, from the request intervals and pauses of its hosts. Used by the
// report.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/run.h"

namespace linkherd::crawler {

// Counts the links of a run by host.
class PaceBounds {
 public:
  explicit PaceBounds(const Politeness& politeness) : politeness_(politeness) {}

  void add(std::string_view href);  // an http or https URL
  // Add what the run learned about a host. Origins that were never added are ignored.
  void set_crawl_delay(std::string_view origin, std::chrono::duration<double> crawl_delay);
  void pause(std::string_view origin, const storage::HostPauses& pauses);

  // Returns the hosts that determine the duration of the run: the one with the highest bound, and at most two others
  // with at least half of that bound. Empty if no host needs a second or more.
  std::vector<storage::PaceBound> slowest_hosts() const;

 private:
  struct Host {
    std::size_t links = 0;
    std::optional<std::chrono::duration<double>> crawl_delay;
    std::optional<storage::HostPauses> pauses;
  };
  storage::PaceBound bound_of(const std::string& origin, const Host& host) const;
  bool may_be_slow(const Host& host) const;
  const Politeness& politeness_;
  std::map<std::string, Host, std::less<>> hosts_;  // by origin
};

}  // namespace linkherd::crawler
