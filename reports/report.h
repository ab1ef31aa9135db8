// What every report is made from, whether it comes from a run that has just ended or from the store.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "parser/timestamp.h"
#include "reports/duplicates.h"
#include "storage/run.h"

namespace linkherd::reports {

struct Report {
  storage::Run run;
  std::vector<storage::CheckedLink> links;  // in the order of their first occurrence
  std::vector<DuplicateGroup> duplicates;
  std::optional<Duration> elapsed;  // nothing where the report is from the store
  std::string store;                // its path; empty: no store
};

}  // namespace linkherd::reports
