// Classifies why links need attention. Links with the same cause get the same advice and form a group in reports.
#pragma once

#include <string>

#include "storage/link_result.h"

namespace linkherd::reports {

struct Cause {
  std::string name;                  // "404 or 410", "Bad certificate"
  std::string advice;                // applies to all links of the group; may be empty
  bool is_self_explanatory = false;  // the name alone explains each link of the group
  bool is_suspicion = false;
  bool is_local = false;  // found without the network
};

Cause cause_of(const storage::LinkResult& result);

}  // namespace linkherd::reports
