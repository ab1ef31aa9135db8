// A lower bound on the time that a run takes, from the request intervals and pauses of its hosts. For the report.
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

// Counts the links of a run, a host at a time.
class PaceBounds {
 public:
  explicit PaceBounds(const Politeness& politeness) : politeness_(politeness) {}

  void add(std::string_view href);  // of an http or https URL
  // Adds what the run learnt about a host; only for origins that were added.
  void slow_down(std::string_view origin, std::chrono::duration<double> crawl_delay);
  void pause(std::string_view origin, const storage::HostPauses& pauses);

  // The hosts that decide how long the run takes: the one with the highest bound, and at most two more that come to at
  // least half of it. None where no host takes a second.
  std::vector<storage::PaceBound> slowest() const;

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
