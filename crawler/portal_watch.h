// Does a captive portal answer in place of the web? Notices when many domains are sent to one place that no link names,
// and holds such pages back until that is clear: a portal's login page is neither a redirect nor a death of the link.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "crawler/page_analysis.h"

namespace linkherd::crawler {

// At least five domains sent to one place, and these `share` of the domains that answered at all. While the run is
// young
// (`settled` false) slower answers are still under way: then it must be all of them. Lists have some domains that are
// for sale at one shop, and sites that share one sign-on; hardly ever half of them.
bool is_portal(std::size_t sent_to_one_place, std::size_t answered, double share, bool settled);

// Used by one thread. After release() nothing is counted any more: a portal is there from the start.
class PortalWatch {
 public:
  explicit PortalWatch(double share) : share_(share) {}

  // Takes `page` in and gives true where a portal may have answered it and that is not clear yet.
  bool hold(AnalyzedPage& page);

  std::size_t held() const { return held_.size(); }
  bool is_full() const;  // it is time to decide: held pages take memory
  bool sees_portal(bool settled) const;
  std::vector<AnalyzedPage> release();  // all that are held; none are held from here on

 private:
  double share_;
  bool decided_ = false;
  std::size_t held_bytes_ = 0;
  std::vector<AnalyzedPage> held_;
  std::unordered_map<std::string, std::string> sent_to_;  // by domain that answered: the place; empty: none
  std::unordered_map<std::string, std::unordered_set<std::string>> domains_of_;  // by place
  std::unordered_set<std::string> listed_hosts_;
};

}  // namespace linkherd::crawler
