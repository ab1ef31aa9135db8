// How long a run must take at least, by the intervals that its hosts are asked at: pure arithmetic, for the report.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/frontier/politeness.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

struct PaceBound {
  std::string host;  // with its port, where that is not the usual one
  std::size_t links = 0;
  Duration interval{};  // between two requests

  Duration at_least() const { return interval * static_cast<Duration::rep>(links); }
  bool operator==(const PaceBound&) const = default;
};

// Counts the links of a run, a host at a time.
class PaceBounds {
 public:
  explicit PaceBounds(const Politeness& politeness) : politeness_(politeness) {}

  void add(std::string_view href);  // of an http or https URL
  void slow_down(std::string_view origin, std::chrono::duration<double> crawl_delay);

  // The hosts that decide how long the run takes: the one with the highest bound, and at most two more that come to at
  // least half of it. None where no host takes a second.
  std::vector<PaceBound> slowest() const;

 private:
  struct Host {
    std::string name;
    std::size_t links = 0;
    HostLimits limits;
  };
  const Politeness& politeness_;
  std::map<std::string, Host, std::less<>> hosts_;  // by origin
};

}  // namespace linkherd::crawler
