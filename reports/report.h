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

// A host that decided how long the run took: `links` of them, one an `interval`.
struct PaceBound {
  std::string host;
  std::size_t links = 0;
  Duration interval{};

  Duration at_least() const { return interval * static_cast<Duration::rep>(links); }
};

struct Report {
  storage::Run run;
  std::vector<storage::CheckedLink> links;  // in the order of their first occurrence
  std::vector<DuplicateGroup> duplicates;
  std::optional<Duration> elapsed;  // nothing where the report is from the store
  std::vector<PaceBound> pace;      // the slowest first
  std::string store;                // its path; empty: no store
};

}  // namespace linkherd::reports
