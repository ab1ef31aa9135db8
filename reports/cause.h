// Why links need attention, in kinds that have the same advice: the groups of reports.
#pragma once

#include <string>

#include "storage/run.h"

namespace linkherd::reports {

struct Cause {
  std::string name;       // "404 or 410", "Bad certificate"
  std::string advice;     // for all its links; may be empty
  bool says_all = false;  // nothing more is to be said of why a link is in it
  bool is_suspicion = false;
  bool is_local = false;  // found without the network
};

Cause cause_of(const storage::CheckedLink& link);

}  // namespace linkherd::reports
